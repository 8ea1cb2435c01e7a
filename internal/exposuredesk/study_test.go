package exposuredesk_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"verdict/internal/application"
	"verdict/internal/decisioning"
	"verdict/internal/study"
	"verdict/internal/usecase/usecasetest"
)

// run runs a backtest and returns the number of declined rows and the warning about rows without facts.
func (b *bench) run(r study.BacktestRequest) (declined float64, warning string) {
	b.Helper()
	done, err := b.Service.Backtests.Run(b.Context(), b.Caller, r, nil)
	if err != nil {
		b.Fatal(err)
	}
	report, err := done.Figures()
	if err != nil {
		b.Fatal(err)
	}
	for _, w := range report.Warnings {
		if w.Code == "own_facts_unknown" {
			warning = w.Detail
		}
	}
	return float64(report.Summary.Declined), warning
}

// TestBacktests replays decisions under a policy that reads what was decided before. Decisions that have the facts
// keep them, and decisions without the facts are counted.
func TestBacktests(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		b.Decided(b.T, asks("P-0", "default", 100_000)) // the default policy does not read the facts
		b.activate(capped)
		b.clock.Pass(time.Second)
		b.reported(owes("P-1", "gold_loan", 490_000))
		b.decide(b.nodes[0], asks("P-1", "default", 100_000)) // declined: only 10,000 are left under the bound
		b.decide(b.nodes[0], asks("P-2", "default", 100_000))
		b.decide(b.nodes[0],
			strings.Replace(asks("P-2", "default", 100_000), `"applicant_ref":"P-2",`, "", 1)) // declined
		b.clock.Pass(time.Second)

		declined, warning := b.run(study.BacktestRequest{Replay: &study.Replay{From: b.clock.Now().Add(-time.Hour)}})
		if declined != 2 || !strings.HasPrefix(warning, "1 rows ") {
			b.Errorf("%v rows are declined, %q", declined, warning)
		}

		rows := "score,monthly_income,foir,requested_amount,enquiries_6m,active_tradelines,max_dpd_12m,own_reference," +
			"own_outstanding,own_other_open_offer\n" +
			"860,850000,0.1,100000,0,4,0,true,490000,0\n860,850000,0.1,100000,0,4,0,,,\n"
		declined, warning = b.run(study.BacktestRequest{CSV: strings.NewReader(rows)})
		if declined != 1 || !strings.HasPrefix(warning, "1 rows ") {
			b.Errorf("%v rows of the file are declined, %q", declined, warning)
		}
	})
}

// sight is a study that encodes only the decision that it was given.
type sight struct{}

func (sight) Outcome() string                        { return "REFER" }
func (sight) Hash() string                           { return "sha256:x" }
func (sight) Request() []byte                        { return []byte("{}") }
func (sight) Encode(head decisioning.RunHead) []byte { return head.Decision }

// TestUnderwriting lets an agent study an application while other decisions for the same person are made. The study is
// repeated until it is about the decision that is stored.
func TestUnderwriting(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		b.activate(`{"name":"gold","policy_key":"gold","base":"` + b.activate(capped).ID + `"}`)
		var seen []string
		run, err := b.nodes[0].Decisions.Underwrite(b.Context(), b.Caller,
			application.DecisionRequest(usecasetest.Parse(b.T, asks("P-1", "default", 400_000))),
			decisioning.Underwriter{
				Study: func(_ context.Context, u *decisioning.Underwriting, _ bool) (decisioning.Study, error) {
					seen = append(seen, u.Facts.Get("own_other_open_offer").String())
					if n := len(seen); n < 6 {
						b.decide(b.nodes[1], asks("P-1", "gold", 50_000*n))
					}
					return sight{}, nil
				},
			}, nil)
		if err != nil {
			b.Fatal(err)
		}
		want := []string{"0", "50000", "100000", "150000", "200000", "250000"}
		d := b.read(run.Decision.ID)
		if !slices.Equal(seen, want) || d.limit != 250_000 || d.binding != "exposure_cap" {
			b.Errorf("the studies saw %v, and the decision is %s", seen, fmt.Sprint(d.limit, d.binding))
		}
	})
}
