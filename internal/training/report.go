package training

import (
	"cmp"
	"fmt"
	"slices"

	"verdict/internal/backtest"
	"verdict/internal/rule"
)

// Report describes a fitted scorecard to the people who are responsible for it.
type Report struct {
	RowsTotal, RowsMalformed, RowsUnlabelled, RowsIndeterminate int64

	Train, HoldOut Measure
	ScorePSI       float64
	HasHoldOut     bool

	Setting  string
	Trials   []Trial
	Features []Feature
	Dropped  []Dropped
	Warnings []Warning
	Notes    []Note
	Fields   []FieldOf // the field of every feature
}

// Measure holds the metrics of a card on some rows.
type Measure struct {
	Rows, Bad    int64
	BadRate      float64
	AUC, Gini    float64
	KS           float64
	Measured     bool // AUC, Gini and KS are defined, because there are both good and bad rows
	AverageScore float64
}

// Feature is a column of the card.
type Feature struct {
	Column, Field, Type string
	IV                  float64
	Band                string
	Shape               string
	Coefficient, VIF    float64
	PSI                 float64 // population stability index of the hold-out against the training rows
	Reversed            bool    // some points contradict the weights of evidence
	Bins                []BinRow
}

// BinRow is a bin of a feature. Counts are numbers of rows; shares and rates are
// weighted.
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

// Warning describes a problem that a person should check before the card is
// used.
type Warning struct{ Column, Code, Detail string }

// FieldOf maps a column to a field of an application.
type FieldOf struct{ Column, Field string }

func (r *Result) report(c *chosen, all []*binning) {
	out := r.Report
	t := r.table
	out.Dropped, out.Notes = r.plan.dropped, r.plan.notes
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

// scored holds the score and the weight of a row.
type scored struct {
	score  int64
	weight float64
}

// measure scores rows with the points of the card and sets m. It returns the
// scores in ascending order.
func (r *Result) measure(rows []int32, m *Measure) []scored {
	scores := make([]scored, len(rows))
	outcomes := make([]backtest.Outcome, len(rows))
	r.table.inParallel(parallelSlices, func(i int) {
		for k := len(rows) * i / parallelSlices; k < len(rows)*(i+1)/parallelSlices; k++ {
			r.table.pass(len(r.table.columns))
			n := r.points.score(rows[k])
			scores[k] = scored{int64(n), r.table.weight(rows[k])}
			outcomes[k] = backtest.Outcome{Score: float64(n), Bad: r.table.bad[rows[k]] == 1}
		}
	})
	sum := 0.0
	for i, o := range outcomes {
		sum += float64(float64(scores[i].score/int64(rule.One/10_000)) * scores[i].weight)
		if o.Bad {
			m.Bad++
		}
	}
	m.Rows = int64(len(rows))
	if all, bads := r.table.total(rows); m.Rows > 0 {
		m.BadRate = bads / all
		m.AverageScore = sum / 10_000 / all
	}
	s, ok := r.table.separate(outcomes, rows)
	m.AUC, m.Gini, m.KS, m.Measured = s.AUC, s.Gini, s.KS, ok
	slices.SortFunc(scores, func(a, b scored) int {
		r.table.pass(2)
		return cmp.Compare(a.score, b.score)
	})
	return scores
}

// scorePSI returns the population stability index of two samples of scores. It
// uses up to ten bands that contain about the same weight of training rows.
func scorePSI(train, held []scored) float64 {
	all := 0.0
	for _, s := range train {
		all += s.weight
	}
	var cuts []int64
	below := 0.0
	for _, s := range train {
		below += s.weight
		for k := len(cuts) + 1; k < 10 && below > all*float64(k)/10; k++ {
			cuts = append(cuts, s.score)
		}
	}
	cuts = slices.Compact(cuts)
	shares := func(scores []scored) []float64 {
		out := make([]float64, len(cuts)+1)
		sum, band := 0.0, 0
		for _, s := range scores {
			for band < len(cuts) && s.score >= cuts[band] {
				band++
			}
			out[band] += s.weight
			sum += s.weight
		}
		for i := range out {
			out[i] /= sum
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
	whole, single := f.reversals(&r.plan.Options)
	out.Reversed = whole || len(single) > 0
	trainBy, heldBy := r.table.rowsOf(f, r.table.train), r.table.rowsOf(f, r.table.held)
	trainAll, _ := r.table.total(r.table.train)
	heldAll, _ := r.table.total(r.table.held)
	var expected, actual []float64
	for k := range f.bins {
		b, held := &f.bins[k], heldBy[k]
		if b.rows() == 0 && held.rows == 0 {
			continue
		}
		row := BinRow{
			Label: f.label(k), Kind: b.kind.String(),
			Rows: trainBy[k].rows, Good: trainBy[k].rows - trainBy[k].bads, Bad: trainBy[k].bads,
			Share: b.rows() / trainAll, BadRate: b.badRate(), WOE: b.woe, IV: b.iv, Points: f.points[k],
			HoldOutRows: held.rows, HoldOutBadRate: held.badRate(),
		}
		out.Bins = append(out.Bins, row)
		expected = append(expected, row.Share)
		if len(r.table.held) > 0 {
			actual = append(actual, held.counts.rows()/heldAll)
		}
	}
	out.PSI, _ = backtest.Stability(expected, actual)
	return out
}

// binRows holds the numbers of rows of a bin, and their weights.
type binRows struct {
	rows, bads int64
	counts
}

// rowsOf counts the rows of each bin of a feature.
func (t *table) rowsOf(f *feature, rows []int32) []binRows {
	out := make([]binRows, len(f.bins))
	for _, row := range rows {
		b := &out[f.of[f.column.codes[row]]]
		b.rows++
		if t.bad[row] == 1 {
			b.bads++
			b.bad += t.weight(row)
		} else {
			b.good += t.weight(row)
		}
	}
	return out
}

// maxListed is the maximum number of categories in a label.
const maxListed = 8

// label describes the values of a bin.
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
