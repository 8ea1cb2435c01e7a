//nolint:thelper // what eachCluster runs is the test itself: a failure belongs to its own line
package privacydesk_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"verdict/internal/decisioning"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/privacydesk"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// referredScore is a bureau score with which an applicant is referred.
const referredScore = 660

// approve makes a decision that approves an applicant, and returns its id.
func (c *cluster) approve(applicant string) string {
	c.Helper()
	return c.send(applicant, 742, "APPROVED")
}

// send decides for an applicant with a bureau score, and fails the test unless the status is the given one.
func (c *cluster) send(applicant string, score int, status string) string {
	c.Helper()
	id, err := c.trySend(0, c.Caller, applicant, score)
	if err != nil {
		c.Fatal(err)
	}
	stored, err := c.scope().Decisions(c.Context()).Get(id)
	if err != nil || stored.Status != status {
		c.Fatalf("the decision is %s, %v; want %s", stored.Status, err, status)
	}
	return id
}

// wantDeferred erases an applicant, and fails the test unless the erasure is deferred on exactly these bases.
func (c *cluster) wantDeferred(applicant string, basis ...string) privacydesk.Erasure {
	c.Helper()
	e := c.mustErase(1, applicant)
	if e.State != privacydesk.Deferred || !slices.Equal(e.Basis, basis) || e.ApplicantRef != applicant ||
		e.ErasedMicros != 0 {
		c.Errorf("the erasure is %+v, want it deferred: %v", e, basis)
	}
	return e
}

// runDeferred runs the deferred erasures on a node, and fails the test unless the number of completed erasures is
// want.
func (c *cluster) runDeferred(node, want int) {
	c.Helper()
	if n, err := c.nodes[node].Privacy.RunDeferred(c.Context()); err != nil || n != want {
		c.Errorf("carried out %d, %v; want %d", n, err, want)
	}
}

func (c *cluster) state(id string) string {
	c.Helper()
	e, err := c.nodes[1].Privacy.Erasure(c.Context(), c.Caller, id)
	if err != nil {
		c.Fatal(err)
	}
	return e.State
}

// TestOpenOffer asks for the erasure of somebody with an offer. The erasure waits until the offer has ended, and is
// then carried out by the worker of any node. A second request returns the same erasure.
func TestOpenOffer(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, c *cluster) {
		id := c.approve("A-1")
		decided, err := c.nodes[0].Decisions.Story(t.Context(), c.Caller, id)
		if err != nil {
			t.Fatal(err)
		}
		validUntil, err := time.Parse(time.RFC3339, decided.Answer.ValidUntil)
		if err != nil {
			t.Fatal(err)
		}
		e := c.wantDeferred("A-1", privacydesk.BasisOpenOffer)
		if want := validUntil.Add(time.Second).UnixMicro(); e.DeferredUntilMicros != want {
			t.Errorf("deferred until %s, but the offer is valid until %s", operation.Clock(e.DeferredUntilMicros),
				decided.Answer.ValidUntil)
		}
		if again := c.wantDeferred("A-1", privacydesk.BasisOpenOffer); again.ID != e.ID {
			t.Errorf("the second erasure is %s, the first one %s", again.ID, e.ID)
		}
		if got := c.Logged(c.Caller, e.ID); len(got) != 1 || got[0] != operation.Actor(c.Caller)+" "+
			operation.ActionErasureDeferred {
			t.Errorf("the audit trail has %v", got)
		}
		c.runDeferred(0, 0)
		c.wantErased(id, false)
		c.clock.Pass(validUntil.Sub(c.clock.Now())) // the offer is valid in its last second
		c.runDeferred(1, 0)
		c.wantErased(id, false)
		c.verify(0)
		c.clock.Pass(time.Second)
		c.runDeferred(1, 1)
		c.runDeferred(0, 0)
		c.wantErased(id, true)
		c.verify(1)
		done, err := c.nodes[0].Privacy.Erasure(t.Context(), c.Caller, e.ID)
		if err != nil || done.State != privacydesk.Completed || len(done.Basis) != 0 || done.ApplicantRef != "" ||
			done.Counts.Decisions != 1 || done.RequestedMicros != e.RequestedMicros {
			t.Errorf("the receipt is %+v, %v", done, err)
		}
		c.wantEvent(done)
	})
}

