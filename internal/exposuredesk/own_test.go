package exposuredesk_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"verdict/internal/application"
	"verdict/internal/decisioning"
	"verdict/internal/exposure"
	"verdict/internal/exposuredesk"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
)

// want compares facts of a decision.
func (b *bench) want(d decided, facts map[string]string) {
	b.Helper()
	for name, want := range facts {
		if got := d.facts(name); got != want {
			b.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

// absent is the text of an absent fact.
const absent = "absent"

// TestOwnFacts decides for one person again and again, and checks what each decision knows of the earlier decisions.
func TestOwnFacts(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		b.activate(`{"name":"own","patch":{"knockouts":{"set":[{"id":"KO_OWN","stage":1,
			"condition_ast":{"op":"gt","field":"own_approved_amount_30d","value":900000}}]}}}`)
		first := b.decide(b.nodes[0], asks("P-1", "default", 300_000))
		if first.status != "APPROVED" || first.limit != 300_000 {
			b.Fatalf("the first decision is %+v", first)
		}
		b.want(first, map[string]string{
			"own_reference": "true", "own_open_offer": "0", "own_approved_amount_30d": "0", "own_declines_30d": "0",
			"own_days_since_decline": absent, "own_last_status": absent, "own_outstanding": "0", "own_max_dpd": "0",
		})
		b.want(b.decide(b.nodes[1], asks("P-1", "default", 200_000)), map[string]string{
			"own_open_offer": "300000", "own_other_open_offer": "0", "own_approved_amount_30d": "300000",
			"own_approved_amount_90d": "300000", "own_approved_amount_365d": "300000", "own_last_status": "APPROVED",
		})
		declined := b.decide(b.nodes[0],
			strings.Replace(asks("P-1", "default", 100_000), `"score":860`, `"score":400`, 1))
		if declined.status != "DECLINED" {
			b.Fatalf("the decision is %+v", declined)
		}
		// The second approval has replaced the first one.
		b.want(declined, map[string]string{"own_open_offer": "200000", "own_approved_amount_30d": "200000"})
		b.clock.Pass(49 * time.Hour)
		b.want(b.decide(b.nodes[1], asks("P-1", "default", 150_000)), map[string]string{
			"own_declines_30d": "1", "own_days_since_decline": "2", "own_last_status": "DECLINED",
			"own_open_offer": "200000", "own_approved_amount_30d": "200000",
		})
		b.clock.Pass(40 * 24 * time.Hour)
		// Two approvals were not replaced while they were offered. Both are now older than 30 days.
		b.want(b.decide(b.nodes[0], asks("P-1", "default", 50_000)), map[string]string{
			"own_declines_30d": "0", "own_days_since_decline": "42", "own_last_status": "APPROVED",
			"own_open_offer": "0", "own_approved_amount_30d": "0", "own_approved_amount_90d": "150000",
		})
		b.want(b.decide(b.nodes[1], asks("P-2", "default", 50_000)), map[string]string{
			"own_open_offer": "0", "own_approved_amount_365d": "0", "own_last_status": absent,
		})
	})
}

// TestReviewedOffers checks that a person's review changes what counts as an approval.
func TestReviewedOffers(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		b.activate(capped)
		review := func(id string) {
			b.Helper()
			if _, err := b.Service.Decisions.Reviews.Add(
				b.Context(), b.Caller, id, decisioning.NewReview{Outcome: decisioning.Overturned}, nil,
			); err != nil {
				b.Fatal(err)
			}
		}
		referred := strings.Replace(asks("P-1", "default", 200_000), `"enquiries_6m":0`, `"enquiries_6m":9`, 1)
		referred = strings.Replace(referred, `"score":860`, `"score":770`, 1)
		first := b.decide(b.nodes[0], referred)
		if first.status != "REFERRED" {
			b.Fatalf("the decision is %+v", first)
		}
		b.want(b.decide(b.nodes[1], asks("P-1", "default", 10_000)), map[string]string{
			"own_open_offer": "0", "own_last_status": "REFERRED",
		})
		review(first.id)
		approved := b.decide(b.nodes[1], asks("P-3", "default", 300_000))
		b.want(b.decide(b.nodes[1], asks("P-1", "default", 20_000)), map[string]string{"own_open_offer": "200000"})
		review(approved.id)
		b.want(b.decide(b.nodes[0], asks("P-3", "default", 20_000)), map[string]string{
			"own_open_offer": "0", "own_last_status": "DECLINED", "own_declines_30d": "1",
		})
	})
}

