// Package signal derives facts from a bureau history, a bank statement, a device, a
// location, and counts over other applicants. It makes no decisions; policies make
// them, and this package does not depend on policies. It does not count or look up
// anything itself: the counts, the lookup tables of places and the tenant's
// thresholds are arguments.
//
// A fact is derived only if its source is present. If the source does not state the
// fact, it is absent, never zero.
package signal
