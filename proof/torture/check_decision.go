package torture

import (
	"bytes"
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

// decisionsAreThere reads back the decisions that were answered and not checked
// yet.
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

// storedDecision compares a stored decision with its answer. The stored decision must begin with the bytes of the
// answer, if these were kept, and must have the same hash. Deciding again must give that hash too. All reviews must
// be stored.
func (m *model) storedDecision(s *scope, id string, body []byte) {
	var stored struct {
		toldDecision
		Again *struct {
			Verified bool   `json:"verified"`
			Hash     string `json:"recomputed_hash"`
		} `json:"re_explanation"`
		Reviews      []struct{ ID string } `json:"reviews"`
		InputsErased []string              `json:"inputs_erased"`
	}
	known := s.decisions[id]
	if known == nil || json.Unmarshal(body, &stored) != nil || stored.ID != id {
		m.violate("nothing-lost", "decision %s of %s reads %s", id, s, short(body))
		return
	}
	if known.released != "" && len(stored.InputsErased) > 0 {
		known.erased = known.released // it must stay erased
	}
	if known.erased != "" {
		m.erasedDecision(s, known, stored.Hash, stored.InputsErased, body)
		return
	}
	if stored.Hash != known.hash || known.body.size > 0 && !known.body.begins(body) {
		m.violate("nothing-lost", "decision %s of %s now has another answer: %s", id, s, short(body))
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

// erasedDecision checks that a decision has no data of the applicant any more, and still has its outcome.
func (m *model) erasedDecision(s *scope, known *decided, hash string, erased []string, body []byte) {
	if hash != known.hash {
		m.violate("nothing-lost", "the erased decision %s of %s has the hash %s, answered with %s", known.id, s, hash,
			known.hash)
	}
	if len(erased) == 0 || bytes.Contains(body, []byte(known.erased)) {
		m.violate("erased-completely", "decision %s of %s was erased and reads %s", known.id, s, short(body))
	}
}

// decisionsAreListed checks that the list contains exactly the decisions that
// were answered.
func (c *checker) decisionsAreListed() error {
	seen := newTally(c.scope.unseen.decisions, c.scope.passed.decisions)
	err := c.pages("/v1/decisions?limit=200", func(page listed) bool {
		c.learn(func() {
			for _, raw := range page.Data {
				var d toldDecision
				_ = json.Unmarshal(raw, &d) // an unreadable decision matches no known decision
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

// listedDecision compares an entry of the list with the model.
func (m *model) listedDecision(s *scope, seen *tally[string], d toldDecision) {
	known := s.decisions[d.ID]
	switch {
	case known == nil:
		m.violate("nothing-twice", "decision %s of %s is listed, but no answer contained it", d.ID, s)
	case known.hash != d.Hash:
		m.violate("nothing-lost", "decision %s of %s is listed with the hash %s, answered with %s",
			d.ID, s, d.Hash, known.hash)
	case !seen.mark(d.ID):
		m.violate("nothing-twice", "decision %s of %s is listed twice", d.ID, s)
	}
}

// tally compares the pages of a list with the wanted items. It asks for pages
// until all wanted items are found and a page has only items that an earlier
// check has found.
type tally[K comparable] struct {
	wanted, passed map[K]struct{}
	found          map[K]struct{}
	newOnPage      bool
}

func newTally[K comparable](wanted, passed map[K]struct{}) *tally[K] {
	return &tally[K]{wanted: wanted, passed: passed, found: map[K]struct{}{}}
}

// mark records that an item was found. It returns false if the item was found
// before.
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

// fresh reports whether more pages must be read.
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

// end records a violation for each item that was not found, and marks the
// others as passed.
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
