//nolint:thelper // what eachCluster runs is the test itself: a failure belongs to its own line
package privacydesk_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"verdict/internal/application"
	"verdict/internal/exposure"
	"verdict/internal/exposuredesk"
	"verdict/internal/store"
	"verdict/internal/usecase/usecasetest"
)

// reportLoan reports the state of a loan without a decision.
func (c *cluster) reportLoan(applicant string, closed bool) {
	c.Helper()
	_, err := c.nodes[0].Exposures.Report(c.Context(), c.Caller, exposuredesk.NewReport{
		ApplicantRef: applicant, HasOutstanding: true, Closed: closed, Loan: exposure.Loan{Product: "gold_loan"},
	}, nil)
	if err != nil {
		c.Fatal(err)
	}
}

// loansOf returns the references of all loans that are stored.
func (c *cluster) loansOf() (refs []string) {
	c.Helper()
	rows, _, err := c.scope().Exposures(c.Context()).List("", store.Page{})
	if err != nil {
		c.Fatal(err)
	}
	for i := range rows {
		refs = append(refs, rows[i].ApplicantRef)
	}
	slices.Sort(refs)
	return refs
}

// TestRetentionOfLoans checks that closed loans are deleted at the end of their period, and that their storage is no
// longer counted. Open loans and loans of people with a legal hold stay.
func TestRetentionOfLoans(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, c *cluster) {
		for _, node := range c.nodes {
			node.Privacy.SetBatch(2, func() {})
		}
		before, err := c.scope().StoredBytes(t.Context()).Sum()
		if err != nil {
			t.Fatal(err)
		}
		c.setRetention("exposures", "P1Y")
		for _, ref := range []string{"A-1", "A-2", "A-3", "A-held", "A-open"} {
			c.reportLoan(ref, false)
		}
		for _, ref := range []string{"A-1", "A-2", "A-3", "A-held"} {
			c.reportLoan(ref, true)
		}
		h := c.mustHold("A-held", "audit", time.Time{})
		c.clock.Pass(360 * day)
		c.retain(0, 0)
		r, err := c.nodes[0].Privacy.Retention(t.Context(), c.Caller)
		if err != nil || r.Zones[5].Zone != "exposures" || !r.Zones[5].DueKnown || r.Zones[5].Due != 0 {
			t.Errorf("the retention is %+v, %v", r, err)
		}
		c.clock.Pass(10 * day)
		c.retain(1, 3)
		c.retain(0, 0) // it was done today
		if refs := c.loansOf(); !slices.Equal(refs, []string{"A-held", "A-open"}) {
			t.Errorf("the loans of %v are stored", refs)
		}
		c.release(h.ID)
		c.clock.Pass(day)
		c.retain(1, 1)
		if refs := c.loansOf(); !slices.Equal(refs, []string{"A-open"}) {
			t.Errorf("the loans of %v are stored", refs)
		}
		if now, err := c.scope().StoredBytes(t.Context()).Sum(); err != nil || now != before+1024 {
			t.Errorf("%d bytes are counted, %v; want %d", now, err, before+1024)
		}
		c.verify(0)
	})
}

// TestRetentionOfOffers keeps the closed loan of a decision while the offer of the decision is open, even if the
// retention period is shorter.
func TestRetentionOfOffers(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, c *cluster) {
		c.setRetention("exposures", "P1D")
		c.reportLoan("A-2", false)
		c.reportLoan("A-2", true)
		if _, err := c.nodes[0].Exposures.Report(t.Context(), c.Caller, exposuredesk.NewReport{
			ApplicantRef: "A-1", DecisionID: c.approve("A-1"), Closed: true,
		}, nil); err != nil {
			t.Fatal(err)
		}
		c.clock.Pass(3 * day)
		c.retain(0, 1)
		if refs := c.loansOf(); !slices.Equal(refs, []string{"A-1"}) {
			t.Errorf("the loans of %v are stored", refs)
		}
		c.clock.Pass(365 * day)
		c.retain(0, 1)
	})
}

// members returns the people in the links and in the rings of the fraud counters.
func (c *cluster) members() (linked, inRings []string) {
	c.Helper()
	var after store.FraudLink
	for {
		page, err := c.scope().Retention(c.Context()).LinksAfter(after, 0, 1)
		if err != nil {
			c.Fatal(err)
		}
		if page.Links == 0 {
			break
		}
		if !slices.Contains(linked, page.Last.Member) && strings.HasPrefix(page.Last.Member, "A-") {
			linked = append(linked, page.Last.Member)
		}
		after = page.Last
	}
	inRings, _, err := c.scope().Retention(c.Context()).RingPeople("", 1<<62, 100)
	if err != nil {
		c.Fatal(err)
	}
	return linked, inRings
}

// TestRetentionOfLinks deletes links that were last seen before the cutoff, except those of people with a legal hold,
// and replaces the references of the people in rings.
func TestRetentionOfLinks(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, c *cluster) {
		see := func(applicant string) {
			t.Helper()
			body := usecasetest.Parse(c.T, `{"bureau":"cibil","report":{"cibil":{"scoreData":{"score":560}}},
				"fraud":{"applicant_ref":"`+applicant+`","beneficiary_account":"123456789012","ifsc":"HDFC0000001"}}`)
			if _, err := c.nodes[0].Decisions.Decide(
				t.Context(), c.Caller, application.EvaluateRequest(body), nil,
			); err != nil {
				t.Fatal(err)
			}
		}
		c.setRetention("fraud_links", "P1Y")
		for _, ref := range []string{"A-1", "A-2", "A-held", "A-seen"} {
			see(ref)
		}
		h := c.mustHold("A-held", "audit", time.Time{})
		linked, inRings := c.members()
		if len(linked) != 4 || len(inRings) != 4 {
			t.Fatalf("%v are linked and %v are in rings", linked, inRings)
		}
		c.clock.Pass(300 * day)
		see("A-seen")
		if n, err := c.nodes[1].Privacy.Retain(t.Context()); n != 0 || err != nil {
			t.Errorf("deleted %d, %v", n, err)
		}
		c.clock.Pass(100 * day)
		if n, err := c.nodes[1].Privacy.Retain(t.Context()); n < 2 || err != nil {
			t.Errorf("deleted %d, %v", n, err)
		}
		linked, inRings = c.members()
		want := []string{"A-held", "A-seen"}
		if !slices.Equal(linked, want) || slices.Contains(inRings, "A-1") || !slices.Contains(inRings, "A-held") {
			t.Errorf("%v are linked and %v are in rings, want %v", linked, inRings, want)
		}
		c.release(h.ID)
		c.clock.Pass(day)
		if _, err := c.nodes[0].Privacy.Retain(t.Context()); err != nil {
			t.Error(err)
		}
		if linked, inRings = c.members(); !slices.Equal(linked, []string{"A-seen"}) ||
			slices.Contains(inRings, "A-held") {
			t.Errorf("%v are linked and %v are in rings after the release", linked, inRings)
		}
		c.verify(0)
	})
}
