// Package signal derives facts from a bureau history, a bank statement, a device, a
// location, and counts over other applicants. It makes no decisions: policies do,
// and this package does not know them. It does no counting or lookups of its own
// either: the counts, the tables of places and the tenant's thresholds are
// arguments.
//
// A fact is derived only if its source is present. If the source does not state it,
// the fact is absent, never zero.
package signal
