package torture

import (
	"encoding/binary"
	"fmt"
	"net/http"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"verdict/internal/evidence"
)

// history is what was read of the events and of the log of a scope. Both only grow, so
// whatever was read once must stay.
type history struct {
	events  []string            // the ids of the events, in the order of their sequence numbers
	created map[string]struct{} // the decisions that have an event
	reviews map[string]struct{} // the reviews that have an event
	erased  map[string]struct{} // the erasures that have an event
	batches map[string]struct{} // the batches whose end has an event

	leaves map[string]struct{} // the decisions that have a leaf
	roots  evidence.Roots      // the roots of the leaves that were read
	rootAt []tlog.Hash         // the root of the first leaf, of the first two leaves, and so on
	noted  [][]byte            // checkpoints that stories have read since the last check
	signed evidence.Checkpoint // the last checkpoint

	verifier note.Verifier // verifies the log's signatures; nil before the first checkpoint
}

func newHistory() history {
	return history{
		created: map[string]struct{}{}, reviews: map[string]struct{}{}, erased: map[string]struct{}{},
		batches: map[string]struct{}{}, leaves: map[string]struct{}{},
	}
}

// feedEvent is an event of the feed.
type feedEvent struct {
	ID       string `json:"id"`
	Sequence int    `json:"sequence"`
	Type     string `json:"type"`
	Data     struct {
		DecisionID string `json:"decision_id"`
		ReviewID   string `json:"review_id"`
		ErasureID  string `json:"erasure_id"`
		BatchID    string `json:"batch_id"`
	} `json:"data"`
}

// eventsAreExact reads the events that are new since the last check, or all of them. It checks that
// their numbers have no gap, that no event has changed, and that every decision and every review
// has exactly one event.
func (c *checker) eventsAreExact() error {
	h := &c.scope.history
	after := len(h.events)
	if c.whole {
		after = 0
		clear(h.created)
		clear(h.reviews)
		clear(h.erased)
		clear(h.batches)
	}
	for more := true; more; {
		body, err := c.read(c.scope.get(fmt.Sprintf("/v1/events?after=%d&limit=1000", after)))
		if err != nil {
			return err
		}
		var feed struct {
			Data []feedEvent `json:"data"`
			More bool        `json:"has_more"`
		}
		if err := unmarshal(body, &feed); err != nil {
			return err
		}
		c.learn(func() {
			for _, e := range feed.Data {
				after++
				c.model.eventTold(c.scope, after, e)
			}
		})
		more = feed.More
	}
	c.learn(func() { c.model.eventsEnd(c.scope, after) })
	return nil
}

// eventTold compares an event with the model. want is the sequence number that it must have.
func (m *model) eventTold(s *scope, want int, e feedEvent) {
	h := &s.history
	if e.Sequence != want {
		m.violate("one-event", "event %d of %s has the number %d", want, s, e.Sequence)
	}
	if want > len(h.events) {
		h.events = append(h.events, e.ID)
	} else if h.events[want-1] != e.ID {
		m.violate("one-event", "event %d of %s was %s and is %s", want, s, h.events[want-1], e.ID)
	}
	switch e.Type {
	case "decision.created":
		if s.decisions[e.Data.DecisionID] == nil {
			m.violate("one-event", "event %d of %s names %s, which no answer contained", want, s, e.Data.DecisionID)
		}
		m.once(h.created, e.Data.DecisionID, "one-event", fmt.Sprintf("the events of %s", s))
	case "decision.reviewed":
		m.once(h.reviews, e.Data.ReviewID, "one-event", fmt.Sprintf("the events of %s", s))
	case "erasure.completed":
		m.once(h.erased, e.Data.ErasureID, "one-event", fmt.Sprintf("the events of %s", s))
	case "batch.finished":
		m.once(h.batches, e.Data.BatchID, "one-event", fmt.Sprintf("the events of %s", s))
	}
}

// once adds an id to the set seen. It records a violation if the set already contains the id.
func (m *model) once(seen map[string]struct{}, id, promise, where string) {
	if _, twice := seen[id]; twice {
		m.violate(promise, "%s is twice in %s", id, where)
	}
	seen[id] = struct{}{}
}

// eventsEnd checks that nothing is missing in the feed. last is the number of its last event.
func (m *model) eventsEnd(s *scope, last int) {
	h := &s.history
	if last < len(h.events) {
		m.violate("one-event", "%s had %d events and has %d", s, len(h.events), last)
	}
	for id := range s.decisions {
		if _, found := h.created[id]; !found {
			m.violate("one-event", "decision %s of %s has no event", id, s)
		}
	}
	for id := range s.erasures {
		if _, found := h.erased[id]; !found {
			m.violate("one-event", "erasure %s of %s has no event", id, s)
		}
	}
	for id, b := range s.batches {
		if _, found := h.batches[id]; !found && b.results.size > 0 {
			m.violate("one-event", "batch %s of %s is over and has no event", id, s)
		}
	}
	for decision, reviews := range s.reviews {
		for _, id := range reviews {
			if _, found := h.reviews[id]; !found {
				m.violate("one-event", "review %s of decision %s of %s has no event", id, decision, s)
			}
		}
	}
}

// logTimeout is how long the signed log may stay behind the events without growing when
// everything is checked. A log that a node left unsigned is signed within a minute.
const logTimeout = 90 * time.Second

// logPause is the pause before the checkpoint is read again.
const logPause = 250 * time.Millisecond

