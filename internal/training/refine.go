package training

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// effects holds the intercept, and the amount that each bin of each feature adds
// to the log-odds of good.
type effects struct {
	intercept float64
	of        [][]float64 // feature → bin
}

// plain returns the effects that result from the weights of evidence and the
// coefficients of the regression.
func (c *chosen) plain() *effects {
	e := &effects{intercept: c.model.intercept}
	for j, b := range c.features {
		row := make([]float64, len(b.bins))
		for k := range b.bins {
			row[k] = float64(max(c.model.beta[j], 0) * b.bins[k].woe)
		}
		e.of = append(e.of, row)
	}
	return e
}

// refine fits the effects of all bins together, because a bin's weight of evidence ignores what other columns
// already explain. It starts from the plain effects. A ridge penalty limits the distance from the plain effects.
// The parameter hold is the weight of the penalty. Each feature's bad rate must still follow its shape.
func (t *table) refine(c *chosen, rows []int32, hold float64) (*effects, error) {
	start := c.plain()
	r := refining{table: t, features: c.features, hold: hold}
	r.number(start)
	for range maxRefining {
		step, err := r.step(rows)
		if err != nil {
			return nil, err
		}
		largest := 0.0
		for i, s := range step {
			r.at[i] += s
			largest = max(largest, math.Abs(s))
		}
		if largest < 1e-7 {
			break
		}
	}
	e := &effects{intercept: r.at[0]}
	for j, b := range c.features {
		row := r.at[r.first[j] : r.first[j]+len(b.bins)]
		b.keepShape(row)
		e.intercept += b.centre(row)
		e.of = append(e.of, row)
	}
	e.settle(t, c.features, rows)
	return e, nil
}

const maxRefining = 20

// refining runs Newton's method over the effects of all bins together.
type refining struct {
	*table
	features []*binning
	hold     float64
	first    []int // index of each feature's first bin among the unknowns; the intercept has index 0
	at, from []float64
}

func (r *refining) number(start *effects) {
	r.at = []float64{start.intercept}
	for j := range r.features {
		r.first = append(r.first, len(r.at))
		r.at = append(r.at, start.of[j]...)
	}
	r.from = append([]float64(nil), r.at...)
}

func (r *refining) step(rows []int32) ([]float64, error) {
	n := len(r.at)
	type part struct{ slope, curve []float64 }
	parts := make([]part, parallelSlices)
	r.inParallel(parallelSlices, func(i int) {
		p := part{make([]float64, n), make([]float64, n*n)}
		r.gather(slice(rows, i), p.slope, p.curve)
		parts[i] = p
	})
	slope, curve := parts[0].slope, parts[0].curve
	for _, p := range parts[1:] {
		for i, x := range p.slope {
			slope[i] += x
		}
		for i, x := range p.curve {
			curve[i] += x
		}
	}
	for i := 1; i < n; i++ {
		slope[i] -= float64(r.hold * (r.at[i] - r.from[i]))
		curve[i*n+i] += r.hold
	}
	var chol mat.Cholesky
	if !chol.Factorize(mat.NewSymDense(n, curve)) {
		return nil, fmt.Errorf("refine the bins: the information matrix is singular")
	}
	var step mat.VecDense
	if err := chol.SolveVecTo(&step, mat.NewVecDense(n, slope)); err != nil {
		return nil, fmt.Errorf("refine the bins: %w", err)
	}
	return step.RawVector().Data, nil
}

// gather adds the gradient of the rows and the upper triangle of their curvature.
// A row is in one bin of each feature, so it changes only a few entries of the
// matrix.
func (r *refining) gather(rows []int32, slope, curve []float64) {
	n := len(r.at)
	in := make([]int, len(r.features)+1)
	for _, row := range rows {
		r.pass(len(in) * len(in))
		logit := r.at[0]
		for j, b := range r.features {
			k := r.first[j] + int(b.of[b.column.codes[row]])
			in[j+1] = k
			logit += r.at[k]
		}
		good := 1 / (1 + exp(-logit))
		share := r.weight(row)
		weight := float64(share * float64(good*(1-good)))
		miss := float64(share * (1 - float64(r.bad[row]) - good))
		for a, i := range in {
			slope[i] += miss
			line := curve[i*n : i*n+n]
			for _, k := range in[a:] {
				line[k] += weight
			}
		}
	}
}

// settle moves the intercept so that the expected number of bad rows equals the
// actual number.
func (e *effects) settle(t *table, features []*binning, rows []int32) {
	for range maxSteps {
		slope, curve := make([]float64, parallelSlices), make([]float64, parallelSlices)
		t.inParallel(parallelSlices, func(i int) {
			for _, row := range slice(rows, i) {
				t.pass(len(features))
				good := 1 / (1 + exp(-e.logit(features, row)))
				share := t.weight(row)
				slope[i] += float64(share * (1 - float64(t.bad[row]) - good))
				curve[i] += float64(share * float64(good*(1-good)))
			}
		})
		var s, c float64
		for i := range slope {
			s += slope[i]
			c += curve[i]
		}
		if c == 0 {
			return
		}
		step := min(max(s/c, -longStep), longStep)
		e.intercept += step
		if math.Abs(step) < settled {
			return
		}
	}
}

// logit returns a row's log-odds of good.
func (e *effects) logit(features []*binning, row int32) float64 {
	sum := e.intercept
	for j, b := range features {
		sum += e.of[j][b.of[b.column.codes[row]]]
	}
	return sum
}
