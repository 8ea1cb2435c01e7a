package store

import "context"

// Staff is a handle on the people of one tenant: its users, their sessions and
// the invitations. It cannot reach another tenant's data. In an environment it
// can only add entries to the audit log, revoke the keys of a person, and read
// whether a policy is active in live.
type Staff struct {
	db     *DB
	tenant string
}

// Staff returns a handle that is bound to one tenant and valid until db is closed. It does not check that the tenant
// exists.
func (db *DB) Staff(tenantID string) *Staff { return &Staff{db: db, tenant: tenantID} }

// staffTx is a transaction of one Staff.
type staffTx struct {
	transaction *transaction
	tenant      string
	rls         rlsScope // the row-level security scope of the transaction's statements
}

func (st *Staff) rlsScope() rlsScope { return rlsScope{tenant: st.tenant} }

func (st *Staff) write(ctx context.Context, fn func(*staffTx) error) error {
	return st.db.submit(ctx, &job{rls: st.rlsScope(), scope: st.rlsScope(), run: func(s *transaction) error {
		return fn(&staffTx{transaction: s, tenant: st.tenant, rls: st.rlsScope()})
	}})
}

func (st *Staff) read(ctx context.Context, fn func(*staffTx) error) error {
	return st.db.read(ctx, func(s *transaction) error {
		return fn(&staffTx{transaction: s, tenant: st.tenant, rls: st.rlsScope()})
	})
}

// exec, each and one run a statement with the tenant as $1.
func (tx *staffTx) exec(query string, args ...any) (int64, error) {
	if err := tx.setRLS(); err != nil {
		return 0, err
	}
	return tx.transaction.exec(query, tx.scoped(args)...)
}

func (tx *staffTx) each(read func(scan func(...any) error) error, query string, args ...any) error {
	if err := tx.setRLS(); err != nil {
		return err
	}
	return tx.transaction.each(read, query, tx.scoped(args)...)
}

func (tx *staffTx) one(dest []any, query string, args ...any) error {
	if err := tx.setRLS(); err != nil {
		return err
	}
	return tx.transaction.one(dest, query, tx.scoped(args)...)
}

// setRLS sets the row-level security scope. It runs before every statement,
// because writing an audit entry between two statements changes the scope to
// that of an environment.
func (tx *staffTx) setRLS() error { return tx.transaction.setRLS(tx.rls) }

func (tx *staffTx) scoped(args []any) []any { return append([]any{tx.tenant}, args...) }

// firstColumn returns the first column of the rows of a statement.
func (tx *staffTx) firstColumn(query string, args ...any) ([]string, error) {
	var found []string
	err := tx.each(func(scan func(...any) error) error {
		var text string
		err := scan(&text)
		found = append(found, text)
		return err
	}, query, args...)
	return found, err
}

// audit adds an entry to the audit log of its environment.
func (tx *staffTx) audit(entry AuditEntry) error {
	return tx.within(entry.Environment).Audit().Add(entry)
}

// within returns the transaction for one of the tenant's environments.
func (tx *staffTx) within(environment string) *Tx {
	return &Tx{
		transaction: tx.transaction,
		rls:         rlsScope{role: tx.rls.role, tenant: tx.tenant, environment: environment},
	}
}

// lock locks the tenant, so that only one transaction at a time changes its
// people. It returns NotFound if there is no such tenant. Without the lock,
// checks such as "the last administrator" or "too many people" could be wrong
// when the change is committed.
func (tx *staffTx) lock() error {
	if err := tx.setRLS(); err != nil {
		return err
	}
	return lockTenant(tx.transaction, tx.tenant)
}

// lockTenant locks a tenant until the transaction ends. It returns NotFound if there is no such tenant. The lock
// does not block inserts of rows that refer to the tenant. If it did, a deadlock would be possible: the transaction
// of the insert may hold the lock of a scope that this transaction needs next.
func lockTenant(s *transaction, tenantID string) error {
	var id string
	return orNotFound("tenant",
		s.one([]any{&id}, "SELECT id FROM tenants WHERE id = $1"+s.db.dialect.forNoKeyUpdate, tenantID))
}
