// Package torture runs the real binary with real clients under real faults and
// checks every answer against a model.
//
// The world is made of processes: nodes of the service, a PostgreSQL server of
// their own, a proxy between the two, a small disk, a clock that can be moved. A
// scenario is a loop of rounds; each round lets the workload run, does something
// terrible to the world at a moment that the seed chooses, mends it, and has the
// workload settle and check what it was told. The model knows nothing of how the
// service stores things: it speaks HTTP alone and remembers every answer.
//
// How the two sides meet:
//
//   - SetUp is called once, in a healthy world. It gets the URL of a node.
//   - Run is called once for each round and returns after its context has ended
//     and every request under way has come to its end (at most 15 seconds). A
//     client picks one of urls() for each request; the list changes while it runs
//     and may be empty for a moment, when every node is down: clients then wait.
//   - MarkFault(kind, true) comes before the fault begins and MarkFault(kind,
//     false) after the world is whole again; the faults may overlap. A request of
//     which any moment lies inside a fault may be refused (503, 429) or stay
//     unanswered. A kill counts as a fault until the node is ready again. From
//     off to the next 200 is the recovery of that fault.
//   - Settle and Check are called after Run has returned, in a healthy world.
//     Check may be called many times; it looks at what is new since the last
//     call, and at everything when told so by nothing more than its own seed.
//   - A scenario waits for Answered to grow, never for time alone: a slow machine
//     must have done something before the world breaks.
//   - Nodes are started with Workload.Flags: rates that nobody reaches, and the
//     small plans whose quota is raced. Workload.Operator, set before SetUp, runs a
//     command of the binary against the world's database ("tenant", "plan", ID,
//     NAME; the world adds -database-url): SetUp and Settle raise the small quota.
//   - CheckAll looks at everything again, and ends a scenario. Scan reads a node's
//     log and finds what must not stand in it.
//   - An Idempotency-Key is remembered for 24 hours of the node's clock. Whoever
//     moves the clock that far forward does so after Settle and outside of Run.
//     While MarkFault("clock", true) holds, usage seen may be less than what was
//     billed, since it is that of one month; Check once in every month that the
//     clock has been in, then with the fault off: all months together must be it.
package torture
