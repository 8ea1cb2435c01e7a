//nolint:thelper // what eachCluster runs is the test itself: a failure belongs to its own line
package privacydesk_test

import (
	"testing"
	"time"

	"verdict/internal/decisioning"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/store"
)

// release releases a legal hold.
func (c *cluster) release(id string) {
	c.Helper()
	if _, err := c.nodes[0].Privacy.ReleaseHold(c.Context(), c.Caller, id, nil); err != nil {
		c.Fatal(err)
	}
}

// TestRetentionLengthened releases a hold after the period has become longer. The documents of the person are kept
// until the longer period ends, and are then emptied.
func TestRetentionLengthened(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, c *cluster) {
		c.setRetention("combined", "P10D")
		held, other := c.decide(0, "A-held"), c.decide(0, "A-other")
		h := c.mustHold("A-held", "audit", time.Time{})
		c.clock.Pass(20 * day)
		c.retain(0, 1)
		c.wantInputs(other, false, "combined")
		c.setRetention("combined", "P50D")
		c.clock.Pass(2 * day)
		c.release(h.ID)
		c.clock.Pass(day)
		c.retain(0, 0)
		c.wantInputs(held, true)
		c.clock.Pass(27 * day) // 50 days after the decision
		c.retain(1, 0)
		c.wantInputs(held, true)
		c.clock.Pass(day)
		c.retain(1, 1)
		c.wantInputs(held, false, "combined")
		c.verify(2)
	})
}

// TestRetentionInterrupted releases a hold after a first run that skipped the held documents and was interrupted.
func TestRetentionInterrupted(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, c *cluster) {
		c.setRetention("combined", "P10D")
		held := c.decide(0, "A-held")
		h := c.mustHold("A-held", "audit", time.Time{})
		c.clock.Pass(20 * day)
		c.retain(0, 0)
		// An interruption after the last batch leaves the progress without the time at which the run was done.
		if err := c.scope().Write(t.Context(), func(tx *store.Tx) error {
			p, err := tx.Retention().ProgressOf("combined")
			if err != nil {
				return err
			}
			p.AppliedMicros = 0
			return tx.Retention().PutProgress(&p, 0, 0, 0)
		}); err != nil {
			t.Fatal(err)
		}
		c.release(h.ID)
		c.retain(1, 1)
		c.wantInputs(held, false, "combined")
		c.verify(1)
	})
}

// TestRetentionReleasedMeanwhile stores the release of a hold after a run, with a time before the run. This can
// happen because the clocks of the nodes differ, and because a release reads the clock before it waits for its
// transaction.
func TestRetentionReleasedMeanwhile(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, c *cluster) {
		c.setRetention("combined", "P10D")
		held := c.decide(0, "A-held")
		h := c.mustHold("A-held", "audit", time.Time{})
		c.clock.Pass(20 * day)
		c.retain(0, 0)
		if err := c.scope().Write(t.Context(), func(tx *store.Tx) error {
			stored, err := tx.LegalHolds().Get(h.ID)
			if err != nil {
				return err
			}
			return tx.LegalHolds().Release(stored, "key_1", c.clock.Now().Add(-time.Minute).UnixMicro())
		}); err != nil {
			t.Fatal(err)
		}
		c.clock.Pass(day)
		c.retain(1, 1)
		c.wantInputs(held, false, "combined")
		c.verify(1)
	})
}

// TestRetentionReleasedOffers releases the hold of somebody whose decisions were skipped and have become offers
// since. Their documents are emptied when the offers have ended. The other decisions of the person need not wait.
func TestRetentionReleasedOffers(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, c *cluster) {
		for _, node := range c.nodes {
			node.Privacy.SetBatch(2, func() {})
		}
		c.setRetention("combined", "P1D")
		c.clock.Pass(2 * day)
		var offers []string
		for range 3 {
			offers = append(offers, c.send("A-held", referredScore, "REFERRED"))
		}
		declined := c.decide(0, "A-held")
		h := c.mustHold("A-held", "complaint", time.Time{})
		c.clock.Pass(2 * day)
		c.retain(0, 0)
		for _, id := range offers {
			if _, err := c.nodes[0].Decisions.Reviews.Add(
				t.Context(), c.Caller, id, decisioning.NewReview{Outcome: "overturned"}, nil,
			); err != nil {
				t.Fatal(err)
			}
		}
		c.clock.Pass(time.Hour)
		c.release(h.ID)
		c.clock.Pass(day)
		c.retain(1, 1)
		c.wantInputs(declined, false, "combined")
		for _, id := range offers {
			c.wantInputs(id, true)
		}
		c.clock.Pass(20 * day)
		c.retain(0, 3)
		for _, id := range offers {
			c.wantInputs(id, false, "combined")
		}
		c.verify(4)
	})
}

// TestRetentionUntil checks that the time until which documents are stored is exactly the time at which they are
// emptied, also at the ends of months.
func TestRetentionUntil(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, c *cluster) {
		c.setRetention("combined", "P1M")
		c.clock.Pass(time.Date(2027, 2, 28, 12, 0, 0, 0, time.UTC).Sub(c.clock.Now()))
		c.decide(0, "A-1")
		a, err := c.nodes[0].Privacy.Applicant(t.Context(), c.Caller, "A-1", operation.List{Limit: 1})
		if err != nil || len(a.Zones) == 0 {
			t.Fatalf("held: %+v, %v", a.Zones, err)
		}
		until := int64(0)
		for _, z := range a.Zones {
			until = max(until, z.UntilMicros)
		}
		if got := operation.Clock(until); got != "2027-03-31T18:30:00.000Z" { // 1 April in India
			t.Errorf("stored until %s", got)
		}
		c.clock.Pass(time.UnixMicro(until).Sub(c.clock.Now()) - time.Second)
		c.retain(0, 0)
		c.clock.Pass(time.Second)
		c.retain(0, 1)
	})
}

// TestRetentionOrder checks that periods of different units are compared in the same way on every day of the year.
func TestRetentionOrder(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, c *cluster) {
		for range 12 {
			for history, refused := range map[string]bool{"P28D": false, "P29D": true, "P30D": true, "P1M": false} {
				_, err := c.nodes[0].Privacy.SetRetention(t.Context(), c.Caller,
					periods("response", "P1M", "history", history), operation.AnyVersion)
				if refused != (fault.KindOf(err) == fault.Invalid) || !refused && err != nil {
					t.Errorf("a history of %s at %s: %v", history, c.clock.Now(), err)
				}
			}
			c.clock.Pass(30 * day)
		}
	})
}
