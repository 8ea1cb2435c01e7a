package account

import (
	"context"
	"slices"

	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// SecondFactors serves the second factors of people with passwords: setting them up, recovery codes,
// and the tenant's rule about them.
type SecondFactors struct {
	*shared
	access *Access
}

// FactorState is the state of a person's second factor.
type FactorState struct {
	Enabled       bool
	Pending       bool // it is set up, and waits for its first code
	RecoveryCodes int  // the number of unused recovery codes
	HasPassword   bool // whether the person has a password; without one no second factor is needed here
}

// State returns the state of the second factor of a person.
func (s *SecondFactors) State(ctx context.Context, c Session) (FactorState, error) {
	staff := s.core.DB.Staff(c.Tenant.ID)
	user, err := staff.User(ctx, c.User.ID)
	if err != nil {
		return FactorState{}, err
	}

	f, err := staff.SecondFactor(ctx, c.User.ID)
	if err != nil && fault.KindOf(err) != fault.NotFound {
		return FactorState{}, err
	}

	return FactorState{
		Enabled:       f.ConfirmedMicros != 0,
		Pending:       f.UserID != "" && f.ConfirmedMicros == 0,
		RecoveryCodes: len(f.Recovery),
		HasPassword:   user.PasswordHash != "",
	}, nil
}

// Begin sets up a second factor with a new secret, which Confirm puts into effect. It replaces a
// secret that was not confirmed.
func (s *SecondFactors) Begin(ctx context.Context, c Session, password tenant.Secret) error {
	user, err := s.access.ownPassword(ctx, c, password)
	if err != nil {
		return err
	}

	secret, err := tenant.MintTOTP(s.core.Random)
	if err != nil {
		return err
	}

	keys, err := s.core.Keys.Tree(ctx, c.Tenant.ID)
	if err != nil {
		return err
	}

	return endedIfMissing(s.core.DB.Staff(c.Tenant.ID).BeginSecondFactor(ctx, store.SecondFactor{
		UserID:        user.ID,
		Secret:        keys.SealFactor(user.ID, secret.Reveal()),
		CreatedMicros: s.core.Moment().UnixMicro(),
	}, user.PasswordHash))
}

// Pending returns the secret that waits for its first code. It refuses with nothing_to_confirm if
// there is none.
func (s *SecondFactors) Pending(ctx context.Context, c Session) (tenant.TOTP, error) {
	_, secret, err := s.pending(ctx, c)
	return secret, err
}

func (s *SecondFactors) pending(ctx context.Context, c Session) (store.SecondFactor, tenant.TOTP, error) {
	f, err := s.core.DB.Staff(c.Tenant.ID).SecondFactor(ctx, c.User.ID)
	if fault.KindOf(err) == fault.NotFound || err == nil && f.ConfirmedMicros != 0 {
		err = fault.New(fault.Conflict, fault.CodeNothingToConfirm,
			"there is no second factor that waits for its first code; set it up again")
	}
	if err != nil {
		return store.SecondFactor{}, tenant.TOTP{}, err
	}

	secret, err := s.openFactor(ctx, store.User{ID: c.User.ID, TenantID: c.Tenant.ID}, f)
	return f, secret, err
}

// Confirm puts a second factor into effect, if code is right, and ends the person's other sessions.
// Only this call returns the recovery codes.
func (s *SecondFactors) Confirm(ctx context.Context, c Session, code string) ([]tenant.Secret, error) {
	now := s.core.Moment()
	admitted, err := s.access.takeAll(now, bucketOf{"code of " + c.User.ID, s.options.Logins.Account})
	if err != nil {
		return nil, err
	}

	f, secret, err := s.pending(ctx, c)
	if err != nil {
		return nil, err
	}

	step, ok := secret.Match(code, now)
	if !ok {
		return nil, operation.Invalid("/code", fault.CodeWrongCode,
			"is wrong; check that the clock of your phone is right, and type the code that the app shows now")
	}

	admitted()
	codes, hashes, err := s.newRecovery()
	if err != nil {
		return nil, err
	}

	f.LastStep, f.ConfirmedMicros, f.Recovery = step, now.UnixMicro(), hashes
	ended, err := s.core.DB.Staff(c.Tenant.ID).ConfirmSecondFactor(ctx, f, c.ID,
		s.auditOf(c.User.ID, operation.ActionFactorEnabled, c.User.ID, ""))
	s.forget(ended...)
	s.sessions.Forget(c.hash)
	return codes, err
}

// newRecovery returns new recovery codes and their hashes.
func (s *shared) newRecovery() (codes []tenant.Secret, hashes []string, err error) {
	if codes, err = tenant.MintRecoveryCodes(s.core.Random); err != nil {
		return nil, nil, err
	}

	for _, code := range codes {
		hash, _ := tenant.HashRecoveryCode(code.Reveal())
		hashes = append(hashes, hash)
	}

	return codes, hashes, nil
}

// ReplaceRecoveryCodes returns new recovery codes; the old codes stop working.
func (s *SecondFactors) ReplaceRecoveryCodes(ctx context.Context, c Session, code string) ([]tenant.Secret, error) {
	codes, hashes, err := s.newRecovery()
	if err != nil {
		return nil, err
	}

	err = s.proved(ctx, c, code, func(proof store.FactorProof) error {
		return s.core.DB.Staff(c.Tenant.ID).ReplaceRecovery(ctx, c.User.ID, proof, hashes,
			s.auditOf(c.User.ID, operation.ActionRecoveryReplaced, c.User.ID, ""))
	})
	if err != nil {
		return nil, err
	}

	return codes, nil
}

// Remove removes a person's own second factor.
func (s *SecondFactors) Remove(ctx context.Context, c Session, code string) error {
	err := s.proved(ctx, c, code, func(proof store.FactorProof) error {
		return s.core.DB.Staff(c.Tenant.ID).RemoveSecondFactor(ctx, c.User.ID, proof,
			s.auditOf(c.User.ID, operation.ActionFactorDisabled, c.User.ID, ""))
	})
	s.sessions.Forget(c.hash)
	return err
}

// proved checks a code of a person who is signed in, and calls the function do with the proof of the code.
func (s *SecondFactors) proved(ctx context.Context, c Session, code string, do func(store.FactorProof) error) error {
	now := s.core.Moment()
	admitted, err := s.access.takeAll(now, bucketOf{"code of " + c.User.ID, s.options.Logins.Account})
	if err != nil {
		return err
	}

	proof, err := s.prove(ctx, store.User{ID: c.User.ID, TenantID: c.Tenant.ID}, code, now)
	if err == nil {
		err = do(proof)
	}
	if fault.CodeOf(err) == fault.CodeWrongCode {
		return operation.Invalid("/code", fault.CodeWrongCode, "is wrong or was used already")
	}
	if err == nil {
		admitted()
	}

	return err
}

// Required reports whether the caller's tenant requires a second factor of everybody with a
// password.
func (s *SecondFactors) Required(ctx context.Context, p tenant.Principal) (bool, error) {
	t, err := s.core.DB.Accounts().Tenant(ctx, p.TenantID)
	return t.SecondFactorMicros != 0, err
}

// Require sets whether the tenant requires a second factor of everybody with a password. People with
// a password and no second factor have no permissions until they set up a second factor. It refuses
// with second_factor_required if the caller has a password and no second factor.
func (s *SecondFactors) Require(ctx context.Context, p tenant.Principal, required bool) error {
	if err := p.Require(tenant.Admin); err != nil {
		return err
	}

	action, since := operation.ActionFactorOptional, int64(0)
	if required {
		if err := s.hasFactor(ctx, p); err != nil {
			return err
		}
		action, since = operation.ActionFactorRequired, s.core.Moment().UnixMicro()
	}

	sessions, err := s.core.DB.Staff(p.TenantID).RequireSecondFactor(ctx, since,
		s.auditOf(operation.Actor(p), action, p.TenantID, ""))
	s.forget(sessions...)
	return err
}

// hasFactor refuses a caller who has a password and no second factor.
func (s *SecondFactors) hasFactor(ctx context.Context, p tenant.Principal) error {
	staff := s.core.DB.Staff(p.TenantID)
	user, err := staff.User(ctx, p.UserID)
	if err != nil || user.PasswordHash == "" {
		return err
	}

	people, err := staff.PeopleWithFactor(ctx)
	if err == nil && !slices.Contains(people, p.UserID) {
		err = fault.New(fault.Conflict, fault.CodeSecondFactorRequired,
			"set up your own second factor first, on the page of your account")
	}

	return err
}

// Reset removes the second factor of another person, who has lost it, and ends the person's
// sessions. If the person is an activator, the person waits for a day again. Reset returns NotFound
// if the person has no second factor.
func (s *SecondFactors) Reset(ctx context.Context, p tenant.Principal, userID string) error {
	if err := p.Require(tenant.Admin); err != nil {
		return err
	}
	if !tenant.Valid(tenant.KindUser, userID) {
		return fault.Missing("user")
	}
	if userID == p.UserID {
		return fault.New(fault.Conflict, fault.CodeInvalidTransition,
			"remove your own second factor with a code, on the page of your account")
	}
	return s.resetFactor(ctx, p.TenantID, userID, operation.Actor(p), p.UserID)
}

func (s *shared) resetFactor(ctx context.Context, tenantID, userID, actor, by string) error {
	ended, err := s.core.DB.Staff(tenantID).ResetSecondFactor(ctx, userID, s.rightsChange(by),
		s.auditOf(actor, operation.ActionFactorReset, userID, ""))
	s.forget(ended...)
	return err
}

// ResetSecondFactor removes the second factor of a person, for instance of the last administrator.
// It returns NotFound if the tenant has no such person, or if the person has no second factor.
func (s *Operator) ResetSecondFactor(ctx context.Context, tenantID, email string) error {
	user, err := s.userByEmail(ctx, tenantID, email)
	if err != nil {
		return err
	}
	return s.resetFactor(ctx, tenantID, user.ID, operation.ActorOperator, operation.ActorOperator)
}

// SealOlder encrypts the secrets that were stored before the database had a master key, and
// returns their number.
func (s *SecondFactors) SealOlder(ctx context.Context) (sealed int64, err error) {
	if !s.core.Keys.Seals() {
		return 0, nil
	}

	var last store.FactorName
	for {
		found, err := s.core.DB.System().FactorsToSeal(ctx, last, sealPage)
		if err != nil || len(found) == 0 {
			return sealed, err
		}
		for _, f := range found {
			if err := s.seal(ctx, f); err != nil {
				return sealed, err
			}
			sealed++
			last = f
		}
	}
}

// sealPage is the number of readable secrets that are read at a time.
const sealPage = 500

// seal encrypts a secret that is stored unencrypted.
func (s *SecondFactors) seal(ctx context.Context, f store.FactorName) error {
	keys, err := s.core.Keys.Tree(ctx, f.Tenant)
	if err != nil {
		return err
	}
	return s.core.DB.Staff(f.Tenant).SealFactor(ctx, f.UserID, f.Secret, keys.SealFactor(f.UserID, f.Secret))
}
