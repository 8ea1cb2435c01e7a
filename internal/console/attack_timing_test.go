package console_test

import (
	"fmt"
	"net/http"
	"os"
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
		h.clock.advance(time.Hour) // nobody is throttled
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
