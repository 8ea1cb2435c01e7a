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

// Endpoints of backtests, as usage names them.
const (
	EndpointBacktest = "POST /v1/backtest"
	EndpointBook     = "GET /v1/credit/backtest"
)

// Where the rows of a backtest come from.
const (
	sourceRows      = "rows"
	sourceCSV       = "csv"
	sourceSynthetic = "synthetic"
	sourceDecisions = "decisions"
)

// BacktestStates lists the states of a run, for those who filter by one.
func BacktestStates() []string {
	return []string{
		store.BacktestReceiving, store.BacktestQueued, store.BacktestRunning,
		store.BacktestSucceeded, store.BacktestFailed, store.BacktestCancelled,
	}
}

// BacktestLimits bound backtests. A zero field takes its default.
type BacktestLimits struct {
	// SmallRows and SmallBytes are how many rows, and how much CSV, are
	// answered within the request; 50,000 and 8 MiB.
	SmallRows, SmallBytes int64
	// ChunkBytes is how much CSV a job does in one go, ChunkRows how many
	// generated rows and ReplayRows how many stored decisions; 4 MiB, 100,000
	// and 10,000.
	ChunkBytes            int
	ChunkRows, ReplayRows int64
	// CutTime is how long a job goes on cutting stored decisions before it lets
	// others have their turn; 10 seconds.
	CutTime time.Duration
	// MaxRows and MaxBytes bound a job; 100 million and 16 GiB, unpacked.
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

// Chunk is a part of a backtest that one worker does.
type Chunk struct {
	TenantID, Environment, BacktestID string
	Number                            int64
}

// Spreader has chunks done, by this node or another: RunChunk is called for
// each at least once. To hand it a chunk again that it knows already, or that
// is done, does no harm.
type Spreader interface {
	Spread(ctx context.Context, chunks []Chunk) error
}

// Backtest is a run as it is shown.
type Backtest struct {
	store.Backtest
	listed bool // without its report
}

// Backtest is how a run stands, with its report when it is done.
func (s *Service) Backtest(ctx context.Context, p tenant.Principal, id string) (Backtest, error) {
	if err := p.Require(tenant.Read); err != nil {
		return Backtest{}, err
	}
	record, err := s.findBacktest(ctx, s.core.Scope(p), id)
	return Backtest{Backtest: record}, err
}

func (s *Service) findBacktest(ctx context.Context, scope *store.Scope, id string) (store.Backtest, error) {
	if !tenant.Valid(tenant.KindBacktest, id) {
		return store.Backtest{}, operation.Missing("backtest")
	}
	return scope.Backtests(ctx).Get(id)
}

// Backtests lists the runs, without their reports.
func (s *Service) Backtests(ctx context.Context, p tenant.Principal, status string, l operation.List) (operation.Page[Backtest], error) {
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

// CancelBacktest ends a run that is under way. Nothing of it is billed. One
// that was cancelled before stays so; one that is over cannot be.
func (s *Service) CancelBacktest(ctx context.Context, p tenant.Principal, id string, o *operation.Once) (operation.Answer, error) {
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

// Write writes how the run stands.
func (b Backtest) Write(w *wire.Writer) {
	w.Object().Key("backtest_id").String(b.ID).Key("status").String(b.Status).Key("source").String(b.Source)
	w.Key("rule_set_id").String(b.RuleSetID)
	operation.Optional(w, "challenger_rule_set_id", b.ChallengerID)
	w.Key("progress").Object().Key("rows_done").Int(b.RowsDone)
	if b.Status != store.BacktestReceiving && b.Rows > 0 { // how many will come nobody knows before the last has
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
