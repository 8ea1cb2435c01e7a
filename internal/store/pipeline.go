package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// pipelineText returns the statement that inserts the decisions of a pipelineGroup and everything that belongs to them,
// but only if the quota admits all of them. tables lists the tables that get rows; decisions are among them.
//
// The first part locks and raises the head of the journal (its row in journal_heads), unless the keys were changed or
// the quota is used up. If it returns no row, or if there is no head yet, the statement stores nothing and returns no
// row. The second part raises the total and checks the quota once more, because the first part may have read an older
// total. If total has no row, the division by zero makes the statement fail, so that the head is not raised. The head
// is locked before the total, in the same order as in every other transaction.
//
// The insert of the answers has no ON CONFLICT, so that a taken idempotency key makes the statement fail.
//
// $1 and $2 are the scope; $3 is the period, $4 the units, $5 the quota, $6 the day and
// $7 the endpoint; $8 is the number of entries, $9 their time, and $10 the packed
// entries; $11 is the number of changes of the scope's keys when the documents were sealed.
func pipelineText(tables []*bulkTable) string {
	return `WITH head AS (
	UPDATE journal_heads SET size = size + $8 WHERE tenant_id = $1 AND environment = $2 AND key_changes = $11
	AND (CAST($5 AS BIGINT) < 0 OR CAST($4 AS BIGINT) + coalesce((SELECT used FROM usage_totals
		WHERE tenant_id = $1 AND environment = $2 AND period = $3), 0) <= $5)
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
)` + pipelineInserts(tables) + ` SELECT head.size / (SELECT count(*) FROM total) FROM head`
}

const pipelineFirstArray = 12 // the number of the first array parameter

// pipelineTables are the tables that rows are inserted into. The order is that of the results of pipelineRows.
var pipelineTables = [...]*bulkTable{decisionTable, answerTable, featureTable, referralTable}

// pipelineTexts has a statement for every set of tables that get rows. Bit i of the index is set if pipelineTables[i]
// is in the set. Decisions are in every set, so only odd indexes are used.
var pipelineTexts = sync.OnceValue(func() (texts [1 << len(pipelineTables)]string) {
	for set := 1; set < len(texts); set += 2 {
		var tables []*bulkTable
		for i, t := range pipelineTables {
			if set>>i&1 == 1 {
				tables = append(tables, t)
			}
		}
		texts[set] = pipelineText(tables)
	}
	return texts
})

