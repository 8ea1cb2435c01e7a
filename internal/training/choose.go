package training

import (
	"fmt"
	"math"
	"slices"

	"verdict/internal/fault"
)

// ridge is the ridge penalty that keeps coefficients finite if columns are nearly
// collinear. It has the weight of about one row, so it has almost no other
// effect.
const ridge = 1

// chosen is a fitted regression with its columns.
type chosen struct {
	features []*binning
	model    *model
	dropped  []Dropped
}

// choose fits the regression and drops columns one at a time. It first drops the
// columns whose coefficient has the wrong sign, beginning with the most
// significant. Then, while there are too many columns, it drops the least
// significant. If turning is set, a wrong sign is no reason to drop a column whose
// bad rate turns, because refining gives each of its bins its own direction.
func (t *table) choose(o *Options, features []*binning, rows []int32, turning bool) (*chosen, error) {
	c := &chosen{features: slices.Clone(features)}
	for {
		if len(c.features) == 0 {
			return c, nil
		}
		m, err := t.design(c.features, rows).regress(ridge, c.model)
		if err != nil {
			return nil, err
		}
		c.model = m
		if !c.reduce(o, turning) {
			return c, nil
		}
	}
}

// reduce drops columns by the current regression and reports whether it dropped
// any. After each dropped column it updates the other coefficients by the
// quadratic approximation. So several columns can be dropped before the
// regression is fitted again.
func (c *chosen) reduce(o *Options, turning bool) (some bool) {
	for len(c.features) > 0 {
		at, code, detail := c.worst(o, turning)
		if at < 0 {
			return some
		}
		some = true
		c.dropped = append(c.dropped, Dropped{c.features[at].column.name, code, detail})
		c.model.remove(at)
		c.features = slices.Delete(c.features, at, at+1)
	}
	return some
}

func (c *chosen) worst(o *Options, turning bool) (at int, code, detail string) {
	at = -1
	least := 0.0
	for j, b := range c.features {
		if turning && (b.shape == "peak" || b.shape == "valley") {
			continue
		}
		if z := c.model.z(j); z <= least {
			at, least = j, z
		}
	}
	if at >= 0 {
		return at, "wrong_sign", fmt.Sprintf(
			"fitted together with the other columns, its coefficient is %.4f; it must be above 0", c.model.beta[at])
	}
	if len(c.features) <= o.MaxFeatures {
		return -1, "", ""
	}
	least = math.Inf(1)
	for j := range c.features {
		if z := math.Abs(c.model.z(j)); z < least {
			at, least = j, z
		}
	}
	return at, fault.CodeTooMany, fmt.Sprintf("%d other columns have more information", o.MaxFeatures)
}

// z returns the z-statistic of a coefficient: its value divided by its standard
// error. It returns 0 if the error is unknown.
func (m *model) z(j int) float64 {
	if v := m.spread[j+1][j+1]; v > 0 {
		return m.beta[j] / math.Sqrt(v)
	}
	return 0
}

// remove removes a coefficient and moves the others to the optimum of the
// likelihood without it, using the quadratic approximation.
func (m *model) remove(at int) {
	row := slices.Clone(m.spread[at+1])
	pivot, gone := row[at+1], m.beta[at]
	m.intercept -= float64(gone*row[0]) / pivot
	for j := range m.beta {
		m.beta[j] -= float64(gone*row[j+1]) / pivot
	}
	for i := range m.spread {
		for j := range m.spread {
			m.spread[i][j] -= float64(row[i]*row[j]) / pivot
		}
	}
	m.beta = slices.Delete(m.beta, at, at+1)
	m.spread = slices.Delete(m.spread, at+1, at+2)
	for i := range m.spread {
		m.spread[i] = slices.Delete(m.spread[i], at+1, at+2)
	}
}
