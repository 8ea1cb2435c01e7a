package evidence

import "golang.org/x/mod/sumdb/tlog"

// Roots computes the root of a log from its leaves, in one pass and with little memory.
// The zero value is the empty log.
type Roots struct {
	size int64
	// subtrees are the roots of the complete subtrees, from left to right. Their sizes are the powers of two whose
	// sum is the size of the log.
	subtrees []tlog.Hash
}

// Add adds the hash of the next leaf.
func (r *Roots) Add(leaf tlog.Hash) {
	for size := r.size; size&1 == 1; size >>= 1 {
		last := len(r.subtrees) - 1
		leaf, r.subtrees = tlog.NodeHash(r.subtrees[last], leaf), r.subtrees[:last]
	}
	r.subtrees = append(r.subtrees, leaf)
	r.size++
}

// Size returns the number of leaves.
func (r *Roots) Size() int64 { return r.size }

// Root returns the root of the leaves so far. There must be at least one.
func (r *Roots) Root() tlog.Hash {
	root := r.subtrees[len(r.subtrees)-1]
	for i := len(r.subtrees) - 2; i >= 0; i-- {
		root = tlog.NodeHash(r.subtrees[i], root)
	}
	return root
}
