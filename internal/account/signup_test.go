//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package account_test

import (
	"errors"
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

// signup returns the request of the nth new tenant. The invitation code may be "".
func signup(n int, code string) tenant.Signup {
	return tenant.Signup{
		Email:    fmt.Sprintf("new%d@example.in", n),
		OrgName:  "New",
		Password: tenant.NewSecret(usecasetest.Password),
		Invite:   tenant.NewSecret(code),
	}
}

// TestSignupModes checks that a closed signup admits nobody but the operator, and that
// an invitation code allows one signup until the code expires.
func TestSignupModes(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		clock := usecasetest.NewClock()
		// Open signs up as the operator, which works in the closed mode.
		closed := usecasetest.Open(t, db, usecase.Options{Now: clock.Now, SignupMode: tenant.SignupClosed})
		_, err := closed.Service.Access.SignupFrom(t.Context(), signup(1, ""), usecasetest.Home)
		if usecasetest.CodeOf(err) != fault.CodeSignupClosed {
			t.Errorf("closed: %v", err)
		}
		service, err := usecase.New(db,
			usecase.Options{
				Now: clock.Now, PasswordCost: usecasetest.Cheap, SignupMode: tenant.SignupInvite,
				MasterKey: usecasetest.MasterKey,
			})
		if err != nil {
			t.Fatal(err)
		}
		code := func() string {
			t.Helper()
			token, _, err := service.Operator.InviteToSignup(t.Context(), 24*time.Hour)
			if err != nil {
				t.Fatal(err)
			}
			return token.Reveal()
		}
		try := func(n int, code string) string {
			_, err := service.Access.SignupFrom(t.Context(), signup(n, code), usecasetest.Home)
			return usecasetest.CodeOf(err)
		}
		first := code()
		late := code()
		for i, c := range []struct {
			n          int
			code, want string
		}{
			{1, "", fault.CodeInviteCodeRequired}, {1, "ZEBRA", fault.CodeInvalidInviteCode},
			{1, first, ""}, {2, first, fault.CodeInvalidInviteCode},
			{1, late, fault.CodeEmailTaken}, // a refused signup does not use up the code
		} {
			if got := try(c.n, c.code); got != c.want {
				t.Errorf("step %d: %q, want %q", i, got, c.want)
			}
		}
		clock.Pass(24 * time.Hour)
		if got := try(3, late); got != fault.CodeInvalidInviteCode {
			t.Errorf("too late: %q", got)
		}
	})
}

// TestSignupsOfADay checks that the daily limit for an address counts only tenants that
// were created.
func TestSignupsOfADay(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		clock := usecasetest.NewClock()
		h := usecasetest.Open(t, db, usecase.Options{Now: clock.Now, SignupsEachDay: 2})
		try := func(n int, from string) error {
			_, err := h.Service.Access.SignupFrom(t.Context(), signup(n, ""), from)
			return err
		}
		for i, c := range []struct {
			n          int
			from, want string
		}{
			{1, usecasetest.Home, ""}, {1, usecasetest.Home, fault.CodeEmailTaken},
			{1, usecasetest.Home, fault.CodeEmailTaken}, {2, usecasetest.Home, ""},
			{3, usecasetest.Home, "rate_limited"}, {3, "192.0.2.9", ""}, {4, "2001:db8::1", ""},
			{5, "2001:db8::2", ""}, {6, "2001:db8::3", "rate_limited"},
		} {
			if got := usecasetest.CodeOf(try(c.n, c.from)); got != c.want {
				t.Errorf("step %d: %q, want %q", i, got, c.want)
			}
		}
		err := try(1, "192.0.2.10")
		for _, want := range []string{
			"sign in to the console", "create another key", "in its folder: verdict tenant key create -env sandbox",
		} {
			if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "@") {
				t.Errorf("the refusal of a used address lacks %q: %v", want, err)
			}
		}
		var throttled *account.Throttled
		if err := try(7, usecasetest.Home); !errors.As(err, &throttled) || throttled.RetryAfter != 12*time.Hour {
			t.Errorf("got %v, %+v", err, throttled)
		}
		clock.Pass(12 * time.Hour)
		if err := try(7, usecasetest.Home); err != nil {
			t.Errorf("half a day later: %v", err)
		}
	})
}

