package account

import (
	"context"

	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// OpenAccount signs up in the console: it creates a tenant like SignupFrom, and a session for its
// first user. If only the session cannot be created, it returns the new tenant together with the
// error, because the tenant's key cannot be shown again.
func (s *Access) OpenAccount(
	ctx context.Context, ask tenant.Signup, address, agent string,
) (SignedUp, Session, tenant.Token, error) {
	if err := s.try("signup "+network(address), s.options.Logins.Signup, s.core.Now()); err != nil {
		return SignedUp{}, Session{}, tenant.Token{}, err
	}

	signed, err := s.SignupFrom(ctx, ask, address)
	if err != nil {
		return SignedUp{}, Session{}, tenant.Token{}, err
	}

	user, err := s.core.DB.Staff(signed.Tenant.ID).User(ctx, signed.UserID)
	if err != nil {
		return signed, Session{}, tenant.Token{}, err
	}

	c, token, err := s.enter(ctx, user, address, agent, s.core.Moment(), store.FactorProof{})
	return signed, c, token, err
}

// ChangePassword replaces a person's own password. It ends all their sessions and begins a new one.
func (s *Access) ChangePassword(
	ctx context.Context, c Session, current, next tenant.Secret, address, agent string,
) (Session, tenant.Token, error) {
	var faults fault.List
	s.options.Passwords.Check(&faults, "/password", next.Reveal(), c.User.Email)
	if next.Reveal() == current.Reveal() {
		faults.Add("/password", fault.CodeInvalidField, "must differ from the current password")
	}
	if err := faults.Err(); err != nil {
		return Session{}, tenant.Token{}, err
	}

	user, err := s.ownPassword(ctx, c, current)
	if err != nil {
		return Session{}, tenant.Token{}, err
	}

	now := s.core.Moment()
	staff := s.core.DB.Staff(c.Tenant.ID)
	hash, err := s.hasher.Hash(ctx, next)
	if err != nil {
		return Session{}, tenant.Token{}, err
	}

	begins, token, err := s.newSession(user.ID, address, agent, now)
	if err != nil {
		return Session{}, tenant.Token{}, err
	}

	ended, err := staff.SetPassword(ctx, user.ID, user.PasswordHash, hash.Reveal(), begins, store.RightsChange{},
		s.auditOf(user.ID, operation.ActionPasswordChanged, user.ID, ""))
	s.forget(ended...)
	return s.welcome(ctx, token, endedIfMissing(err))
}

// endedIfMissing returns session_ended in place of NotFound. NotFound means that the person was
// disabled or the password was changed in the meantime.
func endedIfMissing(err error) error {
	if fault.KindOf(err) == fault.NotFound {
		return sessionEnded()
	}
	return err
}

// ownPassword returns the person who is signed in, if the password is right. It refuses with
// wrong_password and login_throttled.
func (s *Access) ownPassword(ctx context.Context, c Session, password tenant.Secret) (store.User, error) {
	// The caller is signed in, so only the person's own attempts count against the rate limit.
	admitted, err := s.takeAll(s.core.Moment(), bucketOf{"password of " + c.User.ID, s.options.Logins.Account})
	if err != nil {
		return store.User{}, err
	}

	user, err := s.core.DB.Staff(c.Tenant.ID).User(ctx, c.User.ID)
	if err != nil {
		return store.User{}, err
	}

	ok, _, err := s.hasher.Verify(ctx, password, tenant.NewSecret(user.PasswordHash))
	if err != nil {
		return store.User{}, err
	}
	if !ok {
		return store.User{}, operation.Invalid("/current_password", fault.CodeWrongPassword,
			"is not the current password")
	}

	admitted()
	return user, nil
}

// List returns the tenant's people, including those whose access is disabled.
func (s *People) List(ctx context.Context, p tenant.Principal) ([]User, error) {
	if err := p.Require(tenant.Read); err != nil {
		return nil, err
	}
	return s.users(ctx, p.TenantID)
}

// SetRole gives a person another role. It refuses with last_admin if the tenant would have no admin
// left. The person's sessions end, so that new sessions have the new permissions.
func (s *People) SetRole(ctx context.Context, p tenant.Principal, userID string, role tenant.Role) error {
	if err := p.Require(tenant.Admin); err != nil {
		return err
	}
	if role.Scopes() == 0 {
		return operation.Invalid("/role", fault.CodeInvalidField, roleDetail)
	}
	if !tenant.Valid(tenant.KindUser, userID) {
		return fault.Missing("user")
	}

	ended, err := s.core.DB.Staff(p.TenantID).SetRole(ctx, userID, string(role), s.rightsChange(p.UserID),
		s.auditOf(operation.Actor(p), operation.ActionRoleSet, userID, string(role)))
	s.forget(ended...)
	s.forgetKeysOf(ctx, p.TenantID, userID)
	return err
}

// forgetKeysOf removes a person's keys from this node's cache, because the person's permissions
// have changed.
func (s *shared) forgetKeysOf(ctx context.Context, tenantID, userID string) {
	keys, err := s.core.DB.Accounts().ListKeys(ctx, tenantID, s.core.Moment().UnixMicro())
	if err != nil { // the cache refreshes the keys within a second anyway
		s.core.Logger.WarnContext(ctx,
			"could not remove a user's API keys from the cache; the cache refreshes them within a second",
			"tenant_id", tenantID, "user_id", userID, "error", err)
	}
	for _, k := range keys {
		if k.CreatedBy == userID {
			s.forgetKey(k.Hash)
		}
	}
}

const roleDetail = "must be admin, risk or viewer"

// DisableUser disables a person's access. It refuses with last_admin if the tenant would have no
// admin left. The person's API keys can no longer write or activate policies or manage anything.
// Programs can still decide and read with them, unless revokeKeys is set: then the keys are
// revoked in the same transaction. A person who could activate policies still counts as an
// activator for a day.
func (s *People) DisableUser(ctx context.Context, p tenant.Principal, userID string, revokeKeys bool) error {
	if err := p.Require(tenant.Admin); err != nil {
		return err
	}
	if !tenant.Valid(tenant.KindUser, userID) {
		return fault.Missing("user")
	}

	staff, by := s.core.DB.Staff(p.TenantID), s.rightsChange(p.UserID)
	actor, now := operation.Actor(p), operation.Time(by.NowMicros)
	entry := s.auditOf(actor, operation.ActionUserDisabled, userID, "")
	var ended, revoked []string
	var err error
	if revokeKeys {
		ended, revoked, err = staff.DisableWithKeys(ctx, userID, by, entry, func(keyID string) store.AuditEntry {
			return s.core.AuditBy(actor, "", now, operation.ActionKeyRevoked, keyID, "")
		})
	} else {
		ended, err = staff.Disable(ctx, userID, by, entry)
	}

	s.forget(ended...)
	s.forgetKeysOf(ctx, p.TenantID, userID)
	for _, hash := range revoked {
		s.forgetKey(hash)
	}

	return err
}

// EnableUser lets a disabled person sign in again, with the same role and password. It returns
// NotFound if the tenant has no such person.
func (s *People) EnableUser(ctx context.Context, p tenant.Principal, userID string) error {
	if err := p.Require(tenant.Admin); err != nil {
		return err
	}
	if !tenant.Valid(tenant.KindUser, userID) {
		return fault.Missing("user")
	}

	err := s.core.DB.Staff(p.TenantID).Enable(ctx, userID, s.rightsChange(p.UserID),
		s.auditOf(operation.Actor(p), operation.ActionUserEnabled, userID, ""))
	s.forgetKeysOf(ctx, p.TenantID, userID)
	return err
}
