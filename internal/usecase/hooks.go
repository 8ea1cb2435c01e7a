package usecase

import (
	"verdict/internal/policydesk"
)

// Hooks are called with events, for metrics. They must not block, because a
// request or the background work waits for them. A nil hook is not called.
type Hooks struct {
	Decided func(status string)
	Rule    func(policydesk.RuleCount)
}
