package store

import (
	"context"

	"verdict/internal/fault"
)

// The states of a backtest. It is receiving while its input arrives, and over
// in the last three.
const (
	BacktestReceiving = "receiving"
	BacktestQueued    = "queued"
	BacktestRunning   = "running"
	BacktestSucceeded = "succeeded"
	BacktestFailed    = "failed"
	BacktestCancelled = "cancelled"
)

// Backtest is one run of a policy over past applications. Its input and what
// was made of it so far are its chunks.
type Backtest struct {
	ID           string
	Status       string
	Source       string // where the rows came from
	RuleSetID    string
	ChallengerID string // "" without one
	Setup        []byte // how the rows are to be read
	Request      []byte
	Rows         int64 // known once the input is whole
	RowsDone     int64
	Chunks       int64
	ChunksDone   int64
	Report       []byte // empty until it has succeeded
	ErrorCode    string
	ErrorDetail  string
	CreatedBy    string

	CreatedMicros, StartedMicros, FinishedMicros int64
	Purged                                       bool // its chunks are not kept any more
}

// Over tells whether nothing changes any more.
func (b *Backtest) Over() bool {
	return b.Status == BacktestSucceeded || b.Status == BacktestFailed || b.Status == BacktestCancelled
}

// backtestColumns are all but the documents, which can be large.
const backtestColumns = `id, status, source, rule_set_id, challenger_id, row_count, rows_done, chunk_count, chunks_done,
	error_code, error_detail, created_by, created_micros, started_micros, finished_micros, purged`

func (b *Backtest) fields() []any {
	return []any{
		&b.ID, &b.Status, &b.Source, &b.RuleSetID, &b.ChallengerID, &b.Rows, &b.RowsDone, &b.Chunks, &b.ChunksDone,
		&b.ErrorCode, &b.ErrorDetail, &b.CreatedBy, &b.CreatedMicros, &b.StartedMicros, &b.FinishedMicros, &b.Purged,
	}
}

// InsertBacktest stores a backtest as it is given: one that was run at once is
// over already.
func (tx *Tx) InsertBacktest(b Backtest) error {
	_, err := tx.exec(`INSERT INTO backtests (tenant_id, environment, id, status, source, rule_set_id, challenger_id, setup, request,
		row_count, rows_done, chunk_count, chunks_done, report, error_code, error_detail, created_by,
		created_micros, started_micros, finished_micros, purged)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)`,
		b.ID, b.Status, b.Source, b.RuleSetID, b.ChallengerID, present(b.Setup), present(b.Request),
		b.Rows, b.RowsDone, b.Chunks, b.ChunksDone, present(b.Report), b.ErrorCode, b.ErrorDetail, b.CreatedBy,
		b.CreatedMicros, b.StartedMicros, b.FinishedMicros, flag(b.Purged))
	return err
}

// Backtest finds a backtest by id.
func (tx *Tx) Backtest(id string) (Backtest, error) {
	var b Backtest
	err := tx.one(append(b.fields(), &b.Setup, &b.Request, &b.Report),
		"SELECT "+backtestColumns+", setup, request, report FROM backtests WHERE tenant_id = $1 AND environment = $2 AND id = $3", id)
	return b, oneOf("backtest", err)
}

// lockBacktest finds a backtest without its documents and keeps others from
// changing it until the transaction ends. All that move a run do so first, so
// that what they then read of it and of its chunks is of one moment.
func (tx *Tx) lockBacktest(id string) (Backtest, error) {
	var b Backtest
	err := tx.one(b.fields(), "SELECT "+backtestColumns+" FROM backtests WHERE tenant_id = $1 AND environment = $2 AND id = $3"+
		tx.session.db.dialect.forUpdate(), id)
	return b, oneOf("backtest", err)
}

// BacktestFilter narrows a list; an empty field does not.
type BacktestFilter struct{ Status string }

// ListBacktests is a page of the scope's backtests without their documents,
// and whether there are more.
func (tx *Tx) ListBacktests(f BacktestFilter, p Page) ([]Backtest, bool, error) {
	q := listOf("SELECT " + backtestColumns + " FROM backtests WHERE tenant_id = $1 AND environment = $2")
	q.is("status", f.Status)
	q.page(p)
	return list(tx, q, p, func(scan func(...any) error) (b Backtest, err error) {
		err = scan(b.fields()...)
		return b, err
	})
}

