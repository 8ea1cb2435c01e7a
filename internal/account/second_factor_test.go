//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package account_test

import (
	"errors"
	"slices"
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

// factorHouse is a service with one tenant (a usecasetest.House), in which Asha has a second factor.
type factorHouse struct {
	*usecasetest.House
	db       *store.DB
	clock    *usecasetest.Clock
	session  account.Session
	secret   tenant.TOTP
	recovery []tenant.Secret
}

func newFactorHouse(t *testing.T, db *store.DB, o usecase.Options) *factorHouse {
	t.Helper()
	h := &factorHouse{db: db, clock: usecasetest.NewClock()}
	o.Now = h.clock.Now
	h.House = usecasetest.Open(t, db, o)
	h.session, _ = h.SignIn(usecasetest.Asha)
	h.secret, h.recovery = h.enrol(h.session)
	return h
}

// enrol sets up the second factor of a person, and lets the next time step begin.
func (h *factorHouse) enrol(c account.Session) (tenant.TOTP, []tenant.Secret) {
	h.Helper()
	factors := h.Service.Factors
	if err := factors.Begin(h.Context(), c, tenant.NewSecret(usecasetest.Password)); err != nil {
		h.Fatal(err)
	}
	secret, err := factors.Pending(h.Context(), c)
	if err != nil {
		h.Fatal(err)
	}
	codes, err := factors.Confirm(h.Context(), c, h.code(secret, 0))
	if err != nil || len(codes) != tenant.RecoveryCodes {
		h.Fatalf("%d recovery codes, %v", len(codes), err)
	}
	h.clock.Pass(time.Minute)
	return secret, codes
}

// code returns the code that an app shows the given number of time steps from now.
func (h *factorHouse) code(secret tenant.TOTP, steps int64) string {
	h.Helper()
	code, err := secret.Code(secret.Step(h.clock.Now()) + steps)
	if err != nil {
		h.Fatal(err)
	}
	return code
}

// ticket signs in with the password and returns the ticket of the second step.
func (h *factorHouse) ticket() string {
	h.Helper()
	_, _, err := h.Service.Access.SignIn(h.Context(), usecasetest.Asha, tenant.NewSecret(usecasetest.Password),
		usecasetest.Home, "Firefox")
	var needs *account.NeedsCode
	if !errors.As(err, &needs) || fault.CodeOf(err) != fault.CodeSecondFactorRequired {
		h.Fatalf("the password alone gives %v", err)
	}
	return needs.Ticket
}

func (h *factorHouse) signIn(ticket, code string) (account.Session, error) {
	c, _, err := h.Service.Access.SignInWithCode(h.Context(), ticket, code,
		account.Client{Address: usecasetest.Home, Agent: "Firefox"})
	return c, err
}

func TestSecondFactor(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := newFactorHouse(t, db, usecase.Options{Logins: generous})
		ticket := h.ticket()
		for _, wrong := range []string{"", "000000", h.code(h.secret, 2), h.code(h.secret, -2), "AAAA-AAAA-AAAA-AAAA"} {
			if _, err := h.signIn(ticket, wrong); usecasetest.CodeOf(err) != fault.CodeWrongCode {
				t.Errorf("%q: %v", wrong, err)
			}
		}
		code := h.code(h.secret, 0)
		c, err := h.signIn(ticket, code[:3]+" "+code[3:])
		if err != nil || c.User.Email != usecasetest.Asha || c.MustEnrol {
			t.Fatalf("signed in as %+v, %v", c, err)
		}
		// The code and all codes before it count as used. The next code works.
		for _, used := range []string{code, h.code(h.secret, -1)} {
			if _, err := h.signIn(ticket, used); usecasetest.CodeOf(err) != fault.CodeWrongCode {
				t.Errorf("a used code: %v", err)
			}
		}
		if _, err := h.signIn(ticket, h.code(h.secret, 1)); err != nil {
			t.Error(err)
		}
		recovery := strings.ToLower(h.recovery[3].Reveal())
		if _, err := h.signIn(ticket, recovery); err != nil {
			t.Error(err)
		}
		if _, err := h.signIn(ticket, recovery); usecasetest.CodeOf(err) != fault.CodeWrongCode {
			t.Errorf("a used recovery code: %v", err)
		}
		state, err := h.Service.Factors.State(t.Context(), c)
		if err != nil || !state.Enabled || state.Pending || state.RecoveryCodes != 9 || !state.HasPassword {
			t.Errorf("the state is %+v, %v", state, err)
		}
		want := []string{h.Signed.UserID + " second_factor.recovery_code_used",
			h.Signed.UserID + " second_factor.enabled"}
		got := h.Logged(c.Principal(tenant.Live), h.Signed.UserID)
		for _, w := range want {
			if !slices.Contains(got, w) {
				t.Errorf("the trail %v lacks %q", got, w)
			}
		}
		if err := h.Service.Factors.Begin(t.Context(), c, tenant.NewSecret(usecasetest.Password)); fault.CodeOf(err) !=
			fault.CodeInvalidTransition {
			t.Errorf("a second set-up: %v", err)
		}
	})
}

