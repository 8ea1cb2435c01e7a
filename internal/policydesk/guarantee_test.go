//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package policydesk_test

import (
	"context"
	"errors"
	"testing"

	"verdict/internal/fault"
	"verdict/internal/policydesk"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
)

const guarantees = `"guarantees":[{"id":"G_MINORS","text":"Nobody under 21 gets an offer",` +
	`"when":{"op":"lt","field":"age","value":21},"never":{"op":"ne","field":"status","value":"DECLINED"}}]`

// TestProofsAreKept checks that a tenant proves one draft at a time, that a draft with content that was proved before
// needs no proof, that a cancelled proof stores nothing, and that an activation needs no slot.
func TestProofsAreKept(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := usecasetest.Open(t, db, usecase.Options{})
		policies := h.Service.Policies
		save := func(ctx context.Context, body string) (policydesk.RuleSet, error) {
			return policies.CreateRuleSet(ctx, h.Caller, usecasetest.Draft(t, body), nil)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := save(gone, `{"name":"cancelled",`+guarantees+`}`); !errors.Is(err, context.Canceled) {
			t.Errorf("a draft without a caller: %v", err)
		}
		end := policies.Prove(h.Caller.TenantID)
		if _, err := save(t.Context(), `{"name":"busy",`+guarantees+`}`); fault.KindOf(err) != fault.Unavailable {
			t.Errorf("a second proof of the tenant: %v", err)
		}
		if _, err := save(t.Context(), `{"name":"nothing to prove"}`); err != nil {
			t.Errorf("a draft without guarantees: %v", err)
		}
		end()
		first, err := save(t.Context(), `{"name":"first",`+guarantees+`}`)
		if err != nil || len(first.Proofs) != 1 || first.Proofs[0].Standing != "proved" {
			t.Fatalf("%v, proofs %+v", err, first.Proofs)
		}
		defer policies.Prove(h.Caller.TenantID)()
		again, err := save(t.Context(), `{"name":"again",`+guarantees+`}`)
		if err != nil || len(again.Proofs) != 1 || again.Proofs[0].Standing != "proved" {
			t.Errorf("the same content: %v, proofs %+v", err, again.Proofs)
		}
		if _, err := policies.Activate(t.Context(), h.Caller, again.ID, policydesk.Activation{}, nil); err != nil {
			t.Errorf("an activation while a draft is being proved: %v", err)
		}
	})
}
