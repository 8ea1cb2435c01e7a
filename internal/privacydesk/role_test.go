//nolint:thelper // what eachCluster runs is the test itself: a failure belongs to its own line
package privacydesk_test

import (
	"fmt"
	"testing"
	"time"

	"verdict/internal/application"
	"verdict/internal/decisioning"
	"verdict/internal/exposure"
	"verdict/internal/exposuredesk"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/privacydesk"
	"verdict/internal/usecase/usecasetest"
)

// jointly decides for a primary applicant and a co-applicant, and returns the decision's id. With a score of 560 the
// application is declined.
func (c *cluster) jointly(node int, primary, partner string, score int) string {
	c.Helper()
	body := usecasetest.Parse(c.T, fmt.Sprintf(`{"applicants":[
		{"role":"primary","applicant_ref":%q,"monthly_income":87654321,"bureau_report":{"score":%d}},
		{"role":"co_applicant","applicant_ref":%q,"monthly_income":30000,"bureau_report":{"score":790}}]}`,
		primary, score, partner))
	decided, err := c.nodes[node].Decisions.Decide(c.Context(), c.Caller, application.DecisionRequest(body), nil)
	if err != nil {
		c.Fatal(err)
	}
	return decided.ID
}

// roleCount returns the number of decisions on other applicants in which a person has a role.
func (c *cluster) roleCount(ref string) int64 {
	c.Helper()
	held, err := c.nodes[1].Privacy.Applicant(c.Context(), c.Caller, ref, operation.List{Limit: 10})
	if fault.KindOf(err) == fault.NotFound {
		return 0
	}
	if err != nil {
		c.Fatal(err)
	}
	return held.RoleCount
}

// TestCoApplicantWaits asks for the erasure of a co-applicant with an open offer, and then with a legal hold. The
// erasure waits for both.
func TestCoApplicantWaits(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, c *cluster) {
		id := c.jointly(0, "A-1", "C-1", 742)
		e := c.wantDeferred("C-1", privacydesk.BasisOpenOffer)
		h := c.mustHold("C-1", "audit", time.Time{})
		c.clock.Pass(40 * day)
		c.runDeferred(0, 0)
		c.wantErased(id, false)
		c.release(h.ID)
		c.clock.Pass(2 * time.Hour)
		c.runDeferred(1, 1)
		if state := c.state(e.ID); state != privacydesk.Completed {
			t.Errorf("the erasure is %s", state)
		}
		c.wantInputs(id, false, "co_applicant")
		c.verify(1)
		if n := c.roleCount("C-1"); n != 0 {
			t.Errorf("the erased co-applicant has %d roles", n)
		}
	})
}

// TestReviewWakesCoApplicant defers the erasures of two co-applicants, one because of an offer and one because of a
// loan. It overturns the offer and closes the loan. The next run of the worker must carry out both erasures.
func TestReviewWakesCoApplicant(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, c *cluster) {
		id := c.jointly(0, "A-1", "C-1", 742)
		c.wantDeferred("C-1", privacydesk.BasisOpenOffer)
		c.runDeferred(0, 0)
		if _, err := c.nodes[1].Decisions.Reviews.Add(t.Context(), c.Caller, id,
			decisioning.NewReview{Outcome: decisioning.Overturned}, nil); err != nil {
			t.Fatal(err)
		}
		c.runDeferred(0, 1)
		c.wantInputs(id, false, "co_applicant")

		lent := c.jointly(1, "A-2", "C-2", 742)
		report := exposuredesk.NewReport{
			ApplicantRef: "A-2", DecisionID: lent, Loan: exposure.Loan{OutstandingPaise: 100_00}, HasOutstanding: true,
		}
		if _, err := c.nodes[0].Exposures.Report(t.Context(), c.Caller, report, nil); err != nil {
			t.Fatal(err)
		}
		c.wantDeferred("C-2", privacydesk.BasisOpenExposure)
		c.runDeferred(0, 0)
		report.Closed, report.Loan, report.HasOutstanding = true, exposure.Loan{}, false
		if _, err := c.nodes[1].Exposures.Report(t.Context(), c.Caller, report, nil); err != nil {
			t.Fatal(err)
		}
		c.runDeferred(1, 1)
		c.wantInputs(lent, false, "co_applicant")
		c.verify(2)
	})
}

// TestRetentionOfPeople lets the periods of decisions with a co-applicant end. The co-applicant's facts are emptied
// together with those of the applicant, and the co-applicant's reference together with the answer. A hold on the
// co-applicant keeps all facts. Then the test erases a co-applicant whose facts are already emptied, so that their
// key tree is not known.
func TestRetentionOfPeople(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, c *cluster) {
		for _, node := range c.nodes {
			node.Privacy.SetMaxTree(20_000)
		}
		c.decide(0, "A-0")
		c.mustErase(0, "A-0") // from now on there are several trees
		c.setRetention("combined", "P10D", "response", "P2M")
		free, held := c.jointly(0, "A-1", "C-1", 560), c.jointly(1, "A-2", "C-2", 560)
		last := c.jointly(1, "A-3", "C-1", 560)
		h := c.mustHold("C-2", "audit", time.Time{})
		c.clock.Pass(20 * day)
		c.retain(0, 2)
		c.wantInputs(free, false, "combined", "co_applicant")
		c.wantInputs(held, true)
		c.verify(3)
		c.mustErase(1, "A-3")
		e := c.mustErase(0, "C-1")
		if e.Counts.CoApplicants != 2 || e.State != privacydesk.Completed {
			t.Errorf("the receipt is %+v", e)
		}
		c.verify(3)
		c.release(h.ID)
		c.clock.Pass(day)
		c.retain(1, 1)
		c.wantInputs(held, false, "combined", "co_applicant")
		if n := c.roleCount("C-2"); n != 1 {
			t.Errorf("the co-applicant has %d roles before the end of the answer", n)
		}
		c.clock.Pass(62 * day)
		c.retain(0, 2)
		if n := c.roleCount("C-2"); n != 0 {
			t.Errorf("the co-applicant has %d roles after the end of the answer", n)
		}
		c.wantErased(last, true)
		c.verify(4)
	})
}

// TestCoApplicantOfManyTrees erases a co-applicant whose decisions have keys from many trees, in several transactions.
func TestCoApplicantOfManyTrees(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, c *cluster) {
		for _, node := range c.nodes {
			node.Privacy.SetMaxTree(20_000)
		}
		var ids []string
		for i := range 6 {
			ids = append(ids, c.jointly(i%2, fmt.Sprintf("P-%d", i), "C-long", 560))
			c.decide(1-i%2, fmt.Sprintf("A-%d", i))
			c.mustErase(i%2, fmt.Sprintf("A-%d", i))
		}
		for _, node := range c.nodes {
			node.Privacy.SetBatch(2, func() {})
		}
		e := c.mustErase(0, "C-long")
		if e.State != privacydesk.Completed || e.Counts.CoApplicants != 6 || e.Counts.Decisions != 0 ||
			len(e.ReplacedBy) < 2 {
			t.Errorf("the receipt is %+v", e)
		}
		for _, id := range ids {
			c.wantInputs(id, false, "co_applicant")
		}
		c.verify(6 + 6)
		again := c.jointly(1, "P-0", "C-long", 560)
		c.wantErased(again, false)
	})
}
