package exposuredesk_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"verdict/internal/application"
	"verdict/internal/exposure"
	"verdict/internal/exposuredesk"
	"verdict/internal/usecase/usecasetest"
)

// together decides applications at the same moment, on the two nodes in turn.
func (b *bench) together(bodies ...string) []decided {
	b.Helper()
	made := make([]string, len(bodies))
	var wait sync.WaitGroup
	begin := make(chan struct{})
	for i, body := range bodies {
		request := application.DecisionRequest(usecasetest.Parse(b.T, body))
		wait.Go(func() {
			<-begin
			d, err := b.nodes[i%2].Decisions.Decide(b.Context(), b.Caller, request, nil)
			if err != nil {
				b.Error(err)
				return
			}
			made[i] = d.ID
		})
	}
	close(begin)
	wait.Wait()
	list := make([]decided, len(made))
	for i, id := range made {
		list[i] = b.read(id)
	}
	return list
}

// TestManyAtOnce decides seven applications of one person at the same moment on two nodes, each under a policy_key of
// its own. Each decision knows exactly the offers of the decisions before it, so that all offers together stay within
// the bound.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		base := b.activate(capped).ID
		var bodies []string
		for i := range 7 {
			key := fmt.Sprintf("product_%d", i)
			b.activate(fmt.Sprintf(`{"name":%q,"policy_key":%q,"base":%q}`, key, key, base))
			bodies = append(bodies, asks("P-1", key, 100_000))
		}
		var known, limits []string
		for _, d := range b.together(bodies...) {
			known = append(known, d.facts("own_other_open_offer"))
			limits = append(limits, fmt.Sprint(d.limit))
		}
		slices.Sort(known)
		slices.Sort(limits)
		// The sixth and the seventh find the bound used up.
		want := []string{"0", "100000", "200000", "300000", "400000", "500000", "500000"}
		if !slices.Equal(known, want) {
			b.Errorf("the decisions knew of %v", known)
		}
		if want := []string{"0", "0", "100000", "100000", "100000", "100000", "100000"}; !slices.Equal(limits, want) {
			b.Errorf("the limits are %v", limits)
		}
	})
}

// TestRequotesAtOnce decides six applications of one person under one policy_key at the same moment. They replace each
// other: none is reduced because of an earlier one, and only the last one is the open offer.
func TestRequotesAtOnce(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		b.activate(capped)
		var bodies []string
		for i := range 6 {
			bodies = append(bodies, asks("P-1", "default", 400_000+1_000*i))
		}
		last := map[string]bool{"0": true} // offers that no later requote has replaced yet
		made := b.together(bodies...)
		for i, d := range made {
			if d.limit != float64(400_000+1_000*i) || d.facts("own_other_open_offer") != "0" {
				b.Errorf("requote %d is %+v and knows of %s", i, d, d.facts("own_other_open_offer"))
			}
			last[fmt.Sprint(d.limit)] = true
		}
		for i, d := range made {
			before := d.facts("own_open_offer")
			if !last[before] {
				b.Errorf("requote %d finds an offer of %s, which another one has replaced", i, before)
			}
			delete(last, before)
		}
		for offer := range last { // exactly one is left
			b.want(b.decide(b.nodes[0], asks("P-1", "default", 10_000)), map[string]string{
				"own_open_offer": offer, "own_approved_amount_30d": offer,
			})
		}
	})
}

// TestRetriesAtOnce sends one request four times at the same moment, as a client that has lost its answers does.
// None counts against another, and the next application knows of one offer.
func TestRetriesAtOnce(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		b.activate(`{"name":"gold","policy_key":"gold","base":"` + b.activate(capped).ID + `"}`)
		body := asks("P-1", "default", 400_000)
		for _, d := range b.together(body, body, body, body) {
			if d.limit != 400_000 {
				b.Errorf("a retry is %+v", d)
			}
			b.want(d, map[string]string{"own_open_offer": "0", "own_approved_amount_30d": "0",
				"own_last_status": absent})
		}
		next := b.decide(b.nodes[1], asks("P-1", "gold", 400_000))
		if next.limit != 100_000 {
			b.Errorf("the next offer is %+v", next)
		}
		b.want(next, map[string]string{"own_other_open_offer": "400000", "own_approved_amount_30d": "400000"})
	})
}

// TestBookedOnce books the offer of another product, and reports the loan again and again. The amount
// counts as an offer or as a loan, never as both, and never twice.
func TestBookedOnce(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		b.activate(`{"name":"gold","policy_key":"gold","base":"` + b.activate(capped).ID + `"}`)
		first := b.decide(b.nodes[0], asks("P-1", "default", 300_000))
		b.want(b.decide(b.nodes[1], asks("P-1", "gold", 450_000)), map[string]string{
			"own_other_open_offer": "300000", "own_outstanding": "0",
		})
		booked := exposuredesk.NewReport{
			ApplicantRef: "P-1", DecisionID: first.id,
			Loan: exposure.Loan{OutstandingPaise: 300_000_00, EMIPaise: 9_000_00},
		}
		var wait sync.WaitGroup
		for i := range 4 { // the lender's system repeats its report
			wait.Go(func() {
				n := booked
				n.HasOutstanding = true
				if _, err := b.nodes[i%2].Exposures.Report(b.Context(), b.Caller, n, nil); err != nil {
					b.Error(err)
				}
			})
		}
		wait.Wait()
		b.clock.Pass(time.Hour)
		again := b.decide(b.nodes[0], asks("P-1", "gold", 460_000))
		if again.limit != 200_000 || again.binding != "exposure_cap" {
			b.Errorf("the offer beside the loan is %+v", again)
		}
		b.want(again, map[string]string{"own_other_open_offer": "0", "own_outstanding": "300000", "own_emi": "9000"})
		booked.Closed, booked.Loan.OutstandingPaise, booked.Loan.EMIPaise = true, 0, 0
		b.reported(booked)
		b.reported(booked) // closed twice
		b.want(b.decide(b.nodes[1], asks("P-1", "gold", 470_000)), map[string]string{
			"own_other_open_offer": "0", "own_outstanding": "0", "own_emi": "0",
		})
	})
}
