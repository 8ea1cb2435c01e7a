package store

import (
	"context"
	"database/sql"
	"sync"
	"sync/atomic"
)

// statements are the texts prepared on a pool of SQLite connections: preparing
// one anew costs more than most of them take to run. (pgx remembers its own.)
type statements struct {
	db     *sql.DB
	mu     sync.RWMutex
	byText map[string]*sql.Stmt
	wanted map[string]struct{}
	wants  atomic.Bool
}

// maxStatements bounds the texts; lists have one for each set of filters.
const maxStatements = 256

func newStatements(db *sql.DB) *statements {
	return &statements{db: db, byText: map[string]*sql.Stmt{}, wanted: map[string]struct{}{}}
}

// get is the prepared statement of a text, or nil when it is asked for the
// first time. The caller then runs the text itself: it holds a connection, and
// to wait here for another could be to wait for itself.
func (p *statements) get(query string) *sql.Stmt {
	p.mu.RLock()
	stmt := p.byText[query]
	room := len(p.byText)+len(p.wanted) < maxStatements
	p.mu.RUnlock()
	if stmt == nil && room {
		p.mu.Lock()
		p.wanted[query] = struct{}{}
		p.mu.Unlock()
		p.wants.Store(true)
	}
	return stmt
}

// settle prepares what was asked for since, and must be called while the
// caller holds no connection.
func (p *statements) settle(ctx context.Context) {
	if p == nil || !p.wants.Swap(false) {
		return
	}
	p.mu.Lock()
	wanted := p.wanted
	p.wanted = map[string]struct{}{}
	p.mu.Unlock()
	for query := range wanted {
		stmt, err := p.db.PrepareContext(ctx, query) //nolint:sqlclosecheck // kept, and closed with the pool
		if err != nil {
			continue // it stays unprepared, and running it will say what is wrong
		}
		p.mu.Lock()
		if p.byText[query] == nil {
			p.byText[query] = stmt
			stmt = nil
		}
		p.mu.Unlock()
		if stmt != nil { // another transaction was quicker
			_ = stmt.Close()
		}
	}
}
