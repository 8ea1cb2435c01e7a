package prover

import (
	"encoding/binary"
	"slices"

	"verdict/internal/engine"
	"verdict/internal/engine/space"
	"verdict/internal/rule"
)

// sideState is the state of one policy after some variables are known. A declined application has the state dead, no
// matter what else is known.
type sideState struct {
	action  engine.Action
	ntc     bool
	never   bool   // no applicant can have this state
	rated   bool   // the co-applicant's score counts, so the applicant is not treated as new to credit
	settled bool   // every score that can still be reached is in one segment
	segment int32  // index of the segment, if settled
	band    int32  // if settled: 1 + the index in the policy's bands, or 0 while the band is not known
	terms   uint64 // the conditions of the offer that hold, among those that differ between the policies
	tests   uint64 // the tests of bands and caps that hold; tests of bands are dropped once they no longer matter
	score   rule.Number
	list    int32 // index of the list of the clauses that are not settled
}

// dead is the id of the state of a declined application. nobody is the id of the state of an application that cannot
// exist.
const (
	dead   int32 = 0
	nobody int32 = -1
)

// layer has the states of the product automaton after some variables are known.
type layer struct {
	states []pairState
	edges  []int32 // by state and cell of the next variable: the index of the state in the next layer, or -1
}

// pairState is a state of the product automaton.
type pairState struct {
	sides  [2]int32
	ctx    int32 // id of the context: the cells of the lending facts
	parent int32 // the state of the previous layer through which this state was first reached
	cell   int32 // the cell through which this state was first reached
}

// automaton explores both policies together.
type automaton struct {
	*model
	*clauses
	vars    []*variable // the variables that a request determines, in order
	ordered []*variable // all variables, in order
	lending boxVariables
	layers  []layer
	states  []sideState
	ids     [2]map[sideState]int32
	moves   [2]map[residualKey]int32 // cached results of move for the current variable
	ctxs    []string
	ctxIDs  map[string]int32
	joint   [2]jointLadder
	tenures map[tenureKey]int

	goal      goal // the question of the proof of a guarantee; nil if two policies are compared
	options   Options
	total     int
	bytes     int
	truncated string // why the exploration is incomplete; "" if it is complete
	late      bool   // Options.Check has returned an error
	ids32     []int32
}

func newAutomaton(m *model, o Options) *automaton {
	ordered := m.order()
	sizes := make([]int, len(ordered))
	requests := 0
	for i, v := range ordered {
		sizes[i] = len(v.cells)
		if v.kind == requestVariable || v.kind == freeVariable {
			requests++
		}
	}
	m.ladders()
	a := &automaton{
		model: m, clauses: newClauses(newFormulas(sizes)), vars: ordered[:requests], ctxIDs: map[string]int32{},
		tenures: map[tenureKey]int{}, options: o, ordered: ordered, lending: m.boxVariables(),
	}
	a.states = []sideState{{action: engine.Decline}}
	for i := range a.ids {
		a.ids[i], a.moves[i] = map[sideState]int32{}, map[residualKey]int32{}
	}
	for i := range a.joint {
		a.joint[i] = m.sides.jointLadder(i)
	}
	return a
}

// stopped calls Options.Check and reports whether to stop. If only the budget of states is used up, the work goes on,
// so that the result has the changes among the states that were explored.
func (a *automaton) stopped() bool {
	if a.options.Check == nil || a.late {
		return a.late
	}
	if err := a.options.Check(); err != nil {
		a.late = true
		if a.truncated == "" {
			a.truncated = err.Error()
		}
	}
	return a.late
}

// cellCount returns the number of combinations of cells, or 1<<62 if there are more.
func (a *automaton) cellCount() int64 {
	const most = int64(1) << 62
	n := int64(1)
	for _, v := range a.vars {
		if int64(len(v.cells)) > most/n {
			return most
		}
		n *= int64(len(v.cells))
	}
	return n
}

// explore builds all layers.
func (a *automaton) explore() {
	root := pairState{ctx: a.context(make([]byte, contextBytes)), parent: -1, cell: -1}
	for i, s := range a.sides {
		initial := a.compile(a.model, s)
		root.sides[i] = a.start(i, s, initial)
	}
	a.layers = []layer{{}}
	if !a.finished(&root) {
		a.layers[0].states = []pairState{root}
	}
	a.total = 1
	for at := range a.vars {
		a.advance(int32(at))
		if a.options.Progress != nil {
			a.options.Progress(at+1, len(a.vars))
		}
	}
}

// start returns the first state of a policy.
func (a *automaton) start(i int, s *side, initial []step) int32 {
	x := sideState{score: s.policy.Scorecard.Base}
	a.ids32 = a.ids32[:0]
	for _, st := range initial {
		a.apply(&x, st)
	}
	return a.state(i, x, -1)
}

