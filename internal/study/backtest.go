package study

import (
	"context"
	"time"

	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// Endpoints of backtests, as named in usage.
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

// BacktestStates returns the states of a run by which lists can be filtered.
func BacktestStates() []string {
	return []string{
		store.BacktestReceiving, store.BacktestQueued, store.BacktestRunning,
		store.BacktestSucceeded, store.BacktestFailed, store.BacktestCancelled,
	}
}

// BacktestLimits holds the limits of backtests. A zero field means its default.
type BacktestLimits struct {
	// SmallRows and SmallBytes are the largest number of rows and the largest CSV
	// file that are answered within the request; by default 50,000 and 8 MiB.
	SmallRows, SmallBytes int64
	// ChunkBytes is the size of a chunk of CSV, ChunkRows that of a chunk of
	// generated rows and ReplayRows that of a chunk of stored decisions; by default
	// 4 MiB, 100,000 and 10,000.
	ChunkBytes            int
	ChunkRows, ReplayRows int64
	// CutTime is how long a job splits stored decisions into chunks before it yields
	// to other jobs; by default 10 seconds.
	CutTime time.Duration
	// MaxRows and MaxBytes bound a job; by default 100 million and 16 GiB, unpacked.
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

// Chunk names a part of a backtest that one worker runs.
type Chunk struct {
	TenantID, Environment, BacktestID string
	Number                            int64
}

// Spreader enqueues chunks. Chunks.Run is then called for each at least once, on this
// node or another. Enqueuing a chunk again is harmless.
type Spreader interface {
	Spread(ctx context.Context, chunks []Chunk) error
}

// Backtest is a run as it is shown.
type Backtest struct {
	store.Backtest
	listed bool // part of a list, without its report
}

// Get returns the state of a run, with its report if it is done.
func (s *Backtests) Get(ctx context.Context, p tenant.Principal, id string) (Backtest, error) {
	if err := p.Require(tenant.Read); err != nil {
		return Backtest{}, err
	}
	record, err := s.find(ctx, s.core.Scope(p), id)
	return Backtest{Backtest: record}, err
}

func (s *Backtests) find(ctx context.Context, scope *store.Scope, id string) (store.Backtest, error) {
	if !tenant.Valid(tenant.KindBacktest, id) {
		return store.Backtest{}, operation.Missing("backtest")
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
	for i, row := range rows {
		list[i] = Backtest{Backtest: row, listed: true}
	}
	return operation.Paged(l, p, list, more, func(b Backtest) (int64, string) { return b.CreatedMicros, b.ID }, filters...), nil
}

// Cancel cancels an unfinished run, which is then not billed. Cancelling a
// cancelled run has no effect. A run that is done or has failed cannot be cancelled.
func (s *Backtests) Cancel(
	ctx context.Context, p tenant.Principal, id string, o *operation.Once,
) (operation.Answer, error) {
	if err := p.Require(tenant.Decide); err != nil {
		return operation.Answer{}, err
	}
	if !tenant.Valid(tenant.KindBacktest, id) {
		return operation.Answer{}, operation.Missing("backtest")
	}
	now := s.core.Moment()
	return s.core.Write(ctx, s.core.Scope(p), o, func(tx *store.Tx) (operation.Answer, error) {
		record, ended, err := tx.Backtests().Cancel(id, now.UnixMicro())
		switch {
		case err != nil:
			return operation.Answer{}, err
		case !ended && record.Status != store.BacktestCancelled:
			return operation.Answer{}, fault.New(fault.Conflict, fault.CodeInvalidTransition,
				"the backtest is over; only one that is under way can be cancelled")
		case ended:
			if err := tx.Audit().Add(s.core.Audit(p, now, operation.ActionBacktestEnded, id, "")); err != nil {
				return operation.Answer{}, err
			}
		}
		return operation.Answer{Status: operation.StatusOK, Body: Backtest{Backtest: record}.body()}, nil
	})
}

func (b Backtest) body() []byte {
	w := wire.Writer{Buf: make([]byte, 0, len(b.Report)+1<<10)}
	b.Write(&w)
	return w.Buf
}

// Write writes the state of the run.
func (b Backtest) Write(w *wire.Writer) {
	w.Object().Key("backtest_id").String(b.ID).Key("status").String(b.Status).Key("source").String(b.Source)
	w.Key("rule_set_id").String(b.RuleSetID)
	operation.Optional(w, "challenger_rule_set_id", b.ChallengerID)
	w.Key("progress").Object().Key("rows_done").Int(b.RowsDone)
	if b.Status != store.BacktestReceiving && b.Rows > 0 { // the total is unknown while rows arrive
		w.Key("rows_total").Int(b.Rows)
	}
	w.EndObject()
	if !b.listed {
		w.Key("report")
		if len(b.Report) == 0 {
			w.Null()
		} else {
			w.Raw(b.Report)
		}
	}
	w.Key("error")
	if b.ErrorCode == "" {
		w.Null()
	} else {
		w.Object().Key("code").String(b.ErrorCode).Key("detail").String(b.ErrorDetail).EndObject()
	}
	w.Key("created_at").String(operation.Clock(b.CreatedMicros)).Key("created_by").String(b.CreatedBy)
	operation.OptionalTime(w, "started_at", b.StartedMicros)
	operation.OptionalTime(w, "finished_at", b.FinishedMicros)
	w.EndObject()
}
