package training

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// model predicts the log-odds of good: intercept + Σ coefficient · weight of
// evidence.
type model struct {
	intercept float64
	beta      []float64
	spread    [][]float64 // covariance of the estimates; the intercept comes first
	converged bool
}

const (
	maxSteps   = 40
	settled    = 1e-7 // largest step at convergence; each Newton step squares the error
	longStep   = 4    // largest step allowed; without this limit, the steps on separable data would overshoot
	maxFeature = 200
	firstRows  = 50_000
)

// regress fits the regression by Newton's method with a ridge penalty on the
// coefficients. It starts from the model start. If start is nil, it starts from
// zero, or from the result of a sample if there are many rows.
func (d *design) regress(ridge float64, start *model) (*model, error) {
	p := len(d.codes)
	m := &model{beta: make([]float64, p)}
	if start == nil && len(d.rows) > firstRows {
		// Take the first steps on a sample of the rows, to save time.
		part := *d
		part.rows = few(d.rows, firstRows)
		var err error
		if start, err = part.regress(ridge, nil); err != nil {
			return nil, err
		}
	}
	if start != nil {
		m.intercept = start.intercept
		copy(m.beta, start.beta)
	}
	var chol mat.Cholesky
	for range maxSteps {
		sums := d.gather(m)
		curvature := sums.information(ridge)
		if !chol.Factorize(curvature) {
			return nil, fmt.Errorf("solve the regression: the information matrix is singular")
		}
		for j, b := range m.beta {
			sums.slope[j+1] -= float64(ridge * b)
		}
		var step mat.VecDense
		if err := chol.SolveVecTo(&step, mat.NewVecDense(p+1, sums.slope)); err != nil {
			return nil, fmt.Errorf("solve the regression: %w", err)
		}
		largest := 0.0
		for j := range p + 1 {
			largest = max(largest, math.Abs(step.AtVec(j)))
		}
		scale := min(1, longStep/max(largest, settled))
		m.intercept += float64(scale * step.AtVec(0))
		for j := range m.beta {
			m.beta[j] += float64(scale * step.AtVec(j+1))
		}
		if largest < settled {
			m.converged = true
			break
		}
	}
	err := m.measure(&chol)
	return m, err
}

// measure computes the covariance of the estimates from the curvature at the
// optimum.
func (m *model) measure(chol *mat.Cholesky) error {
	var inverse mat.SymDense
	if err := chol.InverseTo(&inverse); err != nil {
		return fmt.Errorf("invert the information matrix: %w", err)
	}
	n := len(m.beta) + 1
	m.spread = make([][]float64, n)
	for i := range n {
		m.spread[i] = make([]float64, n)
		for j := range n {
			m.spread[i][j] = inverse.At(i, j)
		}
	}
	return nil
}

// sums holds the gradient of the log-likelihood and the upper triangle of its
// curvature (the negative Hessian matrix), row by row. The intercept comes first.
type sums struct {
	slope []float64
	curve []float64
}

func newSums(p int) *sums {
	return &sums{slope: make([]float64, p+1), curve: make([]float64, (p+1)*(p+2)/2)}
}

func (s *sums) add(t *sums) {
	for i, x := range t.slope {
		s.slope[i] += x
	}
	for i, x := range t.curve {
		s.curve[i] += x
	}
}

// information returns the information matrix: the curvature as a full matrix. It adds the
// ridge penalty to the diagonal, except for the intercept.
func (s *sums) information(ridge float64) *mat.SymDense {
	n := len(s.slope)
	m := mat.NewSymDense(n, nil)
	k := 0
	for i := range n {
		for j := i; j < n; j++ {
			x := s.curve[k]
			k++
			if i == j && i > 0 {
				x += ridge
			}
			m.SetSym(i, j, x)
		}
	}
	return m
}
