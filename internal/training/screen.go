package training

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"verdict/internal/fault"
)

// screen returns the binned columns that have enough information and are not
// nearly the same as a better column. It returns the other columns with the
// reasons for dropping them.
func (t *table) screen(o *Options, all []*binning, rows []int32) (kept []*binning, dropped []Dropped) {
	for _, b := range all {
		switch {
		case len(b.bins) == 0 || b.iv < toFloat(o.MinIV):
			dropped = append(dropped, Dropped{b.column.name, codeLowInformation,
				fmt.Sprintf("information value %.4f is below %s", b.iv, o.MinIV)})
		default:
			kept = append(kept, b)
		}
	}
	slices.SortStableFunc(kept, func(a, b *binning) int { return cmp.Compare(b.iv, a.iv) })
	if len(kept) > maxFeature {
		for _, b := range kept[maxFeature:] {
			dropped = append(dropped, Dropped{b.column.name, fault.CodeTooMany, "other columns have more information"})
		}
		kept = kept[:maxFeature]
	}
	rows = few(rows, correlatedRows)
	kept, twins := t.dropCorrelated(o, kept, rows)
	dropped = append(dropped, twins...)
	kept, foretold := t.independent(kept, rows)
	return kept, append(dropped, foretold...)
}

// correlatedRows is the number of rows that suffices to measure a correlation.
const correlatedRows = 50_000

// maxVIF is the variance inflation factor above which a column is dropped, because
// it is nearly a linear combination of other columns.
const maxVIF = 10

// independent drops columns that the other columns together predict, beginning
// with the worst. The coefficients of such columns would be meaningless.
func (t *table) independent(features []*binning, rows []int32) (kept []*binning, dropped []Dropped) {
	n := len(features)
	r := make([]float64, n*n)
	t.inParallel(n, func(i int) {
		r[i*n+i] = 1
		for j := i + 1; j < n; j++ {
			t.pass(len(rows))
			x := t.correlation(features[i], features[j], rows)
			r[i*n+j], r[j*n+i] = x, x
		}
	})
	in := make([]int, n)
	for i := range in {
		in[i] = i
	}
	for len(in) > 0 {
		m := mat.NewSymDense(len(in), nil)
		for a, i := range in {
			for b, j := range in[a:] {
				m.SetSym(a, a+b, r[i*n+j])
			}
		}
		worst := inflate(m, in, features)
		if vif := features[in[worst]].vif; vif > maxVIF {
			dropped = append(dropped, Dropped{features[in[worst]].column.name, codeCorrelated,
				fmt.Sprintf("variance inflation %.1f: the other columns together predict it", vif)})
			in = slices.Delete(in, worst, worst+1)
			continue
		}
		break
	}
	for _, i := range in {
		kept = append(kept, features[i])
	}
	return kept, dropped
}

// inflate computes the variance inflation factor of every feature and returns the index of the largest. If the matrix
// is singular, it returns the index of the last feature.
func inflate(m *mat.SymDense, in []int, features []*binning) (worst int) {
	var chol mat.Cholesky
	var inverse mat.SymDense
	solved := chol.Factorize(m) && chol.InverseTo(&inverse) == nil
	for a, i := range in {
		features[i].vif = math.Inf(1)
		if solved {
			features[i].vif = inverse.At(a, a)
		} else {
			worst = len(in) - 1 // the last column, which has the least information
			continue
		}
		if features[i].vif > features[in[worst]].vif {
			worst = a
		}
	}
	return worst
}

// dropCorrelated drops columns whose weights of evidence correlate with those of a
// column that has more information. features must be sorted by information, with
// the best first.
func (t *table) dropCorrelated(o *Options, features []*binning, rows []int32) (kept []*binning, dropped []Dropped) {
	limit := toFloat(o.MaxCorrelation)
	for _, b := range features {
		twin, much := "", 0.0
		for _, better := range kept {
			if r := math.Abs(t.correlation(better, b, rows)); r > limit && r > much {
				twin, much = better.column.name, r
			}
		}
		if twin != "" {
			dropped = append(dropped, Dropped{
				b.column.name,
				codeCorrelated,
				fmt.Sprintf("correlation %.3f with %s, which has more information", much, twin),
			})
			continue
		}
		kept = append(kept, b)
	}
	return kept, dropped
}

// correlation returns the correlation of two columns' weights of evidence. It
// counts the rows of each pair of bins first, so it reads each row only once.
func (t *table) correlation(a, b *binning, rows []int32) float64 {
	n := make([]float64, len(a.bins)*len(b.bins))
	for _, row := range rows {
		n[int(a.of[a.column.codes[row]])*len(b.bins)+int(b.of[b.column.codes[row]])] += t.weight(row)
	}
	var all, sa, sb, saa, sbb, sab float64
	for i := range a.bins {
		for j := range b.bins {
			w := n[i*len(b.bins)+j]
			all += w
			x, y := a.bins[i].woe, b.bins[j].woe
			sa += float64(w * x)
			sb += float64(w * y)
			saa += float64(w * float64(x*x))
			sbb += float64(w * float64(y*y))
			sab += float64(w * float64(x*y))
		}
	}
	va := saa - float64(sa*sa)/all
	vb := sbb - float64(sb*sb)/all
	if va <= 0 || vb <= 0 {
		return 0
	}
	return (sab - float64(sa*sb)/all) / math.Sqrt(float64(va*vb))
}