// apply adds the effect of a step to a state. It appends the rest of the clause, if any, to a.ids32.
func (a *automaton) apply(x *sideState, st step) {
	x.action = max(x.action, st.action)
	x.score += st.delta
	if st.term >= 0 {
		x.terms |= 1 << st.term
	}
	x.never = x.never || st.never
	if st.test >= 0 {
		x.tests |= 1 << st.test
	}
	if st.next >= 0 {
		a.ids32 = append(a.ids32, st.next)
	}
}

// state interns the state of a policy whose open clauses are in a.ids32. at is the position of the last known
// variable.
func (a *automaton) state(i int, x sideState, at int32) int32 {
	if x.never {
		return nobody
	}
	if x.action == engine.Decline {
		return dead
	}
	if x.settled {
		x.score = 0
	} else if a.knowsLadder(i, at) {
		a.settleScore(i, &x)
	}
	if x.settled && x.band == 0 {
		if a.settleBand(i, &x); x.action == engine.Decline {
			return dead
		}
	}
	a.ids32 = slices.DeleteFunc(a.ids32, func(id int32) bool {
		c := &a.all[id]
		switch c.kind {
		case ruleEffect:
			return max(c.onTrue, c.onUnknown) <= x.action
		case scoreEffect, factorEffect:
			return x.settled
		case testEffect: // settleBand has already removed the tests of bands that no longer matter
			return false
		default:
			return false
		}
	})
	x.list = a.list(a.ids32)
	id, ok := a.ids[i][x]
	if !ok {
		id = int32(len(a.states))
		a.states = append(a.states, x)
		a.ids[i][x] = id
		a.bytes += 120
	}
	return id
}

// settleScore marks the score as settled if all scores that can still be reached are in the same segment.
func (a *automaton) settleScore(i int, x *sideState) {
	least, most := x.score, x.score
	for _, id := range a.ids32 {
		least += a.all[id].least
		most += a.all[id].most
	}
	s := a.sides[i]
	l := s.ladder(x)
	if from := l.find(least); from == l.find(most) {
		x.settled, x.segment, x.score = true, int32(from), 0
	}
}

func indexOf(ntc bool) int {
	if ntc {
		return 1
	}
	return 0
}

// move returns the state of a policy after the variable at the given position is known to be in a cell.
func (a *automaton) move(i int, id, at int32, cell int) int32 {
	if id == dead {
		return dead
	}
	key := residualKey{nodeID(id), int32(cell)}
	if next, ok := a.moves[i][key]; ok {
		return next
	}
	x := a.states[id]
	if a.ntc >= 0 && a.model.vars[a.ntc].at == at {
		x.ntc = a.vars[at].cells[cell].set.Contains(space.True)
	}
	if a.sides[i].choice == engine.HighestScore && a.model.vars[a.other].at == at {
		x.rated = !a.vars[at].cells[cell].absent
	}
	a.ids32 = a.ids32[:0]
	for _, c := range a.lists[x.list].ids {
		if a.all[c].first > at {
			a.ids32 = append(a.ids32, c)
			continue
		}
		a.apply(&x, a.step(c, at, cell))
	}
	next := a.state(i, x, at)
	a.moves[i][key] = next
	return next
}

// finished reports whether the exploration can end at a state. If there is a goal and it knows the answer, its
// answer counts. Otherwise the exploration can end if both policies decide alike in every continuation of the
// state.
func (a *automaton) finished(p *pairState) bool {
	if a.goal != nil {
		if done, known := a.goal.finished(a, p); known {
			return done
		}
	}
	if p.sides[0] == dead && p.sides[1] == dead {
		return true
	}
	x, y := &a.states[p.sides[0]], &a.states[p.sides[1]]
	if p.sides[0] == dead || p.sides[1] == dead || x.list != y.list || x.action != y.action || x.terms != y.terms ||
		x.tests != y.tests || x.settled != y.settled || x.ntc != y.ntc || x.rated != y.rated {
		return false
	}
	if x.settled {
		s, t := a.sides[0].ladder(x).segments[x.segment], a.sides[1].ladder(y).segments[y.segment]
		switch {
		case s.cell != t.cell:
			return false
		case x.band == 0 && y.band == 0:
			return a.sides.sameSegment(s, t)
		default:
			return x.band != 0 && y.band != 0 && a.sides.sameBand(int(x.band)-1, int(y.band)-1)
		}
	}
	if x.score != y.score {
		return false
	}
	list := &a.lists[x.list]
	from, to := x.score+list.least, x.score+list.most
	if at := int32(len(a.layers)) - 2; !a.knowsLadder(0, at) || !a.knowsLadder(1, at) {
		return a.sides[0].choice == a.sides[1].choice && a.joint[0].same(from, to) && a.joint[1].same(from, to)
	}
	return a.joint[x.ladder()].same(from, to)
}

