package store

import (
	"verdict/internal/evidence"
	"verdict/internal/fault"
	"verdict/internal/wire"
)

// The states of a backtest. A backtest is receiving while its input arrives.
// The last three states are final.
const (
	BacktestReceiving = "receiving"
	BacktestQueued    = "queued"
	BacktestRunning   = "running"
	BacktestSucceeded = "succeeded"
	BacktestFailed    = "failed"
	BacktestCancelled = "cancelled"
)

// Backtest is one run of a policy over past applications. Its input and
// intermediate results are stored in chunks.
type Backtest struct {
	ID           string
	Status       string
	Source       string // where the rows came from
	RuleSetID    string
	ChallengerID string // "" if there is no challenger
	Setup        []byte // how to read the rows
	Request      []byte
	Rows         int64 // known once the input is complete
	RowsDone     int64
	Chunks       int64
	ChunksDone   int64
	Report       []byte // empty until the backtest has succeeded
	ErrorCode    string
	ErrorDetail  string
	CreatedBy    string

	CreatedMicros, StartedMicros, FinishedMicros int64
	Purged                                       bool // the chunks of the backtest have been deleted
	// UploadKey is the number of the key of the uploaded rows, or UploadsReadable. It is 0 if there are no such rows,
	// or if they were deleted and the key was destroyed.
	UploadKey int64
}

// Over reports whether the backtest is in a final state.
func (b *Backtest) Over() bool {
	return b.Status == BacktestSucceeded || b.Status == BacktestFailed || b.Status == BacktestCancelled
}

// backtestColumns are all columns except the documents setup, request and report, which can be large.
const backtestColumns = `id, status, source, rule_set_id, challenger_id, row_count, rows_done, chunk_count, chunks_done,
	error_code, error_detail, created_by, created_micros, started_micros, finished_micros, purged,
	upload_key`

func (b *Backtest) fields() []any {
	return []any{
		&b.ID, &b.Status, &b.Source, &b.RuleSetID, &b.ChallengerID, &b.Rows, &b.RowsDone, &b.Chunks, &b.ChunksDone,
		&b.ErrorCode, &b.ErrorDetail, &b.CreatedBy, &b.CreatedMicros, &b.StartedMicros, &b.FinishedMicros, &b.Purged,
		&b.UploadKey,
	}
}

// Insert stores a backtest as given. A backtest that ran immediately is stored
// in a final state, with its entry in the journal.
func (bt Backtests) Insert(b Backtest) error {
	_, err := bt.tx.exec(
		`INSERT INTO backtests (tenant_id, environment, id, status, source, rule_set_id, challenger_id, setup, request,
		row_count, rows_done, chunk_count, chunks_done, report, error_code, error_detail, created_by,
		created_micros, started_micros, finished_micros, purged, upload_key)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)`,
		b.ID, b.Status, b.Source, b.RuleSetID, b.ChallengerID, notNil(b.Setup), notNil(b.Request),
		b.Rows, b.RowsDone, b.Chunks, b.ChunksDone, notNil(b.Report), b.ErrorCode, b.ErrorDetail, b.CreatedBy,
		b.CreatedMicros, b.StartedMicros, b.FinishedMicros, flag(b.Purged), b.UploadKey)
	if err != nil || !b.Over() {
		return err
	}
	_, err = bt.tx.record(b.finished())
	return err
}

// finished returns the journal entry of a run that is over. The entry does not contain the run's report. No row refers
// to the entry, because the input may be deleted later.
func (b *Backtest) finished() evidence.Record {
	return evidence.Record{
		Kind:   evidence.Backtest,
		ID:     b.ID,
		Micros: wholeMillis(b.FinishedMicros),
		Type:   "backtest.finished",
		Data: eventData(func(w *wire.Writer) {
			w.Optional("backtest_id", b.ID)
			w.Optional("challenger_id", b.ChallengerID)
			w.Optional("error_code", b.ErrorCode)
			w.Key("rows").Int(b.Rows)
			w.Optional("rule_set_id", b.RuleSetID)
			w.Optional("status", b.Status)
		}),
	}
}

