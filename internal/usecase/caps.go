package usecase

import (
	"verdict/internal/account"
	"verdict/internal/frauddesk"
	"verdict/internal/policydesk"
)

// Caps are how many of something a tenant may have: drafts, scorecards and entries
// of the block list in one environment, and API keys in use in both. A zero field
// takes its default.
type Caps struct{ Drafts, Scorecards, Blocked, Keys int }

// DefaultCaps are the caps unless set otherwise.
func DefaultCaps() Caps {
	return Caps{
		Drafts:     policydesk.DefaultMaxDrafts,
		Scorecards: policydesk.DefaultMaxScorecards,
		Blocked:    frauddesk.DefaultMaxBlocked,
		Keys:       account.DefaultMaxKeys,
	}
}
