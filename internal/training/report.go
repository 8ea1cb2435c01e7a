package training

import (
	"fmt"
	"slices"

	"verdict/internal/backtest"
	"verdict/internal/rule"
)

// Report is what the people who answer for a scorecard want to see.
type Report struct {
	RowsTotal, RowsMalformed, RowsUnlabelled int64

	Train, HoldOut Measure
	ScorePSI       float64
	HasHoldOut     bool

	Setting  string
	Trials   []Trial
	Features []Feature
	Dropped  []Dropped
	Warnings []Warning
	Fields   []FieldOf // of every feature
}

// Measure is how a card does on some rows.
type Measure struct {
	Rows, Bad    int64
	BadRate      float64
	AUC, Gini    float64
	KS           float64
	Measured     bool // there are both good and bad ones
	AverageScore float64
}

// Feature is a column of the card.
type Feature struct {
	Column, Field, Type string
	IV                  float64
	Band                string
	Shape               string
	Coefficient, VIF    float64
	PSI                 float64 // training rows against the hold-out
	Bins                []BinRow
}

// BinRow is a bin of a feature.
type BinRow struct {
	Label           string
	Kind            string
	Rows, Good, Bad int64
	Share, BadRate  float64
	WOE, IV         float64
	Points          rule.Number

	HoldOutRows    int64
	HoldOutBadRate float64
}

// Warning is something to look at before the card is used.
type Warning struct{ Column, Code, Detail string }

// FieldOf says which field of an application a column is.
type FieldOf struct{ Column, Field string }

func (r *Result) report(c *chosen, all []*binning) {
	out := r.Report
	t := r.table
	out.Dropped = r.plan.dropped
	train := r.measure(t.train, &out.Train)
	held := r.measure(t.held, &out.HoldOut)
	if out.HasHoldOut = len(t.held) > 0; out.HasHoldOut {
		out.ScorePSI = scorePSI(train, held)
	}
	for _, f := range r.points.features {
		out.Features = append(out.Features, r.feature(f))
		out.Fields = append(out.Fields, FieldOf{f.column.name, f.column.field.Name})
	}
	r.warn(c, all)
}

// measure scores rows with the points of the card and measures the scores,
// which it returns sorted.
func (r *Result) measure(rows []int32, m *Measure) []int64 {
	scores := make([]int64, len(rows))
	outcomes := make([]backtest.Outcome, len(rows))
	inParallel(parallelSlices, func(i int) {
		for k := len(rows) * i / parallelSlices; k < len(rows)*(i+1)/parallelSlices; k++ {
			n := r.points.score(rows[k])
			scores[k] = int64(n)
			outcomes[k] = backtest.Outcome{Score: float64(n), Bad: r.table.bad[rows[k]] == 1}
		}
	})
	var sum int64
	for i, o := range outcomes {
		sum += scores[i] / int64(rule.One/10_000)
		if o.Bad {
			m.Bad++
		}
	}
	m.Rows = int64(len(rows))
	if m.Rows > 0 {
		m.BadRate = float64(m.Bad) / float64(m.Rows)
		m.AverageScore = float64(sum) / 10_000 / float64(m.Rows)
	}
	s, ok := backtest.Separate(outcomes)
	m.AUC, m.Gini, m.KS, m.Measured = s.AUC, s.Gini, s.KS, ok
	slices.Sort(scores)
	return scores
}

// scorePSI holds two samples of scores against each other over ten bands of
// about as many training rows.
func scorePSI(train, held []int64) float64 {
	var cuts []int64
	for k := 1; k < 10; k++ {
		if cut := train[len(train)*k/10]; len(cuts) == 0 || cut > cuts[len(cuts)-1] {
			cuts = append(cuts, cut)
		}
	}
	shares := func(scores []int64) []float64 {
		out := make([]float64, len(cuts)+1)
		from := 0
		for i := range out {
			to := len(scores)
			if i < len(cuts) {
				to, _ = slices.BinarySearch(scores, cuts[i])
			}
			out[i] = float64(to-from) / float64(len(scores))
			from = to
		}
		return out
	}
	psi, _ := backtest.Stability(shares(train), shares(held))
	return psi
}

func (r *Result) feature(f *feature) Feature {
	out := Feature{
		Column: f.column.name, Field: f.column.field.Name, Type: f.column.field.Type.String(),
		IV: f.iv, Band: ivBand(f.iv), Shape: f.shape, Coefficient: f.coefficient, VIF: f.vif,
	}
	heldBy := r.table.count(f.column, r.table.held)
	var expected, actual []float64
	for k := range f.bins {
		b := &f.bins[k]
		var held counts
		for _, code := range b.codes {
			held = held.plus(heldBy[code])
		}
		if b.rows() == 0 && held.rows() == 0 {
			continue
		}
		row := BinRow{
			Label: f.label(k), Kind: b.kind.String(), Rows: b.rows(), Good: b.good, Bad: b.bad,
			Share: float64(b.rows()) / float64(len(r.table.train)), BadRate: b.badRate(), WOE: b.woe, IV: b.iv, Points: f.points[k],
			HoldOutRows: held.rows(), HoldOutBadRate: held.badRate(),
		}
		out.Bins = append(out.Bins, row)
		expected = append(expected, row.Share)
		if len(r.table.held) > 0 {
			actual = append(actual, float64(held.rows())/float64(len(r.table.held)))
		}
	}
	out.PSI, _ = backtest.Stability(expected, actual)
	return out
}

// maxListed is how many categories a label names.
const maxListed = 8

// label says what a bin holds.
func (f *feature) label(k int) string {
	c, b := f.column, &f.bins[k]
	switch {
	case b.kind == missing:
		return "missing"
	case b.kind == special:
		return "= " + c.specials[b.codes[0]-1].String()
	case c.numeric():
		first, last := int(b.codes[0])-1-len(c.specials), int(b.codes[len(b.codes)-1])-1-len(c.specials)
		switch {
		case first == 0 && last == len(c.cuts):
			return "any"
		case first == 0:
			return "< " + c.cuts[last].String()
		case last == len(c.cuts):
			return ">= " + c.cuts[first-1].String()
		}
		return c.cuts[first-1].String() + " .. < " + c.cuts[last].String()
	}
	text := ""
	for i, code := range b.codes {
		if i > 0 {
			text += ", "
		}
		switch {
		case i == maxListed:
			return text + fmt.Sprintf("and %d more", len(b.codes)-maxListed)
		case int(code) > len(c.values):
			text += "(others)"
		default:
			text += c.values[code-1]
		}
	}
	return text
}
