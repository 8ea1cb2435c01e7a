package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// pipelineText inserts decisions and everything that belongs to them, but only if the quota admits all of them. The
// other inserts select from total, which has no row if the quota does not admit the units. The insert of the answers
// has no ON CONFLICT, so that a taken idempotency key makes the statement fail.
//
// total selects from head, so the head of the journal (its row in journal_heads) is locked before the total, in the
// same order as in every other transaction. If total has no row, the division by zero makes the statement fail, so that
// the head is not raised. If there is no head yet, or if the keys were changed, the statement stores nothing and
// returns no row.
//
// $1 and $2 are the scope; $3 is the period, $4 the units, $5 the quota, $6 the day and
// $7 the endpoint; $8 is the number of entries, $9 their time, and $10 the packed
// entries; $11 is the number of changes of the scope's keys when the documents were sealed.
var pipelineText = `WITH head AS (
	UPDATE journal_heads SET size = size + $8 WHERE tenant_id = $1 AND environment = $2 AND key_changes = $11
	RETURNING size - $8 AS size
), total AS (
	INSERT INTO usage_totals (tenant_id, environment, period, used)
	SELECT $1, $2, $3, CAST($4 AS BIGINT) FROM head WHERE CAST($5 AS BIGINT) < 0 OR CAST($4 AS BIGINT) <= $5
	ON CONFLICT (tenant_id, environment, period) DO UPDATE SET used = usage_totals.used + excluded.used
	WHERE ` + quotaHasRoom + `
	RETURNING used
), counter AS (
	INSERT INTO usage_counters (tenant_id, environment, period, day, endpoint, billable, units)
	SELECT $1, $2, $3, $6, $7, 1, $4 FROM total
	ON CONFLICT (tenant_id, environment, period, day, endpoint, billable)
	DO UPDATE SET units = usage_counters.units + excluded.units
), entries AS (
	INSERT INTO journal (tenant_id, environment, first, count, created_micros, entries)
	SELECT $1, $2, head.size, CAST($8 AS BIGINT), CAST($9 AS BIGINT), CAST($10 AS BYTEA) FROM head, total
)` + pipelineInserts() + ` SELECT head.size / (SELECT count(*) FROM total) FROM head`

const pipelineFirstArray = 12 // the number of the first array parameter

// pipelineTables returns the tables that rows are inserted into, in the order
// of their arrays.
func pipelineTables() []*bulkTable {
	return []*bulkTable{answerTable, decisionTable, featureTable, referralTable}
}

func pipelineInserts() (text string) {
	next := pipelineFirstArray
	for i, t := range pipelineTables() {
		values := "u.*"
		if t == decisionTable {
			values = numbered(t.columns)
		}
		text += fmt.Sprintf(", rows%d AS (%sSELECT $1, $2, %s FROM head, total, %s)",
			i, t.into, values, unnested(t.columns, next))
		next += len(t.columns)
	}
	return text
}

// numbered returns the values of a decision's columns. The leaf of a decision is given relative to the head of the
// journal.
func numbered(columns []column) string {
	values := make([]string, len(columns))
	for i, c := range columns {
		values[i] = "u." + c.name
		if c.name == "leaf" {
			values[i] = "head.size + u.leaf"
		}
	}
	return strings.Join(values, ", ")
}

