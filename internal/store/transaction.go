package store

import (
	"context"
	"database/sql"
)

// transaction is a transaction on either database. A write transaction has its own context, because many callers share
// it: if one of them is cancelled, the others' statements must continue.
type transaction struct {
	db       *DB
	ctx      context.Context
	caller   context.Context // the caller's context, checked before each statement; nil if ctx itself can end
	tx       *sql.Tx
	prepared *statements
	bound    map[string]*sql.Stmt // prepared statements bound to this transaction, by text
	rls      rlsScope             // the row-level security scope that was last set in the database
	written  []writeName          // names of the rows that the transaction stores, for unconfirmedWrites
	grown    []rlsScope           // the scopes to whose journals the transaction adds entries
	oneGrown [1]rlsScope          // storage for grown if there is one scope, as in most transactions
	rekeyed  []rlsScope           // the scopes whose keys the transaction changes, on SQLite
	broken   error                // why the transaction must be rolled back; nil otherwise
	bytes    int                  // total size of the string and byte arguments of exec
	received int                  // total size of the documents that were read, if counts is set; see also noteCounted
	counts   bool                 // whether documents that are read are counted
	// statements is the number of statements that were sent.
	statements int
}

// rlsScope is the scope that PostgreSQL's row-level security admits: one tenant
// in one environment, or every row if role is "system". Without an environment it
// admits only the rows of a tenant that belong to no environment. The zero value
// admits nothing.
type rlsScope struct{ role, tenant, environment string }

var rlsSystem = rlsScope{role: "system"}

// args returns the arguments of a statement whose $1 is the tenant and $2 the environment.
func (v rlsScope) args(args []any) []any {
	return append([]any{v.tenant, v.environment}, args...)
}

// noteGrown notes that the transaction adds entries to the journal of a scope.
func (s *transaction) noteGrown(scope rlsScope) {
	if s.grown == nil {
		s.grown = s.oneGrown[:0]
	}
	s.grown = append(s.grown, scope)
}

// setRLS sets the row-level security scope of the next statements, unless it is
// set already.
func (s *transaction) setRLS(v rlsScope) error {
	set := s.db.dialect.setRLS
	if set == "" || s.rls == v {
		return s.broken
	}
	if _, err := s.exec(set, v.role, v.tenant, v.environment); err != nil {
		return err
	}
	s.rls = v
	return nil
}

// execAll runs the statements in order and stops at the first error.
func (s *transaction) execAll(statements []string) error {
	for _, statement := range statements {
		if _, err := s.exec(statement); err != nil {
			return err
		}
	}
	return nil
}

// exec runs a statement and returns how many rows it changed.
func (s *transaction) exec(query string, args ...any) (int64, error) {
	if err := s.stopped(); err != nil {
		return 0, err
	}
	for _, arg := range args {
		switch arg := arg.(type) {
		case []byte:
			s.bytes += len(arg)
		case string:
			s.bytes += len(arg)
		}
	}
	s.statements++
	var result sql.Result
	var err error
	//nolint:sqlclosecheck // it ends with the transaction
	if stmt := s.statement(query); stmt != nil {
		result, err = stmt.ExecContext(s.ctx, args...)
	} else {
		result, err = s.tx.ExecContext(s.ctx, query, args...)
	}
	if err != nil {
		return 0, s.noteBroken(err)
	}
	return result.RowsAffected()
}

// each runs a query and calls read for every row of the result.
func (s *transaction) each(read func(scan func(...any) error) error, query string, args ...any) error {
	if err := s.stopped(); err != nil {
		return err
	}
	s.statements++
	var rows *sql.Rows
	var err error
	//nolint:sqlclosecheck // it ends with the transaction
	if stmt := s.statement(query); stmt != nil {
		rows, err = stmt.QueryContext(s.ctx, args...)
	} else {
		rows, err = s.tx.QueryContext(s.ctx, query, args...)
	}
	if err != nil {
		return s.noteBroken(err)
	}
	defer func() { _ = rows.Close() }() // rows.Err below reports any failure
	scan := rows.Scan
	if s.counts {
		scan = s.countingScan(rows)
	}
	for rows.Next() {
		if err := read(scan); err != nil {
			return err
		}
	}
	return s.noteBroken(rows.Err())
}

// noteCounted charges the read for rows that a statement has counted but not returned. The database reads an entry of
// an index for each row, which takes about as long as sending 100 bytes.
func (s *transaction) noteCounted(rows int64) { s.received += 100 * int(rows) }

// countingScan returns a function that calls rows.Scan and counts the size of the documents.
func (s *transaction) countingScan(rows *sql.Rows) func(...any) error {
	return func(dest ...any) error {
		err := rows.Scan(dest...)
		for _, d := range dest {
			if document, is := d.(*[]byte); is {
				s.received += len(*document)
			}
		}
		return err
	}
}

// stopped returns why no further statement may run, nil if a statement may run.
func (s *transaction) stopped() error {
	if s.broken == nil && s.caller != nil {
		return s.caller.Err()
	}
	return s.broken
}

// run runs a statement. If read is not nil, it is called for every row of the
// result.
func (s *transaction) run(read func(scan func(...any) error) error, query string, args []any) error {
	if read != nil {
		return s.each(read, query, args...)
	}
	_, err := s.exec(query, args...)
	return err
}

// one runs a query and reads a single row of the result into dest. It returns sql.ErrNoRows if there is none.
func (s *transaction) one(dest []any, query string, args ...any) error {
	found := false
	err := s.each(func(scan func(...any) error) error {
		found = true
		return scan(dest...)
	}, query, args...)
	if err == nil && !found {
		return sql.ErrNoRows
	}
	return err
}

// noteBroken records an error after which the transaction must not continue, even
// if the function that got the error ignores it.
func (s *transaction) noteBroken(err error) error {
	if err != nil && s.db.dialect.class(err).breaks() {
		s.broken = err
	}
	return err
}

// statement returns the prepared statement of a text, bound to this
// transaction. It returns nil if the text is not prepared yet or the driver
// caches statements itself.
func (s *transaction) statement(query string) *sql.Stmt {
	if s.prepared == nil {
		return nil
	}
	if stmt := s.bound[query]; stmt != nil {
		return stmt
	}
	stmt := s.prepared.get(query)
	if stmt == nil {
		return nil
	}
	return s.bind(query, s.tx.StmtContext(s.ctx, stmt))
}

// bind stores a statement until the transaction ends, so that each text is bound once.
func (s *transaction) bind(query string, stmt *sql.Stmt) *sql.Stmt {
	if s.bound == nil {
		s.bound = map[string]*sql.Stmt{}
	}
	s.bound[query] = stmt
	return stmt
}

// prepare prepares a text for this transaction if it is not prepared yet. Otherwise the first transaction that uses a
// text would parse it again for every row. If the text cannot be prepared, running it will report the error.
func (s *transaction) prepare(query string) {
	if s.prepared == nil || s.stopped() != nil || s.statement(query) != nil {
		return
	}
	// The statement is closed when the transaction ends.
	if stmt, err := s.tx.PrepareContext(s.ctx, query); err == nil {
		s.bind(query, stmt)
	}
}
