package study

import (
	"context"
	"errors"
	"time"

	"verdict/internal/admission"
	"verdict/internal/backtest"
	"verdict/internal/fault"
	"verdict/internal/journal"
	"verdict/internal/operation"
	"verdict/internal/rule"
	"verdict/internal/sheet"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// backtestRun is a stored run with its policies compiled. It is immutable, so any
// number of workers can share it.
type backtestRun struct {
	record   store.Backtest // the record as it was created
	run      *backtest.Run
	policy   string // the champion's name
	book     backtest.Book
	rows     int64 // the number of rows of the book
	replay   span
	features replayFeatures
	endpoint string // for billing
	keys     *journal.Keys
	lookups  Lookups
}

// newRun returns the run of a request.
func (s *Backtests) newRun(p tenant.Principal, a *asked, run *backtest.Run) *backtestRun {
	id, made := s.core.NewID(tenant.KindBacktest, s.core.Moment())
	job := &backtestRun{
		run:      run,
		policy:   a.champion.Plan.Policy().Name,
		book:     a.book,
		rows:     a.rows,
		replay:   a.replay,
		endpoint: a.endpoint,
		keys:     s.core.Keys,
		lookups:  s.lookups,
	}
	job.features = a.replayFeatures()
	job.record = store.Backtest{
		ID:            id,
		Source:        a.source,
		CreatedMicros: made.UnixMicro(),
		CreatedBy:     operation.Actor(p),
	}
	job.record.RuleSetID, job.record.ChallengerID = a.ruleSetIDs()
	var w wire.Writer
	a.setup.Write(&w)
	job.record.Setup, job.record.Request = w.Buf, job.request()
	return job
}

// request returns the stored part of the request, which identifies the rows.
func (j *backtestRun) request() []byte {
	var w wire.Writer
	w.Object().Key("endpoint").String(j.endpoint)
	switch j.record.Source {
	case sourceSynthetic:
		w.Key("n").Int(j.rows).Key("seed").Int(int64(j.book.Seed)).Key("months").Int(int64(j.book.Months))
		w.Key("bad_rate").Decimal(int64(j.book.BadRate), rule.Places)
	case sourceDecisions:
		w.Key("from").String(operation.Clock(operation.Micros(j.replay.from)))
		w.Key("to").String(operation.Clock(operation.Micros(j.replay.to)))
		w.Key("policy_key").String(j.replay.policyKey).Key("status").String(j.replay.status)
	}
	w.EndObject()
	return w.Buf
}

// readRequest decodes the result of request.
func (j *backtestRun) readRequest(document []byte) error {
	v, err := wire.Parse(document)
	if err != nil {
		return err
	}
	number := func(name string, places int) int64 {
		coef, _, _ := wire.ParseDecimal(v.Get(name).Text(), places)
		return coef
	}
	j.endpoint = v.Get("endpoint").Text()
	switch j.record.Source {
	case sourceSynthetic:
		j.rows = number("n", 0)
		j.book = backtest.Book{
			Seed:    uint64(number("seed", 0)),
			Months:  int(number("months", 0)),
			BadRate: rule.Number(number("bad_rate", rule.Places)),
		}
	case sourceDecisions:
		from, err := operation.ParseClock(v.Get("from").Text())
		if err != nil {
			return err
		}
		to, err := operation.ParseClock(v.Get("to").Text())
		if err != nil {
			return err
		}
		j.replay = span{
			time.UnixMicro(from).UTC(),
			time.UnixMicro(to).UTC(),
			v.Get("policy_key").Text(),
			v.Get("status").Text(),
		}
	}
	return nil
}

// pieceOf returns the rows of a stored chunk. Uploaded rows are decrypted. The error is backtest_expired if they were
// deleted or their key was destroyed, and a Defect if they cannot be read.
func (j *backtestRun) pieceOf(ctx context.Context, scope *store.Scope, c store.BacktestChunk) (piece, error) {
	p := piece{first: c.First, rows: c.Rows, input: c.Input}
	if !isUpload(j.record.Source) {
		return p, nil
	}
	if len(c.Input) == 0 {
		return p, rowsExpired()
	}
	of := journal.Scope{Tenant: scope.Tenant(), Environment: scope.Environment()}
	packed, err := j.keys.OpenBacktest(ctx, of, j.record.ID, c.Number, c.Input)
	switch {
	case errors.Is(err, journal.ErrUploadDestroyed):
		return p, rowsExpired()
	case errors.As(err, new(journal.Unreadable)):
		return p, operation.AsDefect(err)
	case err != nil:
		return p, err
	}
	c.Input = packed
	block, err := unpack(c)
	if err != nil {
		return p, operation.AsDefect(err)
	}
	p.block = block.Data
	return p, nil
}

// bookBlock is the number of rows of a book that are generated at a time.
const bookBlock = 200

// perform decides the rows of a piece with a worker.
func (j *backtestRun) perform(
	ctx context.Context, scope *store.Scope, p piece, w *backtest.Worker, t *bookTally,
) error {
	w.Check(operation.Checking(ctx))
	name := operation.ScopeID{Tenant: scope.Tenant(), Environment: scope.Environment()}
	w.LookUp(func(questions []rule.NamedLookup, tables []rule.Table, facts *rule.Facts) error {
		if err := j.lookups.Lists.LookUp(ctx, name, questions, facts, j.record.CreatedMicros); err != nil {
			return err
		}
		return j.lookups.Tables.LookUp(ctx, name, tables, facts)
	})
	switch j.record.Source {
	case sourceDecisions:
		return j.performReplay(ctx, scope, p, w)
	case sourceSynthetic:
		var memory []byte
		for done := int64(0); done < p.rows; done += bookBlock {
			if err := admission.Checkpoint(ctx); err != nil {
				return err
			}
			n := min(bookBlock, p.rows-done)
			memory = j.book.Append(memory[:0], p.first+done, int(n))
			t.add(j.book, memory)
			w.Block(sheet.Block{Data: memory, First: p.first + done, Rows: int(n)})
			if w.Err() != nil {
				return w.Err()
			}
		}
		return nil
	}
	w.Block(sheet.Block{Data: p.block, First: p.first, Rows: int(p.rows)})
	return w.Err()
}

// maxTried is the number of backtests and books that a node runs at the same time
// within requests. A single tenant may run four of them if no other tenant runs
// any.
const maxTried = 8

// answerNow runs all rows. It stores the run with its report, its rows and its
// bill in one transaction.
func (s *Backtests) answerNow(
	ctx context.Context, p tenant.Principal, scope *store.Scope, j *backtestRun, held []piece,
	commit operation.Commit[Backtest],
) (Backtest, error) {
	if !s.trying.Take(p.TenantID, 1) {
		return Backtest{}, fault.New(fault.Unavailable, fault.CodeBacktestBusy,
			"too many backtests are running on this node; try again in a moment")
	}
	defer s.trying.Give(p.TenantID, 1)
	worker, total, tally := j.run.NewWorker(), backtest.NewPartial(), &bookTally{}
	record := j.record
	record.StartedMicros, record.Chunks, record.ChunksDone = record.CreatedMicros, int64(len(held)), int64(len(held))
	chunks := make([]store.BacktestChunk, len(held))
	upload, err := s.newUpload(ctx, p, &record)
	if err != nil {
		return Backtest{}, err
	}
	for i, rows := range held {
		var one bookTally
		if err := j.perform(ctx, scope, rows, worker, &one); err != nil {
			return Backtest{}, err
		}
		c, err := rows.chunk(upload, scope.Environment(), record.ID, int64(i)+1)
		if err != nil {
			return Backtest{}, err
		}
		partial := worker.Take()
		c.Done, c.Result = true, partial.Append(one.append(nil))
		total.Merge(partial)
		tally.merge(one)
		chunks[i], record.Rows = c, record.Rows+c.Rows
	}
	now := s.core.Moment()
	record.Status, record.RowsDone, record.FinishedMicros = store.BacktestSucceeded, record.Rows, now.UnixMicro()
	record.Report = j.report(&record, total, tally)
	var made Backtest
	err = upload.Store(ctx, func(key store.StoredTree) (err error) {
		made, err = commit(ctx, func(tx *store.Tx) (Backtest, error) {
			if err := insertRun(tx, &record, key, chunks); err != nil {
				return Backtest{}, err
			}
			if err := operation.CheckStored(tx, p.Plan); err != nil {
				return Backtest{}, err
			}
			if err := tx.Audit().Add(s.core.Audit(p, now, operation.ActionBacktestCreated, record.ID, "")); err != nil {
				return Backtest{}, err
			}
			return backtestOf(&record), s.decisions.Usage.Bill(tx, p, j.endpoint, units(record.Rows), now)
		})
		return err
	})
	return made, err
}

// newUpload generates the key of the rows of a run, and stores its number in the record. The upload is nil if the rows
// of the run are not uploaded.
func (s *Backtests) newUpload(
	ctx context.Context, p tenant.Principal, record *store.Backtest,
) (upload *journal.Upload, err error) {
	if isUpload(record.Source) {
		upload, err = s.core.Keys.NewUpload(ctx, p.TenantID)
	}
	record.UploadKey = upload.Number()
	return upload, err
}

// insertRun stores a run with the key of its upload and its chunks.
func insertRun(tx *store.Tx, record *store.Backtest, key store.StoredTree, chunks []store.BacktestChunk) error {
	if err := tx.KeyTrees().AddUpload(key); err != nil {
		return err
	}
	if err := tx.Backtests().Insert(*record); err != nil {
		return err
	}
	for _, c := range chunks {
		if err := tx.Backtests().InsertChunk(record.ID, c); err != nil {
			return err
		}
	}
	return nil
}

// report returns the report of a finished run as JSON.
func (j *backtestRun) report(record *store.Backtest, total *backtest.Partial, tally *bookTally) []byte {
	w := wire.Writer{Buf: make([]byte, 0, 16<<10)}
	w.Object().Key("backtest_id").String(record.ID).Key("source").String(record.Source)
	w.Key("rule_set_id").String(record.RuleSetID)
	if record.Source == sourceSynthetic {
		w.Key("synthetic").Bool(true).Key("seed").Int(int64(j.book.Seed)).Key("book")
		tally.write(&w)
	}
	j.made(total).WriteMembers(&w)
	w.Key("duration_ms").Int((record.FinishedMicros - record.CreatedMicros) / 1000)
	w.Key("created_at").String(operation.Clock(record.CreatedMicros)).EndObject()
	return w.Buf
}

// made returns the report of the merged results, with the id of the challenger.
func (j *backtestRun) made(total *backtest.Partial) *backtest.Report {
	report := j.run.Report(total)
	if report.Challenger != nil {
		report.Challenger.RuleSetID = j.record.ChallengerID
	}
	return report
}
