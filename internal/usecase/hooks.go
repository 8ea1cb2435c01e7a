package usecase

import (
	"verdict/internal/policydesk"
)

// Hooks are told what happened, for metrics. They must not block; a nil hook
// is left out.
type Hooks struct {
	Decided func(status string)
	Rule    func(policydesk.RuleCount)
}
