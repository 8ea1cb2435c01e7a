// Package study tries policies and scorecards on rows instead of applicants: backtests
// over files, synthetic books and stored decisions, small ones within the request and
// large ones in chunks, and scorecards fitted to labelled rows.
//
// There are three services over one database. Besides the errors named here any
// operation may fail with one of storage.
//
// Backtests runs policies over rows. Each operation checks what the caller may do first
// (Forbidden):
//
//	Run
//	    runs a policy over rows, or has it done: Invalid with every fault, no_rows,
//	    malformed_body, NotFound of a rule set, no_active_policy, TooLarge,
//	    quota_exceeded, backtest_busy
//	RunBook
//	    runs a policy over a synthetic book: the same
//	Get, List, Cancel
//	    the runs: NotFound, invalid_transition, invalid_cursor
//	Rows, Page, Body
//	    a run's result: NotFound, invalid_transition, backtest_expired
//
// Fitting makes scorecards from labelled rows:
//
//	Fit
//	    fits a scorecard: Forbidden, Invalid, no_rows, fitting_busy, cap_reached
//	Free
//	    says whether a fit could begin now: fitting_busy
//
// Chunks is for the workers that do the chunks of large backtests: Run, Abandon and
// Resume, which fail when storage does and are then tried again.
package study