// TestTicket checks that the ticket of the second step is refused if it has expired, was altered or belongs to an old
// password. A ticket must not work as a session.
func TestTicket(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, storetest.MigratedSQLite(t), store.Options{})
	h := newFactorHouse(t, db, usecase.Options{Logins: generous})
	refused := func(name, ticket string) {
		t.Helper()
		if _, err := h.signIn(ticket, h.code(h.secret, 0)); usecasetest.CodeOf(err) != fault.CodeSessionEnded {
			t.Errorf("%s: %v", name, err)
		}
	}
	good := h.ticket()
	parts := strings.Split(good, ".")
	later := slices.Clone(parts)
	later[2] = "99999999999"
	refused("nothing", "")
	refused("another end", strings.Join(later, "."))
	refused("another mark", good[:len(good)-2]+"xx")
	refused("a part more", good+".x")
	other, _ := h.Signup("other@example.in")
	swapped := slices.Clone(parts)
	swapped[0], swapped[1] = other.Tenant.ID, other.UserID
	refused("another person", strings.Join(swapped, "."))
	if _, ok := tenant.ParseToken(good); ok {
		t.Error("a ticket has the form of a session's token")
	}

	h.clock.Pass(5 * time.Minute)
	refused("late", good)
	good = h.ticket()
	err := h.Service.Operator.ResetPassword(t.Context(), h.Caller.TenantID, usecasetest.Asha,
		tenant.NewSecret("another one"))
	if err != nil {
		t.Fatal(err)
	}
	refused("another password", good)
}

// TestCodesAreThrottled checks that wrong codes are limited like wrong passwords, even with new tickets, and that
// somebody who has the password cannot lock the owner's browser out.
func TestCodesAreThrottled(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, storetest.MigratedSQLite(t), store.Options{})
	h := newFactorHouse(t, db, usecase.Options{})
	tries := 0
	for ; tries < 30; tries++ {
		_, err := h.signIn(h.ticket(), "000000")
		if throttled := (*account.Throttled)(nil); errors.As(err, &throttled) {
			break
		}
	}
	if tries != tenant.DefaultLoginRates().Account.Burst {
		t.Errorf("%d wrong codes before the limit", tries)
	}
	if _, err := h.signIn(h.ticket(), h.code(h.secret, 0)); fault.KindOf(err) != fault.Limited {
		t.Errorf("the right code beyond the limit: %v", err)
	}
	marks, err := h.Service.Access.Remember(t.Context(), h.Signed.UserID, "")
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = h.Service.Access.SignInWithCode(t.Context(), h.ticket(), h.code(h.secret, 0),
		account.Client{Address: usecasetest.Home, Marks: marks})
	if err != nil {
		t.Errorf("the owner's browser: %v", err)
	}
	h.clock.Pass(time.Hour)
	if _, err := h.signIn(h.ticket(), h.code(h.secret, 0)); err != nil {
		t.Error(err)
	}
}

// TestSecondFactorIsManaged checks new recovery codes, removing, and resetting by an administrator and the operator.
func TestSecondFactorIsManaged(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := newFactorHouse(t, db, usecase.Options{Logins: generous})
		factors, ctx := h.Service.Factors, t.Context()
		if _, err := factors.ReplaceRecoveryCodes(ctx, h.session, "000000"); fault.KindOf(err) != fault.Invalid {
			t.Errorf("a wrong code: %v", err)
		}
		fresh, err := factors.ReplaceRecoveryCodes(ctx, h.session, h.code(h.secret, 0))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := h.signIn(h.ticket(), h.recovery[0].Reveal()); usecasetest.CodeOf(err) != fault.CodeWrongCode {
			t.Errorf("an old recovery code: %v", err)
		}
		if err := factors.Remove(ctx, h.session, "000000"); fault.KindOf(err) != fault.Invalid {
			t.Errorf("a wrong code: %v", err)
		}
		if err := factors.Remove(ctx, h.session, fresh[0].Reveal()); err != nil {
			t.Fatal(err)
		}
		asha, _ := h.SignIn(usecasetest.Asha)
		admin := asha.Principal(tenant.Live)

		ravi, token := h.Join(admin, "ravi@example.in", tenant.RoleAdmin)
		h.enrol(ravi)
		stranger, _ := h.Signup("other@example.in")
		for name, p := range map[string]tenant.Principal{
			"a viewer":       {TenantID: admin.TenantID, UserID: admin.UserID, Scopes: tenant.RoleViewer.Scopes()},
			"another tenant": {TenantID: stranger.Tenant.ID, UserID: stranger.UserID, Scopes: tenant.Admin},
			"the person":     ravi.Principal(tenant.Live),
		} {
			if err := factors.Reset(ctx, p, ravi.User.ID); err == nil {
				t.Errorf("%s has reset it", name)
			}
		}
		h.Held(token)
		if err := factors.Reset(ctx, admin, ravi.User.ID); err != nil {
			t.Fatal(err)
		}
		h.Ended(token)
		if got := h.Logged(admin, ravi.User.ID); !slices.Contains(got, admin.UserID+" second_factor.reset") {
			t.Errorf("the trail is %v", got)
		}
		ravi, token = h.SignIn("ravi@example.in")
		h.enrol(ravi)
		operator := h.Service.Operator
		if err := operator.ResetSecondFactor(ctx, admin.TenantID, " RAVI@example.in"); err != nil {
			t.Error(err)
		}
		h.Ended(token)
		if err := operator.ResetSecondFactor(
			ctx, admin.TenantID, "ravi@example.in",
		); fault.KindOf(err) != fault.NotFound {
			t.Errorf("there is none: %v", err)
		}
		err = operator.ResetSecondFactor(ctx, stranger.Tenant.ID, "ravi@example.in")
		if fault.KindOf(err) != fault.NotFound {
			t.Errorf("another tenant: %v", err)
		}
	})
}

