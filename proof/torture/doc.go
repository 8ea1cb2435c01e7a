// Package torture runs the real binary with real clients under real faults and
// checks every answer against a model.
//
// The world consists of nodes of the service, a private PostgreSQL server, a
// proxy between the two, a small disk, and a clock that can be moved. A
// scenario is a sequence of rounds. In each round the workload runs while the
// scenario begins a fault, at a moment that the seed determines, and ends it
// again. Then the workload settles and checks every answer. The model does not
// read the service's storage. It uses only HTTP and records every answer.
//
// How scenario and workload interact:
//
//   - SetUp is called once, in a healthy world, with the URL of a node.
//   - Run is called once for each round. It returns after its context has ended
//     and every request in progress is complete. An attempt takes at most 15
//     seconds. A client picks one of urls() for each request. The list changes
//     during Run. It is empty while every node is down, and clients then wait.
//   - MarkFault(kind, true) is called before a fault begins and MarkFault(kind,
//     false) after the world is healthy again; faults may overlap. A request that
//     overlaps with a fault, or begins within 12 seconds after it, may be refused
//     (503, 429) or stay unanswered. A kill counts as a fault until the node is
//     ready again. The time from the end of the fault to the next successful
//     write is the recovery time of that fault.
//   - Settle and Check are called after Run has returned, in a healthy world.
//     Check may be called many times. It checks what is new since the last call,
//     and at intervals everything.
//   - A scenario waits until Answered has grown, never only for a time: even a
//     slow machine must have answered requests before a fault begins.
//   - Nodes are started with Workload.Flags, which set rate limits that are never
//     reached, and plans with a small quota. Workload.Operator must be set before
//     SetUp. It runs a command of the binary on the world's database ("tenant",
//     "plan", ID, NAME; the world adds the URL of the database). SetUp and Settle
//     use it to raise the small quota.
//   - CheckAll checks everything again. It is called at the end of a scenario
//     at the latest. Scan reads a node's log and finds texts that must not be
//     in it.
//   - An Idempotency-Key is stored for 24 hours of the node's clock. A scenario
//     that moves the clock so far forward must do so after Settle and outside of
//     Run. Between MarkFault("clock", true) and MarkFault("clock", false), the
//     usage that Check reads may be less than the billed usage, because it is the
//     usage of one month. Check is therefore called once in every month that the
//     clock has been in, and once more with the fault off: all months together
//     must equal the billed usage.
package torture
