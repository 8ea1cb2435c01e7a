package decisioning

import (
	"context"
	"net"
	"net/netip"
	"time"

	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// Codes with which somebody at the door is turned away.
const (
	CodeInvalidCredentials = "invalid_credentials" //nolint:gosec // a code, and no credential
	CodeLoginThrottled     = "login_throttled"
)

// Throttled refuses somebody who tried too often. errors.As finds the
// *fault.Error in it too.
type Throttled struct {
	RetryAfter time.Duration
	refusal    *fault.Error
}

func (t *Throttled) Error() string { return t.refusal.Error() }
func (t *Throttled) Unwrap() error { return t.refusal }

// SignIn begins a session: invalid_credentials whatever is wrong with the
// e-mail address or the password, and login_throttled after too many tries.
// The address and the browser are shown to the person among their sessions.
func (s *Service) SignIn(ctx context.Context, email string, password tenant.Secret, address, agent string) (Session, tenant.Token, error) {
	now := s.moment()
	account, known := tenant.NormaliseEmail(email)
	admitted, err := s.knock(now, account, address)
	if err != nil {
		return Session{}, tenant.Token{}, err
	}
	var user store.User
	if known {
		user, err = s.db.System().UserByEmail(ctx, account)
		if err != nil && !refusedAs(err, fault.NotFound) {
			return Session{}, tenant.Token{}, err
		}
	}
	// For nobody the same work is done, so that the time it takes does not tell
	// who has an account.
	var stored tenant.Secret
	if user.ID != "" {
		stored = tenant.NewSecret(user.PasswordHash)
	}
	ok, upgrade, err := s.hasher.Verify(ctx, password, stored)
	if err != nil {
		return Session{}, tenant.Token{}, err
	}
	if !ok || user.DisabledMicros != 0 {
		return Session{}, tenant.Token{}, invalidCredentials()
	}
	if upgrade {
		user.PasswordHash = s.rehash(ctx, user, password)
	}
	c, token, err := s.enter(ctx, user, address, agent, now)
	if err == nil {
		admitted()
	}
	return c, token, err
}

func invalidCredentials() error {
	return fault.New(fault.Unauthenticated, CodeInvalidCredentials, "the e-mail address or the password is not right")
}

// enter begins a session of somebody whose password was checked.
func (s *Service) enter(ctx context.Context, user store.User, address, agent string, now time.Time) (Session, tenant.Token, error) {
	begins, token, err := s.begun(user.ID, address, agent, now)
	if err != nil {
		return Session{}, tenant.Token{}, err
	}
	err = s.db.Staff(user.TenantID).OpenSession(ctx, begins, user.PasswordHash, s.auditOf(user.ID, actionSignedIn, begins.ID, ""))
	if refusedAs(err, fault.NotFound) { // the password changed this very moment
		err = invalidCredentials()
	}
	return s.welcome(ctx, token, err)
}

// welcome is what somebody is given who has just come in.
func (s *Service) welcome(ctx context.Context, token tenant.Token, err error) (Session, tenant.Token, error) {
	if err != nil {
		return Session{}, tenant.Token{}, err
	}
	c, err := s.SessionOf(ctx, token)
	if err != nil {
		return Session{}, tenant.Token{}, err
	}
	return c, token, nil
}

// rehash brings a password's hash up to today's cost, and returns the hash that
// is stored. That it could not be done is no reason to turn anybody away.
func (s *Service) rehash(ctx context.Context, user store.User, password tenant.Secret) string {
	fresh, err := s.hasher.Hash(ctx, password)
	if err == nil {
		err = s.db.Staff(user.TenantID).Rehash(ctx, user.ID, user.PasswordHash, fresh.Reveal())
	}
	if err != nil {
		s.options.Logger.WarnContext(ctx, "a password keeps its old hash for now", "user", user.ID, "error", err)
		return user.PasswordHash
	}
	return fresh.Reveal()
}

// knock takes a try from the buckets of an address and of an account, or says
// how long to wait. What succeeded is given back by calling what it returns.
// The address comes first: who is refused there cannot lock others out.
func (s *Service) knock(now time.Time, account, address string) (admitted func(), err error) {
	from := "address " + network(address)
	if err := s.try(from, s.options.Logins.Address, now); err != nil {
		return nil, err
	}
	whose := "account " + account
	if account != "" {
		if err := s.try(whose, s.options.Logins.Account, now); err != nil {
			return nil, err
		}
	}
	return func() {
		s.doors.Return(from)
		s.doors.Return(whose)
	}, nil
}

func (s *Service) try(bucket string, rate tenant.Rate, now time.Time) error {
	_, wait, ok := s.doors.Take(bucket, rate, now)
	if ok {
		return nil
	}
	return &Throttled{RetryAfter: wait, refusal: fault.New(fault.Limited, CodeLoginThrottled, "too many tries; wait a while and try again")}
}

// network is where an address belongs: of IPv6 the network, since a household
// has more addresses than we have buckets.
func network(address string) string {
	if host, _, err := net.SplitHostPort(address); err == nil {
		address = host
	}
	at, err := netip.ParseAddr(address)
	if err != nil {
		return shown(address, maxAddress)
	}
	at = at.Unmap().WithZone("")
	if at.Is6() {
		whole, _ := at.Prefix(64)
		return whole.String()
	}
	return at.String()
}
