package store

import "context"

// Staff is a handle on the people of one tenant: its users, their sessions and
// the invitations to join them. It cannot reach another tenant's, and nothing
// that belongs to an environment but the audit log, which it adds to.
type Staff struct {
	db     *DB
	tenant string
}

// Staff makes the handle of a tenant.
func (db *DB) Staff(tenantID string) *Staff { return &Staff{db: db, tenant: tenantID} }

// staffTx is a transaction of one Staff.
type staffTx struct {
	session *session
	tenant  string
	voice   voice // for whom it speaks
}

func (st *Staff) voice() voice { return voice{tenant: st.tenant} }

func (st *Staff) write(ctx context.Context, fn func(*staffTx) error) error {
	return st.db.submit(ctx, &job{voice: st.voice(), scope: st.voice(), run: func(s *session) error {
		return fn(&staffTx{session: s, tenant: st.tenant, voice: st.voice()})
	}})
}

func (st *Staff) read(ctx context.Context, fn func(*staffTx) error) error {
	return st.db.read(ctx, func(s *session) error { return fn(&staffTx{session: s, tenant: st.tenant, voice: st.voice()}) })
}

// exec, each and one run a statement with the tenant as $1.
func (tx *staffTx) exec(query string, args ...any) (int64, error) {
	if err := tx.announce(); err != nil {
		return 0, err
	}
	return tx.session.exec(query, tx.scoped(args)...)
}

func (tx *staffTx) each(read func(scan func(...any) error) error, query string, args ...any) error {
	if err := tx.announce(); err != nil {
		return err
	}
	return tx.session.each(read, query, tx.scoped(args)...)
}

func (tx *staffTx) one(dest []any, query string, args ...any) error {
	if err := tx.announce(); err != nil {
		return err
	}
	return tx.session.one(dest, query, tx.scoped(args)...)
}

// announce comes before every statement: an audit entry between two of them
// speaks for an environment too.
func (tx *staffTx) announce() error { return tx.session.as(tx.voice) }

func (tx *staffTx) scoped(args []any) []any { return append([]any{tx.tenant}, args...) }

// texts are the first columns of the rows of a statement.
func (tx *staffTx) texts(query string, args ...any) ([]string, error) {
	var found []string
	err := tx.each(func(scan func(...any) error) error {
		var text string
		err := scan(&text)
		found = append(found, text)
		return err
	}, query, args...)
	return found, err
}

// audit adds an entry to the log of the environment it names.
func (tx *staffTx) audit(entry AuditEntry) error {
	return tx.within(entry.Environment).Audit().Add(entry)
}

// within is the transaction in one of the tenant's environments.
func (tx *staffTx) within(environment string) *Tx {
	return &Tx{session: tx.session, voice: voice{role: tx.voice.role, tenant: tx.tenant, environment: environment}}
}

// lock lets one change of a tenant's people go on at a time, and is NotFound
// when there is no such tenant. That somebody is the last administrator, or
// one too many, can only be told while nobody else changes it.
func (tx *staffTx) lock() error {
	var id string
	return oneOf("tenant", tx.one([]any{&id}, "SELECT id FROM tenants WHERE id = $1"+tx.session.db.dialect.forUpdate()))
}
