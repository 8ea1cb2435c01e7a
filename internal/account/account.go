package account

import (
	"context"

	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// OpenAccount is a signup in the console: the same as Signup, and a session for
// the person who did. When only the session could not begin, what was signed up
// stands beside the error: the key in it is shown this once.
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

	c, token, err := s.enter(ctx, user, address, agent, s.core.Moment())
	return signed, c, token, err
}

// ChangePassword replaces a person's own password. All their sessions end, and
// a new one begins in the place of this one.
func (s *Access) ChangePassword(
	ctx context.Context, c Session, current, next tenant.Secret, address, agent string,
) (Session, tenant.Token, error) {
	var faults fault.List
	s.options.Passwords.Check(&faults, "/password", next.Reveal(), c.User.Email)
	if next.Reveal() == current.Reveal() {
		faults.Add("/password", fault.CodeInvalidField, "must be another one than the current password")
	}
	if err := faults.Err(); err != nil {
		return Session{}, tenant.Token{}, err
	}

	now := s.core.Moment()
	// Only who is signed in comes here, so strangers' tries do not count.
	admitted, err := s.takeAll(now, bucketOf{"password of " + c.User.ID, s.options.Logins.Account})
	if err != nil {
		return Session{}, tenant.Token{}, err
	}

	staff := s.core.DB.Staff(c.Tenant.ID)
	user, err := staff.User(ctx, c.User.ID)
	if err != nil {
		return Session{}, tenant.Token{}, err
	}

	ok, _, err := s.hasher.Verify(ctx, current, tenant.NewSecret(user.PasswordHash))
	if err != nil {
		return Session{}, tenant.Token{}, err
	}
	if !ok {
		return Session{}, tenant.Token{}, operation.Invalid("/current_password", fault.CodeWrongPassword,
			"is not the current password")
	}

	admitted()
	hash, err := s.hasher.Hash(ctx, next)
	if err != nil {
		return Session{}, tenant.Token{}, err
	}

	begins, token, err := s.begun(user.ID, address, agent, now)
	if err != nil {
		return Session{}, tenant.Token{}, err
	}

	ended, err := staff.SetPassword(ctx, user.ID, user.PasswordHash, hash.Reveal(), begins, store.Standing{},
		s.auditOf(user.ID, operation.ActionPasswordChanged, user.ID, ""))
	s.forget(ended...)
	if operation.IsKind(err, fault.NotFound) { // shut out, or changed elsewhere, this very moment
		err = sessionEnded()
	}

	return s.welcome(ctx, token, err)
}

// List lists the tenant's people, those whose access was disabled included.
func (s *People) List(ctx context.Context, p tenant.Principal) ([]User, error) {
	if err := p.Require(tenant.Read); err != nil {
		return nil, err
	}
	return s.users(ctx, p.TenantID)
}

// SetRole gives a person another role: last_admin when nobody would be left to
// give roles. Their sessions end, so that they come in again with a new token
// and what they may do now.
func (s *People) SetRole(ctx context.Context, p tenant.Principal, userID string, role tenant.Role) error {
	if err := p.Require(tenant.Admin); err != nil {
		return err
	}
	if role.Scopes() == 0 {
		return operation.Invalid("/role", fault.CodeInvalidField, roleDetail)
	}
	if !tenant.Valid(tenant.KindUser, userID) {
		return operation.Missing("user")
	}

	ended, err := s.core.DB.Staff(p.TenantID).SetRole(ctx, userID, string(role), s.standing(p.UserID),
		s.auditOf(operation.Actor(p), operation.ActionRoleSet, userID, string(role)))
	s.forget(ended...)
	s.forgetKeysOf(ctx, p.TenantID, userID)
	return err
}

// forgetKeysOf makes this node look up somebody's keys at once, because what they
// may do has changed.
func (s *shared) forgetKeysOf(ctx context.Context, tenantID, userID string) {
	keys, err := s.core.DB.System().ListKeys(ctx, tenantID, s.core.Moment().UnixMicro())
	if err != nil { // they are looked up again within a second anyway
		s.core.Logger.WarnContext(ctx, "could not list a person's API keys; they change within a second",
			"user", userID, "error", err)
	}
	for _, k := range keys {
		if k.CreatedBy == userID {
			s.forgetKey(k.Hash)
		}
	}
}

const roleDetail = "must be admin, risk or viewer"

// DisableUser shuts a person out: last_admin when nobody would be left to let
// anybody in. Their API keys write and activate no policy and manage nothing any
// more. What programs do with them, deciding and reading, goes on unless the keys
// are to be revoked too. For a day the person still counts as one who may activate.
func (s *People) DisableUser(ctx context.Context, p tenant.Principal, userID string, revokeKeys bool) error {
	if err := p.Require(tenant.Admin); err != nil {
		return err
	}
	if !tenant.Valid(tenant.KindUser, userID) {
		return operation.Missing("user")
	}

	ended, err := s.core.DB.Staff(p.TenantID).Disable(ctx, userID, s.standing(p.UserID),
		s.auditOf(operation.Actor(p), operation.ActionUserDisabled, userID, ""))
	s.forget(ended...)
	s.forgetKeysOf(ctx, p.TenantID, userID)
	if err != nil || !revokeKeys {
		return err
	}

	keys, err := s.core.DB.System().LivingKeys(ctx, p.TenantID, userID, s.core.Moment().UnixMicro())
	if err != nil {
		return err
	}

	for _, id := range keys {
		if _, err := s.revokeKey(ctx, p.TenantID, id, operation.Actor(p)); err != nil {
			return err
		}
	}

	return nil
}

// EnableUser lets a person in again, with the role and the password they had.
func (s *People) EnableUser(ctx context.Context, p tenant.Principal, userID string) error {
	if err := p.Require(tenant.Admin); err != nil {
		return err
	}
	if !tenant.Valid(tenant.KindUser, userID) {
		return operation.Missing("user")
	}

	err := s.core.DB.Staff(p.TenantID).Enable(ctx, userID, s.standing(p.UserID),
		s.auditOf(operation.Actor(p), operation.ActionUserEnabled, userID, ""))
	s.forgetKeysOf(ctx, p.TenantID, userID)
	return err
}
