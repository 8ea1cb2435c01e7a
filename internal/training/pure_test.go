package training

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"verdict/internal/backtest"
)

// pureCells writes rows in which some cells have only good or only bad outcomes. One segment and
// one tenure are always good, another segment and another tenure are always bad. The outcomes of
// the other rows depend partly on the number of enquiries.
func pureCells(n int, seed uint64) string {
	d := &draws{seed << 32}
	var b strings.Builder
	b.WriteString("segment,tenure,enquiries,bad\n")
	for range n {
		segment, tenure, enquiries := "open", 24, int(d.next()%10)
		kind, bad := d.unit(), d.unit() < 0.1+float64(enquiries)/14
		switch {
		case kind < 0.20:
			segment, bad = "safe", false
		case kind < 0.27:
			segment, bad = "lost", true
		case kind < 0.40:
			tenure, bad = 12, false
		case kind < 0.47:
			tenure, bad = 36, true
		}
		fmt.Fprintf(&b, "%s,%d,%d,%d\n", segment, tenure, enquiries, map[bool]int{true: 1}[bad])
	}
	return b.String()
}

// TestPureBins checks that bins with only good or only bad rows are used. The
// hold-out AUC is 0.9155; a regression with an indicator for every value reaches
// 0.9182. If every bin had to have good and bad rows, the AUC would be 0.6216,
// because segment and tenure could not be divided.
func TestPureBins(t *testing.T) {
	t.Parallel()
	csv := pureCells(8000, 11)
	o := Defaults()
	o.Target = "bad"
	r, err := Fit(from(csv), o, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := oneHot(t, csv, o)
	got := r.Report.HoldOut.AUC
	t.Logf("hold-out AUC %.4f, one-hot regression %.4f", got, want)
	if got < want-0.005 || want < 0.85 {
		t.Errorf("hold-out AUC %.4f, one-hot regression %.4f", got, want)
	}
	for _, f := range r.Report.Features {
		for _, b := range f.Bins {
			if math.Abs(b.WOE) > 12 || b.Rows > 0 && b.Good == 0 && b.WOE >= 0 ||
				b.Rows > 0 && b.Bad == 0 && b.WOE <= 0 {
				t.Errorf("%s %s: weight of evidence %v of %d goods and %d bads",
					f.Column, b.Label, b.WOE, b.Good, b.Bad)
			}
		}
	}
}

// TestPureBinWeighsMore checks that a bin without bad rows has a greater weight of evidence than
// the same bin with one bad row.
func TestPureBinWeighsMore(t *testing.T) {
	t.Parallel()
	total := counts{8000, 2000}
	for _, rows := range []float64{50, 400, 3000} {
		none, _ := evidence(counts{rows, 0}, total, false)
		one, _ := evidence(counts{rows, 1}, total, false)
		if none <= one || none > one+1 {
			t.Errorf("%v goods weigh %v without a bad and %v with one", rows, none, one)
		}
	}
}

// oneHot fits a logistic regression on the training rows, with an indicator for
// each distinct value of a column. It uses Newton's method with a ridge penalty,
// and returns the AUC on the hold-out. It shares no regression code with the
// package.
func oneHot(t *testing.T, csv string, o Options) float64 {
	t.Helper()
	place := map[string]int{"": 0}
	type row struct {
		x    []int
		good float64
	}
	var train, held []row
	p := &plan{Options: o, split: -1}
	for i, line := range strings.Split(strings.TrimSpace(csv), "\n")[1:] {
		cells := strings.Split(line, ",")
		one := row{x: []int{0}, good: 1}
		if cells[len(cells)-1] == "1" {
			one.good = 0
		}
		for k, cell := range cells[:len(cells)-1] {
			name := fmt.Sprint(k, "=", cell)
			if _, ok := place[name]; !ok {
				place[name] = len(place)
			}
			one.x = append(one.x, place[name])
		}
		if p.holdOut(int64(i+1), nil) {
			held = append(held, one)
		} else {
			train = append(train, one)
		}
	}
	n := len(place)
	beta := make([]float64, n)
	logit := func(r row) (sum float64) {
		for _, k := range r.x {
			sum += beta[k]
		}
		return sum
	}
	for range 30 {
		slope, curve := mat.NewVecDense(n, nil), mat.NewSymDense(n, nil)
		for k := range n {
			slope.SetVec(k, -0.5*beta[k])
			curve.SetSym(k, k, 0.5)
		}
		for _, r := range train {
			good := 1 / (1 + math.Exp(-logit(r)))
			for a, i := range r.x {
				slope.SetVec(i, slope.AtVec(i)+r.good-good)
				for _, j := range r.x[a:] {
					curve.SetSym(min(i, j), max(i, j), curve.At(i, j)+good*(1-good))
				}
			}
		}
		var chol mat.Cholesky
		var step mat.VecDense
		if !chol.Factorize(curve) || chol.SolveVecTo(&step, slope) != nil {
			t.Fatal("the reference regression is singular")
		}
		for k := range n {
			beta[k] += step.AtVec(k)
		}
	}
	list := make([]backtest.Outcome, len(held))
	for i, r := range held {
		list[i] = backtest.Outcome{Score: logit(r), Bad: r.good == 0}
	}
	s, _ := backtest.Separate(list)
	return s.AUC
}
