package feature

import (
	"slices"
	"testing"
)

func TestNameOrder(t *testing.T) {
	t.Parallel()
	var names []string
	for n := range All() {
		names = append(names, n.String())
	}
	slices.Sort(names)
	if len(slices.Compact(slices.Clone(names))) != Count {
		t.Error("a name is there twice")
	}
	for i, name := range names {
		if NameAt(i) != name || At(i).String() != name || Index(name) != i {
			t.Errorf("%s: NameAt(%d) = %s, At = %s, Index = %d", name, i, NameAt(i), At(i), Index(name))
		}
	}
	for _, name := range []string{"", "enquiry", "enquiry__all__7d__median", "zzz", "enquiry__all__7d__count "} {
		if i := Index(name); i >= 0 {
			t.Errorf("Index(%q) = %d", name, i)
		}
	}
}

// TestLayoutFits checks that the values of the layout fit into their small
// integer types.
func TestLayoutFits(t *testing.T) {
	t.Parallel()
	if plan.total > spareRow {
		t.Errorf("%d rows, of which the last is the spare one", plan.total)
	}
	if n := len(plan.from[transactions]); n > noBit {
		t.Errorf("%d streams of transactions for %d bits", n, noBit)
	}
	for i := range plan.streams {
		m := &plan.streams[i]
		for number := range uint8(classes) {
			held := 0
			for _, name := range m.Products {
				if lookupProduct(name).holds(classOf(m.Source, number)) {
					held++
				}
			}
			if held != int(plan.targets[i][number].n) {
				t.Errorf("%s: class %d counts in %d products, and %d are kept",
					m.Name, number, held, plan.targets[i][number].n)
			}
		}
	}
	for _, p := range plan.pairs {
		f := p.metric.fraction
		if f.of == "" {
			t.Errorf("%s divides by nothing", p.metric.Name)
		}
		base := slices.IndexFunc(plan.streams, func(m Metric) bool { return m.Name == f.of })
		if base < 0 || plan.streams[base].Monthly != p.metric.Monthly || plan.streams[base].Unit != p.metric.Unit {
			t.Errorf("%s divides by %s, which is not measured alike", p.metric.Name, f.of)
		}
		if p.metric.typical.events <= 0 || p.metric.typical.value <= 0 || p.product.share <= 0 {
			t.Errorf("%s of %s: nothing is typical", p.metric.Name, p.product.name)
		}
	}
}

// TestEveryFeatureCanHaveAValue checks that every feature can have a value, and
// a value other than 0.
func TestEveryFeatureCanHaveAValue(t *testing.T) {
	t.Parallel()
	var known, differs [Count]bool
	for seed := range uint64(600) {
		v := randomVector(seed)
		for i := range known {
			value, ok := v.Get(i)
			known[i] = known[i] || ok
			differs[i] = differs[i] || value != 0
		}
	}
	for i := range known {
		if !known[i] || !differs[i] {
			t.Errorf("%s: has a value: %t, other than 0: %t", NameAt(i), known[i], differs[i])
		}
	}
}
