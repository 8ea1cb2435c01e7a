// Package signal turns what was reported into derived facts, never a verdict:
// a bureau's history, a bank's statement, a phone, a place, and what other
// applicants have shown go in, named values come out, and what a policy makes
// of them is not known here. Counting and looking up are not here either: the
// counts, the tables of places and the tenant's thresholds are arguments.
//
// A fact is derived only when its source is there. What a source does not say
// leaves the fact absent; it is never a zero.
package signal
