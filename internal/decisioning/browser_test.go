//nolint:thelper // what Each runs is the test itself: a failure belongs to its own line
package decisioning_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"verdict/internal/decisioning"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tenant"
)

// TestOwnerIsNotLockedOut: wrong passwords from anywhere, the owner's own address
// among it, keep nobody out of a browser that has signed in before; from elsewhere
// the owner waits, and is not refused.
func TestOwnerIsNotLockedOut(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		clock, slept := newClock(), time.Duration(0)
		h := open(t, db, decisioning.Options{Now: clock.now, Sleep: func(_ context.Context, d time.Duration) error {
			slept += d
			return nil
		}})
		at := func(from, marks string) decisioning.Place { return decisioning.Place{Address: from, Marks: marks} }
		try := func(email, word string, place decisioning.Place) string {
			_, _, err := h.service.SignInAt(t.Context(), email, tenant.NewSecret(word), place)
			return codeOf(err)
		}
		marks, err := h.service.Remember(t.Context(), h.signed.UserID, "")
		if err != nil {
			t.Fatal(err)
		}
		for range 60 { // from her own address
			try(asha, "no", at(home, ""))
		}
		if got := try(asha, password, at(home, "")); got != decisioning.CodeLoginThrottled {
			t.Errorf("a stranger at her address: %q", got)
		}
		for i := range 200 { // and from everywhere
			try(asha, "no", at(fmt.Sprintf("198.51.100.%d", i), ""))
		}
		if slept == 0 {
			t.Error("nobody was slowed down")
		}
		slept = 0
		if got := try(asha, password, at(home, marks)); got != "" || slept != 0 {
			t.Errorf("in the browser she knows: %q after %v", got, slept)
		}
		if got := try(asha, password, at("192.0.2.77", "")); got != "" || slept != 10*time.Second {
			t.Errorf("in another browser: %q after %v", got, slept)
		}

		// The browser's own tries count, and are no other browser's.
		for range 10 {
			if got := try(asha, "no", at(home, marks)); got != decisioning.CodeInvalidCredentials {
				t.Errorf("got %q", got)
			}
		}
		if got := try(asha, password, at(home, marks)); got != decisioning.CodeLoginThrottled {
			t.Errorf("after ten of her own: %q", got)
		}
		other, _ := h.service.Remember(t.Context(), h.signed.UserID, "")
		if got := try(asha, password, at(home, other)); got != "" {
			t.Errorf("another browser: %q", got)
		}
	})
}

// TestMarksAreForOneAccount: a mark of one account says nothing about another,
// ends, and cannot be made up.
func TestMarksAreForOneAccount(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		clock := newClock()
		h := open(t, db, decisioning.Options{Now: clock.now})
		other, _ := h.signup("other@example.in")
		remember := func(id, marks string) string {
			t.Helper()
			marks, err := h.service.Remember(t.Context(), id, marks)
			if err != nil {
				t.Fatal(err)
			}
			return marks
		}
		refused := func(marks string) bool {
			t.Helper()
			for range 11 {
				_, _, _ = h.service.SignIn(t.Context(), asha, tenant.NewSecret("no"), home, "")
			}
			_, _, err := h.service.SignInAt(t.Context(), asha, tenant.NewSecret(password), decisioning.Place{Address: home, Marks: marks})
			return codeOf(err) == decisioning.CodeLoginThrottled
		}
		both := remember(other.UserID, remember(h.signed.UserID, ""))
		if n := strings.Count(remember(other.UserID, both), "."); n != 1 {
			t.Errorf("%d marks", n+1)
		}
		for name, c := range map[string]struct {
			marks   string
			refused bool
		}{
			"both": {both, false}, "another's": {remember(other.UserID, ""), true}, "nonsense": {"ZEBRA..." + strings.Repeat("A", 54), true},
		} {
			if refused(c.marks) != c.refused {
				t.Errorf("%s: refused is %v", name, !c.refused)
			}
		}
		clock.pass(366 * 24 * time.Hour)
		if !refused(both) {
			t.Error("an old mark holds")
		}
	})
}
