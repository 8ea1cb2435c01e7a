package torture

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

func unmarshal(body []byte, v any) error {
	if err := json.Unmarshal(body, v); err != nil {
		return fmt.Errorf("%w in %s", err, short(body))
	}
	return nil
}

// decisionsAreThere fetches the decisions that were answered.
func (c *checker) decisionsAreThere() error {
	return each(slices.Sorted(maps.Keys(c.scope.unseen.decisions)), func(id string) error {
		body, err := c.read(c.scope.get("/v1/decisions/" + id))
		if err != nil {
			return err
		}
		c.learn(func() { c.model.storedDecision(c.scope, id, body) })
		return nil
	})
}

// storedDecision holds a decision as it is stored against what was answered:
// the same bytes, the same hash when it is decided again, and the reviews.
func (m *model) storedDecision(s *scope, id string, body []byte) {
	var stored struct {
		toldDecision
		Again *struct {
			Verified bool   `json:"verified"`
			Hash     string `json:"recomputed_hash"`
		} `json:"re_explanation"`
		Reviews []struct{ ID string } `json:"reviews"`
	}
	known := s.decisions[id]
	if known == nil || json.Unmarshal(body, &stored) != nil || stored.ID != id {
		m.violate("nothing-lost", "decision %s of %s reads %s", id, s, short(body))
		return
	}
	if stored.Hash != known.hash || known.body.size > 0 && !known.body.begins(body) {
		m.violate("nothing-lost", "decision %s of %s was answered otherwise: %s", id, s, short(body))
	}
	if stored.Again == nil || !stored.Again.Verified || stored.Again.Hash != known.hash {
		m.violate("hash-verifies", "decision %s of %s is not verified: %s", id, s, body[max(0, len(body)-400):])
	}
	reviews := make([]string, 0, len(stored.Reviews))
	for _, r := range stored.Reviews {
		reviews = append(reviews, r.ID)
	}
	for _, id := range s.reviews[known.id] {
		if !slices.Contains(reviews, id) {
			m.violate("nothing-lost", "review %s of decision %s of %s", id, known.id, s)
		}
	}
}

// decisionsAreListed reads the list of decisions: those that were answered, and
// no other.
func (c *checker) decisionsAreListed() error {
	seen := newTally(c.scope.unseen.decisions, c.scope.passed.decisions)
	err := c.pages("/v1/decisions?limit=200", func(page listed) bool {
		c.learn(func() {
			for _, raw := range page.Data {
				var d toldDecision
				_ = json.Unmarshal(raw, &d) // what cannot be read is no decision we know
				c.model.listedDecision(c.scope, seen, d)
			}
		})
		return c.whole || seen.fresh()
	})
	if err == nil {
		c.learn(func() { seen.end(c.model, "nothing-lost", "the list of decisions of "+c.scope.String()) })
	}
	return err
}

// listedDecision holds one line of the list against the model.
func (m *model) listedDecision(s *scope, seen *tally[string], d toldDecision) {
	known := s.decisions[d.ID]
	switch {
	case known == nil:
		m.violate("nothing-twice", "decision %s of %s is listed and nobody was told of it", d.ID, s)
	case known.hash != d.Hash:
		m.violate("nothing-lost", "decision %s of %s is listed with the hash %s, answered with %s", d.ID, s, d.Hash, known.hash)
	case !seen.mark(d.ID):
		m.violate("nothing-twice", "decision %s of %s is listed twice", d.ID, s)
	}
}

// tally ticks things off: those that are new, until they are all found and a
// page brings nothing but what was found by a check before.
type tally[K comparable] struct {
	wanted, passed map[K]struct{}
	found          map[K]struct{}
	newOnPage      bool
}

func newTally[K comparable](wanted, passed map[K]struct{}) *tally[K] {
	return &tally[K]{wanted: wanted, passed: passed, found: map[K]struct{}{}}
}

// mark notes that something is there; false when it was there already.
func (t *tally[K]) mark(k K) bool {
	if _, twice := t.found[k]; twice {
		return false
	}
	t.found[k] = struct{}{}
	if _, old := t.passed[k]; !old {
		t.newOnPage = true
	}
	return true
}

// fresh tells whether the pages so far have not been enough.
func (t *tally[K]) fresh() bool {
	more := t.newOnPage
	t.newOnPage = false
	if more {
		return true
	}
	for k := range t.wanted {
		if _, there := t.found[k]; !there {
			return true
		}
	}
	return false
}

// end notes what was not found, and that the rest has passed.
func (t *tally[K]) end(m *model, promise, where string) {
	for k := range t.wanted {
		if _, there := t.found[k]; !there {
			m.violate(promise, "%v is not in %s", k, where)
		}
	}
	for k := range t.found {
		t.passed[k] = struct{}{}
	}
	clear(t.wanted)
}
