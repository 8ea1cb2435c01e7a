package study

import (
	"context"
	"fmt"
	"time"

	"verdict/internal/backtest"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// The endpoints of backtests, as they are named in usage records.
const (
	EndpointBacktest = "POST /v1/backtest"
	EndpointBook     = "GET /v1/credit/backtest"
)

// The sources of the rows of a backtest.
const (
	sourceRows      = "rows"
	sourceCSV       = "csv"
	sourceSynthetic = "synthetic"
	sourceDecisions = "decisions"
)

// isUpload reports whether a source has rows that were uploaded.
func isUpload(source string) bool { return source == sourceRows || source == sourceCSV }

// The states of a run.
const (
	Receiving = store.BacktestReceiving // its rows are still arriving
	Queued    = store.BacktestQueued
	Running   = store.BacktestRunning
	Succeeded = store.BacktestSucceeded
	Failed    = store.BacktestFailed
	Cancelled = store.BacktestCancelled
)

// BacktestStates returns the states of a run by which lists can be filtered.
func BacktestStates() []string {
	return []string{Receiving, Queued, Running, Succeeded, Failed, Cancelled}
}

// BacktestLimits holds the limits of backtests. A zero field means its default.
type BacktestLimits struct {
	// SmallRows and SmallBytes are the maximum number of rows and the maximum size of a CSV file
	// for a run within the request; by default 50,000 and 8 MiB. For stored decisions, the maximum
	// number of rows is a tenth of SmallRows.
	SmallRows, SmallBytes int64
	// ChunkBytes is the size of a chunk of CSV; by default 4 MiB, at most 16 MiB. ChunkRows is the
	// number of rows in a chunk of generated rows; by default 100,000. ReplayRows is
	// the number of stored decisions in a chunk; by default 10,000.
	ChunkBytes            int
	ChunkRows, ReplayRows int64
	// CutTime is how long a job splits stored decisions into chunks before it yields
	// to other jobs; by default 10 seconds.
	CutTime time.Duration
	// MaxRows and MaxBytes limit a job; by default 100 million rows and 16 GiB after
	// decompression.
	MaxRows, MaxBytes int64
}

func (l *BacktestLimits) fill() {
	if l.SmallRows == 0 {
		l.SmallRows = 50_000
	}
	if l.SmallBytes == 0 {
		l.SmallBytes = 8 << 20
	}
	if l.ChunkBytes == 0 {
		l.ChunkBytes = 4 << 20
	}
	l.ChunkBytes = min(l.ChunkBytes, maxBlock)
	if l.ChunkRows == 0 {
		l.ChunkRows = 100_000
	}
	if l.ReplayRows == 0 {
		l.ReplayRows = 10_000
	}
	if l.CutTime == 0 {
		l.CutTime = 10 * time.Second
	}
	if l.MaxRows == 0 {
		l.MaxRows = 100_000_000
	}
	if l.MaxBytes == 0 {
		l.MaxBytes = 16 << 30
	}
}

// Backtest is a run of a backtest.
type Backtest struct {
	ID             string
	Status         string
	Source         string // where the rows came from
	RuleSetID      string
	ChallengerID   string // "" without a challenger
	Rows           int64  // 0 until all rows have arrived
	RowsDone       int64
	ErrorCode      string // the error code of a run that failed
	ErrorDetail    string
	CreatedBy      string
	CreatedMicros  int64
	StartedMicros  int64 // 0 until the first chunk is done
	FinishedMicros int64 // 0 before the run has ended

	// Report is the report of a run that has succeeded, nil in lists. It is JSON,
	// made when the run finished. The same bytes are stored and sent, so that the
	// report of a run never changes. Figures parses it.
	Report []byte
}

// Figures parses the report. It returns an error if the run has no report.
func (b *Backtest) Figures() (*backtest.Report, error) {
	v, err := wire.Parse(b.Report)
	if err == nil {
		var report *backtest.Report
		if report, err = backtest.ReadReport(v); err == nil {
			return report, nil
		}
	}
	return nil, fmt.Errorf("read the report of backtest %s: %w", b.ID, operation.AsDefect(err))
}

// Over reports whether the run has ended.
func (b *Backtest) Over() bool {
	return b.Status == Succeeded || b.Status == Failed || b.Status == Cancelled
}

func backtestOf(b *store.Backtest) Backtest {
	return Backtest{
		ID:             b.ID,
		Status:         b.Status,
		Source:         b.Source,
		RuleSetID:      b.RuleSetID,
		ChallengerID:   b.ChallengerID,
		Rows:           b.Rows,
		RowsDone:       b.RowsDone,
		ErrorCode:      b.ErrorCode,
		ErrorDetail:    b.ErrorDetail,
		CreatedBy:      b.CreatedBy,
		CreatedMicros:  b.CreatedMicros,
		StartedMicros:  b.StartedMicros,
		FinishedMicros: b.FinishedMicros,
		Report:         b.Report,
	}
}

// Get returns the state of a run. If the run has succeeded, the report is included.
// Get returns NotFound if there is no such run.
func (s *Backtests) Get(ctx context.Context, p tenant.Principal, id string) (Backtest, error) {
	if err := p.Require(tenant.Read); err != nil {
		return Backtest{}, err
	}
	record, err := s.find(ctx, s.core.Scope(p), id)
	return backtestOf(&record), err
}

func (s *Backtests) find(ctx context.Context, scope *store.Scope, id string) (store.Backtest, error) {
	if !tenant.Valid(tenant.KindBacktest, id) {
		return store.Backtest{}, fault.Missing("backtest")
	}
	return scope.Backtests(ctx).Get(id)
}

// List returns a page of runs, without their reports.
func (s *Backtests) List(
	ctx context.Context, p tenant.Principal, status string, l operation.List,
) (operation.Page[Backtest], error) {
	if err := p.Require(tenant.Read); err != nil {
		return operation.Page[Backtest]{}, err
	}
	filters := []string{"backtests", status}
	page, err := l.Page(p, filters...)
	if err != nil {
		return operation.Page[Backtest]{}, err
	}
	rows, more, err := s.core.Scope(p).Backtests(ctx).List(store.BacktestFilter{Status: status}, page)
	if err != nil {
		return operation.Page[Backtest]{}, err
	}
	list := make([]Backtest, len(rows))
	for i := range rows {
		list[i] = backtestOf(&rows[i])
	}
	place := func(b Backtest) (int64, string) { return b.CreatedMicros, b.ID }
	return operation.Paged(l, p, list, more, place, filters...), nil
}

// Cancel cancels an unfinished run, which is then not billed. Cancelling a cancelled
// run has no effect. A run that has succeeded or failed cannot be cancelled.
func (s *Backtests) Cancel(
	ctx context.Context, p tenant.Principal, id string, reply *operation.Reply[Backtest],
) (Backtest, error) {
	if err := p.Require(tenant.Decide); err != nil {
		return Backtest{}, err
	}
	if !tenant.Valid(tenant.KindBacktest, id) {
		return Backtest{}, fault.Missing("backtest")
	}
	now := s.core.Moment()
	return operation.Write(ctx, s.core, s.core.Scope(p), reply, func(tx *store.Tx) (Backtest, error) {
		record, ended, err := tx.Backtests().Cancel(id, now.UnixMicro())
		switch {
		case err != nil:
			return Backtest{}, err
		case !ended && record.Status != Cancelled:
			return Backtest{}, fault.New(fault.Conflict, fault.CodeInvalidTransition,
				"the backtest has already finished; only an unfinished backtest can be cancelled")
		case ended:
			if err := tx.Audit().Add(s.core.Audit(p, now, operation.ActionBacktestEnded, id, "")); err != nil {
				return Backtest{}, err
			}
		}
		return backtestOf(&record), nil
	})
}
