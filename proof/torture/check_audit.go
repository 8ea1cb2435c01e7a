package torture

import "encoding/json"

// auditIsComplete checks that the audit trail contains every answered action,
// and each decision exactly once.
func (c *checker) auditIsComplete() error {
	seen := newTally(c.scope.unseen.deeds, c.scope.passed.deeds)
	err := c.pages("/v1/audit?limit=200", func(page listed) bool {
		c.learn(func() {
			for _, raw := range page.Data {
				var told struct{ Action, Object string }
				_ = json.Unmarshal(raw, &told) // an unreadable entry matches nothing
				c.model.auditTold(c.scope, seen, deed{told.Action, told.Object})
			}
		})
		return c.whole || seen.fresh()
	})
	if err == nil {
		c.learn(func() { seen.end(c.model, "audit-complete", "the audit trail of "+c.scope.String()) })
	}
	return err
}

// auditTold compares an entry with the model. A decision has one entry, and every decision in the trail must have
// been answered. Other actions, such as a review, may have several entries, and the model need not know all of
// them.
func (m *model) auditTold(s *scope, seen *tally[deed], d deed) {
	first := seen.mark(d)
	if d.action != "decision.created" {
		return
	}
	if !first {
		m.violate("nothing-twice", "the audit trail of %s has two entries about %s", s, d.object)
	}
	if _, known := s.deeds[d]; !known {
		m.violate("nothing-twice", "the audit trail of %s names %s, which no answer contained", s, d.object)
	}
}
