package prover

import (
	"encoding/binary"
	"slices"
)

// nodeID identifies a formula. Equal formulas have the same id.
type nodeID int32

// The constant formulas.
const (
	falseNode nodeID = iota
	trueNode
)

type nodeKind uint8

const (
	constantNode nodeKind = iota
	literalNode
	andNode
	orNode
)

// node is a formula without negation: a literal, or a conjunction or disjunction of formulas.
type node struct {
	kind  nodeKind
	first int32  // position of the first variable that the formula reads; noPosition if there is none
	at    int32  // position of the literal's variable; set only for a literal
	cells bitset // cells of that variable in which the literal is true; set only for a literal
	kids  []nodeID
}

// noPosition is a position after all variables.
const noPosition = int32(1) << 30

// bitset is a set of small numbers.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) has(i int) bool { return b[i>>6]>>(i&63)&1 != 0 }
func (b bitset) set(i int)      { b[i>>6] |= 1 << (i & 63) }

// formulas interns formulas.
type formulas struct {
	nodes []node
	ids   map[string]nodeID
	sizes []int // by position: the number of cells of the variable
	key   []byte

	// residuals caches the results of assign for the variable at position f.at.
	at        int32
	residuals map[residualKey]nodeID
}

type residualKey struct {
	id   nodeID
	cell int32
}

func newFormulas(sizes []int) *formulas {
	return &formulas{
		nodes:     []node{{first: noPosition}, {first: noPosition}},
		ids:       map[string]nodeID{},
		sizes:     sizes,
		at:        -1,
		residuals: map[residualKey]nodeID{},
	}
}

// literal returns the formula that is true if the variable at the given position is in one of the cells.
func (f *formulas) literal(at int32, cells bitset) nodeID {
	count := 0
	for i := range f.sizes[at] {
		if cells.has(i) {
			count++
		}
	}
	switch count {
	case 0:
		return falseNode
	case f.sizes[at]:
		return trueNode
	}
	f.key = binary.LittleEndian.AppendUint32(append(f.key[:0], byte(literalNode)), uint32(at))
	for _, word := range cells {
		f.key = binary.LittleEndian.AppendUint64(f.key, word)
	}
	return f.intern(node{kind: literalNode, first: at, at: at, cells: cells})
}

func (f *formulas) intern(n node) nodeID {
	if id, ok := f.ids[string(f.key)]; ok {
		return id
	}
	id := nodeID(len(f.nodes))
	f.ids[string(f.key)] = id
	f.nodes = append(f.nodes, n)
	return id
}

// join returns the conjunction or the disjunction of formulas. It merges literals of the same variable.
func (f *formulas) join(kind nodeKind, kids []nodeID) nodeID {
	neutral, decisive := trueNode, falseNode
	if kind == orNode {
		neutral, decisive = falseNode, trueNode
	}
	list := make([]nodeID, 0, len(kids))
	var literals []variableCells
	for _, kid := range kids {
		switch n := &f.nodes[kid]; {
		case kid == decisive:
			return decisive
		case kid == neutral:
		case n.kind == kind:
			for _, inner := range n.kids {
				if f.nodes[inner].kind == literalNode {
					literals = f.gather(literals, kind, inner)
				} else {
					list = append(list, inner)
				}
			}
		case n.kind == literalNode:
			literals = f.gather(literals, kind, kid)
		default:
			list = append(list, kid)
		}
	}
	for _, l := range literals {
		switch id := f.literal(l.at, l.cells); id {
		case decisive:
			return decisive
		case neutral:
		default:
			list = append(list, id)
		}
	}
	slices.Sort(list)
	list = slices.Compact(list)
	switch len(list) {
	case 0:
		return neutral
	case 1:
		return list[0]
	}
	n := node{kind: kind, first: noPosition, kids: list}
	f.key = append(f.key[:0], byte(kind))
	for _, kid := range list {
		f.key = binary.LittleEndian.AppendUint32(f.key, uint32(kid))
		n.first = min(n.first, f.nodes[kid].first)
	}
	return f.intern(n)
}

// variableCells is a set of cells of the variable at a position.
type variableCells struct {
	at    int32
	cells bitset
}

// gather combines a literal with the other literals of the same variable: it intersects their cells for "and" and
// unites them for "or".
func (f *formulas) gather(literals []variableCells, kind nodeKind, id nodeID) []variableCells {
	n := &f.nodes[id]
	for _, l := range literals {
		if l.at != n.at {
			continue
		}
		for i := range l.cells {
			if kind == andNode {
				l.cells[i] &= n.cells[i]
			} else {
				l.cells[i] |= n.cells[i]
			}
		}
		return literals
	}
	return append(literals, variableCells{n.at, slices.Clone(n.cells)})
}

// assign returns the formula that remains once the variable at the given position is known to be in a cell. Positions
// must be assigned in ascending order.
func (f *formulas) assign(id nodeID, at int32, cell int) nodeID {
	n := &f.nodes[id]
	switch {
	case n.first > at:
		return id
	case n.kind == literalNode:
		if n.cells.has(cell) {
			return trueNode
		}
		return falseNode
	}
	if f.at != at {
		f.at = at
		clear(f.residuals)
	}
	key := residualKey{id, int32(cell)}
	if known, ok := f.residuals[key]; ok {
		return known
	}
	kids := make([]nodeID, 0, len(n.kids))
	kind := n.kind
	for _, kid := range slices.Clone(n.kids) {
		kids = append(kids, f.assign(kid, at, cell))
	}
	rest := f.join(kind, kids)
	f.residuals[key] = rest
	return rest
}

// possible returns whether the formula can be false (bit 0) and whether it can be true (bit 1). The function truth
// returns the same two bits for each literal. Literals are treated as independent of each other.
func (f *formulas) possible(id nodeID, truth func(n *node) uint8) uint8 {
	n := &f.nodes[id]
	switch n.kind {
	case constantNode:
		return 1 << id
	case literalNode:
		return truth(n)
	}
	decisive, neutral := uint8(1), uint8(2)
	if n.kind == orNode {
		decisive, neutral = neutral, decisive
	}
	out := neutral
	for _, kid := range n.kids {
		t := f.possible(kid, truth)
		if t&neutral == 0 {
			return decisive
		}
		out |= t & decisive
	}
	return out
}
