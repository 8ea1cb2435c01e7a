package store

import (
	"context"

	"verdict/internal/fault"
)

// adminRole is the role that at least one person of a tenant must have.
const adminRole = "admin"

// Users returns the tenant's people, at most MaxPage, oldest first, including
// disabled ones.
func (st *Staff) Users(ctx context.Context) ([]User, error) {
	var users []User
	err := st.read(ctx, func(tx *staffTx) error {
		users = nil
		return tx.each(func(scan func(...any) error) error {
			var u User
			err := scan(u.fields()...)
			users = append(users, u)
			return err
		}, "SELECT "+userColumns+" FROM users WHERE tenant_id = $1 ORDER BY created_micros, id LIMIT $2",
			int64(MaxPage))
	})
	return users, err
}

// User returns one of the tenant's people, NotFound if there is no such person.
func (st *Staff) User(ctx context.Context, userID string) (User, error) {
	var u User
	err := st.read(ctx, func(tx *staffTx) (err error) {
		u, err = tx.user(userID)
		return err
	})
	return u, err
}

func (tx *staffTx) user(userID string) (User, error) {
	var u User
	err := tx.one(u.fields(), "SELECT "+userColumns+" FROM users WHERE tenant_id = $1 AND id = $2", userID)
	return u, orNotFound("user", err)
}

// SetRole changes a person's role and ends the person's sessions. It returns the hashes of these sessions. It returns
// Conflict last_admin for the last administrator. If the person has the role already, nothing changes.
func (st *Staff) SetRole(
	ctx context.Context, userID, role string, by RightsChange, audit AuditEntry,
) (ended []string, err error) {
	return st.change(ctx, userID, by, audit, setRole(role))
}

// setRole returns the change that gives a person a role.
func setRole(role string) func(*staffTx, *User) (bool, error) {
	return func(tx *staffTx, u *User) (bool, error) {
		if u.Role == role {
			return false, nil
		}
		if err := tx.refuseLastAdmin(*u); err != nil {
			return false, err
		}
		u.Role = role
		return true, nil
	}
}

// Disable disables a person's access and ends the person's sessions. It returns the hashes of these sessions. It
// returns Conflict last_admin for the last administrator, because nobody could enable the person again. If the person
// is disabled already, nothing changes.
func (st *Staff) Disable(
	ctx context.Context, userID string, by RightsChange, audit AuditEntry,
) (ended []string, err error) {
	return st.change(ctx, userID, by, audit, disabled(by.NowMicros))
}

// DisableWithKeys disables a person's access like Disable and revokes all keys
// of the person that still work, in one transaction. It revokes the keys even if
// the person is disabled already. keyAudit returns the audit entry of a revoked
// key. DisableWithKeys returns the hashes of the ended sessions and of the
// revoked keys.
func (st *Staff) DisableWithKeys(
	ctx context.Context, userID string, by RightsChange, audit AuditEntry, keyAudit func(keyID string) AuditEntry,
) (ended, revoked []string, err error) {
	err = st.write(ctx, func(tx *staffTx) (err error) {
		if err := tx.lockJournals(); err != nil {
			return err
		}
		if ended, err = tx.change(userID, by, audit, disabled(by.NowMicros)); err != nil {
			return err
		}
		revoked, err = tx.revokeKeysOf(userID, by.NowMicros, keyAudit)
		return err
	})
	return ended, revoked, err
}

// disabled returns the change that disables a person's access at a time.
func disabled(nowMicros int64) func(*staffTx, *User) (bool, error) {
	return func(tx *staffTx, u *User) (bool, error) {
		if u.DisabledMicros != 0 {
			return false, nil
		}
		if err := tx.refuseLastAdmin(*u); err != nil {
			return false, err
		}
		u.DisabledMicros = nowMicros
		return true, nil
	}
}

// Enable enables the access of a disabled person. It returns NotFound if the tenant has no
// such person.
func (st *Staff) Enable(ctx context.Context, userID string, by RightsChange, audit AuditEntry) error {
	_, err := st.change(ctx, userID, by, audit, func(_ *staffTx, u *User) (bool, error) {
		was := u.DisabledMicros
		u.DisabledMicros = 0
		return was != 0, nil
	})
	return err
}

// change changes the rights of a person in a transaction of its own.
func (st *Staff) change(
	ctx context.Context, userID string, by RightsChange, audit AuditEntry, apply func(*staffTx, *User) (bool, error),
) (ended []string, err error) {
	err = st.write(ctx, func(tx *staffTx) (err error) {
		ended, err = tx.change(userID, by, audit, apply)
		return err
	})
	return ended, err
}

