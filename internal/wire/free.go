package wire

import "sync"

// freed pools the lists of nodes of documents that are no longer used. The
// nodes of a large request take half a megabyte. Reused memory may still be in
// the processor's cache, need not be cleared, and causes no garbage collection.
var freed = sync.Pool{New: func() any { return new([]node) }}

// maxFreed is the maximum capacity of a pooled list, so that the nodes of rare
// huge documents do not stay in memory.
const maxFreed = 1 << 17

// newNodes returns an empty list with capacity for at least n nodes.
func newNodes(n int) []node {
	if list, ok := freed.Get().(*[]node); ok && cap(*list) >= n {
		return (*list)[:0]
	}
	return make([]node, 0, n)
}

// Free releases the memory of the document that v belongs to. No value of the
// document may be used afterwards, because the memory may already be in use for
// another request; using such a value panics. Texts read from the document stay
// valid.
func (v Value) Free() {
	if v.doc == nil {
		return
	}
	list := v.doc.nodes
	v.doc.nodes = nil
	if cap(list) <= maxFreed {
		freed.Put(&list)
	}
}
