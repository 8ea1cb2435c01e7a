package training

import (
	"math"

	"verdict/internal/engine"
	"verdict/internal/rule"
)

// feature is a column of the scorecard: its bins and their points.
type feature struct {
	*binning
	coefficient float64
	effects     []float64
	points      []rule.Number // points of each bin
	unseen      rule.Number   // points of values that no training row had: the lowest of all bins
}

// pointed is a model scaled to points.
type pointed struct {
	base     rule.Number
	features []*feature
	dropped  []Dropped
}

// points scales effects to points: score = offset + factor·(intercept + Σ
// effect). The model predicts the log-odds of good, so better bins get more
// points.
func (o *Options) points(c *chosen, e *effects) *pointed {
	scaling := o.scaling()
	factor, offset := scaling.Factor(), scaling.Offset()
	p := &pointed{}
	everybody := offset + float64(factor*e.intercept)
	flat := 0.0
	for j, b := range c.features {
		f := &feature{binning: b, coefficient: c.model.beta[j], effects: e.of[j]}
		least, most := math.Inf(1), math.Inf(-1)
		for k := range b.bins {
			if b.bins[k].rows() > 0 {
				least, most = min(least, f.effects[k]), max(most, f.effects[k])
			}
		}
		if o.round(float64(factor*least)) == o.round(float64(factor*most)) {
			flat += least
			p.dropped = append(p.dropped,
				Dropped{b.column.name, codeNoPoints,
					"fitted together with the other columns, all its bins earn the same points"})
			continue
		}
		p.features = append(p.features, f)
	}
	everybody += float64(factor * flat)
	share := 0.0
	if o.SpreadBase && len(p.features) > 0 {
		share = everybody / float64(len(p.features))
	} else {
		p.base = o.round(everybody)
	}
	for _, f := range p.features {
		f.earn(o, factor, share)
	}
	return p
}

// earn sets the points of every bin. A bin without training rows, for missing or
// unseen values, gets the points of the worst bin, because values that never
// occurred must not count as good.
func (f *feature) earn(o *Options, factor, share float64) {
	f.points = make([]rule.Number, len(f.bins))
	f.unseen = rule.MaxNumber
	for k := range f.bins {
		f.points[k] = o.round(float64(factor*f.effects[k]) + share)
		if f.bins[k].rows() > 0 {
			f.unseen = min(f.unseen, f.points[k])
		}
	}
	for k := range f.bins {
		if f.bins[k].rows() == 0 {
			f.points[k] = f.unseen
		}
	}
}

func (o *Options) scaling() *engine.Scaling {
	return &engine.Scaling{PDO: o.PDO, AnchorScore: o.AnchorScore, AnchorOdds: o.AnchorOdds}
}

// round rounds x half away from zero to the decimals of the points.
func (o *Options) round(x float64) rule.Number {
	unit := rule.One
	for range o.Decimals {
		unit /= 10
	}
	return rule.Number(math.Round(float64(x*pow10(o.Decimals)))) * unit
}

func (p *pointed) score(row int32) rule.Number {
	sum := p.base
	for _, f := range p.features {
		sum += f.points[f.of[f.column.codes[row]]]
	}
	return sum
}
