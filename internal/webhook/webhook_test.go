package webhook

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// TestSignVector checks the vector that the libraries of Standard Webhooks are tested with,
// and a signature with two secrets.
func TestSignVector(t *testing.T) {
	t.Parallel()
	const want = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
	secret, err := ParseSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if err != nil {
		t.Fatal(err)
	}
	body := []byte(`{"test": 2432232314}`)
	if got := Sign("msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, body, secret); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	other := []byte(strings.Repeat("s", SecretSize))
	both := Sign("msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, body, other, secret)
	if first, second, _ := strings.Cut(both, " "); second != want || first == want || !strings.HasPrefix(first, "v1,") {
		t.Errorf("with two secrets: %s", both)
	}
}

// TestParseSecret checks that only the texts that FormatSecret writes are secrets.
func TestParseSecret(t *testing.T) {
	t.Parallel()
	for _, size := range []int{24, SecretSize, 64} {
		secret := []byte(strings.Repeat("\xfe", size))
		if got, err := ParseSecret(FormatSecret(secret)); err != nil || string(got) != string(secret) {
			t.Errorf("%d bytes: %q, %v", size, got, err)
		}
	}
	for _, text := range []string{
		"", "whsec_", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "WHSEC_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
		"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS", "whsec_!", FormatSecret(make([]byte, 23)),
		FormatSecret(make([]byte, 65)), "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw ",
	} {
		if got, err := ParseSecret(text); !errors.Is(err, ErrNotASecret) {
			t.Errorf("%q is the secret %q, %v", text, got, err)
		}
	}
}

// TestPause checks that the pauses grow to their limit, that randomness only shortens them,
// and that there are about thirty attempts before RetryPeriod is over.
func TestPause(t *testing.T) {
	t.Parallel()
	if first, second := Pause(1, 0), Pause(2, 0); first != 5*time.Second || second != 15*time.Second {
		t.Errorf("the first pauses are %s and %s", first, second)
	}
	for _, n := range []int64{-1, 0, 1, 5, 8, 1 << 40} {
		longest, shortest := Pause(n, 0), Pause(n, 1)
		if longest < firstPause || longest > maxPause || shortest != longest-longest/5 {
			t.Errorf("after %d failures the pause is between %s and %s", n, shortest, longest)
		}
	}
	attempts := int64(1)
	for waited := time.Duration(0); waited < RetryPeriod; attempts++ {
		waited += Pause(attempts, 0)
	}
	if attempts < 28 || attempts > 34 {
		t.Errorf("there are %d attempts in three days", attempts)
	}
}
