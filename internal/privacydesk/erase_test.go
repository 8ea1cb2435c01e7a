//nolint:thelper // what eachCluster runs is the test itself: a failure belongs to its own line
package privacydesk_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"verdict/internal/application"
	"verdict/internal/decisioning"
	"verdict/internal/eventdesk"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/privacydesk"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// cluster is a tenant and two nodes over its database, each with its own cache of keys. SQLite has
// one writer, so there the nodes share one database handle.
type cluster struct {
	*usecasetest.House
	clock *usecasetest.Clock
	url   string
	db    *store.DB
	nodes [2]*usecase.Set
}

func eachCluster(t *testing.T, test func(t *testing.T, c *cluster)) {
	t.Helper()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		first := storetest.Open(t, databaseURL, store.Options{})
		second := first
		if first.Kind() != "sqlite" {
			second = storetest.Open(t, databaseURL, store.Options{})
		}
		clock := usecasetest.NewClock()
		o := usecase.Options{
			Now: clock.Now, PasswordCost: usecasetest.Cheap, MasterKey: usecasetest.MasterKey,
		}
		c := &cluster{House: usecasetest.Open(t, first, o), clock: clock, url: databaseURL, db: first}
		other, err := usecase.New(second, o)
		if err != nil {
			t.Fatal(err)
		}
		c.nodes = [2]*usecase.Set{c.Service, other}
		test(t, c)
	})
}

// decide decides for an applicant on a node and returns the decision's id.
func (c *cluster) decide(node int, applicant string) string {
	c.Helper()
	id, err := c.tryDecide(node, c.Caller, applicant)
	if err != nil {
		c.Fatal(err)
	}
	return id
}

func (c *cluster) tryDecide(node int, p tenant.Principal, applicant string) (string, error) {
	c.Helper()
	return c.trySend(node, p, applicant, 560) // declined, so that the applicant has no open offer
}

// trySend decides for an applicant with a bureau score.
func (c *cluster) trySend(node int, p tenant.Principal, applicant string, score int) (string, error) {
	c.Helper()
	body := fmt.Sprintf(`{"bureau_report":{"score":%d}}`, score)
	if applicant != "" {
		body = fmt.Sprintf(`{"applicant":{"id":%q,"monthly_income":87654321},"bureau_report":{"score":%d}}`,
			applicant, score)
	}
	request := application.DecisionRequest(usecasetest.Parse(c.T, body))
	decided, err := c.nodes[node].Decisions.Decide(c.Context(), p, request, nil)
	return decided.ID, err
}

func (c *cluster) erase(node int, applicant string) (privacydesk.Erasure, error) {
	return c.nodes[node].Privacy.Erase(c.Context(), c.Caller,
		privacydesk.NewErasure{ApplicantRef: applicant, Reason: "applicant_request"}, nil)
}

// mustErase erases an applicant.
func (c *cluster) mustErase(node int, applicant string) privacydesk.Erasure {
	c.Helper()
	e, err := c.erase(node, applicant)
	if err != nil {
		c.Fatal(err)
	}
	return e
}

// read returns the decision as a node reads it, and whether it was erased.
func (c *cluster) read(node int, id string) (decisioning.Explained, bool) {
	c.Helper()
	d, err := c.nodes[node].Decisions.Decision(c.Context(), c.Caller, id)
	if err != nil {
		c.Fatal(err)
	}
	return d, d.Kept != nil
}

// wantErased checks a decision on both nodes. The decision must be erased if want is true, and readable
// and verified otherwise.
func (c *cluster) wantErased(id string, want bool) {
	c.Helper()
	for node := range c.nodes {
		switch d, erased := c.read(node, id); {
		case erased != want:
			c.Errorf("node %d: decision %s is erased: %v", node, id, erased)
		case !want && !d.Again.Verified:
			c.Errorf("node %d: decision %s is not verified: %v", node, id, d.Again.Text)
		}
	}
}

