package agentdesk

import (
	"verdict/internal/decisioning"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
)

// Service is the operations on the runs of agents and on the collections strategy. It is
// safe for concurrent use.
type Service struct {
	core      *operation.Core
	policies  *policydesk.Service
	decisions *decisioning.Service
}

// New makes the room.
func New(core *operation.Core, policies *policydesk.Service, decisions *decisioning.Service) *Service {
	return &Service{core: core, policies: policies, decisions: decisions}
}