// TestReviewedOffers checks which reviews make and end an offer.
func TestReviewedOffers(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, c *cluster) {
		review := func(id, outcome string) {
			t.Helper()
			if _, err := c.nodes[0].Decisions.Reviews.Add(
				t.Context(), c.Caller, id, decisioning.NewReview{Outcome: outcome}, nil,
			); err != nil {
				t.Fatal(err)
			}
		}
		review(c.approve("A-taken-back"), "overturned")
		if e := c.mustErase(0, "A-taken-back"); e.State != privacydesk.Completed {
			t.Errorf("an approval that was overturned: %+v", e)
		}
		review(c.approve("A-stands"), "upheld")
		c.wantDeferred("A-stands", privacydesk.BasisOpenOffer)
		asked := c.approve("A-asked")
		review(asked, "overturned")
		review(asked, decisioning.OutcomeAsks) // the last conclusion counts
		if e := c.mustErase(0, "A-asked"); e.State != privacydesk.Completed {
			t.Errorf("an approval that was overturned, and then more information was asked for: %+v", e)
		}
		c.send("A-waits", referredScore, "REFERRED")
		if e := c.mustErase(0, "A-waits"); e.State != privacydesk.Completed {
			t.Errorf("a referral that nobody has reviewed: %+v", e)
		}
		review(c.send("A-upheld", referredScore, "REFERRED"), "upheld")
		if e := c.mustErase(0, "A-upheld"); e.State != privacydesk.Completed {
			t.Errorf("a referral that was upheld: %+v", e)
		}
		review(c.send("A-approved", referredScore, "REFERRED"), "overturned")
		c.wantDeferred("A-approved", privacydesk.BasisOpenOffer)
	})
}

// TestOpenOfferOfNobody defers the erasure of a decision that names no applicant.
func TestOpenOfferOfNobody(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, c *cluster) {
		id := c.send("", 742, "APPROVED")
		n := privacydesk.NewErasure{DecisionID: id, Reason: "other"}
		e, err := c.nodes[0].Privacy.Erase(t.Context(), c.Caller, n, nil)
		if err != nil || e.State != privacydesk.Deferred || e.DecisionID != id {
			t.Fatalf("the erasure is %+v, %v", e, err)
		}
		c.clock.Pass(30 * 24 * time.Hour)
		if e, err = c.nodes[0].Privacy.Erase(t.Context(), c.Caller, n, nil); err != nil ||
			e.State != privacydesk.Completed {
			t.Errorf("asked again after the end of the offer: %+v, %v", e, err)
		}
		c.wantErased(id, true)
		c.runDeferred(1, 0)
		c.verify(1)
	})
}

// TestWithdraw withdraws a deferred erasure. Nothing is erased, and the erasure names nobody any more. An erasure
// that has ended cannot be withdrawn.
func TestWithdraw(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, c *cluster) {
		id := c.approve("A-1")
		e := c.wantDeferred("A-1", privacydesk.BasisOpenOffer)
		withdraw := func(id string) (privacydesk.Erasure, error) {
			return c.nodes[1].Privacy.Withdraw(t.Context(), c.Caller, id, nil)
		}
		w, err := withdraw(e.ID)
		if err != nil || w.State != privacydesk.Withdrawn || w.ApplicantRef != "" || w.WithdrawnMicros == 0 ||
			w.WithdrawnBy != operation.Actor(c.Caller) {
			t.Errorf("withdrawn: %+v, %v", w, err)
		}
		if _, err := withdraw(e.ID); fault.CodeOf(err) != fault.CodeInvalidTransition {
			t.Errorf("withdrawn twice: %v", err)
		}
		c.clock.Pass(30 * 24 * time.Hour)
		c.runDeferred(0, 0)
		c.wantErased(id, false)
		done := c.mustErase(0, "A-1")
		if done.ID == e.ID || done.State != privacydesk.Completed {
			t.Errorf("the next erasure is %+v", done)
		}
		for _, id := range []string{done.ID, e.ID} {
			if _, err := withdraw(id); fault.CodeOf(err) != fault.CodeInvalidTransition {
				t.Errorf("%s was withdrawn: %v", id, err)
			}
		}
		for _, id := range []string{"era_01KA2W4Q8N5T7XJ3RZB6MCDVHE", "era_", id} {
			if _, err := withdraw(id); fault.KindOf(err) != fault.NotFound {
				t.Errorf("%s was withdrawn: %v", id, err)
			}
		}
		_, stranger := c.Signup("stranger@example.in")
		if _, err := c.nodes[0].Privacy.Withdraw(
			t.Context(), stranger, e.ID, nil,
		); fault.KindOf(err) != fault.NotFound {
			t.Errorf("another tenant: %v", err)
		}
		c.verify(1)
	})
}