// TestSecondFactorIsRequired checks that sessions without a required second factor have no permissions.
func TestSecondFactorIsRequired(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		clock := usecasetest.NewClock()
		h := &factorHouse{clock: clock}
		h.House = usecasetest.Open(t, db, usecase.Options{Logins: generous, Now: clock.Now})
		factors, ctx := h.Service.Factors, t.Context()
		asha, _ := h.SignIn(usecasetest.Asha)
		admin := asha.Principal(tenant.Live)
		ravi, token := h.Join(admin, "ravi@example.in", tenant.RoleRisk)
		if err := factors.Require(ctx, ravi.Principal(tenant.Live), true); fault.KindOf(err) != fault.Forbidden {
			t.Errorf("a person without the right: %v", err)
		}
		if err := factors.Require(ctx, admin, true); usecasetest.CodeOf(err) != fault.CodeSecondFactorRequired {
			t.Errorf("an administrator without a second factor: %v", err)
		}
		h.enrol(asha)
		if err := factors.Require(ctx, admin, true); err != nil {
			t.Fatal(err)
		}
		if required, err := factors.Required(ctx, admin); err != nil || !required {
			t.Errorf("required: %v, %v", required, err)
		}
		now := sessionOf(t, h.House, token)
		if !now.MustEnrol || now.Scopes() != 0 || now.Principal(tenant.Live).Scopes != 0 {
			t.Errorf("Ravi may %v", now.Scopes())
		}
		if _, err := h.Service.People.List(ctx, now.Principal(tenant.Live)); fault.KindOf(err) != fault.Forbidden {
			t.Errorf("Ravi lists people: %v", err)
		}
		h.enrol(now)
		if now = sessionOf(t, h.House, token); now.MustEnrol || now.Scopes() != tenant.RoleRisk.Scopes() {
			t.Errorf("Ravi may %v", now.Scopes())
		}
		if err := factors.Require(ctx, admin, false); err != nil {
			t.Error(err)
		}
		// Another tenant is not affected.
		h.Signup("other@example.in")
		if other, _ := h.SignIn("other@example.in"); other.MustEnrol {
			t.Error("another tenant requires it too")
		}
	})
}

// TestSecondFactorIsSealed checks that the secret is stored encrypted, even if it was stored before the database had a
// master key.
func TestSecondFactorIsSealed(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := newFactorHouse(t, db, usecase.Options{Logins: generous})
		staff := db.Staff(h.Caller.TenantID)
		f, err := staff.SecondFactor(t.Context(), h.Signed.UserID)
		if err != nil || !strings.HasPrefix(f.Secret, "sealed:") || strings.Contains(f.Secret, h.secret.Reveal()) {
			t.Fatalf("stored as %q, %v", f.Secret, err)
		}
		if err := staff.SealFactor(t.Context(), f.UserID, f.Secret, h.secret.Reveal()); err != nil {
			t.Fatal(err)
		}
		if err := h.Service.Protect(t.Context()); err != nil {
			t.Fatal(err)
		}
		f, err = staff.SecondFactor(t.Context(), h.Signed.UserID)
		if err != nil || !strings.HasPrefix(f.Secret, "sealed:") || strings.Contains(f.Secret, h.secret.Reveal()) {
			t.Errorf("stored as %q, %v", f.Secret, err)
		}
		for _, code := range h.recovery {
			if slices.Contains(f.Recovery, code.Reveal()) {
				t.Error("a recovery code is stored unencrypted")
			}
		}
		if _, err := h.signIn(h.ticket(), h.code(h.secret, 0)); err != nil {
			t.Error(err)
		}
	})
}
