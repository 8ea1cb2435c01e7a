//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package account_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/account"
	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
)

// generous has rate limits for tests that sign in more often than people do.
var generous = tenant.LoginRates{
	Account: tenant.Rate{Allowance: 1000, Window: time.Second, Burst: 1000},
	Address: tenant.Rate{Allowance: 1000, Window: time.Second, Burst: 1000},
	Signup:  tenant.Rate{Allowance: 1000, Window: time.Second, Burst: 1000},
}

func TestSignIn(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := usecasetest.Open(t, db, usecase.Options{Logins: generous})
		c, token, err := h.Service.Access.SignIn(t.Context(), " ASHA@example.in",
			tenant.NewSecret(usecasetest.Password), usecasetest.Home, "Firefox\x00\n"+strings.Repeat("é", 500))
		if err != nil {
			t.Fatal(err)
		}
		if c.User.Email != usecasetest.Asha || c.Role() != tenant.RoleAdmin || c.Tenant.OrgName != "Asha Finance" ||
			c.Address != usecasetest.Home || !strings.HasPrefix(c.Agent, "Firefoxé") || len(c.Agent) > 256 ||
			strings.ContainsAny(c.Agent, "\x00\n\ufffd") {
			t.Errorf("signed in as %+v", c)
		}
		again, err := h.Service.Access.SessionOf(t.Context(), token)
		if diff := cmp.Diff(fmt.Sprint(c), fmt.Sprint(again)); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		p := c.Principal(tenant.Live)
		if p.TenantID != h.Caller.TenantID || p.UserID != h.Signed.UserID || p.KeyID != "" ||
			!p.Scopes.Has(tenant.Admin) || p.Plan.Name != "free" {
			t.Errorf("the principal is %+v", p)
		}
		if diff := cmp.Diff([]string{h.Signed.UserID + " session.created"}, h.Logged(p, c.ID)); diff != "" {
			t.Errorf("the log (-want +got):\n%s", diff)
		}
		for name, try := range map[string]struct{ email, password string }{
			"another password": {usecasetest.Asha, "wrong horse"},
			"no password":      {usecasetest.Asha, ""},
			"nobody":           {"nobody@example.in", usecasetest.Password},
			"no address":       {"asha", usecasetest.Password},
			"nothing":          {"", ""},
		} {
			_, _, err := h.Service.Access.SignIn(t.Context(), try.email,
				tenant.NewSecret(try.password), usecasetest.Home, "")
			if usecasetest.CodeOf(err) != fault.CodeInvalidCredentials ||
				err.Error() != "invalid_credentials: the e-mail address or the password is not right" {
				t.Errorf("%s: %v", name, err)
			}
		}
		stranger, err := tenant.MintToken(strings.NewReader(strings.Repeat("x", 32)))
		if err != nil {
			t.Fatal(err)
		}
		h.Ended(stranger)
		h.Ended(tenant.Token{})
	})
}

func TestSessionsEndByThemselves(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		clock := usecasetest.NewClock()
		h := usecasetest.Open(t, db, usecase.Options{Now: clock.Now, Logins: generous})
		_, idle := h.SignIn(usecasetest.Asha)
		_, busy := h.SignIn(usecasetest.Asha)
		for range 20 { // 20 × 8 h: 6 days and 16 hours
			clock.Pass(8 * time.Hour)
			h.Held(busy)
			usecasetest.RunUntilFlushed(t, h.Service)
		}
		h.Ended(idle)
		list, err := h.Service.Access.Sessions(t.Context(), sessionOf(t, h, busy))
		if err != nil || len(list) != 1 || !list[0].SeenAt.Equal(clock.Now()) {
			t.Errorf("signed in at %+v, %v", list, err)
		}
		clock.Pass(8*time.Hour - time.Minute)
		h.Held(busy)
		usecasetest.RunUntilFlushed(t, h.Service)
		clock.Pass(time.Minute)
		h.Ended(busy) // a session ends after seven days
	})
}

