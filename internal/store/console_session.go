package store

import (
	"cmp"
	"context"
	"slices"
)

// ConsoleSession is a person's session in the console. It holds the hash of the
// token, never the token.
type ConsoleSession struct {
	ID            string
	TenantID      string // set by the Staff handle
	UserID        string
	Hash          string
	Address       string // the client address at sign-in
	Agent         string // the browser at sign-in
	CreatedMicros int64
	SeenMicros    int64 // when the session was last used, approximately
	ExpiresMicros int64
	Connection    string // the connection to the identity provider that began the session, "" for a password

	// FactorMicros is when the person confirmed a second factor, 0 if there is none. Only
	// SessionByHash sets it.
	FactorMicros int64
}

const sessionColumns = `s.id, s.tenant_id, s.user_id, s.hash, s.address, s.agent,
	s.created_micros, s.seen_micros, s.expires_micros, s.connection`

func (c *ConsoleSession) fields() []any {
	return []any{&c.ID, &c.TenantID, &c.UserID, &c.Hash, &c.Address, &c.Agent,
		&c.CreatedMicros, &c.SeenMicros, &c.ExpiresMicros, &c.Connection}
}

// maxSessions is the maximum number of sessions of a person. If a person has this many sessions, a new session ends
// the oldest one.
const maxSessions = 20

// SessionByHash returns a session with its user and tenant. It also returns
// expired sessions and those of disabled users; the caller decides how to
// refuse them.
func (a *Accounts) SessionByHash(ctx context.Context, hash string) (ConsoleSession, User, Tenant, error) {
	var c ConsoleSession
	var u User
	var t Tenant
	err := a.read(ctx, func(s *transaction) error {
		dest := slices.Concat(c.fields(), u.fields(), t.fields(), []any{&c.FactorMicros})
		return orNotFound("session", s.one(dest, "SELECT "+sessionColumns+`,
			u.id, u.tenant_id, u.email, u.password_hash, u.role, u.created_micros, u.disabled_micros,
			u.may_activate_micros, u.made_by, u.stopped_micros, u.stopped_by,
			`+tenantColumns+`, coalesce(f.confirmed_micros, 0)
			FROM sessions s JOIN users u ON u.tenant_id = s.tenant_id AND u.id = s.user_id
			JOIN tenants t ON t.id = s.tenant_id
			LEFT JOIN second_factors f ON f.tenant_id = s.tenant_id AND f.user_id = s.user_id
			WHERE s.hash = $1`, hash))
	})
	return c, u, t, err
}

// OpenSession begins a session of a person with a password. It returns NotFound if the password was changed after
// it was checked, or if the person was disabled in the meantime. If the person has a second factor, useProof checks
// proof, and OpenSession returns its error.
func (st *Staff) OpenSession(
	ctx context.Context, c ConsoleSession, passwordHash string, proof FactorProof, audits ...AuditEntry,
) error {
	return st.write(ctx, func(tx *staffTx) error {
		if err := tx.lockUser(c.UserID, passwordHash); err != nil {
			return err
		}
		if err := tx.useProof(c.UserID, proof); err != nil {
			return err
		}
		if err := tx.insertSession(c); err != nil {
			return err
		}
		for _, entry := range audits {
			if err := tx.audit(entry); err != nil {
				return err
			}
		}
		return nil
	})
}