// verify fails the test unless the stored data passes verification with the given number of erased
// decisions.
func (c *cluster) verify(erased int64) {
	c.Helper()
	v, err := c.nodes[1].Decisions.Audit.Verify(c.Context(), "", nil)
	if err != nil || v.Failed != 0 || v.Erased != erased {
		c.Errorf("verified %+v, %v; want %d erased", v, err, erased)
	}
}

func (c *cluster) scope() *store.Scope {
	return c.db.Scope(c.Caller.TenantID, string(c.Caller.Environment))
}

// TestErase erases a person. The decision keeps its outcome and still matches its leaf, everybody else
// stays readable, and the receipt, the audit trail and the event say what was done.
func TestErase(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, c *cluster) {
		gone := []string{c.decide(0, "A-gone"), c.decide(1, "A-gone")}
		other := c.decide(0, "A-other")
		nameless := c.decide(1, "")
		e := c.mustErase(0, "A-gone")
		if e.State != privacydesk.Completed || e.Counts.Decisions != 2 || e.ErasedMicros == 0 || e.BeyondMicros != 0 ||
			len(e.ReplacedBy) != 1 || len(e.Kept) == 0 || e.Reason != "applicant_request" {
			t.Errorf("the receipt is %+v", e)
		}
		want := []privacydesk.ZoneCount{{Zone: "response", Count: 2}, {Zone: "combined", Count: 2}}
		if !slices.Equal(e.Zones, want) {
			t.Errorf("erased were %v, want %v", e.Zones, want)
		}
		for _, id := range gone {
			c.wantErased(id, true)
			d, _ := c.read(0, id)
			if d.Kept.Summary.Status != "DECLINED" || d.Kept.Score == 0 || d.Kept.PolicyName == "" ||
				d.Kept.Summary.ApplicantRef != e.ReplacedBy[0] || d.Again.Verified || len(d.InputsErased) != 2 {
				t.Errorf("an erased decision is %+v", d)
			}
		}
		c.wantErased(other, false)
		c.wantErased(nameless, false)
		c.verify(2)

		again, err := c.nodes[1].Privacy.Erasure(t.Context(), c.Caller, e.ID)
		if err != nil || again.ErasedMicros != e.ErasedMicros || again.Counts != e.Counts {
			t.Errorf("the receipt is read as %+v, %v", again, err)
		}
		page, err := c.nodes[1].Privacy.Erasures(t.Context(), c.Caller, operation.List{Limit: 10})
		if err != nil || len(page.Data) != 1 || page.Data[0].ID != e.ID {
			t.Errorf("the list of receipts is %+v, %v", page, err)
		}
		if got := c.Logged(c.Caller, e.ID); len(got) != 1 || !strings.HasSuffix(got[0], operation.ActionErased) {
			t.Errorf("the audit trail has %v", got)
		}
		c.wantEvent(e)
		for _, applicant := range []string{"A-gone", "A-nobody"} { // one was erased before, and one is unknown
			if _, err := c.erase(1, applicant); fault.KindOf(err) != fault.NotFound {
				t.Errorf("erasing %s: %v", applicant, err)
			}
		}
	})
}

// wantEvent fails the test unless the last event is that of the erasure and does not contain the
// reference.
func (c *cluster) wantEvent(e privacydesk.Erasure) {
	c.Helper()
	feed, err := c.nodes[0].Events.Events(c.Context(), c.Caller, 0, eventdesk.MaxLimit)
	if err != nil {
		c.Fatal(err)
	}
	last := feed.Events[len(feed.Events)-1]
	if last.Type != "erasure.completed" || last.Object != e.ID || bytes.Contains(last.Data, []byte("A-")) ||
		!bytes.Contains(last.Data, []byte(strings.TrimPrefix(e.ReplacedBy[0], store.ErasedPrefix))) {
		c.Errorf("the last event is %s %s %s", last.Type, last.Object, last.Data)
	}
}