// hold places a legal hold on an applicant.
func (c *cluster) hold(applicant, reason string, until time.Time) (privacydesk.Hold, error) {
	return c.nodes[0].Privacy.PlaceHold(c.Context(), c.Caller,
		privacydesk.NewHold{ApplicantRef: applicant, Reason: reason, Until: until}, nil)
}

func (c *cluster) mustHold(applicant, reason string, until time.Time) privacydesk.Hold {
	c.Helper()
	h, err := c.hold(applicant, reason, until)
	if err != nil {
		c.Fatal(err)
	}
	return h
}

// TestLegalHold defers an erasure because of two holds. The erasure is carried out after one hold was released and
// the other has ended.
func TestLegalHold(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, c *cluster) {
		id, other := c.decide(0, "A-1"), c.decide(0, "A-2")
		end := c.clock.Now().Add(48 * time.Hour)
		audit, court := c.mustHold("A-1", "audit", end), c.mustHold("A-1", "litigation", time.Time{})
		e := c.wantDeferred("A-1", privacydesk.BasisLegalHold)
		if e.DeferredUntilMicros != 0 {
			t.Errorf("a hold without an end defers until %s", operation.Clock(e.DeferredUntilMicros))
		}
		if gone := c.mustErase(0, "A-2"); gone.State != privacydesk.Completed {
			t.Errorf("somebody else is erased: %+v", gone)
		}
		c.wantErased(other, true)
		released, err := c.nodes[1].Privacy.ReleaseHold(t.Context(), c.Caller, court.ID, nil)
		if err != nil || released.State != privacydesk.HoldReleased || released.ReleasedMicros == 0 ||
			released.ReleasedBy != operation.Actor(c.Caller) {
			t.Errorf("released: %+v, %v", released, err)
		}
		c.runDeferred(0, 0)
		if e, err := c.nodes[0].Privacy.Erasure(t.Context(), c.Caller, e.ID); err != nil ||
			e.DeferredUntilMicros != end.UnixMicro() {
			t.Errorf("after the release: %+v, %v", e, err)
		}
		c.clock.Pass(48*time.Hour - time.Millisecond)
		c.runDeferred(0, 0)
		c.wantErased(id, false)
		c.clock.Pass(time.Millisecond)
		c.runDeferred(1, 1)
		c.wantErased(id, true)
		c.verify(2)
		for _, h := range []privacydesk.Hold{audit, court} {
			got, err := c.nodes[0].Privacy.Hold(t.Context(), c.Caller, h.ID)
			if err != nil || got.State == privacydesk.HoldInForce || got.ApplicantRef == "A-1" {
				t.Errorf("after the erasure the hold is %+v, %v", got, err)
			}
			if _, err := c.nodes[0].Privacy.ReleaseHold(t.Context(), c.Caller, h.ID, nil); fault.CodeOf(err) !=
				fault.CodeInvalidTransition {
				t.Errorf("a hold that has ended was released: %v", err)
			}
		}
		if got := c.Logged(c.Caller, court.ID); len(got) != 2 {
			t.Errorf("the audit trail has %v", got)
		}
	})
}

// TestReleaseWakes releases the only hold. The next run of the worker carries out the erasure, however long the
// hold would have lasted.
func TestReleaseWakes(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, c *cluster) {
		id := c.decide(0, "A-1")
		h := c.mustHold("A-1", "complaint", c.clock.Now().AddDate(5, 0, 0))
		e := c.wantDeferred("A-1", privacydesk.BasisLegalHold)
		c.runDeferred(0, 0)
		if _, err := c.nodes[1].Privacy.ReleaseHold(t.Context(), c.Caller, h.ID, nil); err != nil {
			t.Fatal(err)
		}
		c.runDeferred(0, 1)
		c.wantErased(id, true)
		if got := c.state(e.ID); got != privacydesk.Completed {
			t.Errorf("the erasure is %s", got)
		}
	})
}

// TestReviewWakes overturns the only approval. The next run of the worker carries out the erasure, however long the
// offer would have been valid.
func TestReviewWakes(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, c *cluster) {
		id := c.approve("A-1")
		e := c.wantDeferred("A-1", privacydesk.BasisOpenOffer)
		c.runDeferred(0, 0)
		if _, err := c.nodes[1].Decisions.Reviews.Add(
			t.Context(), c.Caller, id, decisioning.NewReview{Outcome: decisioning.Overturned}, nil,
		); err != nil {
			t.Fatal(err)
		}
		c.runDeferred(0, 1)
		c.wantErased(id, true)
		if got := c.state(e.ID); got != privacydesk.Completed {
			t.Errorf("the erasure is %s", got)
		}
	})
}