// Get returns a backtest, NotFound if there is none.
func (bt BacktestReader) Get(id string) (Backtest, error) {
	return read(bt.access, func(tx *Tx) (Backtest, error) {
		var b Backtest
		err := tx.one(append(b.fields(), &b.Setup, &b.Request, &b.Report),
			"SELECT "+backtestColumns+
				", setup, request, report FROM backtests WHERE tenant_id = $1 AND environment = $2 AND id = $3", id)
		return b, orNotFound("backtest", err)
	})
}

// lock returns a backtest without its documents and locks it until the transaction ends. Methods that change the status
// or the progress of a run call lock first, so that no other transaction changes the run in the meantime.
func (bt Backtests) lock(id string) (Backtest, error) {
	var b Backtest
	err := bt.tx.one(b.fields(),
		"SELECT "+backtestColumns+" FROM backtests WHERE tenant_id = $1 AND environment = $2 AND id = $3"+
			bt.tx.transaction.db.dialect.forUpdate, id)
	return b, orNotFound("backtest", err)
}

// BacktestFilter filters a list; an empty status matches everything.
type BacktestFilter struct{ Status string }

// List returns a page of the scope's backtests without their documents,
// and whether there are more.
func (bt BacktestReader) List(f BacktestFilter, p Page) ([]Backtest, bool, error) {
	return readTwo(bt.access, func(tx *Tx) ([]Backtest, bool, error) {
		q := listOf("SELECT " + backtestColumns + " FROM backtests WHERE tenant_id = $1 AND environment = $2")
		q.equals("status", f.Status)
		q.page(p)
		return list(tx, q, p, func(scan func(...any) error) (b Backtest, err error) {
			err = scan(b.fields()...)
			return b, err
		})
	})
}

// Queue moves a backtest whose input is complete from receiving to queued. It
// returns Conflict invalid_transition if the backtest is not receiving.
func (bt Backtests) Queue(id string, rows, chunks int64) error {
	b, err := bt.lock(id)
	if err != nil {
		return err
	}
	if b.Status != BacktestReceiving {
		return fault.New(fault.Conflict, fault.CodeInvalidTransition,
			"a backtest in the state %s cannot be queued", b.Status)
	}
	_, err = bt.tx.exec(`UPDATE backtests SET status = $4, row_count = $5, chunk_count = $6
		WHERE tenant_id = $1 AND environment = $2 AND id = $3`, id, BacktestQueued, rows, chunks)
	return err
}

// Finish ends a run with the status, report, error and time of b. It changes nothing and returns false if the run is
// over already, or if b.Status is succeeded but the input is incomplete or a chunk is not done.
func (bt Backtests) Finish(b Backtest) (finished bool, err error) {
	was, err := bt.lock(b.ID)
	if err != nil || was.Over() {
		return false, err
	}
	if b.Status == BacktestSucceeded && (was.Status == BacktestReceiving || was.ChunksDone < was.Chunks) {
		return false, nil
	}
	_, err = bt.tx.exec(
		`UPDATE backtests SET status = $4, report = $5, error_code = $6, error_detail = $7, finished_micros = $8
		WHERE tenant_id = $1 AND environment = $2 AND id = $3`,
		b.ID, b.Status, notNil(b.Report), b.ErrorCode, b.ErrorDetail, b.FinishedMicros)
	if err != nil {
		return false, err
	}
	was.Status, was.ErrorCode, was.FinishedMicros = b.Status, b.ErrorCode, b.FinishedMicros
	_, err = bt.tx.record(was.finished())
	return err == nil, err
}

// Cancel cancels a run. It returns the run in its new state, without its
// documents, and true. If the run is over already, Cancel changes nothing and
// returns false.
func (bt Backtests) Cancel(id string, nowMicros int64) (Backtest, bool, error) {
	b, err := bt.lock(id)
	if err != nil || b.Over() {
		return b, false, err
	}
	b.Status, b.FinishedMicros = BacktestCancelled, nowMicros
	_, err = bt.tx.exec(`UPDATE backtests SET status = $4, finished_micros = $5
		WHERE tenant_id = $1 AND environment = $2 AND id = $3`, b.ID, b.Status, b.FinishedMicros)
	if err != nil {
		return b, false, err
	}
	_, err = bt.tx.record(b.finished())
	return b, err == nil, err
}
