package prover

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"verdict/internal/engine"
	"verdict/internal/rule"
)

// clause is an entry of a policy, or the part of it that is not yet settled. Equal clauses have the same id in both
// policies.
type clause struct {
	kind              effectKind
	onTrue, onUnknown engine.Action
	delta             rule.Number
	term              uint8         // index of the condition of the offer, or of the test
	at                int32         // position of the factor's variable; set only for a factor
	points            []rule.Number // points for each cell of that variable; set only for a factor
	t, f              nodeID
	first             int32       // the position of the first variable that the clause reads
	least, most       rule.Number // the least and the most points that the clause can still add
}

// step is the effect of a variable on a clause. next is the clause that remains, or -1 if none does. The other members
// are the effects that are settled now.
type step struct {
	next   int32
	action engine.Action
	delta  rule.Number
	term   int8 // -1 for none
	test   int8 // -1 for none
	never  bool // the clause excludes such applicants, because none exists
}

// clauses interns clauses and lists of clauses.
type clauses struct {
	*formulas
	all   []clause
	known map[string]int32
	lists []clauseList
	byKey map[string]int32
	buf   []byte
	bytes int // estimate of the memory that lists use

	stepsAt int32
	steps   map[residualKey]step
}

// clauseList is a sorted list of clauses with the points that they can add.
type clauseList struct {
	ids         []int32
	least, most rule.Number
}

func newClauses(f *formulas) *clauses {
	return &clauses{
		formulas: f, known: map[string]int32{}, byKey: map[string]int32{}, steps: map[residualKey]step{}, stepsAt: -1,
	}
}

// add interns a clause.
func (c *clauses) add(x clause) int32 {
	x.first = min(c.nodes[x.t].first, c.nodes[x.f].first)
	b := append(c.buf[:0], byte(x.kind), byte(x.onTrue), byte(x.onUnknown), x.term)
	b = binary.LittleEndian.AppendUint64(b, uint64(x.delta))
	b = binary.LittleEndian.AppendUint32(b, uint32(x.t))
	b = binary.LittleEndian.AppendUint32(b, uint32(x.f))
	switch x.kind {
	case factorEffect:
		x.first = min(x.first, x.at)
		b = binary.LittleEndian.AppendUint32(b, uint32(x.at))
		for _, n := range x.points {
			b = binary.LittleEndian.AppendUint64(b, uint64(n))
		}
		x.least, x.most = min(0, slices.Min(x.points)), max(0, slices.Max(x.points))
	case scoreEffect:
		x.least, x.most = min(0, x.delta), max(0, x.delta)
	}
	c.buf = b
	if id, ok := c.known[string(b)]; ok {
		return id
	}
	id := int32(len(c.all))
	c.known[string(b)] = id
	c.all = append(c.all, x)
	return id
}

// list interns a list of clauses. It sorts ids and removes duplicates, but keeps the duplicates of clauses that add
// points.
func (c *clauses) list(ids []int32) int32 {
	slices.Sort(ids)
	out := ids[:0]
	for i, id := range ids {
		if i > 0 && id == ids[i-1] && c.all[id].kind != scoreEffect && c.all[id].kind != factorEffect {
			continue
		}
		out = append(out, id)
	}
	b := c.buf[:0]
	for _, id := range out {
		b = binary.LittleEndian.AppendUint32(b, uint32(id))
	}
	c.buf = b
	if at, ok := c.byKey[string(b)]; ok {
		return at
	}
	l := clauseList{ids: slices.Clone(out)}
	for _, id := range out {
		l.least += c.all[id].least
		l.most += c.all[id].most
	}
	at := int32(len(c.lists))
	c.byKey[string(b)] = at
	c.lists = append(c.lists, l)
	c.bytes += 8*len(out) + 100
	return at
}

