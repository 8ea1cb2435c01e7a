package store

import (
	"context"
	"fmt"
)

// personalTables are the tables whose old row versions may contain data of people, or keys. The last table has the
// planner's statistics about the others, with frequent values of their columns, such as references of applicants.
var personalTables = []string{
	"agent_runs", "backtest_chunks", "batch_chunks", "decision_features", "decision_people", "decision_reviews",
	"decisions", "erasures", "exposures", "fraud_alert_evidence",
	"fraud_alerts", "fraud_entities", "fraud_links", "fraud_ring_people", "idempotency_keys", "installation",
	"key_trees", "legal_holds", "webhooks", statistics,
}

const statistics = "pg_catalog.pg_statistic"

// PersonalTables returns the names of the tables that Rewrite rewrites.
func PersonalTables() []string { return append([]string(nil), personalTables...) }

// Rewrite removes the old row versions of a table from the files of a PostgreSQL database: it
// copies the table to a new file and deletes the old one, and computes its statistics again.
// Nobody can read or write the table meanwhile, and the disk needs space for the copy. Other
// tables can be used. The write-ahead log still contains the old versions until the server
// removes or overwrites its segments. On SQLite, Rewrite does nothing: changed rows are
// overwritten, and Scrub truncates the write-ahead log.
func (sys *System) Rewrite(ctx context.Context, table string) (err error) {
	if sys.db.dialect.embedded {
		return nil
	}
	for _, known := range personalTables {
		if known == table { // only a known name may be in the statement
			return sys.db.failure("rewrite "+table, sys.db.vacuum(ctx, known))
		}
	}
	return fmt.Errorf("%s is not a table with data of people", table)
}

// vacuum runs VACUUM FULL, which cannot run in a transaction, on a connection of its own.
func (db *DB) vacuum(ctx context.Context, table string) error {
	connection, err := db.writer.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = connection.Close() }() // an error of a statement was returned already
	vacuum := "VACUUM (FULL, ANALYZE) " + table
	if table == statistics {
		vacuum = "VACUUM (FULL) " + table
	}
	for _, statement := range []string{
		"SET statement_timeout = 0", "SET lock_timeout = 0", vacuum,
		"RESET statement_timeout", "RESET lock_timeout",
	} {
		if _, err := connection.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}