// QueueBacktest says that the input of a backtest is whole. Conflict
// invalid_transition when it is not receiving any more.
func (tx *Tx) QueueBacktest(id string, rows, chunks int64) error {
	b, err := tx.lockBacktest(id)
	if err != nil {
		return err
	}
	if b.Status != BacktestReceiving {
		return fault.New(fault.Conflict, fault.CodeInvalidTransition,
			"a backtest in the state %s cannot be queued", b.Status)
	}
	_, err = tx.exec(`UPDATE backtests SET status = $4, row_count = $5, chunk_count = $6
		WHERE tenant_id = $1 AND environment = $2 AND id = $3`, id, BacktestQueued, rows, chunks)
	return err
}

// FinishBacktest ends a run with its status, report, error and time, and tells
// whether it did: a run ends once, and none succeeds while a chunk is missing.
func (tx *Tx) FinishBacktest(b Backtest) (finished bool, err error) {
	was, err := tx.lockBacktest(b.ID)
	if err != nil || was.Over() {
		return false, err
	}
	if b.Status == BacktestSucceeded && (was.Status == BacktestReceiving || was.ChunksDone < was.Chunks) {
		return false, nil
	}
	_, err = tx.exec(`UPDATE backtests SET status = $4, report = $5, error_code = $6, error_detail = $7, finished_micros = $8
		WHERE tenant_id = $1 AND environment = $2 AND id = $3`,
		b.ID, b.Status, present(b.Report), b.ErrorCode, b.ErrorDetail, b.FinishedMicros)
	return err == nil, err
}

// CancelBacktest ends a run that is not over, and tells whether it did. The run
// is returned as it is then, without its documents.
func (tx *Tx) CancelBacktest(id string, nowMicros int64) (Backtest, bool, error) {
	b, err := tx.lockBacktest(id)
	if err != nil || b.Over() {
		return b, false, err
	}
	b.Status, b.FinishedMicros = BacktestCancelled, nowMicros
	_, err = tx.exec(`UPDATE backtests SET status = $4, finished_micros = $5
		WHERE tenant_id = $1 AND environment = $2 AND id = $3`, b.ID, b.Status, b.FinishedMicros)
	return b, err == nil, err
}

// InsertBacktest is Tx.InsertBacktest and an audit entry in a transaction of
// their own.
func (s *Scope) InsertBacktest(ctx context.Context, b Backtest, audit AuditEntry) error {
	return s.Write(ctx, func(tx *Tx) error {
		if err := tx.InsertBacktest(b); err != nil {
			return err
		}
		return tx.insertAudit(audit)
	})
}

// Backtest is Tx.Backtest in a transaction of its own.
func (s *Scope) Backtest(ctx context.Context, id string) (Backtest, error) {
	return inRead(ctx, s, func(tx *Tx) (Backtest, error) { return tx.Backtest(id) })
}

// ListBacktests is Tx.ListBacktests in a transaction of its own.
func (s *Scope) ListBacktests(ctx context.Context, f BacktestFilter, p Page) ([]Backtest, bool, error) {
	return inList(s.reading(ctx), func(tx *Tx) ([]Backtest, bool, error) { return tx.ListBacktests(f, p) })
}

// QueueBacktest is Tx.QueueBacktest in a transaction of its own.
func (s *Scope) QueueBacktest(ctx context.Context, id string, rows, chunks int64) error {
	return s.Write(ctx, func(tx *Tx) error { return tx.QueueBacktest(id, rows, chunks) })
}

// FinishBacktest is Tx.FinishBacktest in a transaction of its own.
func (s *Scope) FinishBacktest(ctx context.Context, b Backtest) (bool, error) {
	return inWrite(ctx, s, func(tx *Tx) (bool, error) { return tx.FinishBacktest(b) })
}

// CancelBacktest is Tx.CancelBacktest, and an audit entry if it did, in a
// transaction of their own.
func (s *Scope) CancelBacktest(ctx context.Context, id string, nowMicros int64, audit AuditEntry) (b Backtest, cancelled bool, err error) {
	b, err = inWrite(ctx, s, func(tx *Tx) (b Backtest, err error) {
		b, cancelled, err = tx.CancelBacktest(id, nowMicros)
		if err != nil || !cancelled {
			return b, err
		}
		return b, tx.insertAudit(audit)
	})
	return b, cancelled && err == nil, err
}