// insertPipelined begins a transaction in one round trip and does everything else in a second, because a round trip
// costs more than most statements. It stores nothing and returns false if the meters of the writes differ, if one of
// them bills nothing, if the quota does not admit all writes, if an idempotency key is taken, if the journal has no
// head yet, if keys were removed since the documents were sealed, or if PostgreSQL refuses a statement for a reason
// other than a conflict. The caller then uses ordinary statements.
func (p postgres) insertPipelined(
	ctx context.Context, db *DB, on pool, v rlsScope, writes []*DecisionWrite,
) (stored bool, err error) {
	meter, plain := sumOf(writes)
	if !plain {
		return false, nil
	}
	var conn *sql.Conn
	err = db.retryDeadConnections(func() (err error) {
		conn, err = beginOn(ctx, on.DB)
		return err
	})
	if err != nil {
		return false, err
	}
	args := []any{v.tenant, v.environment, meter.Period, meter.Units, meter.Quota, meter.Day, meter.Endpoint}
	entries := make([]Entry, len(writes))
	for i, w := range writes {
		entries[i] = w.Entry
		w.Decision.Leaf = int64(i) // relative to the head until the head is known
	}
	args = append(args, int64(len(writes)), writes[0].Decision.CreatedMicros, packEntries(entries),
		writes[0].KeyChanges)
	args = append(args, pipelineArrays(writes)...)
	unacknowledged := on.standby.count()
	var first int64
	err = onConn(conn, func(c *pgx.Conn) (err error) {
		first, stored, err = p.pipeline(ctx, c, v, args)
		return err
	})
	if err == nil && on.standby.count() != unacknowledged {
		err = errUnacknowledged
	}
	if db.mayHaveCommitted(err) {
		stored = false
		for _, w := range writes {
			db.unconfirmed.add(decisionNames(v, w)...)
		}
	}
	for _, w := range writes {
		w.Decision.Leaf += first
	}
	_ = conn.Close() // an error here does not change the outcome
	var refused *pgconn.PgError
	if errors.As(err, &refused) && !p.class(err).breaks() && p.class(err) != classConflict {
		return false, nil // the transaction was rolled back; ordinary statements then show which write caused it
	}
	return stored, err
}

// sumOf returns one meter for all writes. plain is false if their meters differ
// in more than the units, if one of them is not billable or has no units, if they are sealed with different keys, or if
// one of them has several people, whose rows the pipeline does not insert.
func sumOf(writes []*DecisionWrite) (sum Meter, plain bool) {
	like := writes[0].Meter
	sum = like
	sum.Units = 0
	for _, w := range writes {
		like.Units = w.Meter.Units
		if w.Meter != like || !like.Billable || like.Units <= 0 || w.KeyChanges != writes[0].KeyChanges ||
			len(w.Decision.People) > 0 {
			return sum, false
		}
		sum.Units += like.Units
	}
	return sum, true
}

// pipelineArrays returns the array parameters: all columns of pipelineTables.
func pipelineArrays(writes []*DecisionWrite) (arrays []any) {
	rows := make([][][]any, len(pipelineTables()))
	for _, w := range writes {
		if w.Answer != nil {
			rows[0] = append(rows[0], w.Answer.row())
		}
		rows[1] = append(rows[1], w.Decision.row())
		if w.Features != nil {
			rows[2] = append(rows[2], w.Features.row(w.Decision.ID))
		}
		if w.Decision.waits() {
			rows[3] = append(rows[3], w.Decision.referral())
		}
	}
	for i, t := range pipelineTables() {
		arrays = append(arrays, t.arrays(rows[i])...)
	}
	return arrays
}

// pipeline sets the row-level security scope, stores and commits in one round
// trip. It leaves no open transaction behind. first is the number of the first entry.
func (p postgres) pipeline(
	ctx context.Context, c *pgx.Conn, v rlsScope, args []any,
) (first int64, stored bool, err error) {
	batch := &pgx.Batch{}
	batch.Queue(p.setRLS(), v.role, v.tenant, v.environment)
	batch.Queue(pipelineText, args...).QueryRow(func(row pgx.Row) error {
		err := row.Scan(&first)
		stored = err == nil
		if errors.Is(err, pgx.ErrNoRows) {
			err = nil // there is no head yet, or the keys were changed: nothing was stored
		}
		return err
	})
	batch.Queue("COMMIT")
	if err := c.SendBatch(ctx, batch).Close(); err != nil {
		if c.IsClosed() {
			return 0, false, err
		}
		if _, undo := c.Exec(ctx, "ROLLBACK"); undo != nil {
			return 0, false, errors.Join(driver.ErrBadConn, err) // the connection must not be used again
		}
		return 0, false, err
	}
	return first, stored, nil
}

// beginOn takes a connection from the pool and begins a transaction on it.
func beginOn(ctx context.Context, db *sql.DB) (*sql.Conn, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	err = onConn(conn, func(c *pgx.Conn) error {
		_, err := c.Exec(ctx, "BEGIN")
		return err
	})
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

// onConn runs fn on the driver's own connection, because database/sql has no
// pipelines.
func onConn(conn *sql.Conn, fn func(*pgx.Conn) error) error {
	return conn.Raw(func(c any) error {
		own, ok := c.(*stdlib.Conn)
		if !ok {
			return fmt.Errorf("the connection is a %T", c)
		}
		return fn(own.Conn())
	})
}