func (tx *staffTx) insertSession(c ConsoleSession) error {
	if _, err := tx.exec(
		`INSERT INTO sessions (tenant_id, id, user_id, hash, address, agent, `+
			`created_micros, seen_micros, expires_micros, connection)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		c.ID, c.UserID, c.Hash, c.Address, c.Agent, c.CreatedMicros, c.SeenMicros, c.ExpiresMicros,
		c.Connection); err != nil {
		return err
	}
	_, err := tx.exec(`DELETE FROM sessions WHERE tenant_id = $1 AND user_id = $2 AND id NOT IN
		(SELECT id FROM sessions WHERE tenant_id = $1 AND user_id = $2 ORDER BY created_micros DESC, id DESC LIMIT $3)`,
		c.UserID, int64(maxSessions))
	return err
}

// Sessions returns a person's valid sessions, newest first: those that expire
// after nowMicros and were used after seenSinceMicros.
func (st *Staff) Sessions(
	ctx context.Context, userID string, nowMicros, seenSinceMicros int64,
) ([]ConsoleSession, error) {
	var found []ConsoleSession
	err := st.read(ctx, func(tx *staffTx) error {
		found = nil
		return tx.each(func(scan func(...any) error) error {
			var c ConsoleSession
			err := scan(c.fields()...)
			found = append(found, c)
			return err
		}, "SELECT "+sessionColumns+` FROM sessions s WHERE s.tenant_id = $1 AND s.user_id = $2
			AND s.expires_micros > $3 AND s.seen_micros > $4 ORDER BY s.created_micros DESC, s.id DESC LIMIT $5`,
			userID, nowMicros, seenSinceMicros, int64(maxSessions))
	})
	return found, err
}

// EndSession ends one of a person's sessions and returns its hash. It returns
// NotFound if the person has no such session.
func (st *Staff) EndSession(ctx context.Context, userID, sessionID string, audit AuditEntry) (hash string, err error) {
	err = st.write(ctx, func(tx *staffTx) error {
		err := tx.one([]any{&hash},
			"DELETE FROM sessions WHERE tenant_id = $1 AND user_id = $2 AND id = $3 RETURNING hash", userID, sessionID)
		if err != nil {
			return orNotFound("session", err)
		}
		return tx.audit(audit)
	})
	return hash, err
}

// EndOtherSessions ends all of a person's sessions except one, and returns the hashes of the ended sessions. It writes
// no audit entry if there were no other sessions.
func (st *Staff) EndOtherSessions(
	ctx context.Context, userID, exceptID string, audit AuditEntry,
) (ended []string, err error) {
	err = st.write(ctx, func(tx *staffTx) (err error) {
		if ended, err = tx.endSessions(userID, exceptID); err != nil || len(ended) == 0 {
			return err
		}
		return tx.audit(audit)
	})
	return ended, err
}

func (tx *staffTx) endSessions(userID, exceptID string) (ended []string, err error) {
	return tx.firstColumn("DELETE FROM sessions WHERE tenant_id = $1 AND user_id = $2 AND id <> $3 RETURNING hash",
		userID, exceptID)
}

// TouchSessions records when sessions were last used, all in one transaction. It never moves a time back.
func (a *Accounts) TouchSessions(ctx context.Context, touches []Touch) error {
	if len(touches) == 0 {
		return nil
	}
	// The fixed order prevents a deadlock between two nodes.
	touches = slices.SortedFunc(slices.Values(touches), func(a, b Touch) int { return cmp.Compare(a.Hash, b.Hash) })
	return a.write(ctx, "touch sessions", func(s *transaction) error {
		for _, touch := range touches {
			if _, err := s.exec("UPDATE sessions SET seen_micros = $2 WHERE hash = $1 AND seen_micros < $2",
				touch.Hash, touch.UsedMicros); err != nil {
				return err
			}
		}
		return nil
	})
}

// PurgeSessions removes at most limit sessions, of all tenants, that have
// expired or were not used after seenSinceMicros. It returns the number
// removed.
func (a *Accounts) PurgeSessions(ctx context.Context, nowMicros, seenSinceMicros int64, limit int) (int64, error) {
	var removed int64
	err := a.write(ctx, "purge sessions", func(s *transaction) (err error) {
		removed, err = s.exec(`DELETE FROM sessions WHERE (tenant_id, id) IN
			(SELECT tenant_id, id FROM sessions WHERE expires_micros <= $1 OR seen_micros <= $2 LIMIT $3)`,
			nowMicros, seenSinceMicros, int64(limit))
		return err
	})
	return removed, err
}
