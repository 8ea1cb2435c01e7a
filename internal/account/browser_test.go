//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package account_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"verdict/internal/account"
	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
)

// TestOwnerIsNotLockedOut checks that wrong passwords, from the owner's own address or
// any other, do not lock the owner out of a browser that has signed in before. In
// another browser at another address the owner has to wait, but is not refused.
func TestOwnerIsNotLockedOut(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		clock, slept := usecasetest.NewClock(), time.Duration(0)
		h := usecasetest.Open(t, db, usecase.Options{
			Now: clock.Now,
			Sleep: func(_ context.Context, d time.Duration) error {
				slept += d
				return nil
			},
		})
		at := func(from, marks string) account.Client { return account.Client{Address: from, Marks: marks} }
		try := func(email, word string, place account.Client) string {
			_, _, err := h.Service.Access.SignInAt(t.Context(), email, tenant.NewSecret(word), place)
			return usecasetest.CodeOf(err)
		}
		marks, err := h.Service.Access.Remember(t.Context(), h.Signed.UserID, "")
		if err != nil {
			t.Fatal(err)
		}
		for range 60 { // wrong passwords from the owner's address
			try(usecasetest.Asha, "no", at(usecasetest.Home, ""))
		}
		if got := try(usecasetest.Asha, usecasetest.Password,
			at(usecasetest.Home, "")); got != fault.CodeLoginThrottled {
			t.Errorf("a stranger at her address: %q", got)
		}
		for i := range 200 { // wrong passwords from many other addresses
			try(usecasetest.Asha, "no", at(fmt.Sprintf("198.51.100.%d", i), ""))
		}
		if slept == 0 {
			t.Error("nobody was slowed down")
		}
		slept = 0
		if got := try(usecasetest.Asha, usecasetest.Password, at(usecasetest.Home, marks)); got != "" || slept != 0 {
			t.Errorf("in the browser she knows: %q after %v", got, slept)
		}
		if got := try(usecasetest.Asha, usecasetest.Password, at("192.0.2.77", "")); got != "" ||
			slept != 10*time.Second {
			t.Errorf("in another browser: %q after %v", got, slept)
		}

		// Wrong passwords in this browser count, but for this browser only.
		for range 10 {
			if got := try(usecasetest.Asha, "no", at(usecasetest.Home, marks)); got != fault.CodeInvalidCredentials {
				t.Errorf("got %q", got)
			}
		}
		got := try(usecasetest.Asha, usecasetest.Password, at(usecasetest.Home, marks))
		if got != fault.CodeLoginThrottled {
			t.Errorf("after ten of her own: %q", got)
		}
		other, _ := h.Service.Access.Remember(t.Context(), h.Signed.UserID, "")
		if got := try(usecasetest.Asha, usecasetest.Password, at(usecasetest.Home, other)); got != "" {
			t.Errorf("another browser: %q", got)
		}
	})
}

// TestMarksAreForOneAccount checks that a mark of one account has no effect for another
// account, that it expires, and that it cannot be forged.
func TestMarksAreForOneAccount(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		clock := usecasetest.NewClock()
		h := usecasetest.Open(t, db, usecase.Options{Now: clock.Now})
		other, _ := h.Signup("other@example.in")
		remember := func(id, marks string) string {
			t.Helper()
			marks, err := h.Service.Access.Remember(t.Context(), id, marks)
			if err != nil {
				t.Fatal(err)
			}
			return marks
		}
		refused := func(marks string) bool {
			t.Helper()
			for range 11 {
				_, _, _ = h.Service.Access.SignIn(t.Context(), usecasetest.Asha,
					tenant.NewSecret("no"), usecasetest.Home, "")
			}
			_, _, err := h.Service.Access.SignInAt(t.Context(), usecasetest.Asha,
				tenant.NewSecret(usecasetest.Password), account.Client{Address: usecasetest.Home, Marks: marks})
			return usecasetest.CodeOf(err) == fault.CodeLoginThrottled
		}
		both := remember(other.UserID, remember(h.Signed.UserID, ""))
		if n := strings.Count(remember(other.UserID, both), "."); n != 1 {
			t.Errorf("%d marks", n+1)
		}
		for name, c := range map[string]struct {
			marks   string
			refused bool
		}{
			"both":      {both, false},
			"another's": {remember(other.UserID, ""), true},
			"nonsense":  {"ZEBRA..." + strings.Repeat("A", 54), true},
		} {
			if refused(c.marks) != c.refused {
				t.Errorf("%s: refused is %v", name, !c.refused)
			}
		}
		clock.Pass(366 * 24 * time.Hour)
		if !refused(both) {
			t.Error("an old mark holds")
		}
	})
}
