package privacydesk_test

import (
	"testing"

	"verdict/internal/civil"
	"verdict/internal/exposuredesk"
	"verdict/internal/offer"
	"verdict/internal/privacydesk"
)

// TestHolidaysProlongOffers checks that documents and closed loans are kept, and that erasures wait, until an offer
// can no longer be accepted. The lender's holidays can prolong the offer beyond the end that the decision states.
func TestHolidaysProlongOffers(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, c *cluster) {
		profile := offer.Profile{Name: "Asha", Address: "Pune", CoolingOffDays: 3,
			Grievance: offer.Contact{Name: "Officer", Phone: "020", Email: "a@example.in"}}
		for d := civil.Date(2026, 11, 16); d <= civil.Date(2026, 11, 30); d++ {
			profile.Holidays = append(profile.Holidays, d)
		}
		if _, err := c.nodes[0].Offers.ReplaceProfile(t.Context(), c.Caller, profile, 0); err != nil {
			t.Fatal(err)
		}
		c.setRetention("exposures", "P1D", "combined", "P1D")
		id := c.approve("A-1")
		if _, err := c.nodes[0].Exposures.Report(t.Context(), c.Caller, exposuredesk.NewReport{
			ApplicantRef: "A-2", DecisionID: c.approve("A-2"), Closed: true,
		}, nil); err != nil {
			t.Fatal(err)
		}
		c.clock.Pass(10 * day) // the decision states three days without Sundays
		c.retain(1, 0)
		c.wantInputs(id, true)
		if e := c.wantDeferred("A-1", privacydesk.BasisOpenOffer); e.DeferredUntilMicros !=
			civil.Date(2026, 12, 3).LastSecond().UnixMicro()+1_000_000 {
			t.Errorf("the erasure waits until %d", e.DeferredUntilMicros)
		}
		c.clock.Pass(10 * day) // 5 December
		c.runDeferred(0, 1)
		c.wantErased(id, true)
		c.retain(1, 2)
	})
}
