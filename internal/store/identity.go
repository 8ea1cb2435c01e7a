package store

import (
	"context"

	"verdict/internal/fault"
)

// Identity is a person's account at an identity provider.
type Identity struct {
	UserID        string
	Connection    string // the id of the connection with which the identity was added
	Issuer        string
	Subject       string
	CreatedMicros int64
}

func (i *Identity) fields() []any {
	return []any{&i.UserID, &i.Connection, &i.Issuer, &i.Subject, &i.CreatedMicros}
}

const identityColumns = "user_id, connection, issuer, subject, created_micros"

// Identities returns the identities of the tenant's people.
func (st *Staff) Identities(ctx context.Context) ([]Identity, error) {
	var found []Identity
	err := st.read(ctx, func(tx *staffTx) error {
		found = nil
		return tx.each(func(scan func(...any) error) error {
			var i Identity
			err := scan(i.fields()...)
			found = append(found, i)
			return err
		}, "SELECT "+identityColumns+" FROM user_identities WHERE tenant_id = $1 ORDER BY user_id LIMIT $2",
			int64(MaxPage))
	})
	return found, err
}

// LinkIdentity gives a person an identity. It returns Conflict identity_taken if the person already has an identity,
// or if another person of the tenant has this identity. It returns NotFound if the password hash is no longer
// passwordHash or the person is disabled.
func (st *Staff) LinkIdentity(ctx context.Context, i Identity, passwordHash string, audit AuditEntry) error {
	return st.write(ctx, func(tx *staffTx) error {
		if err := tx.lockUser(i.UserID, passwordHash); err != nil {
			return err
		}
		if err := tx.insertIdentity(i); err != nil {
			return err
		}
		return tx.audit(audit)
	})
}

func (tx *staffTx) insertIdentity(i Identity) error {
	added, err := tx.exec("INSERT INTO user_identities (tenant_id, "+identityColumns+
		") VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING",
		i.UserID, i.Connection, i.Issuer, i.Subject, i.CreatedMicros)
	if err == nil && added == 0 {
		return fault.New(fault.Conflict, fault.CodeIdentityTaken,
			"the account at the provider belongs to another person, or this account is linked already")
	}
	return err
}

// UnlinkIdentity removes the identity of a person who has a password, and ends the sessions that began with the
// identity. It returns the hashes of these sessions. It returns NotFound if the person has no identity or no password.
func (st *Staff) UnlinkIdentity(ctx context.Context, userID string, audit AuditEntry) (ended []string, err error) {
	err = st.write(ctx, func(tx *staffTx) (err error) {
		ended = nil
		if err := tx.lock(); err != nil {
			return err
		}
		removed, err := tx.exec(`DELETE FROM user_identities WHERE tenant_id = $1 AND user_id = $2 AND EXISTS
			(SELECT 1 FROM users u WHERE u.tenant_id = $1 AND u.id = $2 AND u.password_hash <> '')`, userID)
		if err != nil {
			return err
		}
		if removed == 0 {
			return fault.Missing("identity")
		}
		if ended, err = tx.firstColumn("DELETE FROM sessions WHERE tenant_id = $1 AND user_id = $2 AND "+
			"connection <> '' RETURNING hash", userID); err != nil {
			return err
		}
		return tx.audit(audit)
	})
	return ended, err
}

// SignOn is a sign-in through an identity provider. The caller has verified the statements of the provider.
type SignOn struct {
	Identity Identity       // UserID is ignored
	User     User           // the person to add if the identity is new; Role is "" if the provider gives no role
	Session  ConsoleSession // UserID is ignored
	By       RightsChange
	KeepRole bool // an existing person keeps the role
	// Audit returns an audit entry about a person. The values of action are Added, RoleSet, Disabled and SignedIn.
	Audit                              func(action, userID, object, note string) AuditEntry
	Added, RoleSet, Disabled, SignedIn string
}

// SignOnResult is the result of a SignOn.
type SignOnResult int

// The results of a SignOn. Only SignedOn begins a session.
const (
	SignedOn     SignOnResult = iota
	NoRole                    // the provider gives no role; an existing person is disabled now
	UserDisabled              // the person is disabled
)

// SignOn begins a session of the person who has an identity. It adds the person if the identity is new. Otherwise it
// sets the person's role to the role of s.User, unless s.KeepRole is set. ended holds the hashes of sessions that
// ended. SignOn returns Conflict email_taken if another person of the tenant has the e-mail address, Conflict
// too_many_people if the tenant has MaxPage people already, and Conflict last_admin if the last administrator would
// lose the role. An account of another tenant with the same address has no effect.
func (st *Staff) SignOn(ctx context.Context, s SignOn) (result SignOnResult, ended []string, err error) {
	err = st.write(ctx, func(tx *staffTx) (err error) {
		result, ended = SignedOn, nil // the write may be repeated
		if err := tx.lock(); err != nil {
			return err
		}
		found, err := tx.firstColumn("SELECT user_id FROM user_identities WHERE tenant_id = $1 AND issuer = $2 "+
			"AND subject = $3", s.Identity.Issuer, s.Identity.Subject)
		if err != nil {
			return err
		}
		userID := s.User.ID
		if len(found) == 0 {
			result, err = tx.addPerson(s)
		} else {
			userID = found[0]
			result, ended, err = tx.updatePerson(userID, s)
		}
		if err != nil || result != SignedOn {
			return err
		}
		begins := s.Session
		begins.UserID = userID
		if err := tx.insertSession(begins); err != nil {
			return err
		}
		return tx.audit(s.Audit(s.SignedIn, userID, begins.ID, s.Identity.Connection))
	})
	return result, ended, err
}

// addPerson adds the person of a new identity.
func (tx *staffTx) addPerson(s SignOn) (SignOnResult, error) {
	u := s.User
	if u.Role == "" {
		return NoRole, nil
	}
	u.TenantID = tx.tenant
	if err := s.By.begin(tx, &u); err != nil {
		return 0, err
	}
	if err := insertSignedOn(tx, u); err != nil {
		return 0, err
	}
	if err := tx.checkPeople(u.CreatedMicros); err != nil {
		return 0, err
	}
	i := s.Identity
	i.UserID = u.ID
	if err := tx.insertIdentity(i); err != nil {
		return 0, err
	}
	return SignedOn, tx.audit(s.Audit(s.Added, "", u.ID, u.Role))
}

// updatePerson gives a person the role that the provider states now. If the provider states no role, it disables the
// person.
func (tx *staffTx) updatePerson(userID string, s SignOn) (SignOnResult, []string, error) {
	u, err := tx.user(userID)
	if err != nil {
		return 0, nil, err
	}
	switch {
	case u.DisabledMicros != 0:
		return UserDisabled, nil, nil
	case s.KeepRole:
		return SignedOn, nil, nil
	case s.User.Role == "":
		ended, err := tx.change(userID, s.By, s.Audit(s.Disabled, "", userID, ""), disabled(s.By.NowMicros))
		return NoRole, ended, err
	case s.User.Role == u.Role:
		return SignedOn, nil, nil
	}
	ended, err := tx.change(userID, s.By, s.Audit(s.RoleSet, "", userID, s.User.Role), setRole(s.User.Role))
	return SignedOn, ended, err
}
