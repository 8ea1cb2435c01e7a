package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// wholeText inserts decisions and everything that belongs to them if and only
// if the quota has room for all: everything else is selected from the total,
// which has no row when it was not raised. The answers have no ON CONFLICT, so
// that a key which is taken fails the statement.
//
// $1 and $2 are the scope; $3 period, $4 units, $5 quota, $6 day, $7 endpoint.
var wholeText = `WITH total AS (
	INSERT INTO usage_totals (tenant_id, environment, period, used)
	SELECT $1, $2, $3, CAST($4 AS BIGINT) WHERE CAST($5 AS BIGINT) < 0 OR CAST($4 AS BIGINT) <= $5
	ON CONFLICT (tenant_id, environment, period) DO UPDATE SET used = usage_totals.used + excluded.used
	WHERE ` + quotaHasRoom + `
	RETURNING used
), counter AS (
	INSERT INTO usage_counters (tenant_id, environment, period, day, endpoint, billable, units)
	SELECT $1, $2, $3, $6, $7, 1, $4 FROM total
	ON CONFLICT (tenant_id, environment, period, day, endpoint, billable)
	DO UPDATE SET units = usage_counters.units + excluded.units
)` + wholeTables() + ` SELECT count(*) FROM total`

const wholeFirst = 8 // the parameter that the arrays begin at

// wholeInserted are the tables that rows go to.
func wholeInserted() []*bulkTable {
	return []*bulkTable{answerTable, decisionTable, featureTable, referralTable}
}

func wholeTables() (text string) {
	next := wholeFirst
	for i, t := range wholeInserted() {
		text += fmt.Sprintf(", rows%d AS (%sSELECT $1, $2, u.* FROM total, %s)", i, t.into, unnested(t.columns, next))
		next += len(t.columns)
	}
	return text
}

// insertWhole begins a transaction in one round trip and does everything else
// in a second: a round trip costs more than most statements. What is not plain
// is left to the usual way: several meters, a quota that has no room for all,
// a key that is taken, whatever PostgreSQL refuses.
func (p postgres) insertWhole(
	ctx context.Context, db *DB, on pool, v voice, writes []*DecisionWrite,
) (stored bool, err error) {
	meter, plain := sumOf(writes)
	if !plain {
		return false, nil
	}
	var conn *sql.Conn
	err = db.pastDeadConnections(func() (err error) {
		conn, err = beginOn(ctx, on.DB)
		return err
	})
	if err != nil {
		return false, err
	}
	args := []any{v.tenant, v.environment, meter.Period, meter.Units, meter.Quota, meter.Day, meter.Endpoint}
	args = append(args, wholeRows(writes)...)
	unacknowledged := on.standby.count()
	err = onConn(conn, func(c *pgx.Conn) (err error) {
		stored, err = p.pipeline(ctx, c, v, args)
		return err
	})
	if err == nil && on.standby.count() != unacknowledged {
		err = errUnacknowledged
	}
	if db.uncertain(err) {
		stored = false
		for _, w := range writes {
			db.doubts.add(doubtsOf(v, w)...)
		}
	}
	_ = conn.Close() // what became of the decisions is settled by now
	var refused *pgconn.PgError
	if errors.As(err, &refused) && !p.class(err).breaks() && p.class(err) != classConflict {
		return false, nil // it was rolled back, and the usual way finds out whose fault it is
	}
	return stored, err
}

// sumOf is the meter of all writes together, if they have one.
func sumOf(writes []*DecisionWrite) (sum Meter, plain bool) {
	like := writes[0].Meter
	sum = like
	sum.Units = 0
	for _, w := range writes {
		like.Units = w.Meter.Units
		if w.Meter != like || !like.Billable || like.Units <= 0 {
			return sum, false
		}
		sum.Units += like.Units
	}
	return sum, true
}

// wholeRows are the arrays of all columns of wholeInserted.
func wholeRows(writes []*DecisionWrite) (arrays []any) {
	rows := make([][][]any, len(wholeInserted()))
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
	for i, t := range wholeInserted() {
		arrays = append(arrays, t.arrays(rows[i])...)
	}
	return arrays
}

// pipeline announces, stores and commits in one round trip. It leaves no
// transaction behind.
func (p postgres) pipeline(ctx context.Context, c *pgx.Conn, v voice, args []any) (stored bool, err error) {
	var raised int64
	batch := &pgx.Batch{}
	batch.Queue(p.announce(), v.role, v.tenant, v.environment)
	batch.Queue(wholeText, args...).QueryRow(func(row pgx.Row) error { return row.Scan(&raised) })
	batch.Queue("COMMIT")
	if err := c.SendBatch(ctx, batch).Close(); err != nil {
		if c.IsClosed() {
			return false, err
		}
		if _, undo := c.Exec(ctx, "ROLLBACK"); undo != nil {
			return false, errors.Join(driver.ErrBadConn, err) // nobody may use it in this state
		}
		return false, err
	}
	return raised == 1, nil
}

// beginOn begins a transaction on a connection of its own.
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

// onConn runs fn on the driver's own connection, which database/sql has no
// pipelines on.
func onConn(conn *sql.Conn, fn func(*pgx.Conn) error) error {
	return conn.Raw(func(c any) error {
		own, ok := c.(*stdlib.Conn)
		if !ok {
			return fmt.Errorf("the connection is a %T", c)
		}
		return fn(own.Conn())
	})
}
