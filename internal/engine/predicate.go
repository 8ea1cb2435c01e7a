package engine

import (
	"slices"
	"sync"

	"verdict/internal/field"
	"verdict/internal/rule"
)

// Predicates is the list of the predicates that affect decisions under a
// policy, indexed by the fields that they name.
type Predicates struct {
	nodes      int
	list       []*rule.Condition // in the policy's order
	byField    map[string][]int32
	readsOffer bool
}

// lazyPredicates stores the index. It is built on first use, because most plans
// only decide and never need it.
type lazyPredicates struct {
	once  sync.Once
	index *Predicates
}

// Predicates returns the index of the plan's policy.
func (p *Plan) Predicates() *Predicates {
	p.predicates.once.Do(func() { p.predicates.index = newPredicates(p.policy) })
	return p.predicates.index
}

func newPredicates(p *Policy) *Predicates {
	x := &Predicates{byField: map[string][]int32{}}
	for i := range p.Knockouts {
		p.Knockouts[i].Condition.Walk(x.add)
	}
	x.readsOffer = x.names(field.OfferLimit, field.OfferEMI, field.OfferAPR, field.PostOfferFOIR)
	for i := range p.Adjustments {
		p.Adjustments[i].Condition.Walk(x.add)
	}
	for i := range p.Scorecard.Factors {
		if when := p.Scorecard.Factors[i].When; when != nil {
			when.Walk(x.add)
		}
	}
	for i := range p.Bands {
		if when := p.Bands[i].When; when != nil {
			when.Walk(x.add)
		}
	}
	for i := range p.LimitCaps {
		if when := p.LimitCaps[i].When; when != nil {
			when.Walk(x.add)
		}
	}
	return x
}

func (x *Predicates) add(c *rule.Condition) {
	x.nodes++
	at, named := int32(len(x.list)), false // cannot overflow: a policy has far fewer nodes
	c.Operands(func(ref rule.Ref) {
		named = true
		if list := x.byField[ref.Name]; len(list) == 0 || list[len(list)-1] != at {
			x.byField[ref.Name] = append(list, at)
		}
	})
	if named {
		x.list = append(x.list, c)
	}
}

func (x *Predicates) names(fields ...string) bool {
	return slices.ContainsFunc(fields, func(name string) bool { return len(x.byField[name]) > 0 })
}

// Nodes returns the number of nodes in the conditions of all knockouts, adjustments, factors, bands and caps.
func (x *Predicates) Nodes() int { return x.nodes }

// ReadsOffer reports whether a knockout reads a value of the offer.
func (x *Predicates) ReadsOffer() bool { return x.readsOffer }

// Naming calls visit for the predicates that name one of the fields, each once
// and in policy order, until visit returns false.
func (x *Predicates) Naming(fields []string, visit func(*rule.Condition) bool) {
	var places []int32
	for _, name := range fields {
		places = append(places, x.byField[name]...)
	}
	if len(fields) > 1 {
		slices.Sort(places)
		places = slices.Compact(places)
	}
	for _, at := range places {
		if !visit(x.list[at]) {
			return
		}
	}
}
