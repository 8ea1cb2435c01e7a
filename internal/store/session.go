package store

import (
	"context"
	"database/sql"
)

// session is one transaction on either database. It carries its own context:
// a transaction is shared by many callers, and one of them going away must not
// interrupt the others' statements.
type session struct {
	db       *DB
	ctx      context.Context
	caller   context.Context // looked at before each statement, when ctx has no end; nil otherwise
	tx       *sql.Tx
	prepared *statements
	bound    map[string]*sql.Stmt // the prepared ones that were used, on this transaction
	speaks   voice                // for whom the database was last told the session speaks
	written  []doubt              // what it stores that may be asked for by its name
	broken   error                // why the transaction cannot be relied upon any more
	bytes    int                  // of what its statements were given
}

// voice is for whom statements speak: one tenant in one environment, or the
// system when role says so. The zero voice is nobody.
type voice struct{ role, tenant, environment string }

var systemVoice = voice{role: "system"}

// as makes the database's own wall stand where the next statement needs it.
func (s *session) as(v voice) error {
	announce := s.db.dialect.announce()
	if announce == "" || s.speaks == v {
		return s.broken
	}
	if _, err := s.exec(announce, v.role, v.tenant, v.environment); err != nil {
		return err
	}
	s.speaks = v
	return nil
}

// execAll runs statements that are there to be done, one after the other.
func (s *session) execAll(statements []string) error {
	for _, statement := range statements {
		if _, err := s.exec(statement); err != nil {
			return err
		}
	}
	return nil
}

// exec runs a statement and tells how many rows it changed.
func (s *session) exec(query string, args ...any) (int64, error) {
	if err := s.over(); err != nil {
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
	var result sql.Result
	var err error
	//nolint:sqlclosecheck // it ends with the transaction
	if stmt := s.statement(query); stmt != nil {
		result, err = stmt.ExecContext(s.ctx, args...)
	} else {
		result, err = s.tx.ExecContext(s.ctx, query, args...)
	}
	if err != nil {
		return 0, s.noted(err)
	}
	return result.RowsAffected()
}

// each hands every row of a result to read.
func (s *session) each(read func(scan func(...any) error) error, query string, args ...any) error {
	if err := s.over(); err != nil {
		return err
	}
	var rows *sql.Rows
	var err error
	//nolint:sqlclosecheck // it ends with the transaction
	if stmt := s.statement(query); stmt != nil {
		rows, err = stmt.QueryContext(s.ctx, args...)
	} else {
		rows, err = s.tx.QueryContext(s.ctx, query, args...)
	}
	if err != nil {
		return s.noted(err)
	}
	defer func() { _ = rows.Close() }() // Err below has already said what there is to say
	for rows.Next() {
		if err := read(rows.Scan); err != nil {
			return err
		}
	}
	return s.noted(rows.Err())
}

// over returns why no further statement is to be run, nil if one may be.
func (s *session) over() error {
	if s.broken == nil && s.caller != nil {
		return s.caller.Err()
	}
	return s.broken
}

// run runs a statement and hands what it returns to read, if that is wanted.
func (s *session) run(read func(scan func(...any) error) error, query string, args []any) error {
	if read != nil {
		return s.each(read, query, args...)
	}
	_, err := s.exec(query, args...)
	return err
}

// one reads a single row into dest; sql.ErrNoRows when there is none.
func (s *session) one(dest []any, query string, args ...any) error {
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

// noted remembers an error after which the transaction must not go on, even
// if the function that met it carries on as if nothing had happened.
func (s *session) noted(err error) error {
	if err != nil && s.db.dialect.class(err).breaks() {
		s.broken = err
	}
	return err
}

// statement is a prepared statement of this transaction, nil where there is
// none yet or the driver keeps statements itself.
func (s *session) statement(query string) *sql.Stmt {
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
	// Once for each text: the transaction keeps every one until its end.
	if s.bound == nil {
		s.bound = map[string]*sql.Stmt{}
	}
	stmt = s.tx.StmtContext(s.ctx, stmt)
	s.bound[query] = stmt
	return stmt
}
