package console_test

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"testing"
	"time"

	"verdict/internal/proof"
)

// TestAttackTiming signs in a thousand times with a wrong password, in turn as
// somebody who has an account and as somebody who has none: how long it takes
// does not tell them apart. What a clock measures is no test beside others, so
// the short form tries a few times and compares nothing: that for nobody a
// password is checked as well is held by the tests of signing in.
func TestAttackTiming(t *testing.T) { //nolint:paralleltest // what is measured has the machine to itself
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
		h.clock.advance(time.Hour) // nobody is throttled
		begun := time.Now()
		b.post("/console/signin", "email", email, "password", "not this one at all").want(http.StatusUnauthorized)
		return time.Since(begun)
	}
	var known, unknown []time.Duration
	for i := range tries {
		known = append(known, try(owner.email))
		unknown = append(unknown, try(fmt.Sprintf("nobody%d@example.in", i)))
	}
	slices.Sort(known)
	slices.Sort(unknown)
	with, without := known[tries/2], unknown[tries/2]
	t.Logf("sign-in with a wrong password: median %s with an account, %s without", with, without)
	if ratio := float64(with) / float64(without); compare && (ratio < 0.9 || ratio > 1.1) {
		t.Errorf("the medians are %s and %s: the time tells who has an account", with, without)
	}
	if compare && !t.Failed() {
		text := proof.Origin(t.Context(), time.Now(), "make attack") + "\n" + proof.Table([][]string{
			{"what is told apart, 1,000 tries each", "median of one", "median of the other"},
			{"sign-in with a wrong password, with an account and without", with.String(), without.String()},
		})
		if err := proof.Write(os.Getenv(proof.Variable), "attack-timing-console", text); err != nil {
			t.Error(err)
		}
	}
}
