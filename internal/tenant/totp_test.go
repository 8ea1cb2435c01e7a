package tenant_test

import (
	"bytes"
	"crypto/rand"
	"encoding/base32"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"verdict/internal/tenant"
)

// rfcSecret is the secret of the test vectors in appendix B of RFC 6238.
func rfcSecret() tenant.TOTP {
	return tenant.TOTP{Secret: tenant.NewSecret(base32.StdEncoding.EncodeToString([]byte("12345678901234567890")))}
}

// TestTOTPVectors checks the codes of RFC 6238. The vectors have eight digits, of which the last six are the code with
// six digits.
func TestTOTPVectors(t *testing.T) {
	t.Parallel()
	s := rfcSecret()
	for at, want := range map[int64]string{
		59: "94287082", 1111111109: "07081804", 1111111111: "14050471", 1234567890: "89005924",
		2000000000: "69279037", 20000000000: "65353130",
	} {
		now := time.Unix(at, 0)
		code, err := s.Code(s.Step(now))
		if err != nil || code != want[2:] {
			t.Errorf("at %d: %s, %v; want %s", at, code, err, want[2:])
		}
		if step, ok := s.Match(" "+code[:3]+" "+code[3:], now); !ok || step != s.Step(now) {
			t.Errorf("at %d: the code is not accepted", at)
		}
	}
}

// TestTOTPWindow checks that a code is accepted for one step before and after its own.
func TestTOTPWindow(t *testing.T) {
	t.Parallel()
	s := rfcSecret()
	now := time.Unix(1_111_111_110, 0)
	for off := int64(-3); off <= 3; off++ {
		code, err := s.Code(s.Step(now) + off)
		if err != nil {
			t.Fatal(err)
		}
		step, ok := s.Match(code, now)
		if want := off >= -1 && off <= 1; ok != want || ok && step != s.Step(now)+off {
			t.Errorf("the code of step %+d: %d, %v", off, step-s.Step(now), ok)
		}
	}
	for _, wrong := range []string{"", "0", "00000", "0000000", "abcdef", "-12345", "\x00", strings.Repeat("9", 1000)} {
		if _, ok := s.Match(wrong, now); ok {
			t.Errorf("%.20q is accepted", wrong)
		}
	}
}

func TestMintTOTP(t *testing.T) {
	t.Parallel()
	s, err := tenant.MintTOTP(rand.Reader)
	if err != nil || len(s.Reveal()) != 32 || len(s.Groups()) != 39 {
		t.Fatalf("%d characters, %q, %v", len(s.Reveal()), s.Groups(), err)
	}
	if shown := fmt.Sprintf("%v %+v %s", s, s, s); strings.Contains(shown, s.Reveal()) {
		t.Error("the secret is printed")
	}
	uri, err := url.Parse(s.URI("Asha: Finance & Sons", "asha@example.in"))
	if err != nil || uri.Scheme != "otpauth" || uri.Host != "totp" ||
		uri.Path != "/Asha  Finance & Sons:asha@example.in" || strings.Contains(uri.RawQuery, "+") ||
		uri.Query().Get("issuer") != "Asha: Finance & Sons" || uri.Query().Get("secret") != s.Reveal() {
		t.Errorf("%v, %v", uri, err)
	}
	if _, err := tenant.MintTOTP(bytes.NewReader(nil)); err == nil {
		t.Error("no randomness is no error")
	}
	broken := tenant.TOTP{Secret: tenant.NewSecret("not base32!")}
	if _, ok := broken.Match("123456", time.Unix(0, 0)); ok {
		t.Error("a broken secret accepts a code")
	}
}

func TestRecoveryCodes(t *testing.T) {
	t.Parallel()
	codes, err := tenant.MintRecoveryCodes(rand.Reader)
	if err != nil || len(codes) != 10 {
		t.Fatalf("%d codes, %v", len(codes), err)
	}
	seen := map[string]bool{}
	for _, c := range codes {
		hash, ok := tenant.HashRecoveryCode(c.Reveal())
		if !ok || len(hash) != 64 || seen[hash] || strings.Count(c.Reveal(), "-") != 3 {
			t.Errorf("%q has the hash %q, %v", c.Reveal(), hash, ok)
		}
		seen[hash] = true
		typed := " " + strings.ToLower(strings.ReplaceAll(c.Reveal(), "-", " "))
		if again, ok := tenant.HashRecoveryCode(typed); !ok || again != hash {
			t.Errorf("%q is another code", typed)
		}
	}
	for _, wrong := range []string{"", "123456", "AAAA-AAAA-AAAA", "AAAA-AAAA-AAAA-AAA1", strings.Repeat("A", 17)} {
		if _, ok := tenant.HashRecoveryCode(wrong); ok {
			t.Errorf("%q has the form of a recovery code", wrong)
		}
	}
	if _, err := tenant.MintRecoveryCodes(bytes.NewReader(make([]byte, 15))); err == nil {
		t.Error("too little randomness is no error")
	}
}