// TestSameMoment lets two nodes decide for one person at the same moment, under two policies with the same bound. One
// of the two decisions knows of the other one, so that both together stay within the bound.
func TestSameMoment(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		b.activate(`{"name":"gold","policy_key":"gold","base":"` + b.activate(capped).ID + `"}`)
		people := []string{"A", "B", "C", "D", "E", "F", "G", "H"}
		made := make([]string, 2*len(people))
		var wait sync.WaitGroup
		for i, ref := range people {
			for k, key := range []string{"default", "gold"} {
				wait.Go(func() {
					body := usecasetest.Parse(b.T, asks(ref, key, 400_000))
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
			pair := []decided{b.read(made[2*i]), b.read(made[2*i+1])}
			slices.SortFunc(pair, func(x, y decided) int { return int(y.limit - x.limit) })
			if pair[0].limit != 400_000 || pair[1].limit != 100_000 || pair[1].binding != "exposure_cap" ||
				!slices.Equal(pair[1].reasons, []string{"EXPOSURE_CAP"}) {
				b.Errorf("%s gets %v with %s and %v with %s", ref, pair[0].limit, pair[0].binding, pair[1].limit,
					pair[1].binding)
			}
			b.want(pair[1], map[string]string{"own_open_offer": "400000", "own_other_open_offer": "400000"})
		}
	})
}

// TestRequote checks that an offer replaces the earlier offer under the same policy_key, so that the two do not add
// up.
func TestRequote(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		b.activate(capped)
		b.decide(b.nodes[0], asks("P-1", "default", 400_000))
		again := b.decide(b.nodes[1], asks("P-1", "default", 450_000))
		if again.limit != 450_000 || again.binding != "requested_amount" {
			b.Errorf("the requote is %+v", again)
		}
		b.want(again, map[string]string{"own_open_offer": "400000", "own_other_open_offer": "0"})
		b.want(b.decide(b.nodes[0], asks("P-1", "default", 100_000)), map[string]string{"own_open_offer": "450000"})
	})
}

// TestBooking checks that a loan closes the offer on which it was made, and bounds further offers.
func TestBooking(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		b.activate(capped)
		first := b.decide(b.nodes[0], asks("P-1", "default", 300_000))
		booked := b.reported(exposuredesk.NewReport{
			ApplicantRef: "P-1", DecisionID: first.id,
			Loan: exposure.Loan{OutstandingPaise: 300_000_00, EMIPaise: 9_000_00, DPD: 2},
		})
		b.reported(owes("P-1", "gold_loan", 50_000))
		second := b.decide(b.nodes[1], asks("P-1", "default", 400_000))
		if second.limit != 150_000 || second.binding != "exposure_cap" {
			b.Errorf("the second offer is %+v", second)
		}
		b.want(second, map[string]string{
			"own_open_offer": "0", "own_outstanding": "350000", "own_emi": "10000", "own_max_dpd": "3",
			"own_approved_amount_30d": "300000",
		})
		b.reported(exposuredesk.NewReport{ApplicantRef: "P-1", DecisionID: first.id, Closed: true})
		b.reported(exposuredesk.NewReport{
			ApplicantRef: "P-1", Loan: exposure.Loan{Product: "gold_loan", OutstandingPaise: 500_000_00},
		})
		none := b.decide(b.nodes[0], asks("P-1", "default", 200_000))
		if none.status != "DECLINED" || none.limit != 0 || !slices.Contains(none.reasons, "EXPOSURE_CAP") {
			b.Errorf("without room the decision is %+v", none)
		}
		b.want(none, map[string]string{"own_outstanding": "500000", "own_open_offer": "150000", "own_max_dpd": "0"})
		if booked.Closed() {
			b.Errorf("the first report is %+v", booked)
		}
	})
}

// TestRepeatedRequest checks that a request is not counted against its own repetition within 10 minutes.
func TestRepeatedRequest(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		b.activate(capped)
		body := asks("P-1", "default", 300_000)
		first := b.decide(b.nodes[0], body)
		b.clock.Pass(9 * time.Minute)
		again := b.decide(b.nodes[1], strings.ReplaceAll(body, "\n\t\t", " ")) // the spaces do not matter
		b.want(again, map[string]string{"own_open_offer": "0", "own_last_status": absent})
		if again.limit != first.limit {
			b.Errorf("the repetition gives %v instead of %v", again.limit, first.limit)
		}
		b.want(b.decide(b.nodes[0], asks("P-1", "default", 310_000)), map[string]string{"own_open_offer": "300000"})
		b.clock.Pass(11 * time.Minute)
		b.want(b.decide(b.nodes[1], body), map[string]string{"own_open_offer": "310000", "own_last_status": "APPROVED"})
	})
}