// TestHoldRefusals checks holds that cannot be placed, read or released.
func TestHoldRefusals(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, c *cluster) {
		named, nameless := c.decide(0, "A-1"), c.decide(0, "")
		h := c.mustHold("A-1", "audit", time.Time{})
		now := c.clock.Now()
		for name, n := range map[string]struct {
			privacydesk.NewHold
			want string
		}{
			"nobody":           {privacydesk.NewHold{ApplicantRef: "A-0", Reason: "audit"}, fault.CodeNotFound},
			"twice":            {privacydesk.NewHold{ApplicantRef: "A-1", Reason: "audit"}, fault.CodeHoldInForce},
			"no person":        {privacydesk.NewHold{Reason: "audit"}, fault.CodeInvalidField},
			"no reason":        {privacydesk.NewHold{ApplicantRef: "A-1"}, fault.CodeInvalidField},
			"a reason":         {privacydesk.NewHold{ApplicantRef: "A-1", Reason: "he lied"}, fault.CodeInvalidField},
			"named decision":   {privacydesk.NewHold{DecisionID: named, Reason: "audit"}, fault.CodeInvalidField},
			"unknown decision": {privacydesk.NewHold{DecisionID: "dec_x", Reason: "audit"}, fault.CodeNotFound},
			"now": {privacydesk.NewHold{ApplicantRef: "A-1", Reason: "other", Until: now},
				fault.CodeInvalidField},
			"too long": {privacydesk.NewHold{ApplicantRef: "A-1", Reason: "other", Until: now.AddDate(101, 0, 0)},
				fault.CodeInvalidField},
		} {
			if _, err := c.nodes[0].Privacy.PlaceHold(
				t.Context(), c.Caller, n.NewHold, nil,
			); fault.CodeOf(err) != n.want {
				t.Errorf("%s: %v, want %s", name, err, n.want)
			}
		}
		if _, err := c.nodes[0].Privacy.PlaceHold(
			t.Context(), c.Caller, privacydesk.NewHold{DecisionID: nameless, Reason: "audit"}, nil,
		); err != nil {
			t.Errorf("a decision without an applicant: %v", err)
		}
		_, stranger := c.Signup("stranger@example.in")
		if _, err := c.nodes[0].Privacy.Hold(t.Context(), stranger, h.ID); fault.KindOf(err) != fault.NotFound {
			t.Errorf("another tenant reads it: %v", err)
		}
		if _, err := c.nodes[0].Privacy.ReleaseHold(
			t.Context(), stranger, h.ID, nil,
		); fault.KindOf(err) != fault.NotFound {
			t.Errorf("another tenant releases it: %v", err)
		}
		reader := c.Caller
		reader.Scopes = tenant.Read | tenant.Decide
		_, place := c.nodes[0].Privacy.PlaceHold(t.Context(), reader, privacydesk.NewHold{}, nil)
		_, release := c.nodes[0].Privacy.ReleaseHold(t.Context(), reader, h.ID, nil)
		_, get := c.nodes[0].Privacy.Hold(t.Context(), reader, h.ID)
		_, list := c.nodes[0].Privacy.Holds(t.Context(), reader, privacydesk.HoldFilter{}, operation.List{})
		_, withdraw := c.nodes[0].Privacy.Withdraw(t.Context(), reader, "era_", nil)
		for _, err := range []error{place, release, get, list, withdraw} {
			if fault.KindOf(err) != fault.Forbidden {
				t.Errorf("without the scope: %v", err)
			}
		}
	})
}

// TestHoldAgainstRunningErasure places a hold on somebody who is being erased. The hold is refused, because some of
// the documents are already erased.
func TestHoldAgainstRunningErasure(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, c *cluster) {
		for range 5 {
			c.decide(0, "A-long")
		}
		var placed error
		c.nodes[0].Privacy.SetBatch(2, func() {
			if _, err := c.nodes[1].Privacy.PlaceHold(
				t.Context(), c.Caller, privacydesk.NewHold{ApplicantRef: "A-long", Reason: "audit"}, nil,
			); placed == nil {
				placed = err
			}
		})
		if e := c.mustErase(0, "A-long"); e.State != privacydesk.Completed || e.Counts.Decisions != 5 {
			t.Errorf("the erasure is %+v", e)
		}
		if fault.CodeOf(placed) != fault.CodeInvalidTransition {
			t.Errorf("the hold: %v", placed)
		}
		c.verify(5)
	})
}