func pipelineInserts(tables []*bulkTable) (text string) {
	next := pipelineFirstArray
	for i, t := range tables {
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

// pipelineGroup has decisions that one statement can insert.
type pipelineGroup struct {
	scope  rlsScope
	meter  Meter // for all decisions together
	writes []*DecisionWrite
	places []int // the indexes of the jobs
	first  int64 // the number of the first entry, once it is known
	stored bool
}

// pipelineGroups returns the decisions in groups of the same scope, meter and keys. The groups are in the order of
// compareScopes, so that two nodes cannot deadlock, and the groups of a scope in the order of their first jobs. ok is
// false if a meter is not billable or has no units. ok is also false if a decision names people other than the primary
// applicant, because the pipeline does not insert the rows of these people.
func pipelineGroups(jobs []*job) (groups []*pipelineGroup, ok bool) {
	for i, j := range jobs {
		w := j.decision
		if !w.Meter.Billable || w.Meter.Units <= 0 || len(w.Decision.People) > 0 {
			return nil, false
		}
		at := slices.IndexFunc(groups, func(g *pipelineGroup) bool { return g.admits(j.rls, w) })
		if at < 0 {
			at = len(groups)
			groups = append(groups, &pipelineGroup{scope: j.rls, meter: w.Meter})
			groups[at].meter.Units = 0
		}
		g := groups[at]
		g.meter.Units += w.Meter.Units
		g.writes, g.places = append(g.writes, w), append(g.places, i)
	}
	slices.SortStableFunc(groups, func(a, b *pipelineGroup) int { return compareScopes(a.scope, b.scope) })
	return groups, true
}

func (g *pipelineGroup) admits(scope rlsScope, w *DecisionWrite) bool {
	meter := w.Meter
	meter.Units = g.meter.Units
	return scope == g.scope && meter == g.meter && w.KeyChanges == g.writes[0].KeyChanges
}

// statement returns the text and the arguments of the statement for a group.
func (g *pipelineGroup) statement() (text string, args []any) {
	entries := make([]Entry, len(g.writes))
	for i, w := range g.writes {
		entries[i] = w.Entry
		w.Decision.Leaf = int64(i) // relative to the head until the head is known
	}
	args = append(args, g.scope.tenant, g.scope.environment, g.meter.Period, g.meter.Units, g.meter.Quota, g.meter.Day,
		g.meter.Endpoint, int64(len(g.writes)), g.writes[0].Decision.CreatedMicros, packEntries(entries),
		g.writes[0].KeyChanges)
	set := 0
	for i, rows := range pipelineRows(g.writes) {
		if len(rows) > 0 {
			set |= 1 << i
			args = append(args, pipelineTables[i].arrays(rows)...)
		}
	}
	return pipelineTexts()[set], args
}

// pipelineRows returns the rows of pipelineTables.
func pipelineRows(writes []*DecisionWrite) (rows [len(pipelineTables)][][]any) {
	for _, w := range writes {
		rows[0] = append(rows[0], w.Decision.row())
		if w.Answer != nil {
			rows[1] = append(rows[1], w.Answer.row())
		}
		if w.Features != nil {
			rows[2] = append(rows[2], w.Features.row(w.Decision.ID))
		}
		if w.Decision.waits() {
			rows[3] = append(rows[3], w.Decision.referral())
		}
	}
	return rows
}

// lockedScope is the error of a transaction that failed because another transaction has locked rows of a scope.
type lockedScope struct {
	scope rlsScope
	error
}

func (l *lockedScope) Unwrap() error { return l.error }

// insertPipelined sends a whole transaction in one round trip, because a round trip costs more than most statements. It
// stores nothing of a group, and the caller uses ordinary statements, if the quota does not admit the whole group, if
// the journal has no head yet, or if keys were removed since the documents were sealed. It stores nothing at all if
// pipelineGroups cannot group the decisions, if an idempotency key is taken, or if PostgreSQL refuses a statement for a
// reason other than a conflict.
func (p postgres) insertPipelined(ctx context.Context, db *DB, on pool, jobs []*job) ([]bool, error) {
	groups, ok := pipelineGroups(jobs)
	if !ok {
		return nil, nil
	}
	var outcome pipelineOutcome
	unacknowledged := on.standby.count()
	// A connection that was idle for more than a second is checked when it is taken from the pool.
	err := db.retryDeadConnections(func() error {
		conn, err := on.Conn(ctx)
		if err != nil {
			return err
		}
		err = onConn(conn, func(c *pgx.Conn) error {
			outcome, err = sendPipeline(ctx, c, groups)
			return err
		})
		_ = conn.Close() // an error here does not change the outcome
		return err
	})
	begun := err == nil
	if begun {
		err = outcome.err
	}
	if err == nil && on.standby.count() != unacknowledged {
		err = errUnacknowledged
	}
	if begun && db.mayHaveCommitted(err) {
		for _, g := range groups {
			for _, w := range g.writes {
				db.unconfirmed.add(decisionNames(g.scope, w)...)
			}
		}
	}
	var refused *pgconn.PgError
	switch {
	case err == nil:
	case p.class(err) == classConflict && outcome.failed != nil:
		return nil, &lockedScope{outcome.failed.scope, err}
	case errors.As(err, &refused) && !p.class(err).breaks() && p.class(err) != classConflict:
		return nil, nil // the transaction was rolled back; ordinary statements then show which write caused it
	default:
		return nil, err
	}
	stored := make([]bool, len(jobs))
	for _, g := range groups {
		if !g.stored {
			continue
		}
		db.grown.add(g.scope)
		for i, w := range g.writes {
			stored[g.places[i]] = true
			w.Decision.Leaf += g.first
		}
	}
	if !slices.Contains(stored, true) {
		return nil, nil
	}
	return stored, nil
}

// pipelineOutcome is the result of a transaction that the server has begun, or may have begun.
type pipelineOutcome struct {
	err    error
	failed *pipelineGroup // the group whose statement failed; nil if another statement failed
}

// sendPipeline runs a transaction that stores the groups, in one round trip. It leaves no open transaction behind. err
// is not nil if the server has certainly not begun the transaction.
func sendPipeline(ctx context.Context, c *pgx.Conn, groups []*pipelineGroup) (outcome pipelineOutcome, err error) {
	sent := bytesSent(c)
	begun, next := false, 0 // next is the index of the group whose statement runs next
	batch := &pgx.Batch{}
	batch.Queue("BEGIN").Exec(func(pgconn.CommandTag) error {
		begun = true
		return nil
	})
	for i, g := range groups {
		if i == 0 || g.scope != groups[i-1].scope {
			batch.Queue(postgresSetRLS, g.scope.role, g.scope.tenant, g.scope.environment)
		}
		text, args := g.statement()
		g.stored = false
		batch.Queue(text, args...).QueryRow(func(row pgx.Row) error {
			err := row.Scan(&g.first)
			g.stored = err == nil
			if err == nil || errors.Is(err, pgx.ErrNoRows) { // no row means that nothing was stored
				next = i + 1
				return nil
			}
			return err
		})
	}
	batch.Queue("COMMIT")
	outcome.err = c.SendBatch(ctx, batch).Close()
	if outcome.err == nil {
		return outcome, nil
	}
	var refused *pgconn.PgError
	switch {
	case begun:
	case errors.As(outcome.err, &refused):
		return outcome, outcome.err // the answer to BEGIN was an error, for instance because the server shuts down
	case sent >= 0 && bytesSent(c) == sent:
		return outcome, errors.Join(driver.ErrBadConn, outcome.err) // the connection was closed before
	}
	if begun && next < len(groups) {
		outcome.failed = groups[next]
	}
	if c.IsClosed() {
		return outcome, nil
	}
	if _, undo := c.Exec(ctx, "ROLLBACK"); undo != nil {
		_ = c.Close(ctx) // the connection must not be used again; database/sql discards it
	}
	return outcome, nil
}

// bytesSent returns the number of bytes that were sent over a connection, or -1 if it is not known.
func bytesSent(c *pgx.Conn) int64 {
	if tracked := trackedOf(c.PgConn().Conn()); tracked != nil {
		return tracked.sent.Load()
	}
	return -1
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
