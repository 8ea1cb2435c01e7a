//nolint:thelper // what eachCluster runs is the test itself: a failure belongs to its own line
package privacydesk_test

import (
	"fmt"
	"sync"
	"testing"

	"verdict/internal/fault"
	"verdict/internal/privacydesk"
)

// TestEraseFromSeveralTrees erases somebody who has decisions with keys from many trees, which takes several
// transactions. The erasure is interrupted after the first transactions and completed by the other node.
// Every decision is then readable or erased, and the journal explains it.
func TestEraseFromSeveralTrees(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, c *cluster) {
		for _, node := range c.nodes {
			node.Privacy.SetMaxTree(20_000)
		}
		var long, stay []string
		erased := int64(0)
		for i := range 12 {
			long = append(long, c.decide(i%2, "A-long"))
			stay = append(stay, c.decide(i%2, fmt.Sprintf("A-stays%d", i)))
			c.decide(1-i%2, fmt.Sprintf("A-%d", i))
			c.mustErase(i%2, fmt.Sprintf("A-%d", i))
			erased++
		}
		steps := 0
		for _, node := range c.nodes {
			node.Privacy.SetBatch(100, func() { steps++ })
		}
		e := c.mustErase(0, "A-long")
		if steps < 3 || e.State != privacydesk.Completed || e.Counts.Decisions != 12 || len(e.ReplacedBy) < 4 {
			t.Errorf("after %d transactions before the last one the receipt is %+v", steps, e)
		}
		for _, id := range long {
			c.wantErased(id, true)
		}
		for _, id := range stay {
			c.wantErased(id, false)
		}
		c.verify(erased + 12)
		again := c.decide(1, "A-long")
		c.wantErased(again, false)
	})
}

// TestErasedTwiceAtOnce erases a person on both nodes at the same time, each with several transactions. Both
// requests get the same receipt.
func TestErasedTwiceAtOnce(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, c *cluster) {
		for _, decisions := range []int{1, 7} {
			applicant := fmt.Sprintf("A-%d", decisions)
			for range decisions {
				c.decide(0, applicant)
			}
			// Both requests have found something before either of them erases.
			var seen, all sync.WaitGroup
			seen.Add(len(c.nodes))
			receipts := make([]privacydesk.Erasure, len(c.nodes))
			for node, set := range c.nodes {
				set.Privacy.SetBatch(2, func() {})
				var once sync.Once
				set.Privacy.SetFound(func() {
					once.Do(func() {
						seen.Done()
						seen.Wait()
					})
				})
				all.Go(func() {
					var err error
					if receipts[node], err = c.erase(node, applicant); err != nil {
						t.Errorf("node %d: %v", node, err)
					}
				})
			}
			all.Wait()
			if one, two := receipts[0], receipts[1]; one.ID == "" || one.ID != two.ID || one.Counts != two.Counts ||
				one.State != privacydesk.Completed || one.Counts.Decisions != int64(decisions) {
				t.Errorf("the receipts are %+v and %+v", one, two)
			}
			if _, err := c.erase(0, applicant); fault.KindOf(err) != fault.NotFound {
				t.Errorf("erased again: %v", err)
			}
		}
		c.verify(8)
	})
}