func sessionOf(t *testing.T, h *usecasetest.House, token tenant.Token) account.Session {
	t.Helper()
	c, err := h.Service.Access.SessionOf(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestSessionsAreRevoked(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := usecasetest.Open(t, db, usecase.Options{Logins: generous})
		first, one := h.SignIn(usecasetest.Asha)
		second, two := h.SignIn(usecasetest.Asha)
		_, three := h.SignIn(usecasetest.Asha)
		h.Signup("other@example.in")
		other, _ := h.SignIn("other@example.in")
		ravi, _ := h.Join(first.Principal(tenant.Live), "ravi@example.in", tenant.RoleRisk)
		for name, who := range map[string]account.Session{"another tenant": other, "a colleague": ravi} {
			err := h.Service.Access.RevokeSession(t.Context(), who, first.ID)
			if usecasetest.CodeOf(err) != fault.CodeNotFound {
				t.Errorf("%s ended a session: %v", name, err)
			}
			if err := h.Service.Access.RevokeOtherSessions(t.Context(), who); err != nil {
				t.Error(err)
			}
		}
		err := h.Service.Access.RevokeSession(t.Context(), first, "ses_nonsense")
		if usecasetest.CodeOf(err) != fault.CodeNotFound {
			t.Errorf("nonsense: %v", err)
		}
		list, err := h.Service.Access.Sessions(t.Context(), first)
		if err != nil || len(list) != 3 || list[2].ID != first.ID || list[2].User.Email != usecasetest.Asha {
			t.Errorf("the sessions are %+v, %v", list, err)
		}
		h.Held(two)
		if err := h.Service.Access.RevokeSession(t.Context(), first, second.ID); err != nil {
			t.Fatal(err)
		}
		h.Ended(two)
		h.Held(one)
		h.Held(three)
		if err := h.Service.Access.RevokeOtherSessions(t.Context(), first); err != nil {
			t.Fatal(err)
		}
		h.Ended(three)
		h.Held(one)
		for range 2 { // signing out twice does no harm
			if err := h.Service.Access.SignOut(t.Context(), first); err != nil {
				t.Fatal(err)
			}
			h.Ended(one)
		}
	})
}

// TestPasswordIsReset checks that the operator can reset a forgotten password.
func TestPasswordIsReset(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := usecasetest.Open(t, db, usecase.Options{Logins: generous})
		session, token := h.SignIn(usecasetest.Asha)
		reset := func(email, password string) error {
			return h.Service.Operator.ResetPassword(t.Context(), session.Tenant.ID, email, tenant.NewSecret(password))
		}
		if err := reset("nobody@example.in", "a staple of batteries"); usecasetest.CodeOf(err) != fault.CodeNotFound {
			t.Errorf("nobody: %v", err)
		}
		if err := reset(usecasetest.Asha, "short"); err == nil {
			t.Error("a weak password was taken")
		}
		h.Held(token)
		if err := reset(strings.ToUpper(usecasetest.Asha), "a staple of batteries"); err != nil {
			t.Fatal(err)
		}
		h.Ended(token)
		_, _, err := h.Service.Access.SignIn(t.Context(), usecasetest.Asha,
			tenant.NewSecret(usecasetest.Password), usecasetest.Home, "")
		if err == nil {
			t.Error("the old password still works")
		}
		_, _, err = h.Service.Access.SignIn(t.Context(), usecasetest.Asha,
			tenant.NewSecret("a staple of batteries"), usecasetest.Home, "")
		if err != nil {
			t.Error(err)
		}
	})
}

// TestOtherNodesHearOfIt checks that another node learns of a sign-out within half a
// second.
func TestOtherNodesHearOfIt(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		clock := usecasetest.NewClock()
		h := usecasetest.Open(t, db, usecase.Options{Now: clock.Now})
		other, err := usecase.New(db, usecase.Options{
			Now: clock.Now, PasswordCost: usecasetest.Cheap, MasterKey: usecasetest.MasterKey,
		})
		if err != nil {
			t.Fatal(err)
		}
		c, token := h.SignIn(usecasetest.Asha)
		if _, err := other.Access.SessionOf(t.Context(), token); err != nil {
			t.Fatal(err)
		}
		if err := h.Service.Access.SignOut(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		clock.Pass(500 * time.Millisecond)
		if _, err := other.Access.SessionOf(t.Context(), token); usecasetest.CodeOf(err) != fault.CodeSessionEnded {
			t.Errorf("still signed in elsewhere: %v", err)
		}
	})
}

