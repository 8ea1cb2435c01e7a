package httpapi

import (
	"verdict/internal/admission"
	"verdict/internal/serving"
)

// resources records which of the node's resources a request uses until it is
// answered.
type resources struct {
	node      *serving.Node
	owner     string          // the owner whose share is used: a tenant id, or an address if there is no key
	pool      *admission.Pool // the pool in which the request has a place, nil if it has none
	exporting bool            // the request has a place in the pool of exports
	slot      *admission.Slot // the request's processor slot
	buffer    *buffer         // holds the body while it is received
	memory    int64           // reserved for the body, in bytes
}

// enter takes a place in a pool of requests in progress. It returns errShare if
// the owner's share is used up.
func (h *resources) enter(pool *admission.Pool) error {
	if !pool.Take(h.owner, 1) {
		return errShare
	}
	h.pool = pool
	return nil
}

// enterExports takes a place in the pool of exports. It returns errExports if
// the owner's share is used up.
func (h *resources) enterExports() error {
	if !h.node.Exports.Take(h.owner, 1) {
		return errExports
	}
	h.exporting = true
	return nil
}

// reserve takes memory for a body. It returns errMemory if the owner's share is
// used up.
func (h *resources) reserve(bytes int64) error {
	if !h.node.Memory.Take(h.owner, bytes) {
		return errMemory
	}
	h.memory += bytes
	return nil
}

// stopWork gives up the slot and the place in the pool of requests in progress.
func (h *resources) stopWork() {
	h.slot.Leave()
	if h.pool != nil {
		h.pool.Give(h.owner, 1)
		h.pool = nil
	}
}

// release releases all resources.
func (h *resources) release() {
	h.stopWork()
	h.buffer.release()
	h.node.Memory.Give(h.owner, h.memory)
	if h.exporting {
		h.node.Exports.Give(h.owner, 1)
	}
}
