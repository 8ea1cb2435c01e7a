package wire

import "sync"

// freed are the nodes of documents that nobody reads any more. Those of a large
// request are half a megabyte: memory that is still in the processor's cache,
// need not be cleared, and is none for the garbage collector to find.
var freed = sync.Pool{New: func() any { return new([]node) }}

// maxFreed is how many nodes are worth keeping; a rare giant must not stay.
const maxFreed = 1 << 17

// room is an empty list with room for n nodes at least.
func room(n int) []node {
	if list, ok := freed.Get().(*[]node); ok && cap(*list) >= n {
		return (*list)[:0]
	}
	return make([]node, 0, n)
}

// Free gives back the memory of a document, of which v is any value. No value
// of the document may be used afterwards: it panics, for the memory may hold
// another request by then. Texts that were read from it stay good.
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