// TestEraseDecision erases a decision that names no applicant, and refuses one that names an applicant.
func TestEraseDecision(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, c *cluster) {
		nameless, kept, named := c.decide(0, ""), c.decide(0, ""), c.decide(0, "A-1")
		erase := func(id string) (privacydesk.Erasure, error) {
			return c.nodes[1].Privacy.Erase(t.Context(), c.Caller,
				privacydesk.NewErasure{DecisionID: id, Reason: "other"}, nil)
		}
		e, err := erase(nameless)
		if err != nil || e.Counts.Decisions != 1 || e.DecisionID != nameless || len(e.ReplacedBy) != 0 {
			t.Errorf("the receipt is %+v, %v", e, err)
		}
		c.wantErased(nameless, true)
		c.wantErased(kept, false)
		c.verify(1)
		if _, err := erase(nameless); fault.KindOf(err) != fault.NotFound {
			t.Errorf("erased twice: %v", err)
		}
		if _, err := erase(named); fault.KindOf(err) != fault.Invalid {
			t.Errorf("a decision with an applicant: %v", err)
		}
		for _, id := range []string{"dec_01KA2W4Q8N5T7XJ3RZB6MCDVHE", "dec_"} {
			if _, err := erase(id); fault.KindOf(err) != fault.NotFound {
				t.Errorf("erasing %s: %v", id, err)
			}
		}
	})
}

// TestReferenceComesBack decides for a reference that was erased. The reference gets a new key: the new
// decision is readable, the old decision stays erased, and the reference can be erased again.
func TestReferenceComesBack(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, c *cluster) {
		var gone []string
		var refs []string
		for round := range 3 {
			id := c.decide(1-round%2, "A-back")
			c.wantErased(id, false)
			e := c.mustErase(round%2, "A-back")
			if gone = append(gone, id); e.Counts.Decisions != 1 || slices.Contains(refs, e.ReplacedBy[0]) {
				t.Errorf("round %d: the receipt is %+v", round, e)
			}
			refs = append(refs, e.ReplacedBy...)
			for _, id := range gone {
				c.wantErased(id, true)
			}
		}
		c.verify(3)
	})
}

// TestDecideWhileErasing decides for a reference on both nodes while it is erased again and again. No
// decision fails, none is sealed with an erased key, and everything matches the journal.
func TestDecideWhileErasing(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, c *cluster) {
		const rounds = 8
		c.decide(0, "A-busy")
		var all sync.WaitGroup
		var mu sync.Mutex
		var ids []string
		for node := range c.nodes {
			all.Go(func() {
				for range rounds * 3 {
					id, err := c.tryDecide(node, c.Caller, "A-busy")
					if err != nil {
						t.Errorf("node %d: %v", node, err)
						return
					}
					mu.Lock()
					ids = append(ids, id)
					mu.Unlock()
				}
			})
		}
		for node := range c.nodes { // two erasures of the same person at the same time
			all.Go(func() {
				for range rounds {
					if _, err := c.erase(node, "A-busy"); err != nil && fault.KindOf(err) != fault.NotFound {
						t.Errorf("node %d: erase: %v", node, err)
					}
				}
			})
		}
		all.Wait()
		readable, erased := int64(0), int64(0)
		for _, id := range ids {
			d, gone := c.read(0, id)
			if gone {
				erased++
			} else if readable++; !d.Again.Verified {
				t.Errorf("decision %s is not verified: %v", id, d.Again.Text)
			}
		}
		if readable+erased != rounds*6 {
			t.Errorf("%d decisions are readable and %d erased", readable, erased)
		}
		if v, err := c.nodes[1].Decisions.Audit.Verify(t.Context(), "", nil); err != nil || v.Failed != 0 {
			t.Errorf("verified %+v, %v", v, err)
		}
		if _, err := c.erase(0, "A-busy"); err != nil && fault.KindOf(err) != fault.NotFound {
			t.Fatal(err)
		}
		c.verify(int64(len(ids)) + 1)
	})
}

