package store

import (
	"context"

	"verdict/internal/fault"
)

// adminRole is the role that somebody must always have.
const adminRole = "admin"

// Users returns the tenant's people, oldest first, those who were shut out
// included, and at most MaxPage of them.
func (st *Staff) Users(ctx context.Context) ([]User, error) {
	var users []User
	err := st.read(ctx, func(tx *staffTx) error {
		users = nil
		return tx.each(func(scan func(...any) error) error {
			var u User
			err := scan(u.fields()...)
			users = append(users, u)
			return err
		}, "SELECT "+userColumns+" FROM users WHERE tenant_id = $1 ORDER BY created_micros, id LIMIT $2", int64(MaxPage))
	})
	return users, err
}

// User finds one of the tenant's people.
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
	return u, oneOf("user", err)
}

// SetRole gives a person another role and ends their sessions, whose hashes it
// returns. The last administrator keeps theirs: Conflict last_admin. To give
// the role a person has changes nothing.
func (st *Staff) SetRole(ctx context.Context, userID, role string, by Standing, audit AuditEntry) (ended []string, err error) {
	return st.change(ctx, userID, by, audit, func(tx *staffTx, u *User) (bool, error) {
		if u.Role == role {
			return false, nil
		}
		if err := tx.spare(*u); err != nil {
			return false, err
		}
		u.Role = role
		return true, nil
	})
}

// Disable shuts a person out and ends their sessions, whose hashes it returns:
// Conflict last_admin when nobody else could let them in again. Who is shut
// out already stays so.
func (st *Staff) Disable(ctx context.Context, userID string, by Standing, audit AuditEntry) (ended []string, err error) {
	return st.change(ctx, userID, by, audit, func(tx *staffTx, u *User) (bool, error) {
		if u.DisabledMicros != 0 {
			return false, nil
		}
		if err := tx.spare(*u); err != nil {
			return false, err
		}
		u.DisabledMicros = by.NowMicros
		return true, nil
	})
}

// Enable lets a person in again.
func (st *Staff) Enable(ctx context.Context, userID string, by Standing, audit AuditEntry) error {
	_, err := st.change(ctx, userID, by, audit, func(_ *staffTx, u *User) (bool, error) {
		was := u.DisabledMicros
		u.DisabledMicros = 0
		return was != 0, nil
	})
	return err
}

// change changes what a person may do. If that is done, their sessions end and
// the invitations they gave out do too: a link kept in a drawer would be a way
// back in.
func (st *Staff) change(ctx context.Context, userID string, by Standing, audit AuditEntry, apply func(*staffTx, *User) (bool, error)) (ended []string, err error) {
	err = st.write(ctx, func(tx *staffTx) error {
		ended = nil
		if err := tx.lock(); err != nil {
			return err
		}
		before, err := tx.user(userID)
		if err != nil {
			return err
		}
		after := before
		done, err := apply(tx, &after)
		if err != nil || !done {
			return err
		}
		if err := by.move(tx, before, &after); err != nil {
			return err
		}
		if err := tx.keep(after); err != nil {
			return err
		}
		if ended, err = tx.endSessions(userID, ""); err != nil {
			return err
		}
		if _, err := tx.exec("DELETE FROM invitations WHERE tenant_id = $1 AND invited_by = $2", userID); err != nil {
			return err
		}
		return tx.audit(audit)
	})
	return ended, err
}

// keep stores what a person may do.
func (tx *staffTx) keep(u User) error {
	_, err := tx.exec(`UPDATE users SET role = $3, disabled_micros = $4, may_activate_micros = $5, made_by = $6,
		stopped_micros = $7, stopped_by = $8 WHERE tenant_id = $1 AND id = $2`,
		u.ID, u.Role, u.DisabledMicros, u.MayActivateMicros, u.MadeBy, u.StoppedMicros, u.StoppedBy)
	return err
}

// spare refuses to take away the only administrator who can sign in.
func (tx *staffTx) spare(u User) error {
	if u.Role != adminRole || u.DisabledMicros != 0 {
		return nil
	}
	others, err := tx.texts("SELECT id FROM users WHERE tenant_id = $1 AND role = $2 AND disabled_micros = 0 AND id <> $3 LIMIT 1", adminRole, u.ID)
	if err == nil && len(others) == 0 {
		return fault.New(fault.Conflict, fault.CodeLastAdmin,
			"this is the last administrator; give another person the role admin first")
	}
	return err
}

// SetPassword replaces a password, which must still be the one whose hash is
// given: NotFound if not, or if the person was shut out. All sessions end, and
// the one that is given begins, if one is. It returns the hashes of those that
// ended. by is who else than the person did it, its zero value for nobody else.
func (st *Staff) SetPassword(ctx context.Context, userID, oldHash, newHash string, begins ConsoleSession, by Standing, audit AuditEntry) (ended []string, err error) {
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

// Rehash replaces the hash of a password that stays the same.
func (st *Staff) Rehash(ctx context.Context, userID, oldHash, newHash string) error {
	return st.write(ctx, func(tx *staffTx) error { return tx.replaceHash(userID, oldHash, newHash) })
}

func (tx *staffTx) replaceHash(userID, oldHash, newHash string) error {
	changed, err := tx.exec(`UPDATE users SET password_hash = $4
		WHERE tenant_id = $1 AND id = $2 AND password_hash = $3 AND disabled_micros = 0`, userID, oldHash, newHash)
	if err == nil && changed == 0 {
		return notFound("user")
	}
	return err
}

// People returns the people of the scope's tenant, oldest first, those who were
// shut out included.
func (tx *Tx) People() ([]User, error) {
	var people []User
	// The environment is no column of users; it is named to be bound.
	err := tx.each(func(scan func(...any) error) error {
		var u User
		err := scan(u.fields()...)
		people = append(people, u)
		return err
	}, "SELECT "+userColumns+" FROM users WHERE tenant_id = $1 AND $2 <> '' ORDER BY created_micros, id LIMIT $3", int64(MaxPage))
	return people, err
}
