package account

import (
	"context"
	"net"
	"net/netip"
	"sync"
	"time"

	"verdict/internal/admission"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// Throttled is the refusal of a caller after too many attempts. errors.As also finds the
// *fault.Error in it.
type Throttled struct {
	RetryAfter time.Duration
	refusal    *fault.Error
}

func (t *Throttled) Error() string { return t.refusal.Error() }
func (t *Throttled) Unwrap() error { return t.refusal }

// Client is where somebody signs in from. The person's list of sessions shows the address and the
// user agent. Marks holds the marks that Remember returned for the browser.
type Client struct{ Address, Agent, Marks string }

// SignIn begins a session like SignInAt, for a browser without marks.
func (s *Access) SignIn(
	ctx context.Context, email string, password tenant.Secret, address, agent string,
) (Session, tenant.Token, error) {
	return s.SignInAt(ctx, email, password, Client{Address: address, Agent: agent})
}

// SignInAt begins a session. It refuses with invalid_credentials if the e-mail address or the
// password is wrong or the person's access is disabled, and with login_throttled after too
// many attempts. If the person has a second factor, it refuses with second_factor_required (a
// *NeedsCode), and SignInWithCode continues.
func (s *Access) SignInAt(
	ctx context.Context, email string, password tenant.Secret, at Client,
) (Session, tenant.Token, error) {
	now := s.core.Moment()
	account, valid := tenant.NormaliseEmail(email)
	var user store.User
	find := func() (err error) {
		if valid && user.ID == "" {
			user, err = s.core.DB.Accounts().UserByEmail(ctx, account)
		}
		if fault.KindOf(err) == fault.NotFound {
			err = nil
		}
		return err
	}
	nonce, known := "", false
	if at.Marks != "" {
		err := find()
		if err == nil {
			nonce, known, err = s.known(ctx, user.ID, at.Marks, now)
		}
		if err != nil {
			return Session{}, tenant.Token{}, err
		}
	}

	admitted, err := s.admit(ctx, now, account, at.Address, nonce, known)
	if err == nil {
		err = find()
	}
	if err != nil {
		return Session{}, tenant.Token{}, err
	}

	// Verify the password even if there is no user, so that the response time does not reveal who
	// has an account.
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

	c, token, err := s.enter(ctx, user, at.Address, at.Agent, now, store.FactorProof{})
	if fault.CodeOf(err) == fault.CodeSecondFactorRequired {
		admitted() // the password is right; codes have a rate limit of their own
		ticket, failed := s.newTicket(ctx, user, now)
		if failed != nil {
			return Session{}, tenant.Token{}, failed
		}
		return Session{}, tenant.Token{}, &NeedsCode{Ticket: ticket, refusal: fault.Of(err)}
	}
	if err == nil {
		admitted()
	}

	return c, token, err
}

func invalidCredentials() error {
	return fault.New(fault.Unauthenticated, fault.CodeInvalidCredentials,
		"the e-mail address or the password is not right")
}

// enter begins a session for a person whose password was just verified or set. It refuses with
// second_factor_required if the person has a second factor and proof is empty.
func (s *Access) enter(
	ctx context.Context, user store.User, address, agent string, now time.Time, proof store.FactorProof,
) (Session, tenant.Token, error) {
	begins, token, err := s.newSession(user.ID, address, agent, now)
	if err != nil {
		return Session{}, tenant.Token{}, err
	}

	audits := []store.AuditEntry{s.auditOf(user.ID, operation.ActionSignedIn, begins.ID, "")}
	if proof.Recovery != "" {
		audits = append(audits, s.auditOf(user.ID, operation.ActionRecoveryUsed, user.ID, ""))
	}
	err = s.core.DB.Staff(user.TenantID).OpenSession(ctx, begins, user.PasswordHash, proof, audits...)
	if fault.KindOf(err) == fault.NotFound { // meanwhile the password was changed or the person disabled
		err = invalidCredentials()
	}

	return s.welcome(ctx, token, err)
}

// welcome returns err if it is not nil. Otherwise it returns the session of the new token.
func (s *Access) welcome(ctx context.Context, token tenant.Token, err error) (Session, tenant.Token, error) {
	if err != nil {
		return Session{}, tenant.Token{}, err
	}

	c, err := s.sessionOf(ctx, token)
	if err != nil {
		return Session{}, tenant.Token{}, err
	}

	return c, token, nil
}

// rehash replaces the hash of a password with a hash of the current cost, and returns the stored
// hash. If that fails, the sign-in continues: another sign-in of the same person may have replaced
// the hash in the meantime.
func (s *Access) rehash(ctx context.Context, user store.User, password tenant.Secret) string {
	fresh, err := s.hasher.Hash(ctx, password)
	if err == nil {
		err = s.core.DB.Staff(user.TenantID).Rehash(ctx, user.ID, user.PasswordHash, fresh.Reveal())
	}
	if fault.KindOf(err) == fault.NotFound {
		if current, ok := s.rehashedMeanwhile(ctx, user, password); ok {
			return current
		}
	}
	if err != nil {
		s.core.Logger.WarnContext(ctx, "could not replace a password hash; the old hash stays in use",
			"tenant_id", user.TenantID, "user_id", user.ID, "error", err)
		return user.PasswordHash
	}

	return fresh.Reveal()
}

// rehashedMeanwhile returns the hash that is stored now; ok is false if it is not a hash of the
// same password.
func (s *Access) rehashedMeanwhile(
	ctx context.Context, user store.User, password tenant.Secret,
) (hash string, ok bool) {
	current, err := s.core.DB.Accounts().UserByEmail(ctx, user.Email)
	if err != nil || current.ID != user.ID {
		return "", false
	}

	ok, _, err = s.hasher.Verify(ctx, password, tenant.NewSecret(current.PasswordHash))
	return current.PasswordHash, ok && err == nil
}

// admit takes a token from each rate limit of an attempt to sign in, or returns how long to wait. After a successful
// sign-in the caller calls admitted, which returns the tokens.
//
// A known browser has its own rate limit and no other. Other clients have three limits: one for their network, one
// for the account from that network, and one for the account from all networks together. The third limit counts only
// attempts that the first two have admitted. Attempts beyond the third limit are delayed. They are refused only if
// too many attempts are being delayed.
func (s *Access) admit(
	ctx context.Context, now time.Time, account, address, nonce string, known bool,
) (admitted func(), err error) {
	rates := s.options.Logins
	if known {
		return s.takeAll(now, bucketOf{"browser " + account + " " + nonce, rates.Account})
	}

	from := network(address)
	buckets := []bucketOf{{"address " + from, rates.Address}}
	if account != "" {
		buckets = append(buckets, bucketOf{"account " + account + " at " + from, rates.Account})
	}
	if admitted, err = s.takeAll(now, buckets...); err != nil || account == "" {
		return admitted, err
	}

	everywhere := bucketOf{"account " + account, rates.Everywhere}
	if everywhere.rate == (tenant.Rate{}) {
		return admitted, nil
	}
	if _, _, ok := s.attempts.Take(everywhere.name, everywhere.rate, now); ok {
		here := admitted
		return func() {
			here()
			s.attempts.Return(everywhere.name)
		}, nil
	}

	return admitted, s.slow(ctx, account)
}

type bucketOf struct {
	name string
	rate tenant.Rate
}

// takeAll takes a token from each bucket in turn. If a bucket is empty, it refuses, and does not put back the
// tokens that it has already taken. giveBack puts all tokens back.
func (s *Access) takeAll(now time.Time, buckets ...bucketOf) (giveBack func(), err error) {
	for _, b := range buckets {
		if err := s.try(b.name, b.rate, now); err != nil {
			return nil, err
		}
	}
	return func() {
		for _, b := range buckets {
			s.attempts.Return(b.name)
		}
	}, nil
}

// Attempts beyond the limit of an account are delayed by slowTry each. At most slowAtOnce attempts
// of one account, and slowTogether attempts of all accounts, wait at the same time.
const (
	slowTry      = 10 * time.Second
	slowAtOnce   = 8
	slowTogether = 64
)

// slowed counts the delayed attempts that wait, by account.
type slowed struct {
	mu    sync.Mutex
	of    map[string]int
	total int
}

func (w *slowed) enter(account string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.of[account] >= slowAtOnce || w.total >= slowTogether {
		return false
	}
	if w.of == nil {
		w.of = map[string]int{}
	}

	w.of[account]++
	w.total++
	return true
}

func (w *slowed) leave(account string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.total--
	if w.of[account]--; w.of[account] == 0 {
		delete(w.of, account)
	}
}

// slow delays an attempt, or refuses it if too many attempts are being delayed. Meanwhile the
// attempt holds no processor slot, and other owners do not have to rest because of it (see package
// admission).
func (s *Access) slow(ctx context.Context, account string) error {
	if !s.slowed.enter(account) {
		return tooManyTries(slowTry)
	}

	defer s.slowed.leave(account)
	slot := admission.SlotOf(ctx)
	slot.Park()
	defer slot.Unpark()
	return s.options.Sleep(ctx, slowTry)
}

func (s *Access) try(bucket string, rate tenant.Rate, now time.Time) error {
	_, wait, ok := s.attempts.Take(bucket, rate, now)
	if ok {
		return nil
	}
	return tooManyTries(wait)
}

func tooManyTries(wait time.Duration) error {
	return &Throttled{RetryAfter: wait, refusal: fault.New(fault.Limited, fault.CodeLoginThrottled,
		"too many attempts; wait a while and try again")}
}

// network returns the network of an address as text. The address may have a port. If the text is
// not an address, network returns its printable beginning. A text that is already a network is
// therefore returned unchanged.
func network(address string) string {
	if host, _, err := net.SplitHostPort(address); err == nil {
		address = host
	}
	at, err := netip.ParseAddr(address)
	if err != nil {
		return shown(address, maxAddress)
	}
	return tenant.NetworkText(at)
}
