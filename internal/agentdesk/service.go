package agentdesk

import (
	"verdict/internal/decisioning"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
)

// Service offers the operations on agent runs and on the collections strategy. It is
// safe for concurrent use.
type Service struct {
	core      *operation.Core
	policies  *policydesk.Service
	decisions *decisioning.Service
}

// New returns a Service over the database of core.
func New(core *operation.Core, policies *policydesk.Service, decisions *decisioning.Service) *Service {
	return &Service{core: core, policies: policies, decisions: decisions}
}
