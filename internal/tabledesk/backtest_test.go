package tabledesk_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"verdict/internal/operation"
	"verdict/internal/study"
)

// run runs a backtest and returns the number of declined rows and the warnings by code and table.
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

// TestReplayWithTables replays decisions with policies that read a table. If the original decision read the
// table, the replay uses the values that were read then. For other decisions, and for columns that were not read
// then, the replay reads the table as it is now, if the decision has the keys.
func TestReplayWithTables(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		const high, low = `,"pin":"400001","ltv":0.85`, `,"pin":"400001","ltv":0.7`
		b.Decided(b.T, from(high)) // the default policy does not declare the pincode, so it is not stored
		b.activate(`{"op":"and","args":[{"op":"eq","field":"applicant.pin","value":"nobody"},
			{"op":"gt","field":"applicant.ltv","value":2}]}`)
		b.clock.Pass(time.Second)
		b.Decided(b.T, from(high))
		b.Decided(b.T, from(low))
		b.replace("ltv", ltvTable)
		b.activate(ltvHigh)
		b.clock.Pass(time.Second)
		b.Decided(b.T, from(high))                         // declined
		b.Decided(b.T, from(low))                          // approved, also by the table as it is now
		b.Decided(b.T, from(`,"pin":"999999","ltv":0.85`)) // there was no row
		b.Decided(b.T, from(`,"ltv":0.85`))                // there was no key
		b.replace("ltv", strings.NewReplacer("0.8,", "0.75,", "Fort  Kochi", "999999").Replace(ltvTable))
		b.clock.Pass(time.Second)

		span := &study.Replay{From: b.clock.Now().Add(-time.Hour)}
		declined, warnings := b.run(study.BacktestRequest{Replay: span})
		// Two rows are declined: the second decision, by the table as it is now, and the fourth, by the table as it
		// was at the time of the decision.
		if declined != 2 {
			b.Errorf("%v rows are declined", declined)
		}
		got := warnings["looked_up_now ltv"]
		if !strings.HasPrefix(got, "2 rows ") || !strings.Contains(got, "the table ltv") {
			b.Errorf("looked up now: %q", got)
		}
		if got := warnings["not_looked_up ltv"]; !strings.HasPrefix(got, "2 rows ") {
			b.Errorf("not looked up: %q", got)
		}

		// The original decisions did not read this column of the table. The answer is already known only for the
		// decision for which no row matched.
		set, err := b.draft(`{"op":"eq","field":"table.ltv.segment","value":"A"}`)
		if err != nil {
			b.Fatal(err)
		}
		request := study.BacktestRequest{Replay: span}
		request.RuleSetID = set.ID
		declined, warnings = b.run(request)
		if got := warnings["looked_up_now ltv"]; declined != 4 || !strings.HasPrefix(got, "4 rows ") {
			b.Errorf("%v rows are declined by another column: %v", declined, warnings)
		}
	})
}

// TestRowsWithTables runs a backtest over the rows of a file. Their keys are looked up in the tables as they are
// now.
func TestRowsWithTables(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		b.replace("ltv", ltvTable)
		set, err := b.draft(ltvHigh)
		if err != nil {
			b.Fatal(err)
		}
		rows := "score,monthly_income,foir,requested_amount,enquiries_6m,active_tradelines,max_dpd_12m,applicant.pin," +
			"applicant.ltv\n"
		for i, pin := range []string{"400001", "", "999999", " fort kochi"} {
			rows += fmt.Sprintf("742,85000,0.32,%d,2,4,0,%s,0.9\n", 600000+i, pin)
		}
		request := study.BacktestRequest{CSV: strings.NewReader(rows)}
		request.RuleSetID = set.ID
		declined, warnings := b.run(request)
		if got := warnings["looked_up_now ltv"]; declined != 2 || !strings.HasPrefix(got, "3 rows ") {
			b.Errorf("%v rows are declined, with the warnings %v", declined, warnings)
		}
		if err := b.Service.Tables.Delete(b.Context(), b.Caller, "ltv", operation.AnyVersion); err != nil {
			b.Fatal(err)
		}
		b.clock.Pass(time.Second)
		request.CSV = strings.NewReader(rows)
		if _, err := b.Service.Backtests.Run(b.Context(), b.Caller, request, nil); err == nil {
			b.Error("a backtest ran without its table")
		}
	})
}
