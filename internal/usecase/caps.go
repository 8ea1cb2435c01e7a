package usecase

import (
	"verdict/internal/account"
	"verdict/internal/frauddesk"
	"verdict/internal/listdesk"
	"verdict/internal/policydesk"
	"verdict/internal/privacydesk"
	"verdict/internal/store"
	"verdict/internal/tabledesk"
)

// Caps limits how many objects a tenant may have: drafts, scorecards, block list entries, legal holds, lists and tables
// in one environment, and valid API keys in both environments together. A zero field gets its default.
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
		Lists:      listdesk.DefaultCaps(),
		Tables:     tabledesk.DefaultCaps(),
	}
}
