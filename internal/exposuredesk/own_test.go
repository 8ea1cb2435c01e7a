package exposuredesk_test

import (
	"testing"
)

// TestOwnFacts decides twice for one person, and checks what the second decision knows of the first.
func TestOwnFacts(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		b.activate(`{"name":"own","patch":{"knockouts":{"set":[{"id":"KO_OWN","stage":1,
			"condition_ast":{"op":"gt","field":"own_approved_amount_30d","value":900000}}]}}}`)
		first := b.decide(b.nodes[0], asks("P-1", "default", 300_000))
		if first.status != "APPROVED" || first.limit != 300_000 || first.facts("own_approved_amount_30d") != "0" {
			b.Fatalf("the first decision is %+v, own_approved_amount_30d %s", first, first.facts("own_approved_amount_30d"))
		}
		second := b.decide(b.nodes[1], asks("P-1", "default", 200_000))
		for name, want := range map[string]string{
			"own_reference": "true", "own_open_offer": "300000", "own_other_open_offer": "0",
			"own_approved_amount_30d": "300000", "own_approved_amount_365d": "300000", "own_declines_30d": "0",
			"own_last_status": "APPROVED", "own_outstanding": "0", "own_max_dpd": "0",
		} {
			if got := second.facts(name); got != want {
				b.Errorf("%s is %s, want %s", name, got, want)
			}
		}
	})
}
