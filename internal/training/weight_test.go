package training

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/fault"
)

// TestWeights checks that a row of weight 3 counts as three rows in bins,
// regression and metrics, and that a common factor of all weights has no
// effect.
func TestWeights(t *testing.T) {
	t.Parallel()
	plain := loans(3000, 26)
	lines := strings.SplitAfter(plain, "\n")
	var weighted, repeated strings.Builder
	weighted.WriteString("w," + lines[0])
	repeated.WriteString(lines[0])
	for i, line := range lines[1:] {
		if line == "" {
			continue
		}
		weight := 1 + 2*(i%2)
		fmt.Fprintf(&weighted, "%d,%s", 2*weight, line)
		repeated.WriteString(strings.Repeat(line, weight))
	}
	o := quickOptions(t)
	o.HoldOutShare, o.NoRefining = 0, true
	want := mustFit(t, repeated.String(), o)
	o.Weight = "w"
	got := mustFit(t, weighted.String(), o)
	if got.Report.Train.Rows != 3000 || want.Report.Train.Rows != 6000 {
		t.Errorf("%d weighted rows, %d repeated", got.Report.Train.Rows, want.Report.Train.Rows)
	}
	if a, b := got.Report.Train, want.Report.Train; math.Abs(a.BadRate-b.BadRate) > 1e-9 ||
		math.Abs(a.AUC-b.AUC) > 0.006 || math.Abs(a.KS-b.KS) > 0.02 {
		t.Errorf("weighted: bad rate %v, AUC %v, KS %v; repeated: %v, %v, %v",
			a.BadRate, a.AUC, a.KS, b.BadRate, b.AUC, b.KS)
	}
	if detail, _ := got.Report.note("w", codeWeighted); detail == "" || got.Report.dropCode("w") != "" {
		t.Error("the column of weights is not told apart")
	}
	for i := range got.Card.Factors {
		if got.Card.Factors[i].Field.Name == "applicant.w" {
			t.Error("the weight is a factor")
		}
	}
	zero := edited(weighted.String(), "w",
		func(row int, cell string) string { return map[bool]string{true: "0", false: cell}[row%10 == 0] })
	if r := mustFit(t, zero, o); r.Report.Train.Rows != 2700 {
		t.Errorf("%d rows with a weight", r.Report.Train.Rows)
	}
	for name, cell := range map[string]string{"text": "heavy", "nothing": "", "negative": "-1"} {
		_, err := Fit(from(edited(weighted.String(), "w", func(row int, was string) string {
			return map[bool]string{true: cell, false: was}[row == 700]
		})), o, nil)
		var refusal *fault.Error
		if !errors.As(err, &refusal) || len(refusal.Items) == 0 || refusal.Items[0].Pointer != "/weight" ||
			!strings.Contains(refusal.Items[0].Detail, "row 701 ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestEqualWeights checks that equal weights change nothing.
func TestEqualWeights(t *testing.T) {
	t.Parallel()
	plain := loans(2500, 27)
	want := mustFit(t, plain, quickOptions(t))
	o := quickOptions(t)
	o.Weight = "w"
	got := mustFit(t, widened(plain, "w", func(int, []string) string { return "2.5" }), o)
	if diff := cmp.Diff(string(want.Card.Document()), string(got.Card.Document())); diff != "" {
		t.Error(diff)
	}
	if want.Report.Train != got.Report.Train || want.Report.HoldOut != got.Report.HoldOut ||
		want.Report.ScorePSI != got.Report.ScorePSI {
		t.Errorf("measures differ: %+v, %+v", want.Report.HoldOut, got.Report.HoldOut)
	}
}
