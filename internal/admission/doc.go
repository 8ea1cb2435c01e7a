// Package admission shares the resources of a node among owners: concurrent
// requests, memory for bodies, and processor time. The owner of a request is its
// tenant once the key is known, and its network address before.
//
//   - Pool shares an amount, such as places or bytes: an owner may hold at most
//     as much as remains free, so one owner alone gets half, and another always
//     finds some left.
//   - Scheduler shares processor time by start-time fair queueing: of those who
//     wait, the owner that has used least goes next.
//   - Refusals counts refusals, so that at most one log line a second is written.
//
// Amounts beyond a bound are refused immediately instead of queued: a caller who
// learns within milliseconds that there is no capacity can retry or go elsewhere.
// Only the processor has a queue, and the places bound its length.
//
// The caller decides how to answer a refused request. All types are safe for
// concurrent use.
package admission
