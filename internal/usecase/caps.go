package usecase

import (
	"verdict/internal/account"
	"verdict/internal/frauddesk"
	"verdict/internal/policydesk"
	"verdict/internal/privacydesk"
	"verdict/internal/store"
)

// Caps limits how many objects a tenant may have: drafts, scorecards, block
// list entries and legal holds in one environment, and valid API keys in both environments
// together. A zero field gets its default.
type Caps struct {
	Drafts, Scorecards, Blocked, Holds, Keys int
	Lists                                    store.ListCaps
	Tables                                   store.TableCaps
}

// DefaultCaps returns the default caps.
func DefaultCaps() Caps {
	return Caps{
		Drafts:     policydesk.DefaultMaxDrafts,
		Scorecards: policydesk.DefaultMaxScorecards,
		Blocked:    frauddesk.DefaultMaxBlocked,
		Holds:      privacydesk.DefaultMaxHolds,
		Keys:       account.DefaultMaxKeys,
	}
}