// logOnlyGrows reads the signed checkpoint and the leaves that are new in it. The leaves that were read before,
// followed by the new ones, must have the root that is signed. This shows that no checkpoint was taken back and
// that none contradicts another. Every decision has at most one leaf. When the log contains all events, every
// decision has exactly one leaf.
func (c *checker) logOnlyGrows() error {
	for unchanged := (stall{}); ; wait(c.ctx, logPause) {
		covered, err := c.readLog()
		if err != nil || covered || !c.patient || c.ctx.Err() != nil {
			return err
		}
		if size := c.scope.history.signed.Size; unchanged.lasts(logTimeout, size) {
			return fmt.Errorf("the log of %s has had %d of %d entries for %v", c.scope, size,
				len(c.scope.history.events), logTimeout)
		}
	}
}

// readLog reads what is new in the log, and reports whether it contains all events.
func (c *checker) readLog() (covered bool, err error) {
	r := c.scope.get("/v1/log/checkpoint")
	r.want = append(r.want, http.StatusNotFound) // nothing is signed yet
	body, err := c.read(r)
	if err != nil && r.status != http.StatusNotFound {
		return false, err
	}
	h := &c.scope.history
	if r.status == http.StatusNotFound {
		if h.signed.Size > 0 {
			c.violate("log-grows", "%s had the checkpoint %+v and has %s", c.scope, h.signed, short(body))
		}
		return len(h.events) == 0, nil
	}
	if h.verifier == nil {
		key, err := c.read(c.scope.get("/v1/log/key"))
		if err != nil {
			return false, err
		}
		if h.verifier, err = note.NewVerifier(strings.TrimSpace(string(key))); err != nil {
			return false, fmt.Errorf("the key of %s: %w", c.scope, err)
		}
	}
	now, err := evidence.OpenCheckpoint(body, h.verifier)
	if err != nil {
		c.violate("log-grows", "the checkpoint of %s cannot be read: %v in %s", c.scope, err, short(body))
		return true, nil //nolint:nilerr // the violation says it
	}
	if now.Size < h.signed.Size || now.Origin != h.signed.Origin && h.signed.Size > 0 {
		c.violate("log-grows", "the checkpoint of %s was %+v and is %+v", c.scope, h.signed, now)
		return true, nil
	}
	for h.roots.Size() < now.Size {
		if err := c.readLeaves(now.Size); err != nil {
			return false, err
		}
	}
	if now.Size > 0 && h.roots.Root() != now.Root {
		c.violate("log-grows", "the leaves of %s have another root than the checkpoint %+v; before it was %+v", c.scope,
			now, h.signed)
	}
	h.signed = now
	c.notedAgree()
	covered = now.Size >= int64(len(h.events))
	if covered {
		c.learn(func() {
			for id := range c.scope.history.created {
				if _, found := h.leaves[id]; !found {
					c.model.violate("one-leaf", "decision %s of %s has no leaf", id, c.scope)
				}
			}
		})
	}
	return covered, nil
}

// notedAgree compares the checkpoints that stories have read with the leaves. Each must have the root of as many leaves
// as it signs, although a node or the database may have been lost right after it was answered.
func (c *checker) notedAgree() {
	h := &c.scope.history
	var noted [][]byte
	c.learn(func() { noted, h.noted = h.noted, nil })
	for _, text := range noted {
		then, err := evidence.OpenCheckpoint(text, h.verifier)
		switch {
		case err != nil:
			c.violate("log-grows", "a checkpoint of %s cannot be read: %v in %s", c.scope, err, short(text))
		case then.Origin != h.signed.Origin || then.Size > h.signed.Size:
			c.violate("log-grows", "%s had answered the checkpoint %+v and has %+v", c.scope, then, h.signed)
		case then.Size > 0 && h.rootAt[then.Size-1] != then.Root:
			c.violate("log-grows", "the leaves of %s have another root than the checkpoint %+v, which was answered "+
				"during the run", c.scope, then)
		}
	}
	c.count(func(f *Figures) { f.Checkpoints += int64(len(noted)) })
}

// readLeaves reads the tile with the next leaf of a log that has the given size.
func (c *checker) readLeaves(size int64) error {
	h := &c.scope.history
	number := h.roots.Size() / evidence.TileWidth
	width := min(evidence.TileWidth, size-number*evidence.TileWidth)
	path := fmt.Sprintf("/v1/log/tile/entries/%03d", number)
	if number >= 1000 {
		return fmt.Errorf("the log of %s has more leaves than this check reads", c.scope)
	}
	if width < evidence.TileWidth {
		path += fmt.Sprintf(".p/%d", width)
	}
	bundle, err := c.read(c.scope.get(path))
	if err != nil {
		return err
	}
	for i := number * evidence.TileWidth; i < number*evidence.TileWidth+width; i++ {
		if len(bundle) < 2 || len(bundle) < 2+int(binary.BigEndian.Uint16(bundle)) {
			return fmt.Errorf("%s of %s ends at leaf %d", path, c.scope, i)
		}
		end := 2 + int(binary.BigEndian.Uint16(bundle))
		text := bundle[2:end]
		bundle = bundle[end:]
		if i < h.roots.Size() {
			continue
		}
		leaf, err := evidence.ParseLeaf(text)
		if err != nil {
			return fmt.Errorf("leaf %d of %s: %w", i, c.scope, err)
		}
		h.roots.Add(evidence.LeafHash(&leaf))
		h.rootAt = append(h.rootAt, h.roots.Root())
		if leaf.Kind == evidence.Decision {
			c.learn(func() { c.model.once(h.leaves, leaf.ID, "one-leaf", "the log of "+c.scope.String()) })
		}
	}
	return nil
}
