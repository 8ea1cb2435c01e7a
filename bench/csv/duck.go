//go:build cgo

package main

import (
	"context"
	"database/sql"
	_ "embed"
	"fmt"
	"strings"

	_ "github.com/duckdb/duckdb-go/v2" // the driver
)

//go:embed policy.sql
var policySQL string

const hasDuck = true

// duck decides all rows with one query of DuckDB, in this process.
func duck(ctx context.Context, in input) (*outcome, error) {
	db, err := sql.Open("duckdb", "")
	if err != nil {
		return nil, fmt.Errorf("open DuckDB: %w", err)
	}
	defer db.Close() //nolint:errcheck // The database is empty.
	if _, err := db.ExecContext(ctx, fmt.Sprintf("set threads = %d", in.cores)); err != nil {
		return nil, fmt.Errorf("set the threads of DuckDB: %w", err)
	}
	path := "'" + strings.ReplaceAll(in.path, "'", "''") + "'"
	rows, err := db.QueryContext(ctx, strings.Replace(policySQL, "$1", path, 1))
	if err != nil {
		return nil, fmt.Errorf("query DuckDB: %w", err)
	}
	defer rows.Close() //nolint:errcheck // rows.Err returns the error.
	var o outcome
	for rows.Next() {
		var grade string
		var g gradeCount
		var hits [rules]int64
		into := []any{&grade, &g.Rows, &g.Approved, &g.Referred, &g.Bad, &g.BadApproved, &g.LimitRupees}
		for i := range hits {
			into = append(into, &hits[i])
		}
		if err := rows.Scan(into...); err != nil {
			return nil, fmt.Errorf("read the answer of DuckDB: %w", err)
		}
		o.Grades[strings.Index(gradeNames, grade)] = g
		for i := range hits {
			o.Hits[i] += hits[i]
		}
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read the answer of DuckDB: %w", err)
	}
	return &o, nil
}
