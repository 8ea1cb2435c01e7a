package console_test

import (
	"fmt"
	"net/http"
	"os"
	"testing"
	"time"

	"verdict/internal/proof"
)

// TestAttackTiming signs in with a wrong password, alternately for an existing
// and for an unknown account, and checks that the response times do not reveal
// which account exists. Times measured while other tests run prove nothing, so
// without VERDICT_LONG the test makes a few attempts and compares nothing. The
// tests of signing in check that a password is also verified if there is no
// account.
func TestAttackTiming(t *testing.T) { //nolint:paralleltest // the measurement needs the machine to itself
	if testing.Short() {
		t.Skip("left out with -short: attacks")
	}
	tries, compare := 4, false
	if os.Getenv("VERDICT_LONG") != "" {
		tries, compare = 1_000, true
	} else {
		t.Parallel()
	}
	h := newHouse(t)
	owner := h.signUp()
	b := h.newBrowser()
	try := func(email string) time.Duration {
		h.clock.advance(time.Hour) // so that no attempt is throttled
		begun := time.Now()
		b.post("/console/signin", "email", email, "password", "not this one at all").want(http.StatusUnauthorized)
		return time.Since(begun)
	}
	i := 0
	timing := proof.Compare("sign-in with a wrong password, with an account and without", tries,
		func() time.Duration { return try(owner.email) },
		func() time.Duration { i++; return try(fmt.Sprintf("nobody%d@example.in", i)) })
	t.Log(timing)
	if compare && !timing.Alike() {
		t.Errorf("the time tells who has an account: %s", timing)
	}
	if compare && !t.Failed() {
		text := proof.Origin(t.Context(), time.Now(), "make attack") + "\n" + proof.TimingTable([]proof.Timing{timing})
		if err := proof.Write(os.Getenv(proof.Variable), "attack-timing-console", text); err != nil {
			t.Error(err)
		}
	}
}
