package exposuredesk_test

import (
	"fmt"
	"testing"
	"time"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// TestManyDecisionsHideNoOffer makes many decisions for a person under one policy_key: more than the service reads.
// An earlier offer under another policy_key must still count, even if the person is the co-applicant.
func TestManyDecisionsHideNoOffer(t *testing.T) {
	t.Parallel()
	for kind, url := range map[string]func(testing.TB) string{
		"sqlite": storetest.MigratedSQLite, "postgres": storetest.MigratedPostgres,
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			f := newFiller(t, url(t))
			f.offerAndHide()
			for _, ref := range []string{"P-1", "P-3"} {
				again := f.decide(f.nodes[0], asks(ref, "default", 400_000))
				if again.limit != 100_000 || again.binding != "exposure_cap" {
					t.Errorf("%s is offered %v (%s) beside an open offer of 400000", ref, again.limit, again.binding)
				}
				f.want(again, map[string]string{"own_open_offer": "500000", "own_other_open_offer": "400000"})
			}
		})
	}
}

// offerAndHide offers 400,000 to P-1, and to P-2 with the co-applicant P-3. Then it stores decisions for P-1 and P-3
// under another policy_key: for each of them more than store.MaxOwn, the number of decisions that are read.
func (f *filler) offerAndHide() {
	f.Helper()
	set := f.activate(capped)
	f.activate(fmt.Sprintf(`{"name":"second","policy_key":"second","base":%q}`, set.ID))
	for _, body := range []string{asks("P-1", "second", 400_000), joint("P-2", "P-3", "P-4", "second", 400_000)} {
		if first := f.decide(f.nodes[0], body); first.limit != 400_000 {
			f.Fatalf("the first offer is %v", first.limit)
		}
	}
	f.clock.Pass(time.Second) // the ids of the next decisions are later
	for range store.MaxOwn + 1 {
		for _, ref := range []string{"P-1", "P-3"} {
			if err := f.insert(ref); err != nil {
				f.Fatal(err)
			}
		}
	}
	f.clock.Pass(time.Second)
}
