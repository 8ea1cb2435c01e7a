package account

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"strconv"
	"strings"
	"time"

	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// NeedsCode is the refusal of a sign-in with the right password, if the person has a second factor.
// SignInWithCode takes the ticket. errors.As also finds the *fault.Error in it.
type NeedsCode struct {
	Ticket  string
	refusal *fault.Error
}

func (n *NeedsCode) Error() string { return n.refusal.Error() }
func (n *NeedsCode) Unwrap() error { return n.refusal }

// ticketLife is how long a person may take to type the code after the password.
const ticketLife = 5 * time.Minute

// keyedHash returns a keyed hash of the texts, which only this installation can compute. purpose separates the uses
// of such hashes.
func (s *shared) keyedHash(ctx context.Context, purpose string, texts ...string) (string, error) {
	secret, err := s.core.Secret(ctx)
	if err != nil {
		return "", err
	}

	h := hmac.New(sha256.New, secret)
	_, _ = io.WriteString(h, purpose) // a hash never returns an error
	for _, text := range texts {
		_, _ = io.WriteString(h, "\x00"+strconv.Itoa(len(text))+"\x00"+text)
	}

	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)), nil
}

// newTicket returns a ticket which proves that a person's password was right. It is valid for a
// short time, and only as long as the password does not change.
func (s *shared) newTicket(ctx context.Context, user store.User, now time.Time) (string, error) {
	ends := strconv.FormatInt(now.Add(ticketLife).Unix(), 10)
	mark, err := s.ticketMark(ctx, user, ends)
	return strings.Join([]string{user.TenantID, user.ID, ends, mark}, "."), err
}

func (s *shared) ticketMark(ctx context.Context, user store.User, ends string) (string, error) {
	return s.keyedHash(ctx, "second step of a sign-in", user.TenantID, user.ID, ends, user.PasswordHash)
}

// ticketHolder returns the person of a ticket. It refuses with session_ended if the ticket is not
// valid.
func (s *shared) ticketHolder(ctx context.Context, ticket string, now time.Time) (store.User, error) {
	expired := fault.New(fault.Unauthenticated, fault.CodeSessionEnded,
		"the sign-in took too long; start again with your password")
	parts := strings.Split(ticket, ".")
	if len(parts) != 4 || !tenant.Valid(tenant.KindTenant, parts[0]) || !tenant.Valid(tenant.KindUser, parts[1]) {
		return store.User{}, expired
	}

	ends, err := strconv.ParseInt(parts[2], 10, 64)
	if err != nil || now.Unix() >= ends {
		return store.User{}, expired
	}

	user, err := s.core.DB.Staff(parts[0]).User(ctx, parts[1])
	if fault.KindOf(err) == fault.NotFound {
		return store.User{}, expired
	}
	if err != nil {
		return store.User{}, err
	}

	mark, err := s.ticketMark(ctx, user, parts[2])
	if err != nil {
		return store.User{}, err
	}
	if !hmac.Equal([]byte(mark), []byte(parts[3])) || user.DisabledMicros != 0 {
		return store.User{}, expired
	}

	return user, nil
}

// SignInWithCode begins a session of a person who has a second factor. ticket is the ticket of a
// NeedsCode error. code is a code of the authenticator app or a recovery code, and works once.
func (s *Access) SignInWithCode(
	ctx context.Context, ticket, code string, at Client,
) (Session, tenant.Token, error) {
	now := s.core.Moment()
	user, err := s.ticketHolder(ctx, ticket, now)
	if err != nil {
		return Session{}, tenant.Token{}, err
	}

	nonce, known, err := s.known(ctx, user.ID, at.Marks, now)
	if err != nil {
		return Session{}, tenant.Token{}, err
	}

	// The password was right, so only attempts with codes count. Somebody who has the password
	// cannot use up the attempts of the owner's browser.
	bucket := "code of " + user.ID
	if known {
		bucket += " " + nonce
	}
	admitted, err := s.takeAll(now, bucketOf{bucket, s.options.Logins.Account})
	if err != nil {
		return Session{}, tenant.Token{}, err
	}

	proof, err := s.prove(ctx, user, code, now)
	if err != nil {
		return Session{}, tenant.Token{}, err
	}

	c, token, err := s.enter(ctx, user, at.Address, at.Agent, now, proof)
	if err == nil {
		admitted()
	}

	return c, token, err
}

// prove checks a code of a person's second factor. It refuses with wrong_code. The store accepts
// the proof once.
func (s *shared) prove(ctx context.Context, user store.User, code string, now time.Time) (store.FactorProof, error) {
	f, err := s.core.DB.Staff(user.TenantID).SecondFactor(ctx, user.ID)
	if fault.KindOf(err) == fault.NotFound || err == nil && f.ConfirmedMicros == 0 {
		return store.FactorProof{}, store.WrongCode()
	}
	if err != nil {
		return store.FactorProof{}, err
	}

	if hash, ok := tenant.HashRecoveryCode(code); ok {
		return store.FactorProof{Secret: f.Secret, Recovery: hash}, nil // the store compares the hash
	}

	secret, err := s.openFactor(ctx, user, f)
	if err != nil {
		return store.FactorProof{}, err
	}

	step, ok := secret.Match(code, now)
	if !ok {
		return store.FactorProof{}, store.WrongCode()
	}

	return store.FactorProof{Secret: f.Secret, Step: step}, nil
}

// openFactor decrypts the secret of a person's second factor.
func (s *shared) openFactor(ctx context.Context, user store.User, f store.SecondFactor) (tenant.TOTP, error) {
	text, err := s.core.Keys.OpenFactor(ctx, user.TenantID, user.ID, f.Secret)
	if err != nil {
		return tenant.TOTP{}, operation.AsDefect(err)
	}
	return tenant.TOTP{Secret: tenant.NewSecret(text)}, nil
}
