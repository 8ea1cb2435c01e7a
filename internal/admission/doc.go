// Package admission decides who may use how much of what a node has: places to
// work in, memory for bodies, processor time. Each is shared among owners: the
// tenant after its key is known, the network address before.
//
//   - Pool shares an amount, such as places or bytes: an owner may hold at most
//     as much as remains free, so one owner alone gets half, and another always
//     finds some left.
//   - Scheduler shares processor time by start-time fair queueing: of those who
//     wait, the owner that has used least goes next.
//   - Refusals counts what was refused, for a log line a second.
//
// Amounts beyond a bound are refused immediately instead of queued: a caller
// who hears within milliseconds that there is no capacity can retry or go
// elsewhere. Only the processor has a queue, and the places bound its length.
//
// What a refusal looks like is up to the caller. Everything here is safe for
// concurrent use.
package admission
