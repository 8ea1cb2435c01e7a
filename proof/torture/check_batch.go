package torture

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"
)

const (
	// batchTimeout is how long a batch may take after all nodes are healthy again. If a node is killed, another
	// node gets its chunk after 45 seconds. The service searches for lost chunks every 30 seconds.
	batchTimeout = 3 * time.Minute
	// batchPause is the pause before the state of a batch is read again.
	batchPause = 250 * time.Millisecond
)

// batchesAreComplete waits until every accepted batch is over and checks its results: each row was decided once.
// It then cancels the batches whose upload was cut off when a node was stopped, because unfinished batches can
// cause new batches to be refused.
func (c *checker) batchesAreComplete() error {
	for _, id := range c.scope.fresh(slices.Collect(maps.Keys(c.scope.batches))) {
		if err := c.awaitBatch(id); err != nil {
			return err
		}
		if err := c.readResults(id); err != nil {
			return err
		}
	}
	if !c.batches {
		return nil
	}
	return c.pages("/v1/batches?status=receiving&limit=200", func(page listed) bool {
		for _, raw := range page.Data {
			var b struct {
				ID string `json:"batch_id"`
			}
			_ = json.Unmarshal(raw, &b) // an unreadable batch is not found, which is a violation
			r := c.scope.get("/v1/batches/" + b.ID + "/cancel")
			r.method = http.MethodPost
			if _, err := c.read(r); err != nil {
				c.violate("batch-cancelled", "batch %s of %s: %v", b.ID, c.scope, err)
			}
		}
		return true
	})
}

// awaitBatch waits until a batch is over. It must be completed.
func (c *checker) awaitBatch(id string) error {
	for deadline := time.Now().Add(batchTimeout); ; wait(c.ctx, batchPause) {
		body, err := c.read(c.scope.get("/v1/batches/" + id))
		if err != nil {
			return err
		}
		var told struct {
			Status     string  `json:"status"`
			FinishedAt *string `json:"finished_at"`
		}
		if err := unmarshal(body, &told); err != nil {
			return err
		}
		switch {
		case told.FinishedAt != nil && told.Status != "completed":
			c.violate("batches-complete", "batch %s of %s is %s: %s", id, c.scope, told.Status, short(body))
			return nil
		case told.FinishedAt != nil:
			return nil
		case time.Now().After(deadline) || c.ctx.Err() != nil:
			return fmt.Errorf("after %s batch %s of %s is %s", batchTimeout, id, c.scope, short(body))
		}
	}
}

// readResults reads the results of a batch that is over. The first time, it adds the decisions of the rows to the
// model; later, the results must be the same bytes.
func (c *checker) readResults(id string) error {
	body, err := c.read(c.scope.get("/v1/batches/" + id + "/results"))
	if err != nil {
		return err
	}
	b := c.scope.batches[id]
	if b.results.size > 0 {
		if !b.results.begins(body) {
			c.violate("batches-complete", "the results of batch %s of %s have changed: %s", id, c.scope, short(body))
		}
		return nil
	}
	var decisions map[int]string
	c.learn(func() { decisions = c.model.resultsTold(c.scope, id, body) })
	err = each(slices.Sorted(maps.Keys(decisions)), func(row int) error {
		stored, err := c.read(c.scope.get("/v1/decisions/" + decisions[row]))
		if err != nil {
			return err
		}
		c.learn(func() { c.model.rowDecided(c.scope, b, row, stored, time.Now()) })
		return nil
	})
	if err == nil {
		b.results = keep(body)
	}
	return err
}

// resultsTold checks the results of a batch and returns the ids of its decisions by the index of their row. Every row
// must have a decision that no other row and no other request has.
func (m *model) resultsTold(s *scope, id string, results []byte) map[int]string {
	decisions, seen, n := map[int]string{}, map[string]struct{}{}, 0
	for line := range bytes.Lines(results) {
		var row struct {
			Index      int    `json:"index"`
			DecisionID string `json:"decision_id"`
		}
		if json.Unmarshal(line, &row) != nil || row.Index != n || row.DecisionID == "" {
			m.violate("batches-complete", "result %d of batch %s of %s is %s", n, id, s, short(line))
		} else {
			decisions[row.Index] = row.DecisionID
			m.once(seen, row.DecisionID, "nothing-twice", "the results of batch "+id)
		}
		if _, known := s.decisions[row.DecisionID]; known {
			m.violate("nothing-twice", "decision %s of a row of batch %s of %s was in an earlier answer",
				row.DecisionID, id, s)
		}
		n++
	}
	if b := s.batches[id]; n != b.rows {
		m.violate("batches-complete", "batch %s of %s has %d rows and %d results", id, s, b.rows, n)
	}
	return decisions
}

// rowDecided checks the stored decision of a row and adds it to the model. The decision must be the same as if the
// row had been sent alone.
func (m *model) rowDecided(s *scope, b *batch, row int, body []byte, now time.Time) {
	var d toldDecision
	if json.Unmarshal(body, &d) != nil || d.ID == "" || d.Env != s.env {
		m.violate("decision-form", "row %d of a batch of %s: %s", row, s, short(body))
		return
	}
	m.count.BatchRows++
	s.bill("POST /v1/decisions", 1)
	m.sameHash(fmt.Sprintf("decision %d", (b.first+row)%profiles), d.Policy.Checksum, d.Hash)
	if !s.mayBeActive(d.Policy.ID, b.sent.began.Add(-staleFor), now) {
		m.violate("one-active-policy", "row %d of a batch of %s was decided under %s, which was not active since",
			row, s, d.Policy.ID)
	}
	s.addDecision(&decided{id: d.ID, hash: d.Hash})
}