func TestSignInIsThrottled(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		clock := usecasetest.NewClock()
		h := usecasetest.Open(t, db, usecase.Options{Now: clock.Now, Logins: tenant.LoginRates{
			Account: tenant.Rate{Allowance: 30, Window: time.Hour, Burst: 3},
			Address: tenant.Rate{Allowance: 60, Window: time.Hour, Burst: 5},
			Signup:  tenant.Rate{Allowance: 1, Window: time.Hour, Burst: 1},
		}})
		try := func(email, word, from string) (code string, wait time.Duration) {
			t.Helper()
			_, _, err := h.Service.Access.SignIn(t.Context(), email, tenant.NewSecret(word), from, "")
			var throttled *account.Throttled
			if errors.As(err, &throttled) {
				wait = throttled.RetryAfter.Round(time.Second)
			}
			return usecasetest.CodeOf(err), wait
		}
		const wrong, throttled = fault.CodeInvalidCredentials, fault.CodeLoginThrottled
		for i, step := range []struct {
			email, word, from, want string
			wait                    time.Duration
		}{
			{usecasetest.Asha, usecasetest.Password, "192.0.2.1", "", 0}, {
				usecasetest.Asha, usecasetest.Password, "192.0.2.1", "", 0,
			}, {usecasetest.Asha, usecasetest.Password, "192.0.2.1", "", 0},
			{usecasetest.Asha, usecasetest.Password, "192.0.2.1", "", 0}, {
				usecasetest.Asha, usecasetest.Password, "192.0.2.1", "", 0,
			}, {usecasetest.Asha, usecasetest.Password, "192.0.2.1", "", 0}, // a successful sign-in is not counted
			{usecasetest.Asha, "no", "192.0.2.1", wrong, 0}, {usecasetest.Asha, "no", "192.0.2.1", wrong, 0},
			{usecasetest.Asha, "no", "192.0.2.1", wrong, 0},
			{usecasetest.Asha, usecasetest.Password, "192.0.2.1", throttled, 2 * time.Minute},
			{usecasetest.Asha, usecasetest.Password, "192.0.2.4", "", 0}, // attempts elsewhere do not lock her out
			{"nobody@example.in", "no", "192.0.2.5", wrong, 0}, {"nobody@example.in", "no", "192.0.2.5", wrong, 0},
			{"nobody@example.in", "no", "192.0.2.5", wrong, 0},
			{"Nobody@example.in", "no", "192.0.2.5", throttled, 2 * time.Minute},
			{"a@example.in", "no", "2001:db8::1", wrong, 0}, {"b@example.in", "no", "[2001:db8::2]:80", wrong, 0},
			{"c@example.in", "no", "2001:db8::3", wrong, 0}, {"d@example.in", "no", "2001:db8::4", wrong, 0},
			{"e", "no", "2001:db8::5", wrong, 0},
			{"f@example.in", "no", "2001:db8::6", throttled, time.Minute},
			{"f@example.in", "no", "2001:db8:0:1::6", wrong, 0},
		} {
			if code, wait := try(step.email, step.word, step.from); code != step.want || wait != step.wait {
				t.Errorf("step %d: %q and wait %v, want %q and %v", i, code, wait, step.want, step.wait)
			}
		}
		clock.Pass(2 * time.Minute)
		if code, _ := try(usecasetest.Asha, usecasetest.Password, "192.0.2.9"); code != "" {
			t.Errorf("after the wait: %q", code)
		}
		for i, want := range []string{"", throttled} {
			_, _, _, err := h.Service.Access.OpenAccount(t.Context(), signup(i, ""), usecasetest.Home, "")
			if usecasetest.CodeOf(err) != want {
				t.Errorf("signup %d: %v", i, err)
			}
		}
	})
}

// TestCostlierHash checks that a password is hashed again at the new cost when its user
// signs in.
func TestCostlierHash(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := usecasetest.Open(t, db, usecase.Options{})
		before, err := db.Accounts().UserByEmail(t.Context(), usecasetest.Asha)
		if err != nil {
			t.Fatal(err)
		}
		dearer := usecasetest.Cheap
		dearer.Passes++
		later, err := usecase.New(db, usecase.Options{PasswordCost: dearer, MasterKey: usecasetest.MasterKey})
		if err != nil {
			t.Fatal(err)
		}
		var browsers sync.WaitGroup
		for range 4 { // the sign-ins are concurrent, and only one new hash is stored
			browsers.Go(func() {
				_, _, err := later.Access.SignIn(t.Context(), usecasetest.Asha,
					tenant.NewSecret(usecasetest.Password), usecasetest.Home, "")
				if err != nil {
					t.Error(err)
				}
			})
		}
		browsers.Wait()
		after, err := db.Accounts().UserByEmail(t.Context(), usecasetest.Asha)
		if err != nil || after.PasswordHash == before.PasswordHash {
			t.Errorf("the hash stayed: %v", err)
		}
		h.SignIn(usecasetest.Asha)
	})
}
