// Package admission shares the resources of a node among owners: concurrent
// requests, memory for bodies, and processor time. The owner of a request is its
// tenant once the key is known, and its network address before.
//
//   - Pool shares an amount, such as concurrent requests or bytes. An owner may hold
//     about as much as remains free, so one owner alone gets about half, and units
//     remain for others.
//   - Scheduler shares processor time by start-time fair queueing: of the waiting
//     owners, the one that has used the least time goes next.
//   - Refusals counts refusals, so that at most one log line a second is written.
//
// Pool does not queue a request for an amount that the owner may not hold, but refuses
// it immediately: a caller that learns within milliseconds that there is no capacity
// can retry or use another node. Only the processor has a queue. The limit on
// concurrent requests also bounds the length of that queue.
//
// The caller decides how to answer a refused request. All types are safe for
// concurrent use.
package admission