// change changes the rights of a person. If apply reports a change, it ends the person's sessions and returns their
// hashes. It also deletes the invitations that the person sent, because the person could use one of the links to come
// back.
func (tx *staffTx) change(
	userID string, by RightsChange, audit AuditEntry, apply func(*staffTx, *User) (bool, error),
) (ended []string, err error) {
	if err := tx.lock(); err != nil {
		return nil, err
	}
	before, err := tx.user(userID)
	if err != nil {
		return nil, err
	}
	after := before
	done, err := apply(tx, &after)
	if err != nil || !done {
		return nil, err
	}
	if err := by.move(tx, before, &after); err != nil {
		return nil, err
	}
	if err := tx.updateRights(after); err != nil {
		return nil, err
	}
	if ended, err = tx.endSessions(userID, ""); err != nil {
		return nil, err
	}
	if _, err := tx.exec("DELETE FROM invitations WHERE tenant_id = $1 AND invited_by = $2", userID); err != nil {
		return nil, err
	}
	return ended, tx.audit(audit)
}

// updateRights stores the rights of a person.
func (tx *staffTx) updateRights(u User) error {
	_, err := tx.exec(`UPDATE users SET role = $3, disabled_micros = $4, may_activate_micros = $5, made_by = $6,
		stopped_micros = $7, stopped_by = $8 WHERE tenant_id = $1 AND id = $2`,
		u.ID, u.Role, u.DisabledMicros, u.MayActivateMicros, u.MadeBy, u.StoppedMicros, u.StoppedBy)
	return err
}

// refuseLastAdmin returns Conflict last_admin if u is the only administrator
// who can sign in.
func (tx *staffTx) refuseLastAdmin(u User) error {
	if u.Role != adminRole || u.DisabledMicros != 0 {
		return nil
	}
	others, err := tx.firstColumn("SELECT id FROM users WHERE tenant_id = $1 AND role = $2 AND disabled_micros = 0 "+
		"AND id <> $3 LIMIT 1", adminRole, u.ID)
	if err == nil && len(others) == 0 {
		return fault.New(fault.Conflict, fault.CodeLastAdmin,
			"this is the last administrator; give another person the role admin first")
	}
	return err
}

// SetPassword replaces a password. It returns NotFound if the password hash is no longer oldHash or the person is
// disabled. All sessions end. If the session in parameter "begins" has an id, SetPassword stores it as a new
// session. SetPassword returns the hashes of the ended sessions. Parameter "by" says who set the password; its zero
// value means that the person did.
func (st *Staff) SetPassword(
	ctx context.Context, userID, oldHash, newHash string, begins ConsoleSession, by RightsChange, audit AuditEntry,
) (ended []string, err error) {
	err = st.write(ctx, func(tx *staffTx) error {
		ended = nil
		if err := tx.lock(); err != nil {
			return err
		}
		if err := tx.replaceHash(userID, oldHash, newHash); err != nil {
			return err
		}
		if err := by.renew(tx, userID); err != nil {
			return err
		}
		if ended, err = tx.endSessions(userID, ""); err != nil {
			return err
		}
		if begins.ID != "" {
			if err := tx.insertSession(begins); err != nil {
				return err
			}
		}
		return tx.audit(audit)
	})
	return ended, err
}

// Rehash replaces the hash of an unchanged password. It returns NotFound if the
// stored hash is no longer oldHash or the person is disabled.
func (st *Staff) Rehash(ctx context.Context, userID, oldHash, newHash string) error {
	return st.write(ctx, func(tx *staffTx) error { return tx.replaceHash(userID, oldHash, newHash) })
}

func (tx *staffTx) replaceHash(userID, oldHash, newHash string) error {
	changed, err := tx.exec(`UPDATE users SET password_hash = $4
		WHERE tenant_id = $1 AND id = $2 AND password_hash = $3 AND disabled_micros = 0`, userID, oldHash, newHash)
	if err == nil && changed == 0 {
		return fault.Missing("user")
	}
	return err
}

// People returns the people of the scope's tenant, at most MaxPage, oldest first, including disabled ones.
func (tx *Tx) People() ([]User, error) {
	var people []User
	// The table users has no environment; the condition on $2 is there only to
	// use the parameter.
	err := tx.each(func(scan func(...any) error) error {
		var u User
		err := scan(u.fields()...)
		people = append(people, u)
		return err
	}, "SELECT "+userColumns+" FROM users WHERE tenant_id = $1 AND $2 <> '' ORDER BY created_micros, id LIMIT $3",
		int64(MaxPage))
	return people, err
}
