package torture

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"time"
)

// fresh returns the ids that were not checked yet, sorted, and marks them as
// checked.
func (s *scope) fresh(ids []string) []string {
	slices.Sort(ids)
	return slices.DeleteFunc(ids, func(id string) bool {
		_, unseen := s.unseen.others[id]
		delete(s.unseen.others, id)
		return !unseen
	})
}

// runsAreThere reads back the agents' runs that were not checked yet. Each run must reproduce the same bytes. If
// everything is checked, the list must contain exactly the answered runs.
func (c *checker) runsAreThere() error {
	err := each(c.scope.fresh(slices.Collect(maps.Keys(c.scope.runs))), func(id string) error {
		body, err := c.read(c.scope.get("/v1/agents/runs/" + id))
		if err != nil {
			return err
		}
		c.learn(func() { c.model.storedRun(c.scope, id, body) })
		return nil
	})
	if err != nil || !c.whole {
		return err
	}
	left := maps.Clone(c.scope.runs)
	err = c.pages("/v1/agents/runs?limit=200", func(page listed) bool {
		c.learn(func() {
			for _, raw := range page.Data {
				var run struct {
					ID string `json:"run_id"`
				}
				_ = json.Unmarshal(raw, &run) // an unreadable run matches no known run
				if _, known := left[run.ID]; !known {
					c.model.violate("nothing-twice", "run %s of %s is listed, but no answer contained it",
						run.ID, c.scope)
				}
				delete(left, run.ID)
			}
		})
		return true
	})
	for id := range left {
		c.violate("nothing-lost", "run %s of %s is not listed", id, c.scope)
	}
	return err
}

func (m *model) storedRun(s *scope, id string, body []byte) {
	var run struct {
		Replay struct {
			Verified bool `json:"verified"`
		} `json:"replay"`
	}
	if !s.runs[id].begins(body) {
		m.violate("nothing-lost", "run %s of %s now has another answer: %s", id, s, short(body))
	}
	if json.Unmarshal(body, &run) != nil || !run.Replay.Verified {
		m.violate("hash-verifies", "run %s of %s does not repeat: %s", id, s, body[max(0, len(body)-300):])
	}
}

// backtestsAreThere reads back the reports of backtests.
func (c *checker) backtestsAreThere() error {
	return each(c.scope.fresh(slices.Collect(maps.Keys(c.scope.backtests))), func(id string) error {
		body, err := c.read(c.scope.get("/v1/backtest/" + id))
		if err != nil {
			return err
		}
		c.learn(func() { c.model.storedBacktest(c.scope, id, body) })
		return nil
	})
}

func (m *model) storedBacktest(s *scope, id string, body []byte) {
	var run struct {
		Status string          `json:"status"`
		Report json.RawMessage `json:"report"`
	}
	known := s.backtests[id]
	report := []byte(nil)
	if json.Unmarshal(body, &run) == nil {
		report = bytes.TrimSpace(run.Report)
	}
	if run.Status != "succeeded" || len(report) != known.size+1 || sha256.Sum256(report[:known.size]) != known.sum {
		m.violate("nothing-lost", "backtest %s of %s now has another answer: %s", id, s, short(body))
	}
}

// ruleSetsAreThere reads back the stored versions and checks that their
// documents have not changed.
func (c *checker) ruleSetsAreThere() error {
	return each(c.scope.fresh(slices.Collect(maps.Keys(c.scope.ruleSets))), func(id string) error {
		body, err := c.read(c.scope.get("/v1/rule-sets/" + id))
		if err != nil {
			return err
		}
		c.learn(func() { c.model.storedRuleSet(c.scope, id, body) })
		return nil
	})
}

func (m *model) storedRuleSet(s *scope, id string, body []byte) {
	var stored struct{ ID, Checksum string }
	if json.Unmarshal(body, &stored) != nil || stored.ID != id || stored.Checksum != s.ruleSets[id] {
		m.violate("nothing-lost", "rule set %s of %s was answered with the checksum %s: %s",
			id, s, s.ruleSets[id], short(body))
	}
}

// onePolicyIsActive checks that exactly one version is active and that it may
// be active.
func (c *checker) onePolicyIsActive() error {
	began := time.Now()
	body, err := c.read(c.scope.get("/v1/rule-sets?status=active&policy_key=default&limit=5"))
	if err != nil {
		return err
	}
	c.learn(func() { c.model.activeList(c.scope, body, began, time.Now()) })
	return nil
}

// activeList compares the list of active versions with the activations: exactly
// one version is active, and the activations allow that version to be active.
func (m *model) activeList(s *scope, body []byte, began, ended time.Time) {
	var list struct {
		Data []struct{ ID, Status string } `json:"data"`
	}
	switch {
	case json.Unmarshal(body, &list) != nil || len(list.Data) != 1 || list.Data[0].Status != "active":
		m.violate("one-active-policy", "%d versions are active for %s: %s", len(list.Data), s, short(body))
	case !s.mayBeActive(list.Data[0].ID, began, ended):
		m.violate("one-active-policy", "%s is active for %s, and others were activated since", list.Data[0].ID, s)
	}
}

// revokedKeysAreShut checks that the service refuses revoked keys.
func (c *checker) revokedKeysAreShut() error {
	keys := c.scope.revoked
	if !c.whole {
		c.scope.revoked = nil
	}
	for _, key := range keys {
		until := time.Now().Add(reaches)
		for {
			r := c.scope.get(healthPath)
			r.key, r.want = key, []int{http.StatusOK, http.StatusUnauthorized}
			if _, good := c.deliver(c.ctx, r, at(c.ctx, c.url)); !good && r.done {
				break
			}
			if time.Now().After(until) {
				c.violate("keys-revoked", "a key of %s that was revoked is still accepted", c.scope)
				break
			}
			wait(c.ctx, pause)
		}
	}
	return nil
}
