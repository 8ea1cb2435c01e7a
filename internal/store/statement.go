package store

import (
	"context"
	"database/sql"
	"sync"
	"sync/atomic"
)

// statements caches the prepared statements of a pool of SQLite connections.
// Preparing a statement again costs more than running it, for most statements.
// (pgx has its own cache.)
type statements struct {
	db     *sql.DB
	mu     sync.RWMutex
	byText map[string]*sql.Stmt
	wanted map[string]struct{}
	wants  atomic.Bool
}

// maxStatements limits the cached statements. A list has one text for each set
// of filters.
const maxStatements = 256

func newStatements(db *sql.DB) *statements {
	return &statements{db: db, byText: map[string]*sql.Stmt{}, wanted: map[string]struct{}{}}
}

// get returns the prepared statement of a text, or nil if the text is not prepared yet. The caller then runs the text
// unprepared. get does not prepare the text itself: the caller holds a connection, so waiting for another connection
// could deadlock.
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

// prepareWanted prepares the texts that were requested since the last call. The
// caller must hold no connection.
func (p *statements) prepareWanted(ctx context.Context) {
	if p == nil || !p.wants.Swap(false) {
		return
	}
	p.mu.Lock()
	wanted := p.wanted
	p.wanted = map[string]struct{}{}
	p.mu.Unlock()
	for query := range wanted {
		stmt, err := p.db.PrepareContext(ctx, query) //nolint:sqlclosecheck // cached, and closed with the pool
		if err != nil {
			continue // the text stays unprepared; running it will report the error
		}
		p.mu.Lock()
		if p.byText[query] == nil {
			p.byText[query] = stmt
			stmt = nil
		}
		p.mu.Unlock()
		if stmt != nil { // another goroutine has prepared the text in the meantime
			_ = stmt.Close()
		}
	}
}
