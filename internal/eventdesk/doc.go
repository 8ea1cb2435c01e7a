// Package eventdesk contains the use cases of events: what happened in a scope, in order
// and without gaps (ADR 23). An event is an entry of the scope's journal, so it is stored
// exactly once, in the transaction of the change that it reports.
//
// The operations, the scope that each requires, and their refusals besides
// insufficient_scope and unavailable:
//
//	Events        read           out_of_range, events_expired
//	KeptEvents    read           out_of_range
//	Oldest        read
package eventdesk
