// Package study tries policies and scorecards on rows instead of applicants: backtests
// over files, synthetic books and stored decisions, small ones within the request and
// large ones in chunks, and scorecards fitted to labelled rows.
//
// The operations. Each checks what the caller may do first (Forbidden); besides the
// errors named here any may fail with one of storage.
//
//	RunBacktest
//	    runs a policy over rows, or has it done: Invalid with every fault, no_rows,
//	    malformed_body, NotFound of a rule set, no_active_policy, TooLarge,
//	    quota_exceeded, backtest_busy
//	RunBook
//	    runs a policy over a synthetic book: the same
//	Backtest, Backtests, CancelBacktest
//	    the runs: NotFound, invalid_transition, invalid_cursor
//	BacktestRows, BacktestPage, BacktestBody
//	    a run's result: NotFound, invalid_transition, backtest_expired
//	FitScorecard, FitFile, FittingFree
//	    make a scorecard from labelled rows: Invalid, no_rows, fitting_busy, cap_reached
//
// For whoever does the chunks of large backtests: RunChunk, AbandonBacktest and
// ResumeBacktests, which fail when storage does and are then tried again.
package study