// step returns the effect on a clause if the variable at the given position is in a cell.
func (c *clauses) step(id, at int32, cell int) step {
	if c.stepsAt != at {
		c.stepsAt = at
		clear(c.steps)
	}
	key := residualKey{nodeID(id), int32(cell)}
	if s, ok := c.steps[key]; ok {
		return s
	}
	x := c.all[id]
	x.t, x.f = c.assign(x.t, at, cell), c.assign(x.f, at, cell)
	if x.kind == factorEffect && x.at == at {
		x.kind, x.delta, x.points, x.at = scoreEffect, x.points[cell], nil, 0
	}
	s := c.settle(x)
	c.steps[key] = s
	return s
}

// settle returns the effect of a clause that is already certain, and the clause that remains.
func (c *clauses) settle(x clause) step {
	out := step{next: -1, term: -1, test: -1}
	switch x.kind {
	case ruleEffect:
		switch {
		case x.t == trueNode:
			out.action = x.onTrue
			return out
		case x.onUnknown == engine.Approve && x.t == falseNode, x.f == trueNode:
			return out
		case x.t == falseNode && x.f == falseNode:
			out.action = x.onUnknown
			return out
		}
	case scoreEffect:
		switch {
		case x.delta == 0 || x.t == falseNode:
			return out
		case x.t == trueNode:
			out.delta = x.delta
			return out
		}
	case factorEffect:
		if x.t == falseNode || slices.Min(x.points) == 0 && slices.Max(x.points) == 0 {
			return out
		}
	case termEffect:
		switch x.t {
		case falseNode:
			return out
		case trueNode:
			out.term = int8(x.term)
			return out
		}
	case neverEffect:
		switch x.t {
		case falseNode:
			return out
		case trueNode:
			out.never = true
			return out
		}
	case testEffect:
		switch x.t {
		case falseNode:
			return out
		case trueNode:
			out.test = int8(x.term)
			return out
		}
	}
	out.next = c.add(x)
	return out
}

// compile turns the clauses of a policy into formulas. Variables must have cells and positions.
func (c *clauses) compile(m *model, s *side) (initial []step) {
	for i := range s.raw {
		r := &s.raw[i]
		x := clause{kind: r.kind, onTrue: r.onTrue, onUnknown: r.onUnknown, delta: r.delta, term: r.term}
		x.t = c.formula(m, r.t)
		if r.f != nil {
			x.f = c.formula(m, r.f)
		}
		if r.kind == factorEffect {
			v := m.vars[r.v]
			b := m.binning(r.factor, v)
			x.at = v.at
			for k := range v.cells {
				x.points = append(x.points, b.points(v.cells[k].set[0].Lo))
			}
		}
		initial = append(initial, c.settle(x))
	}
	return initial
}

func (c *clauses) formula(m *model, e *expr) nodeID {
	switch e.kind {
	case constantNode:
		if e.is {
			return trueNode
		}
		return falseNode
	case literalNode:
		v := m.vars[e.v]
		return c.literal(v.at, v.cellsOfSet(e.set))
	}
	kids := make([]nodeID, len(e.kids))
	for i, kid := range e.kids {
		kids[i] = c.formula(m, kid)
	}
	return c.join(e.kind, kids)
}

// fingerprint returns a text that is the same for two clauses exactly if their effects and conditions are the same.
func (m *model) fingerprint(r *rawClause) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %d %d %d %d", r.kind, r.onTrue, r.onUnknown, r.delta, r.term)
	if r.factor != nil {
		bins := m.binning(r.factor, m.vars[r.v])
		fmt.Fprintf(&b, " %d %v %v %d", r.v, bins.sets, bins.of, bins.missing)
	}
	var walk func(e *expr)
	walk = func(e *expr) {
		if e == nil {
			return
		}
		fmt.Fprintf(&b, " (%d %v %d %d", e.kind, e.is, e.v, e.set)
		for _, kid := range e.kids {
			walk(kid)
		}
		b.WriteByte(')')
	}
	walk(r.t)
	walk(r.f)
	return b.String()
}