// TestHoldWhileErasing places holds while applicants are erased on another node. An applicant with a hold is not
// erased, and an erased applicant has no hold.
func TestHoldWhileErasing(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, c *cluster) {
		for range 6 {
			id := c.decide(0, "A-race")
			placed := make(chan error)
			var h privacydesk.Hold
			go func() {
				var err error
				h, err = c.hold("A-race", "audit", time.Time{})
				placed <- err
			}()
			e, err := c.erase(1, "A-race")
			if err != nil {
				t.Fatal(err)
			}
			holdErr := <-placed
			_, gone := c.read(0, id)
			switch {
			case gone != (e.State == privacydesk.Completed):
				t.Errorf("erased: %v, but the erasure is %s", gone, e.State)
			case gone == (holdErr == nil):
				t.Errorf("erased: %v, and the hold: %v", gone, holdErr)
			case holdErr != nil && fault.KindOf(holdErr) != fault.NotFound && fault.KindOf(holdErr) != fault.Conflict:
				t.Errorf("the hold: %v", holdErr)
			}
			if holdErr == nil {
				_, err := c.nodes[0].Privacy.ReleaseHold(t.Context(), c.Caller, h.ID, nil)
				n, ran := c.nodes[0].Privacy.RunDeferred(t.Context())
				if err := errors.Join(err, ran); err != nil || n != 1 {
					t.Errorf("carried out %d, %v", n, err)
				}
			}
		}
		c.verify(6)
	})
}

// TestHoldPages lists all holds page by page, and then only the holds in force.
func TestHoldPages(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, c *cluster) {
		c.decide(0, "A-1")
		c.decide(0, "A-2")
		first := c.mustHold("A-1", "audit", time.Time{})
		second := c.mustHold("A-1", "litigation", c.clock.Now().Add(time.Hour))
		third := c.mustHold("A-2", "audit", time.Time{})
		c.clock.Pass(time.Hour)
		list := func(f privacydesk.HoldFilter) (ids []string) {
			t.Helper()
			for l := (operation.List{Limit: 1, Ascending: true}); ; {
				page, err := c.nodes[0].Privacy.Holds(t.Context(), c.Caller, f, l)
				if err != nil {
					t.Fatal(err)
				}
				for _, h := range page.Data {
					ids = append(ids, h.ID)
				}
				if l.Cursor = page.NextCursor; l.Cursor == "" {
					return ids
				}
			}
		}
		for _, c := range []struct {
			name string
			f    privacydesk.HoldFilter
			want []string
		}{
			{"all", privacydesk.HoldFilter{}, []string{first.ID, second.ID, third.ID}},
			{"in force", privacydesk.HoldFilter{InForce: true}, []string{first.ID, third.ID}},
			{"of one", privacydesk.HoldFilter{ApplicantRef: "A-1"}, []string{first.ID, second.ID}},
			{"of nobody", privacydesk.HoldFilter{ApplicantRef: "A-0"}, nil},
		} {
			if got := list(c.f); !slices.Equal(got, c.want) {
				t.Errorf("%s: %v, want %v", c.name, got, c.want)
			}
		}
	})
}

// TestDeferredNeedsNoEntry checks that a deferred erasure has no entry in the journal, and that only a node that
// knows about deferral can begin it.
func TestDeferredNeedsNoEntry(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, c *cluster) {
		c.approve("A-1")
		before, err := c.scope().Journal(t.Context()).Size()
		if err != nil {
			t.Fatal(err)
		}
		e := c.wantDeferred("A-1", privacydesk.BasisOpenOffer)
		after, err := c.scope().Journal(t.Context()).Size()
		if err != nil || after != before {
			t.Errorf("the journal had %d entries and has %d, %v", before, after, err)
		}
		stored, err := c.scope().Erasures(t.Context()).Get(e.ID)
		if err != nil || stored.StartedLeaf != -1 || stored.Leaf != -1 {
			t.Errorf("stored is %+v, %v", stored, err)
		}
		// A node of an earlier version does not know the columns of deferred erasures, so it does not change these
		// columns.
		stored.State = store.ErasureRunning
		if err := c.scope().Write(
			t.Context(), func(tx *store.Tx) error { return tx.Erasures().Put(&stored) },
		); err == nil {
			t.Error("a deferred erasure was begun without clearing its basis")
		}
	})
}
