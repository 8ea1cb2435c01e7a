// Package study tests policies on rows of data and fits scorecards to labelled rows.
// Backtests run over files, synthetic books and stored decisions: small runs within the
// request, large runs in chunks.
//
// There are four services over one database. Besides the errors listed here, any
// operation may fail with a storage error.
//
// Backtests runs policies over rows. Each operation first checks the caller's
// permissions (Forbidden):
//
//	Run
//	    runs a policy over rows or enqueues it: Invalid with every fault, no_rows,
//	    malformed_body, NotFound of a rule set, no_active_policy, TooLarge,
//	    quota_exceeded, backtest_busy
//	RunBook
//	    runs a policy over a synthetic book: the same errors
//	Get, List, Cancel
//	    return and cancel runs: NotFound, invalid_transition, invalid_cursor
//	MaxRows
//	    returns the maximum number of rows of a run, to anybody
//	Rows, Page, Body
//	    return the result of a run: NotFound, invalid_transition, backtest_expired
//
// Fitting fits scorecards to labelled rows:
//
//	Fit
//	    fits a scorecard: Forbidden, Invalid, no_rows, fitting_busy, cap_reached
//	Free
//	    checks whether a fit could begin now: fitting_busy
//
// Comparisons compares two versions of a policy for all applicants:
//
//	Diff
//	    compares them and counts stored decisions or the rows of a synthetic book by kind of change: Forbidden,
//	    Invalid, NotFound, no_active_policy, Unavailable, and if rows must be looked up list_missing or table_missing
//	Effect
//	    decides the latest applications again with a draft and with its base: Forbidden, Unavailable, list_missing,
//	    table_missing
//	Absence
//	    counts how often the fields of requests were absent in the latest applications of a policy: Forbidden,
//	    Unavailable
//
// Chunks is for the workers that run the chunks of large backtests. Its operations are
// Run, Abandon and Resume. They fail if storage fails; the workers then retry them.
package study