// TestInterrupted interrupts the erasure of somebody with many decisions. Every decision is then
// readable or erased, the journal explains it, and Resume completes the erasure.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, c *cluster) {
		var ids []string
		for range 7 {
			ids = append(ids, c.decide(0, "A-long"))
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		for _, node := range c.nodes {
			node.Privacy.SetBatch(2, cancel)
		}
		_, err := c.nodes[0].Privacy.Erase(ctx, c.Caller,
			privacydesk.NewErasure{ApplicantRef: "A-long", Reason: "consent_withdrawn"}, nil)
		if err == nil {
			t.Fatal("the erasure was not interrupted")
		}
		erased := int64(0)
		for _, id := range ids {
			if _, gone := c.read(1, id); gone {
				erased++
			}
		}
		if erased == 0 || erased == 7 {
			t.Fatalf("%d decisions were erased before the interruption", erased)
		}
		c.verify(erased)
		page, err := c.nodes[1].Privacy.Erasures(t.Context(), c.Caller, operation.List{Limit: 10})
		if err != nil || len(page.Data) != 1 || page.Data[0].State != privacydesk.Running {
			t.Fatalf("the erasures are %+v, %v", page, err)
		}
		late := c.decide(0, "A-long") // a decision before the erasure is completed is erased too
		if n, err := c.nodes[1].Privacy.Resume(t.Context()); err != nil || n != 1 {
			t.Fatalf("resumed %d, %v", n, err)
		}
		for _, id := range append(ids, late) {
			c.wantErased(id, true)
		}
		c.verify(8)
		done, err := c.nodes[0].Privacy.Erasure(t.Context(), c.Caller, page.Data[0].ID)
		if err != nil || done.State != privacydesk.Completed || done.Counts.Decisions != 8 {
			t.Errorf("the receipt is %+v, %v", done, err)
		}
		back := c.decide(1, "A-long")
		if n, err := c.nodes[1].Privacy.Resume(t.Context()); err != nil || n != 0 {
			t.Errorf("resumed %d, %v", n, err)
		}
		c.wantErased(back, false)
	})
}

// TestEmptiedWithoutErasure empties a decision without an erasure, and checks that Verify reports
// it although another applicant was erased properly.
func TestEmptiedWithoutErasure(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, c *cluster) {
		c.decide(0, "A-good")
		c.mustErase(0, "A-good")
		id := c.decide(0, "A-1")
		err := c.scope().Write(t.Context(), func(tx *store.Tx) error {
			return tx.Erasures().EmptyDecision(id, "00", &store.ErasedCounts{})
		})
		if err != nil {
			t.Fatal(err)
		}
		v, err := c.nodes[0].Decisions.Audit.Verify(t.Context(), "", nil)
		if err != nil || v.Failed != 1 || v.Wrong[0].ID != id ||
			!strings.Contains(v.Wrong[0].Why, "no entry of an erasure") {
			t.Errorf("verified %+v, %v", v, err)
		}
	})
}

// TestErasurePages erases several people and reads the receipts page by page.
func TestErasurePages(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, c *cluster) {
		var want []string
		for i := range 3 {
			c.decide(0, fmt.Sprintf("A-%d", i))
			want = append(want, c.mustErase(0, fmt.Sprintf("A-%d", i)).ID)
		}
		var got []string
		for list := (operation.List{Limit: 2, Ascending: true}); ; {
			page, err := c.nodes[0].Privacy.Erasures(t.Context(), c.Caller, list)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range page.Data {
				got = append(got, e.ID)
			}
			if list.Cursor = page.NextCursor; list.Cursor == "" {
				break
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("the pages have %v, want %v", got, want)
		}
		nobody := c.Caller
		nobody.Scopes = tenant.Read | tenant.Decide
		_, err := c.nodes[0].Privacy.Erasures(t.Context(), nobody, operation.List{})
		if fault.KindOf(err) != fault.Forbidden {
			t.Errorf("without the scope: %v", err)
		}
		_, err = c.nodes[0].Privacy.Erase(t.Context(), nobody, privacydesk.NewErasure{}, nil)
		if fault.KindOf(err) != fault.Forbidden {
			t.Errorf("without the scope: %v", err)
		}
	})
}
