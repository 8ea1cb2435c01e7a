package account

import (
	"context"
	"slices"

	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// Finish begins a session of the person whom the provider has signed in, and adds the person to the connection's
// tenant if necessary. It returns the page to show. It refuses with sign_on_failed if the provider's answer is not
// valid, and with sign_on_refused if the person may not sign in. It refuses with session_in_use if the browser has a
// session that it did not have when the sign-in began. Other refusals are sign_on_unavailable, login_throttled,
// email_taken, too_many_people and last_admin.
func (s *SignOn) Finish(ctx context.Context, r Returned, at Client) (Session, tenant.Token, string, error) {
	c, id, t, admitted, err := s.identify(ctx, r, at)
	if err == nil && t.linkUser != "" {
		err = fault.New(fault.Unauthenticated, fault.CodeSignOnFailed, "your session has ended; sign in again")
	}
	if err != nil {
		return Session{}, tenant.Token{}, "", err
	}

	now := s.core.Moment()
	actor := signOnActor(c)
	begins, token, err := s.access.newSession("", at.Address, at.Agent, now)
	if err != nil {
		return Session{}, tenant.Token{}, "", err
	}

	begins.Connection = c.ID
	result, ended, err := s.core.DB.Staff(c.TenantID).SignOn(ctx, store.SignOn{
		Identity: store.Identity{Connection: c.ID, Issuer: id.Issuer, Subject: id.Subject,
			CreatedMicros: now.UnixMicro()},
		User: store.User{
			ID: s.core.IDs.New(tenant.KindUser, now), Email: id.Email, Role: string(c.role(id.Groups)),
			CreatedMicros: now.UnixMicro(),
		},
		KeepRole: len(c.Roles) == 0,
		Session:  begins,
		By:       s.rightsChange(actor),
		Audit: func(action, userID, object, note string) store.AuditEntry {
			if userID == "" {
				userID = actor
			}
			return s.auditOf(userID, action, object, note)
		},
		Added:    operation.ActionUserAdded,
		RoleSet:  operation.ActionRoleSet,
		Disabled: operation.ActionUserDisabled,
		SignedIn: operation.ActionSignedIn,
	})
	s.forget(ended...)
	if err != nil {
		return Session{}, tenant.Token{}, "", takenInTenant(err, c)
	}
	if err := refusalOf(result, c); err != nil {
		return Session{}, tenant.Token{}, "", err
	}

	session, token, err := s.access.welcome(ctx, token, nil)
	if err == nil {
		admitted()
		s.forgetKeysOf(ctx, c.TenantID, session.User.ID) // the role may have changed
	}
	return session, token, t.next, err
}

// signOnPrefix is the prefix of a connection's name in the audit trail and in the MadeBy of a user.
const signOnPrefix = "sign-on:"

func signOnActor(c Connection) string { return signOnPrefix + c.ID }

// takenInTenant replaces the error email_taken by an error that says what to do. The address already has an account
// in the same tenant.
func takenInTenant(err error, c Connection) error {
	if fault.CodeOf(err) != fault.CodeEmailTaken {
		return err
	}
	return fault.New(fault.Conflict, fault.CodeEmailTaken,
		"this e-mail address has an account already, which is not linked to this person at %s; sign in to the account "+
			"in another way, and link %s on its page", c.Name, c.Name)
}

func refusalOf(result store.SignOnResult, c Connection) error {
	switch result {
	case store.NoRole:
		return fault.New(fault.Forbidden, fault.CodeSignOnRefused,
			"you are in no group at %s that may use this service; ask its administrator", c.Name)
	case store.UserDisabled:
		return fault.New(fault.Forbidden, fault.CodeSignOnRefused,
			"your access is disabled; an administrator of your organisation can enable it")
	}
	return nil
}

// Links reports whether a browser comes back to link an account, and not to sign in.
func (s *SignOn) Links(ctx context.Context, r Returned) bool {
	t, _, err := s.ticket(ctx, r)
	return err == nil && t.linkUser != ""
}

// FinishLink links the account of the person who is signed in. The provider must state the account's
// e-mail address. It refuses like Finish, and with identity_taken.
func (s *SignOn) FinishLink(ctx context.Context, session Session, r Returned, at Client) error {
	c, id, t, admitted, err := s.identify(ctx, r, at)
	switch {
	case err != nil:
		return err
	case t.linkUser != session.User.ID || c.TenantID != session.Tenant.ID:
		return fault.New(fault.Unauthenticated, fault.CodeSignOnFailed,
			"linking was begun by another person in this browser; start again")
	case id.Email != session.User.Email:
		return fault.New(fault.Forbidden, fault.CodeSignOnRefused,
			"%s states another e-mail address than that of your account, so they cannot be linked", c.Name)
	}

	staff := s.core.DB.Staff(c.TenantID)
	user, err := staff.User(ctx, session.User.ID)
	if err != nil {
		return err
	}

	err = endedIfMissing(staff.LinkIdentity(ctx, store.Identity{
		UserID: user.ID, Connection: c.ID, Issuer: id.Issuer, Subject: id.Subject,
		CreatedMicros: s.core.Moment().UnixMicro(),
	}, user.PasswordHash, s.auditOf(user.ID, operation.ActionIdentityLinked, user.ID, c.ID)))
	if err == nil {
		admitted()
	}
	return err
}

// Linked returns the id of the connection that a person's account is linked with, or "" if there is none.
func (s *SignOn) Linked(ctx context.Context, c Session) (string, error) {
	identities, err := s.core.DB.Staff(c.Tenant.ID).Identities(ctx)
	if err != nil {
		return "", err
	}
	at := slices.IndexFunc(identities, func(i store.Identity) bool { return i.UserID == c.User.ID })
	if at < 0 {
		return "", nil
	}
	return identities[at].Connection, nil
}

// Unlink removes the link of a person's own account, if the person has a password, and ends the sessions that began
// with that link. It returns NotFound if there is no link.
func (s *SignOn) Unlink(ctx context.Context, c Session) error {
	ended, err := s.core.DB.Staff(c.Tenant.ID).UnlinkIdentity(ctx, c.User.ID,
		s.auditOf(c.User.ID, operation.ActionIdentityUnlinked, c.User.ID, ""))
	s.forget(ended...)
	return err
}
