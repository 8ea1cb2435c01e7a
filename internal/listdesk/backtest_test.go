package listdesk_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"verdict/internal/study"
)

// run runs a backtest and returns the number of declined rows and the warnings by code and list.
func (b *bench) run(r study.BacktestRequest) (declined float64, warnings map[string]string) {
	b.Helper()
	done, err := b.Service.Backtests.Run(b.Context(), b.Caller, r, nil)
	if err != nil {
		b.Fatal(err)
	}
	report, err := done.Figures()
	if err != nil {
		b.Fatal(err)
	}
	warnings = map[string]string{}
	for _, w := range report.Warnings {
		warnings[w.Code+" "+strings.Join(w.Fields, " ")] = w.Detail
	}
	return float64(report.Summary.Declined), warnings
}

// TestReplayWithLists replays decisions with a policy that names a list. Decisions that were made with the list keep
// their answers. For others the list is read now, if the decision has the field.
func TestReplayWithLists(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		b.Decided(b.T, from("Acme")) // the default policy does not declare the employer, so it is not stored
		b.activate(`{"op":"eq","field":"applicant.employer","value":"nobody"}`)
		b.clock.Pass(time.Second)
		b.Decided(b.T, from("Acme"))
		b.Decided(b.T, from("Globex"))
		b.replace("bad_employers", "Initech")
		b.activate(inBad)
		b.clock.Pass(time.Second)
		b.Decided(b.T, from("Initech"))
		b.Decided(b.T, from("Acme"))
		b.Decided(b.T, from(""))
		b.replace("bad_employers", "Acme")
		b.clock.Pass(time.Second)

		span := &study.Replay{From: b.clock.Now().Add(-time.Hour)}
		declined, warnings := b.run(study.BacktestRequest{Replay: span})
		// Two rows are declined. The second decision, with Acme, is declined because the list has Acme now. The
		// decision with Initech is declined because the list had Initech at the time of the decision.
		if declined != 2 {
			b.Errorf("%v rows are declined", declined)
		}
		if got := warnings["looked_up_now bad_employers"]; !strings.HasPrefix(got, "2 rows ") {
			b.Errorf("looked up now: %q", got)
		}
		if got := warnings["not_looked_up bad_employers"]; !strings.HasPrefix(got, "2 rows ") {
			b.Errorf("not looked up: %q", got)
		}
	})
}

// TestRowsWithLists runs a backtest over the rows of a file. Their values are looked up in the lists as they are
// now.
func TestRowsWithLists(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		b.replace("bad_employers", "Acme")
		set, err := b.draft(inBad)
		if err != nil {
			b.Fatal(err)
		}
		rows := "score,monthly_income,foir,requested_amount," +
			"enquiries_6m,active_tradelines,max_dpd_12m,applicant.employer\n"
		for i, employer := range []string{"acme", "", "Globex", "ACME "} {
			rows += fmt.Sprintf("742,85000,0.32,%d,2,4,0,%s\n", 600000+i, employer)
		}
		request := study.BacktestRequest{CSV: strings.NewReader(rows)}
		request.RuleSetID = set.ID
		declined, warnings := b.run(request)
		if got := warnings["looked_up_now bad_employers"]; declined != 2 || !strings.HasPrefix(got, "3 rows ") {
			b.Errorf("%v rows are declined, with the warnings %v", declined, warnings)
		}
	})
}
