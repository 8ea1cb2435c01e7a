package exposuredesk_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"verdict/internal/application"
	"verdict/internal/exposure"
	"verdict/internal/exposuredesk"
	"verdict/internal/usecase/usecasetest"
)

// joint returns the application of a primary applicant with a co-applicant and a guarantor for an amount.
func joint(primary, partner, guarantor, key string, amount int) string {
	return fmt.Sprintf(`{"policy_key":%q,"applicants":[{"role":"primary","applicant_ref":%q,"monthly_income":850000,
		"foir":0.1,"requested_amount":%d,
		"bureau_report":{"score":860,"enquiries_6m":0,"active_tradelines":4,"max_dpd_12m":0}},
		{"role":"co_applicant","applicant_ref":%q,"bureau_report":{"score":850}},
		{"role":"guarantor","id":%q,"bureau_report":{"score":850}}]}`, key, primary, amount, partner, guarantor)
}

// guarded is a draft of the default policy with a bound of 500,000, which reads what a person guarantees.
const guarded = `{"name":"guarded","exposure":{"max_total":500000},"patch":{"knockouts":{"set":[
	{"id":"KO_GUARANTEES","stage":1,"condition_ast":{"op":"gt","field":"own_guaranteed_offer","value":90000000}},
	{"id":"KO_GUARANTEED","stage":1,"condition_ast":{"op":"gt","field":"own_guaranteed_outstanding","value":90000000}},
	{"id":"KO_PARTNER","stage":1,"condition_ast":{"op":"gt","field":"co_applicant.own_declines_30d","value":90}}]}}}`

// TestOwnInOtherRoles checks that a joint loan counts for both applicants in full, in either role, and that a guarantee
// counts as contingent only.
func TestOwnInOtherRoles(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		b.activate(guarded)
		first := b.decide(b.nodes[0], joint("P-1", "C-1", "G-1", "default", 300_000))
		if first.limit != 300_000 {
			b.Fatalf("the first offer is %+v", first)
		}
		b.want(first, map[string]string{"co_applicant.own_outstanding": "0", "co_applicant.own_other_open_offer": "0",
			"guarantor.own_open_offer": "0", "co_applicant.own_reference": absent})

		alone := b.decide(b.nodes[1], asks("C-1", "default", 400_000))
		if alone.limit != 200_000 || alone.binding != "exposure_cap" {
			b.Errorf("the co-applicant gets %+v", alone)
		}
		b.want(alone, map[string]string{"own_open_offer": "300000", "own_other_open_offer": "300000",
			"own_approved_amount_30d": "300000", "own_last_status": "APPROVED", "own_guaranteed_offer": "0"})

		guarantor := b.decide(b.nodes[0], asks("G-1", "default", 400_000))
		if guarantor.limit != 400_000 {
			b.Errorf("the guarantor gets %+v", guarantor)
		}
		b.want(guarantor, map[string]string{"own_open_offer": "0", "own_guaranteed_offer": "300000",
			"own_last_status": absent, "own_guaranteed_outstanding": "0"})

		// The joint offer is replaced. The co-applicant's own offer of 200,000 stays, so 300,000 are left.
		again := b.decide(b.nodes[1], joint("P-1", "C-1", "G-1", "default", 400_000))
		if again.limit != 300_000 || again.binding != "exposure_cap" ||
			!slices.Equal(again.reasons, []string{"EXPOSURE_CAP"}) {
			b.Errorf("the second joint offer is %+v", again)
		}
		b.want(again, map[string]string{"own_open_offer": "300000", "own_other_open_offer": "0",
			"co_applicant.own_open_offer": "500000", "co_applicant.own_other_open_offer": "200000",
			"guarantor.own_guaranteed_offer": absent}) // the policy does not read it

		b.reported(exposuredesk.NewReport{ApplicantRef: "P-1", DecisionID: again.id,
			Loan: exposure.Loan{OutstandingPaise: 300_000_00, EMIPaise: 9_000_00, DPD: 2}})
		b.want(b.decide(b.nodes[0], asks("C-1", "default", 100_000)), map[string]string{
			"own_outstanding": "300000", "own_emi": "9000", "own_max_dpd": "2", "own_open_offer": "200000",
		})
		b.want(b.decide(b.nodes[1], asks("G-1", "default", 100_000)), map[string]string{
			"own_outstanding": "0", "own_max_dpd": "0", "own_guaranteed_outstanding": "300000",
			"own_guaranteed_offer": "0",
		})
		found, err := b.Service.Decisions.Audit.Verify(b.Context(), "", nil)
		if err != nil || found.Failed != 0 {
			b.Errorf("verify finds %+v, %v", found, err)
		}
	})
}

// TestJointAtTheSameMoment lets two nodes decide for one person at the same moment, as the primary applicant of one
// application and the co-applicant of another. Both together stay within the bound.
func TestJointAtTheSameMoment(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		b.activate(capped)
		people := []string{"A", "B", "C", "D", "E", "F"}
		made := make([]string, 2*len(people))
		var wait sync.WaitGroup
		for i, ref := range people {
			for k, text := range []string{
				asks(ref, "default", 400_000), joint("partner of "+ref, ref, "guarantor of "+ref, "default", 400_000),
			} {
				wait.Go(func() {
					body := usecasetest.Parse(b.T, text)
					d, err := b.nodes[k].Decisions.Decide(b.Context(), b.Caller, application.DecisionRequest(body), nil)
					if err != nil {
						b.Error(err)
						return
					}
					made[2*i+k] = d.ID
				})
			}
		}
		wait.Wait()
		for i, ref := range people {
			one, other := b.read(made[2*i]), b.read(made[2*i+1])
			if one.limit+other.limit != 500_000 || min(one.limit, other.limit) != 100_000 {
				b.Errorf("%s gets %v alone and %v with a partner", ref, one.limit, other.limit)
			}
		}
	})
}