// advance computes the layer after the variable at the given position.
func (a *automaton) advance(at int32) {
	v := a.vars[at]
	from := &a.layers[at]
	from.edges = make([]int32, len(from.states)*len(v.cells))
	a.bytes += 4 * len(from.edges)
	for i := range a.moves {
		clear(a.moves[i])
	}
	a.layers = append(a.layers, layer{})
	from = &a.layers[at]
	to := &a.layers[at+1]
	known := map[[3]int32]int32{}
	moves := movesBetweenChecks
	for i := range from.states {
		s := &from.states[i]
		if moves += len(v.cells); moves > movesBetweenChecks {
			moves = 0
			a.stopped()
		}
		if a.late || a.truncated != "" && i >= beamOut { // if the time is over, nobody searches the states
			for k := i * len(v.cells); k < len(from.edges); k++ {
				from.edges[k] = -1
			}
			break
		}
		scoreless := v.scored && a.isNTC(s)
		for k := range v.cells {
			// The first cell is the state without a value. Cells are tried in order, so a witness leaves out every
			// field that it can. For the score and bureau_is_ntc the first cell is tried last, because requests without
			// a score are rejected.
			cell := k
			if v.scored || a.ntc >= 0 && v == a.model.vars[a.ntc] {
				cell = (k + 1) % len(v.cells)
			}
			edge := i*len(v.cells) + cell
			from.edges[edge] = -1
			if scoreless && !v.cells[cell].absent || !a.inOrder(s.ctx, at, cell) {
				continue
			}
			next := pairState{ctx: s.ctx, parent: int32(i), cell: int32(cell)}
			for side := range s.sides {
				next.sides[side] = a.move(side, s.sides[side], at, cell)
			}
			if next.sides[0] == nobody || next.sides[1] == nobody || a.finished(&next) {
				continue
			}
			if v.dim != noDim {
				next.ctx = a.with(s.ctx, v, cell)
			}
			next.ctx = a.remember(next.ctx, at, cell)
			key := [3]int32{next.sides[0], next.sides[1], next.ctx}
			if same := a.sameTenure(&next, v, cell); same != cell {
				key[2] = a.with(s.ctx, v, same)
			}
			id, ok := known[key]
			if !ok {
				if a.full() && len(to.states) >= beam {
					continue
				}
				id = int32(len(to.states))
				to.states = append(to.states, next)
				known[key] = id
				a.total++
				a.bytes += 80
			}
			from.edges[edge] = id
		}
	}
}

// movesBetweenChecks is the number of moves between two calls of Options.Check.
const movesBetweenChecks = 500

// beamOut is the number of states of a layer from which advance still continues after the budget is used up.
const beamOut = 100

// beam is the number of states that advance still adds to a layer after the budget is used up, so that an incomplete
// result has some of the differences.
const beam = 200

// full reports whether the budget is used up.
func (a *automaton) full() bool {
	if a.truncated == "" && (a.total >= a.options.MaxStates || a.bytes+a.clauses.bytes >= a.options.MaxBytes) {
		a.truncated = "the comparison needs more states than the budget allows"
	}
	return a.truncated != ""
}

func (a *automaton) isNTC(s *pairState) bool {
	return a.states[s.sides[0]].ntc || a.states[s.sides[1]].ntc
}

// contextOverhead is about the memory of a context besides its cells: its entries in ctxs and ctxIDs, and the free part
// of both.
const contextOverhead = 80

// context interns the cells of the lending facts. For each lending fact, cells has the index of its cell plus one,
// or 0 if the cell is not known.
func (a *automaton) context(cells []byte) int32 {
	id, ok := a.ctxIDs[string(cells)]
	if !ok {
		text := string(cells)
		id = int32(len(a.ctxs))
		a.ctxs = append(a.ctxs, text)
		a.ctxIDs[text] = id
		a.bytes += len(text) + contextOverhead
	}
	return id
}

// with returns the context that has the cells of ctx and, in addition, the cell of the variable v.
func (a *automaton) with(ctx int32, v *variable, cell int) int32 {
	cells := []byte(a.ctxs[ctx])
	if k := slices.Index(a.lending.vars, v); k >= 0 {
		binary.LittleEndian.PutUint16(cells[2*k:], uint16(cell+1))
	}
	return a.context(cells)
}

// cellIn returns the cell that a context has for the lending fact of dimension k.
func (a *automaton) cellIn(ctx int32, k int) int {
	return int(binary.LittleEndian.Uint16([]byte(a.ctxs[ctx][2*k:])[:2])) - 1
}
