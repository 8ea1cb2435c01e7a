package training

import (
	"fmt"
	"strings"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// card returns the scorecard as the engine reads it. It writes the document and
// reads it back, which shows that the engine accepts the document.
func (p *pointed) card(o *Options) (*engine.Scorecard, error) {
	c := &engine.Scorecard{
		Name: o.Name, Base: p.base, MinScore: rule.Int(300), MaxScore: rule.Int(900), Scaling: o.scaling(),
	}
	names := map[string]bool{"base": true, "clamp": true}
	codes := map[string]bool{}
	for _, f := range p.features {
		c.Factors = append(c.Factors, f.factor(names, codes))
	}
	// Set the score range so that it covers all points and no score is clamped:
	// two applicants with different points must not get the same score.
	least, most := p.base, p.base
	for i := range c.Factors {
		low, high := c.Factors[i].Missing, c.Factors[i].Missing
		for k := range c.Factors[i].Bins {
			low, high = min(low, c.Factors[i].Bins[k].Points), max(high, c.Factors[i].Bins[k].Points)
		}
		least, most = least+low, most+high
	}
	c.MinScore = min(c.MinScore, rule.Int(least.Floor()))
	c.MaxScore = max(c.MaxScore, rule.Int(-(-most).Floor()))
	v, err := wire.Parse(c.Document())
	if err != nil {
		return nil, fmt.Errorf("read the scorecard back: %w", err)
	}
	read, err := engine.ReadScorecard(v, field.Catalogue())
	if err != nil {
		return nil, fmt.Errorf("read the scorecard back: %w", err)
	}
	return read, nil
}

func (f *feature) factor(names, codes map[string]bool) engine.Factor {
	out := engine.Factor{
		Name:       factorName(f.column.field.Name, names),
		Label:      labelOf(f.column.name),
		Field:      f.column.field,
		Typed:      f.column.field.ID == rule.Undeclared,
		HasMissing: true,
		Missing:    f.points[f.of[codeMissing]],
		Weight:     rule.One,
	}
	if f.column.numeric() {
		out.Bins = f.ranges()
	} else {
		out.Bins = f.sets()
	}
	setReasonCode(&out, codes)
	return out
}

// factorName returns a unique factor name of at most 64 bytes, derived from a
// field's name.
func factorName(name string, names map[string]bool) string {
	name = strings.TrimPrefix(name, "applicant.")
	name = name[:min(len(name), 60)]
	unique := name
	for n := 2; names[unique]; n++ {
		unique = fmt.Sprintf("%s_%d", name, n)
	}
	names[unique] = true
	return unique
}

// ranges returns the bins of a numeric column, followed by those of its special
// values. Adjacent cells of one bin become one range.
func (f *feature) ranges() []engine.Bin {
	c := f.column
	first := 1 + len(c.specials)
	at := f.of[first]
	bins := []engine.Bin{f.engineBin(at)}
	for k, bound := range c.cuts {
		next := f.of[first+k+1]
		if next == at {
			continue
		}
		at = next
		bins[len(bins)-1].Max, bins[len(bins)-1].HasMax = bound, true
		b := f.engineBin(at)
		b.Min, b.HasMin = bound, true
		bins = append(bins, b)
	}
	for i, n := range c.specials {
		b := f.engineBin(f.of[1+i])
		b.Special = []rule.Number{n}
		bins = append(bins, b)
	}
	return bins
}

// sets returns the bins of a categorical column, each with its categories. The
// last bin is for categories that are rare or do not occur in the training rows.
func (f *feature) sets() []engine.Bin {
	c := f.column
	var bins []engine.Bin
	pool := uint8(1 + len(c.values))
	last := engine.Bin{Else: true, Points: f.unseen}
	for k := range f.ordinaries() {
		b := f.engineBin(uint8(k))
		for _, code := range f.bins[k].codes {
			if code == pool {
				last.Points, last.WOE, last.HasWOE = b.Points, b.WOE, b.HasWOE
				continue
			}
			b.In = append(b.In, c.value(int(code)-1))
		}
		if len(b.In) > 0 {
			bins = append(bins, b)
		}
	}
	return append(bins, last)
}

// value returns a category as a value of the field's type.
func (c *column) value(i int) rule.Value {
	if c.field.Type == rule.BoolType {
		return rule.Bool(c.values[i] == "true")
	}
	return rule.Str(c.values[i])
}

func (f *feature) engineBin(k uint8) engine.Bin {
	b := engine.Bin{Points: f.points[k]}
	if f.bins[k].rows() > 0 {
		b.HasWOE, b.WOE = true, number(f.bins[k].woe, rule.Places)
	}
	return b
}

// inputs returns the request paths that the card reads and that are not in the
// catalogue.
func (p *pointed) inputs() []engine.Input {
	var list []engine.Input
	for _, f := range p.features {
		if f.column.field.ID == rule.Undeclared {
			list = append(list, engine.Input{Name: f.column.field.Name, Type: f.column.field.Type})
		}
	}
	return list
}
