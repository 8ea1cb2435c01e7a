package sealing

// MaxSplits is the maximum number of splits in succession: of a tree, then of a part of it, and so
// on.
const MaxSplits = 7

// IsSplit reports whether the tree was split, so that the keys are in its parts.
func (t *KeyTree) IsSplit() bool { return t.split }

// Part returns the index of the part that has the key of a name after a split. level is 0 if a whole tree was split,
// 1 if one of its parts was split, and so on.
func (t *KeyTree) Part(name string, level int) int { return int(t.point(name).child(level)) }

// Split divides a tree into 16 parts, by the step of the points at a level (see Part). It returns
// what remains of the tree, which has no keys, and the parts. Each part has the keys of the names
// for which Part returns its index.
func (t *KeyTree) Split(level int) (left *KeyTree, parts []*KeyTree) {
	parts = make([]*KeyTree, children)
	for i := range parts {
		parts[i] = &KeyTree{names: t.names}
	}
	for i := range t.nodes {
		n := &t.nodes[i]
		if int(n.level) > level {
			part := parts[n.prefix.child(level)]
			part.nodes = append(part.nodes, *n)
			continue
		}
		for step, part := range parts { // the node covers all parts
			part.nodes = append(part.nodes, n.child(byte(step))) // fewer than 16
		}
	}
	return &KeyTree{names: t.names, split: true}, parts
}

func (n *node) child(step byte) node {
	prefix := n.prefix
	if at := &prefix[n.level/2]; n.level%2 == 0 {
		*at |= step << 4
	} else {
		*at |= step
	}
	return node{prefix: prefix, level: n.level + 1, secret: descend(&n.secret, step)}
}