// TestUnusedTenantsAreRemoved checks that a tenant is removed with everything that was
// seeded, seven days after its signup, unless a request came with one of its keys or
// sessions. Nothing of other tenants is removed.
func TestUnusedTenantsAreRemoved(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		db := storetest.Open(t, databaseURL, store.Options{})
		clock := usecasetest.NewClock()
		h := usecasetest.Open(t, db, usecase.Options{Now: clock.Now, Logins: generous})
		sign := func(n int) account.SignedUp {
			t.Helper()
			signed, err := h.Service.Access.SignupFrom(t.Context(), signup(n, ""), usecasetest.Home)
			if err != nil {
				t.Fatal(err)
			}
			return signed
		}
		unused, called := sign(1), sign(2)
		looked, session, token, err := h.Service.Access.OpenAccount(t.Context(), signup(3, ""), usecasetest.Home, "")
		if err != nil {
			t.Fatal(err)
		}
		idle, _, _, err := h.Service.Access.OpenAccount(t.Context(), signup(4, ""), usecasetest.Home, "")
		if err != nil || session.Tenant.ID == "" {
			t.Fatal(err)
		}
		if _, err := h.Service.Access.Authenticate(t.Context(), called.Key); err != nil {
			t.Fatal(err)
		}
		h.Held(token)
		h.Service.Flush(t.Context())
		there := func(want ...account.SignedUp) {
			t.Helper()
			for _, signed := range []account.SignedUp{unused, called, looked, idle} {
				wanted := false
				for _, w := range want {
					wanted = wanted || w.Tenant.ID == signed.Tenant.ID
				}
				if _, err := h.Service.Operator.Tenant(t.Context(), signed.Tenant.ID); (err == nil) != wanted {
					t.Errorf("%s: %v", signed.Email, err)
				}
			}
		}
		purge := func() {
			for range 2 {
				h.Service.Purge(t.Context())
				clock.Pass(10 * time.Minute)
			}
		}
		clock.Pass(7*24*time.Hour - 30*time.Minute)
		purge()
		there(unused, called, looked, idle)
		clock.Pass(time.Hour)
		h.Service.Purge(t.Context()) // closes the tenant
		if _, err := h.Service.Access.Authenticate(t.Context(), unused.Key); err == nil {
			t.Error("a tenant that is being removed lets somebody in")
		}
		clock.Pass(10 * time.Minute)
		purge()
		there(called, looked)
		if _, err := h.Service.Operator.Tenant(t.Context(), h.Signed.Tenant.ID); err != nil {
			t.Errorf("the operator's tenant: %v", err)
		}
		wantNothingOf(t, databaseURL, db.Kind(), unused.Tenant.ID)
		// Its e-mail address can sign up again.
		sign(1)
	})
}

// wantNothingOf checks that no table has a row of the tenant.
func wantNothingOf(t *testing.T, databaseURL, kind, tenantID string) {
	t.Helper()
	raw := storetest.Raw(t, databaseURL)
	tables := "SELECT t.name FROM sqlite_master t, pragma_table_info(t.name) c " +
		"WHERE t.type = 'table' AND c.name = 'tenant_id'"
	if kind == "postgres" {
		tables = "SELECT table_name FROM information_schema.columns " +
			"WHERE table_schema = 'public' AND column_name = 'tenant_id'"
	}
	tx, err := raw.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	if kind == "postgres" {
		if _, err := tx.ExecContext(t.Context(), "SELECT set_config('verdict.role', 'system', true)"); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := tx.QueryContext(t.Context(), tables)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil || len(names) < 20 {
		t.Fatalf("%d tables, %v", len(names), err)
	}
	for _, name := range names {
		var n int
		err := tx.QueryRowContext(t.Context(), "SELECT count(*) FROM "+name+" WHERE tenant_id = $1", tenantID).Scan(&n)
		if err != nil || n != 0 {
			t.Errorf("%s has %d rows of it, %v", name, n, err)
		}
	}
}
