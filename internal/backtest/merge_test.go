package backtest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"verdict/internal/engine"
	"verdict/internal/rule"
)

// wideCSV returns the synthetic book with further columns for the setup of
// wideSetup and a column that is ignored. Some of its rows are invalid.
func wideCSV(rows int) string {
	lines := strings.Split(strings.TrimSpace(bookCSV(rows)), "\n")
	var b strings.Builder
	b.WriteString(lines[0] + ",weight,actual_status,region,colour\n")
	statuses := []string{"APPROVED", "declined", "", "Referred", "Rejected"}
	for i, line := range lines[1:] {
		weight, status := fmt.Sprintf("%d.%d", 1+i%3, i%7), statuses[i%5]
		switch {
		case i%97 == 0:
			weight = "-1"
		case i%89 == 0:
			status = "perhaps"
		case i%83 == 0:
			line = strings.Replace(line, ",0.", ",x", 1)
		case i%79 == 0:
			line += ",one too many"
		}
		fmt.Fprintf(&b, "%s,%s,%s,R%d,red\n", line, weight, status, i%11)
	}
	return b.String()
}

func wideSetup() Setup {
	s := Book{}.Setup()
	s.Weight, s.Status, s.Protected = "weight", "actual_status", "region"
	return s
}

// stricter returns the plan of the default policy with some thresholds changed.
func stricter(tb testing.TB) *engine.Plan {
	tb.Helper()
	return planOf(tb, edited(tb, string(engine.DefaultPolicyJSON()),
		`"field": "bureau_score", "value": 650`, `"field": "bureau_score", "value": 680`,
		`"field": "foir_effective", "value": 0.6}`, `"field": "foir_effective", "value": 0.65}`))
}

// TestMergeIsExact checks that any block size and any merge order give the same
// bytes, with or without encoding the partials in between.
func TestMergeIsExact(t *testing.T) {
	t.Parallel()
	csv := wideCSV(200)
	r := newRun(t, csv, wideSetup(), defaultPlan(), stricter(t))
	whole := merged(t, r, csv)
	want, report := whole.Append(nil), jsonOf(t, r.Report(whole))
	if evaluated, failed := whole.Rows(); failed < 5 || evaluated+failed != 200 {
		t.Fatalf("%d rows evaluated and %d failed", evaluated, failed)
	}
	rapid.Check(t, func(rt *rapid.T) {
		parts := gather(t, r, csv, rapid.IntRange(2_000, 20_000).Draw(rt, "block"))
		seed := rapid.Uint64().Draw(rt, "order")
		rand.New(rand.NewPCG(seed, 0)).Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		for len(parts) > 1 { // merge as a binary tree, not one block after the other
			a, b := parts[0], parts[1]
			if rapid.Bool().Draw(rt, "stored") {
				decoded, err := DecodePartial(b.Append(nil))
				if err != nil {
					rt.Fatal(err)
				}
				b = decoded
			}
			a.Merge(b)
			parts = append(parts[2:], a)
		}
		if got := parts[0].Append(nil); !bytes.Equal(got, want) {
			rt.Fatal("the merged partial has other bytes")
		}
		if diff := cmp.Diff(report, jsonOf(t, r.Report(parts[0]))); diff != "" {
			rt.Fatal(diff)
		}
	})
}

// TestMergeKeepsGroups checks a column with more groups than are kept. The kept groups do not
// depend on the merge order, and the rows of all other groups are counted together.
func TestMergeKeepsGroups(t *testing.T) {
	t.Parallel()
	var csv strings.Builder
	csv.WriteString("score,pin\n")
	for i := range 3000 {
		fmt.Fprintf(&csv, "%d,%04d\n", 600+i%200, i*7919%3000)
	}
	s := Setup{Protected: "pin"}
	r := newRun(t, csv.String(), s, columnPlan(t), nil)
	whole := merged(t, r, csv.String())
	parts := gather(t, r, csv.String(), 200)
	p := NewPartial()
	for i := len(parts) - 1; i >= 0; i-- {
		p.Merge(parts[i])
	}
	if !bytes.Equal(p.Append(nil), whole.Append(nil)) {
		t.Error("the order of the parts matters")
	}
	f := r.Report(whole).Fairness
	if n := len(f.Groups); n != MaxGroups+1 || f.Groups[n-1].Name != "(others)" ||
		f.Groups[n-1].Count != 3000-MaxGroups {
		t.Errorf("%d groups, the last %+v", len(f.Groups), f.Groups[len(f.Groups)-1])
	}
}

// TestEmptyPartials checks that a worker without rows returns an empty partial.
func TestEmptyPartials(t *testing.T) {
	t.Parallel()
	r := newRun(t, "score,bad\n", Setup{}, columnPlan(t), stricter(t))
	idle := r.NewWorker().Take()
	empty := NewPartial()
	empty.numbering = idle.numbering
	if !bytes.Equal(idle.Append(nil), empty.Append(nil)) {
		t.Error("an idle worker's partial differs from an empty one")
	}
}

