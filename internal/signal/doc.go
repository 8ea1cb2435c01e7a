// Package signal turns what was reported into derived facts, never a verdict:
// a bureau's history and a bank's statement go in, named values come out, and
// what a policy makes of them is not known here.
//
// A fact is derived only when its source is there. What a source does not say
// leaves the fact absent; it is never a zero.
package signal
