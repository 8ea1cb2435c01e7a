package usecase

// Caps are how many of something a tenant may have: drafts, scorecards and entries
// of the block list in one environment, and API keys in use in both. A zero field
// takes its default.
type Caps struct{ Drafts, Scorecards, Blocked, Keys int }

// DefaultCaps are the caps unless set otherwise.
func DefaultCaps() Caps { return Caps{Drafts: 1_000, Scorecards: 10_000, Blocked: 100_000, Keys: 100} }

func (c *Caps) fill() {
	usual := DefaultCaps()
	for _, f := range []struct {
		field *int
		usual int
	}{{&c.Drafts, usual.Drafts}, {&c.Scorecards, usual.Scorecards}, {&c.Blocked, usual.Blocked}, {&c.Keys, usual.Keys}} {
		if *f.field == 0 {
			*f.field = f.usual
		}
	}
}
