package tenant

import (
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // RFC 6238 uses HMAC-SHA-1, which is still secure, and authenticator apps support it
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base32"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"
)

const (
	totpStep   = 30 * time.Second
	totpDigits = 6
	totpModulo = 1_000_000
	totpSkew   = 1  // how many steps before and after the present one are accepted
	totpBytes  = 20 // of the secret, as RFC 4226 recommends

	recoveryBytes = 10
	recoveryGroup = 4 // characters between two hyphens
	// RecoveryCodes is the number of recovery codes of a second factor.
	RecoveryCodes = 10
)

var totpText = base32.StdEncoding.WithPadding(base32.NoPadding)

// TOTP is the secret of a second factor, from which codes are computed as RFC 6238 says: with
// HMAC-SHA-1, six digits and steps of 30 seconds. A TOTP does not print its value.
type TOTP struct{ Secret }

// MintTOTP returns a new secret. Except in tests, random should be crypto/rand.Reader.
func MintTOTP(random io.Reader) (TOTP, error) {
	bits := make([]byte, totpBytes)
	if _, err := io.ReadFull(random, bits); err != nil {
		return TOTP{}, fmt.Errorf("mint the secret of a second factor: %w", err)
	}
	return TOTP{NewSecret(totpText.EncodeToString(bits))}, nil
}

// Step returns the number of the time step of t.
func (TOTP) Step(t time.Time) int64 { return t.Unix() / int64(totpStep/time.Second) }

// Match returns the time step whose code is text. It tries the present step and totpSkew steps
// before and after it. ok is false if text is the code of none of them. Spaces in text do not
// matter.
func (s TOTP) Match(text string, now time.Time) (step int64, ok bool) {
	text = strings.ReplaceAll(text, " ", "")
	for at := s.Step(now) - totpSkew; at <= s.Step(now)+totpSkew; at++ {
		code, err := s.Code(at)
		if err == nil && subtle.ConstantTimeCompare([]byte(code), []byte(text)) == 1 {
			step, ok = at, true
		}
	}
	return step, ok
}

// Code returns the code of a time step.
func (s TOTP) Code(step int64) (string, error) {
	key, err := totpText.DecodeString(s.Reveal())
	if err != nil {
		return "", fmt.Errorf("the secret of a second factor is not base32: %w", err)
	}
	mac := hmac.New(sha1.New, key)
	mac.Write(binary.BigEndian.AppendUint64(nil, uint64(step)))
	sum := mac.Sum(nil)
	at := sum[len(sum)-1] & 15
	number := binary.BigEndian.Uint32(sum[at:]) & (1<<31 - 1)
	return fmt.Sprintf("%0*d", totpDigits, number%totpModulo), nil
}

// URI returns the address that authenticator apps read from a QR code. issuer and account name the
// entry in the app.
func (s TOTP) URI(issuer, account string) string {
	// Some apps show a plus sign instead of a space, so spaces are written as %20.
	query := strings.ReplaceAll(url.Values{"secret": {s.Reveal()}, "issuer": {issuer}}.Encode(), "+", "%20")
	label := url.PathEscape(strings.ReplaceAll(issuer, ":", " ")) + ":" + url.PathEscape(account)
	return "otpauth://totp/" + label + "?" + query
}

// Groups returns the secret in groups of four characters, for people who type it.
func (s TOTP) Groups() string { return grouped(s.Reveal(), " ") }

func grouped(text, between string) string {
	var groups []string
	for ; len(text) > recoveryGroup; text = text[recoveryGroup:] {
		groups = append(groups, text[:recoveryGroup])
	}
	return strings.Join(append(groups, text), between)
}

// MintRecoveryCodes returns new recovery codes, each with 80 random bits.
func MintRecoveryCodes(random io.Reader) ([]Secret, error) {
	codes := make([]Secret, RecoveryCodes)
	for i := range codes {
		bits := make([]byte, recoveryBytes)
		if _, err := io.ReadFull(random, bits); err != nil {
			return nil, fmt.Errorf("mint a recovery code: %w", err)
		}
		codes[i] = NewSecret(grouped(totpText.EncodeToString(bits), "-"))
	}
	return codes, nil
}

// HashRecoveryCode returns the hash of a recovery code, as it is stored. Case, spaces and hyphens
// do not matter. ok is false if text does not have the form of a recovery code.
func HashRecoveryCode(text string) (hash string, ok bool) {
	text = strings.ToUpper(strings.NewReplacer(" ", "", "-", "").Replace(text))
	if _, err := totpText.DecodeString(text); err != nil || len(text) != totpText.EncodedLen(recoveryBytes) {
		return "", false
	}
	sum := sha256.Sum256([]byte("recovery code " + text))
	return hex.EncodeToString(sum[:]), true
}