// TestPartialsOfOtherRuns checks that Made returns false for a partial of a run with other
// policies, because the policies of the run define the meaning of the counts.
func TestPartialsOfOtherRuns(t *testing.T) {
	t.Parallel()
	const book = "score,bad\n700,0\n600,1\n"
	alone := newRun(t, book, Setup{}, columnPlan(t), nil)
	same := newRun(t, book, Setup{}, columnPlan(t), nil)
	against := newRun(t, book, Setup{}, columnPlan(t), stricter(t))
	p, err := DecodePartial(merged(t, alone, book).Append(nil))
	if err != nil {
		t.Fatal(err)
	}
	if !alone.Made(p) || !same.Made(p) || against.Made(p) || alone.Made(NewPartial()) {
		t.Errorf("made by itself %v, by the same %v, with a challenger %v; nothing %v",
			alone.Made(p), same.Made(p), against.Made(p), alone.Made(NewPartial()))
	}
	reordered := newRun(t, book, Setup{}, columnPlan(t), nil)
	slices.Reverse(reordered.champion.codes)
	if reordered.numbering = reordered.number(); reordered.Made(p) {
		t.Error("reasons in another order are taken for the same")
	}
}

// TestWeightIsRepetition checks that a weight of n gives the same rates,
// averages, metrics and amounts as n copies of the row.
func TestWeightIsRepetition(t *testing.T) {
	t.Parallel()
	plan := columnPlan(t)
	rapid.Check(t, func(rt *rapid.T) {
		var once, twice strings.Builder
		once.WriteString("score,bad,weight\n")
		twice.WriteString("score,bad\n")
		for range rapid.IntRange(1, 60).Draw(rt, "rows") {
			score := rapid.IntRange(300, 900).Draw(rt, "score")
			outcome := rapid.SampledFrom([]string{"0", "1", ""}).Draw(rt, "bad")
			weight := rapid.IntRange(1, 3).Draw(rt, "weight")
			fmt.Fprintf(&once, "%d,%s,%d\n", score, outcome, weight)
			twice.WriteString(strings.Repeat(fmt.Sprintf("%d,%s\n", score, outcome), weight))
		}
		a := reportOf(t, once.String(), Setup{}, plan, nil)
		b := reportOf(t, twice.String(), Setup{}, plan, nil)
		if diff := cmp.Diff(ratesOf(b), ratesOf(a)); diff != "" {
			rt.Fatal(diff)
		}
	})
}

// ratesOf returns the figures of a report that depend on weights.
func ratesOf(r *Report) map[string]any {
	out := map[string]any{
		"total": r.TotalWeight, "economics": r.Economics,
		"approval": r.Summary.ApprovalRate, "declines": r.Summary.DeclineRate, "limit": r.Summary.AvgLimit,
		"lent": r.Summary.TotalLimit, "interest": r.Summary.AvgInterestRate, "score": r.Summary.AvgScore,
		"auc": r.Performance.AUC, "ks": r.Performance.KS, "gini": r.Performance.Gini, "ks at": r.Performance.KSAt,
		"bad": r.Performance.All.Rate, "bad approved": r.Performance.Approved.Rate, "iv": r.Performance.IV,
		"loss": r.Performance.ExpectedLoss, "roc": r.ROC,
	}
	for _, g := range r.ByGrade {
		out["grade "+g.Grade] = []Figure{g.Share, g.ApprovalRate, g.BadRate.Rate, g.AvgRate}
	}
	for _, b := range r.ScoreBands {
		out["band "+b.Band] = []Figure{b.BadRate.Rate, b.WOE, b.IV}
	}
	return out
}

// TestSums checks that 128-bit sums are exact for values that overflow 64 bits, including negative
// values.
func TestSums(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var s, back wide
		list := rapid.SliceOf(rapid.Int64Range(-1<<62, 1<<62)).Draw(t, "numbers")
		for _, n := range list {
			s.add(n, 1e8)
			back.add(-n, 1e8)
		}
		back.plus(s)
		if back != (wide{}) {
			t.Fatalf("what was taken away leaves %v", back)
		}
	})
	var s wide
	s.add(-3, 1)
	if got := s.mean(2, rule.One); got.Value != -rule.One*3/2 {
		t.Errorf("the mean is %v", got)
	}
}

// TestCellsForPeopleAreTold checks that formatted cells such as "60,000" and "35%" are read, and
// that words such as "NA" mean a missing value. The report must warn of both, even after
// encoding and merging.
func TestCellsForPeopleAreTold(t *testing.T) {
	t.Parallel()
	csv := "score,monthly_income,foir\n742,\"60,000\",35%\n742,NA,0.3\n742,50000,n/a\n"
	r := newRun(t, csv, Setup{}, defaultPlan(), nil)
	whole := merged(t, r, csv)
	if evaluated, failed := whole.Rows(); evaluated != 3 || failed != 0 {
		t.Fatalf("%d rows evaluated and %d failed", evaluated, failed)
	}
	stored, err := DecodePartial(whole.Append(nil))
	if err != nil {
		t.Fatal(err)
	}
	stored.Merge(whole)
	for count, p := range map[string]*Partial{"2 cells": whole, "4 cells": stored} {
		var got []string
		for _, w := range r.Report(p).Warnings {
			got = append(got, w.Code+" "+strings.Join(w.Fields, " "))
			if !strings.HasPrefix(w.Detail, count) {
				t.Errorf("%s: %s", w.Code, w.Detail)
			}
		}
		if diff := cmp.Diff([]string{"number_format foir monthly_income", "read_as_missing foir monthly_income"},
			got); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
}