// TestNobodyNamed checks that a policy with a bound requires a reference, and which member of a request the
// reference is taken from.
func TestNobodyNamed(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		b.activate(capped)
		nobody := b.decide(b.nodes[0],
			strings.Replace(asks("P-1", "default", 300_000), `"applicant_ref":"P-1",`, "", 1))
		if nobody.status != "DECLINED" || !slices.Equal(nobody.reasons, []string{"MISSING_REQUIRED_INPUT"}) {
			b.Errorf("without a reference the decision is %+v", nobody)
		}
		b.want(nobody, map[string]string{"own_reference": "false", "own_outstanding": absent})

		byID := strings.Replace(asks("P-1", "default", 300_000), `"applicant_ref":"P-1",`, "", 1)
		byID = strings.Replace(byID, `"applicant":{`, `"applicant":{"id":"P-9",`, 1)
		b.decide(b.nodes[0], byID)
		b.want(b.decide(b.nodes[1], asks("P-9", "default", 100_000)), map[string]string{"own_open_offer": "300000"})
		spaced := b.decide(b.nodes[0], strings.Replace(byID, `"P-9"`, `" P-9 "`, 1))
		b.want(spaced, map[string]string{"own_open_offer": "100000"})
		blank := b.decide(b.nodes[0], strings.Replace(byID, `"P-9"`, `" "`, 1))
		b.want(blank, map[string]string{"own_reference": "false", "own_outstanding": absent})
		b.decide(b.nodes[1], asks("P-9", "default", 100_000))

		evaluate := `{"bureau":"cibil","report":{"cibil":{"scoreData":{"score":860},"incomeAssessment":
			{"monthlyIncome":850000,"foir":10},"requestedAmount":70000}},"applicant":{"id":"APP-77"},
			"fraud":{"applicant_ref":"P-9","pincode":"400001"}}`
		made, err := b.Service.Decisions.Evaluate(b.Context(), b.Caller,
			application.EvaluateRequest(usecasetest.Parse(b.T, evaluate)), nil)
		if err != nil {
			b.Fatal(err)
		}
		b.want(b.read(made.ID), map[string]string{"own_open_offer": "100000"})
	})
}

// TestPreviewCountsNothing checks that a preview and an eligibility check read what was decided, and store nothing.
func TestPreviewCountsNothing(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		b.activate(capped)
		b.decide(b.nodes[0], asks("P-1", "default", 300_000))
		b.reported(owes("P-1", "gold_loan", 450_000))
		body := usecasetest.Parse(b.T, asks("P-1", "default", 200_000))
		for range 2 {
			previewed, err := b.Service.Decisions.Preview(b.Context(), b.Caller,
				decisioning.WhatIf{Request: application.EitherRequest(body)})
			if err != nil {
				b.Fatal(err)
			}
			answer := previewed.Variant.Answer()
			if got := previewed.Variant.Envelope.Facts.Get("own_open_offer").String(); got != "300000" ||
				answer.Offer.LimitPaise != 50_000_00 {
				b.Errorf("the preview offers %d with own_open_offer %s", answer.Offer.LimitPaise, got)
			}
			_, err = b.Service.Decisions.Eligibility(b.Context(), b.Caller, application.EitherRequest(body), nil)
			if err != nil {
				b.Fatal(err)
			}
		}
		b.want(b.decide(b.nodes[1], asks("P-1", "default", 200_000)),
			map[string]string{"own_approved_amount_30d": "300000"})
	})
}

// TestWithoutOwn checks that a policy that reads no fact about own exposure decides the same, whatever is known about
// the person.
func TestWithoutOwn(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		hash := func(node *usecase.Set) string {
			b.Helper()
			body := usecasetest.Parse(b.T, asks("P-1", "default", 300_000))
			made, err := node.Decisions.Decide(b.Context(), b.Caller, application.DecisionRequest(body), nil)
			if err != nil {
				b.Fatal(err)
			}
			b.want(b.read(made.ID), map[string]string{"own_reference": absent, "own_outstanding": absent})
			shown, err := b.Service.Decisions.Decision(b.Context(), b.Caller, made.ID)
			if err != nil {
				b.Fatal(err)
			}
			text, _ := usecasetest.Object(b.T, shown.Response)["decision_hash"].(string)
			return text
		}
		before := hash(b.nodes[0])
		b.reported(owes("P-1", "gold_loan", 450_000))
		if after := hash(b.nodes[1]); after != before || before == "" {
			b.Errorf("the hash is %s and then %s", before, after)
		}
	})
}
