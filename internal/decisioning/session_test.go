//nolint:thelper // what Each runs is the test itself: a failure belongs to its own line
package decisioning_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/decisioning"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tenant"
)

const (
	asha     = "asha@example.in"
	password = "correct horse"
	home     = "203.0.113.7"
)

// clock is a time of day that a test moves.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock { return &clock{at: time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// generous rates are for tests that try more often than people do.
var generous = tenant.LoginRates{
	Account: tenant.Rate{Allowance: 1000, Window: time.Second, Burst: 1000},
	Address: tenant.Rate{Allowance: 1000, Window: time.Second, Burst: 1000},
	Signup:  tenant.Rate{Allowance: 1000, Window: time.Second, Burst: 1000},
}

// signIn signs a person of the house in.
func (h *house) signIn(email string) (decisioning.Session, tenant.Token) {
	h.Helper()
	c, token, err := h.service.SignIn(h.Context(), email, tenant.NewSecret(password), home, "Firefox")
	if err != nil {
		h.Fatal(err)
	}
	return c, token
}

// admin is the person who signed the house up, in live.
func (h *house) admin() tenant.Principal {
	h.Helper()
	c, _ := h.signIn(asha)
	return c.Principal(tenant.Live)
}

// join makes somebody one of an administrator's people.
func (h *house) join(by tenant.Principal, email string, role tenant.Role) (decisioning.Session, tenant.Token) {
	h.Helper()
	_, link, err := h.service.Invite(h.Context(), by, email, role)
	if err != nil {
		h.Fatal(err)
	}
	c, token, err := h.service.AcceptInvitation(h.Context(), link, tenant.NewSecret(password), home, "Firefox")
	if err != nil {
		h.Fatal(err)
	}
	return c, token
}

// ended wants a token that lets nobody in any more.
func (h *house) ended(token tenant.Token) {
	h.Helper()
	if _, err := h.service.SessionOf(h.Context(), token); codeOf(err) != decisioning.CodeSessionEnded {
		h.Errorf("still signed in: %v", err)
	}
}

// held wants a token that lets somebody in.
func (h *house) held(token tenant.Token) {
	h.Helper()
	if _, err := h.service.SessionOf(h.Context(), token); err != nil {
		h.Errorf("not signed in: %v", err)
	}
}

// codeOf is the code of a refusal, "" for none.
func codeOf(err error) string {
	var refusal *fault.Error
	if errors.As(err, &refusal) {
		return refusal.Code
	}
	return ""
}

// logged are the actions of a trail, newest last.
func (h *house) logged(p tenant.Principal, object string) []string {
	h.Helper()
	page, err := h.service.Audit(h.Context(), p, decisioning.AuditFilter{Object: object}, operation.List{Limit: 100})
	if err != nil {
		h.Fatal(err)
	}
	var actions []string
	for _, e := range page.Data {
		actions = append(actions, e.Actor+" "+e.Action)
	}
	return actions
}

func TestSignIn(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := open(t, db, decisioning.Options{Logins: generous})
		c, token, err := h.service.SignIn(t.Context(), " ASHA@example.in", tenant.NewSecret(password), home, "Firefox\x00\n"+strings.Repeat("é", 500))
		if err != nil {
			t.Fatal(err)
		}
		if c.User.Email != asha || c.Role() != tenant.RoleAdmin || c.Tenant.OrgName != "Asha Finance" || c.Address != home ||
			!strings.HasPrefix(c.Agent, "Firefoxé") || len(c.Agent) > 256 || strings.ContainsAny(c.Agent, "\x00\n\ufffd") {
			t.Errorf("signed in as %+v", c)
		}
		again, err := h.service.SessionOf(t.Context(), token)
		if diff := cmp.Diff(fmt.Sprint(c), fmt.Sprint(again)); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		p := c.Principal(tenant.Live)
		if p.TenantID != h.caller.TenantID || p.UserID != h.signed.UserID || p.KeyID != "" || !p.Scopes.Has(tenant.Admin) || p.Plan.Name != "free" {
			t.Errorf("the principal is %+v", p)
		}
		if diff := cmp.Diff([]string{h.signed.UserID + " session.created"}, h.logged(p, c.ID)); diff != "" {
			t.Errorf("the log (-want +got):\n%s", diff)
		}
		for name, try := range map[string]struct{ email, password string }{
			"another password": {asha, "wrong horse"}, "no password": {asha, ""}, "nobody": {"nobody@example.in", password},
			"no address": {"asha", password}, "nothing": {"", ""},
		} {
			_, _, err := h.service.SignIn(t.Context(), try.email, tenant.NewSecret(try.password), home, "")
			if codeOf(err) != decisioning.CodeInvalidCredentials || err.Error() != "invalid_credentials: the e-mail address or the password is not right" {
				t.Errorf("%s: %v", name, err)
			}
		}
		stranger, err := tenant.MintToken(strings.NewReader(strings.Repeat("x", 32)))
		if err != nil {
			t.Fatal(err)
		}
		h.ended(stranger)
		h.ended(tenant.Token{})
	})
}

func TestSessionsEndByThemselves(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		clock := newClock()
		h := open(t, db, decisioning.Options{Now: clock.now, Logins: generous})
		_, idle := h.signIn(asha)
		_, busy := h.signIn(asha)
		for range 20 { // six days and sixteen hours
			clock.pass(8 * time.Hour)
			h.held(busy)
			runUntilFlushed(t, h.service)
		}
		h.ended(idle)
		if list, err := h.service.Sessions(t.Context(), sessionOf(t, h, busy)); err != nil || len(list) != 1 || !list[0].SeenAt.Equal(clock.now()) {
			t.Errorf("signed in at %+v, %v", list, err)
		}
		clock.pass(8*time.Hour - time.Minute)
		h.held(busy)
		runUntilFlushed(t, h.service)
		clock.pass(time.Minute)
		h.ended(busy) // seven days are enough
	})
}

func sessionOf(t *testing.T, h *house, token tenant.Token) decisioning.Session {
	t.Helper()
	c, err := h.service.SessionOf(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestSessionsAreRevoked(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := open(t, db, decisioning.Options{Logins: generous})
		first, one := h.signIn(asha)
		second, two := h.signIn(asha)
		_, three := h.signIn(asha)
		h.signup("other@example.in")
		other, _ := h.signIn("other@example.in")
		ravi, _ := h.join(first.Principal(tenant.Live), "ravi@example.in", tenant.RoleRisk)
		for name, who := range map[string]decisioning.Session{"another tenant": other, "a colleague": ravi} {
			if err := h.service.RevokeSession(t.Context(), who, first.ID); codeOf(err) != store.CodeNotFound {
				t.Errorf("%s ended a session: %v", name, err)
			}
			if err := h.service.RevokeOtherSessions(t.Context(), who); err != nil {
				t.Error(err)
			}
		}
		if err := h.service.RevokeSession(t.Context(), first, "ses_nonsense"); codeOf(err) != store.CodeNotFound {
			t.Errorf("nonsense: %v", err)
		}
		list, err := h.service.Sessions(t.Context(), first)
		if err != nil || len(list) != 3 || list[2].ID != first.ID || list[2].User.Email != asha {
			t.Errorf("the sessions are %+v, %v", list, err)
		}
		h.held(two)
		if err := h.service.RevokeSession(t.Context(), first, second.ID); err != nil {
			t.Fatal(err)
		}
		h.ended(two)
		h.held(one)
		h.held(three)
		if err := h.service.RevokeOtherSessions(t.Context(), first); err != nil {
			t.Fatal(err)
		}
		h.ended(three)
		h.held(one)
		for range 2 { // signing out again does no harm
			if err := h.service.SignOut(t.Context(), first); err != nil {
				t.Fatal(err)
			}
			h.ended(one)
		}
	})
}

// TestPasswordIsReset by the operator, for somebody who forgot it.
func TestPasswordIsReset(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := open(t, db, decisioning.Options{Logins: generous})
		session, token := h.signIn(asha)
		reset := func(email, password string) error {
			return h.service.ResetPassword(t.Context(), session.Tenant.ID, email, tenant.NewSecret(password))
		}
		if err := reset("nobody@example.in", "a staple of batteries"); codeOf(err) != store.CodeNotFound {
			t.Errorf("nobody: %v", err)
		}
		if err := reset(asha, "short"); err == nil {
			t.Error("a weak password was taken")
		}
		h.held(token)
		if err := reset(strings.ToUpper(asha), "a staple of batteries"); err != nil {
			t.Fatal(err)
		}
		h.ended(token)
		if _, _, err := h.service.SignIn(t.Context(), asha, tenant.NewSecret(password), home, ""); err == nil {
			t.Error("the old password still works")
		}
		if _, _, err := h.service.SignIn(t.Context(), asha, tenant.NewSecret("a staple of batteries"), home, ""); err != nil {
			t.Error(err)
		}
	})
}

// TestOtherNodesHearOfIt within half a second.
func TestOtherNodesHearOfIt(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		clock := newClock()
		h := open(t, db, decisioning.Options{Now: clock.now})
		other, err := decisioning.New(db, decisioning.Options{Now: clock.now, PasswordCost: cheap})
		if err != nil {
			t.Fatal(err)
		}
		c, token := h.signIn(asha)
		if _, err := other.SessionOf(t.Context(), token); err != nil {
			t.Fatal(err)
		}
		if err := h.service.SignOut(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		clock.pass(500 * time.Millisecond)
		if _, err := other.SessionOf(t.Context(), token); codeOf(err) != decisioning.CodeSessionEnded {
			t.Errorf("still signed in elsewhere: %v", err)
		}
	})
}

func TestSignInIsThrottled(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		clock := newClock()
		h := open(t, db, decisioning.Options{Now: clock.now, Logins: tenant.LoginRates{
			Account: tenant.Rate{Allowance: 30, Window: time.Hour, Burst: 3},
			Address: tenant.Rate{Allowance: 60, Window: time.Hour, Burst: 5},
			Signup:  tenant.Rate{Allowance: 1, Window: time.Hour, Burst: 1},
		}})
		try := func(email, word, from string) (code string, wait time.Duration) {
			t.Helper()
			_, _, err := h.service.SignIn(t.Context(), email, tenant.NewSecret(word), from, "")
			var throttled *decisioning.Throttled
			if errors.As(err, &throttled) {
				wait = throttled.RetryAfter.Round(time.Second)
			}
			return codeOf(err), wait
		}
		const wrong, throttled = decisioning.CodeInvalidCredentials, decisioning.CodeLoginThrottled
		for i, step := range []struct {
			email, word, from, want string
			wait                    time.Duration
		}{
			{asha, password, "192.0.2.1", "", 0}, {asha, password, "192.0.2.1", "", 0}, {asha, password, "192.0.2.1", "", 0},
			{asha, password, "192.0.2.1", "", 0}, {asha, password, "192.0.2.1", "", 0}, {asha, password, "192.0.2.1", "", 0}, // what succeeds costs nothing
			{asha, "no", "192.0.2.1", wrong, 0}, {asha, "no", "192.0.2.1", wrong, 0}, {asha, "no", "192.0.2.1", wrong, 0},
			{asha, password, "192.0.2.1", throttled, 2 * time.Minute},
			{asha, password, "192.0.2.4", "", 0}, // nobody else's tries keep her out
			{"nobody@example.in", "no", "192.0.2.5", wrong, 0}, {"nobody@example.in", "no", "192.0.2.5", wrong, 0},
			{"nobody@example.in", "no", "192.0.2.5", wrong, 0}, {"Nobody@example.in", "no", "192.0.2.5", throttled, 2 * time.Minute},
			{"a@example.in", "no", "2001:db8::1", wrong, 0}, {"b@example.in", "no", "[2001:db8::2]:80", wrong, 0},
			{"c@example.in", "no", "2001:db8::3", wrong, 0}, {"d@example.in", "no", "2001:db8::4", wrong, 0}, {"e", "no", "2001:db8::5", wrong, 0},
			{"f@example.in", "no", "2001:db8::6", throttled, time.Minute}, {"f@example.in", "no", "2001:db8:0:1::6", wrong, 0},
		} {
			if code, wait := try(step.email, step.word, step.from); code != step.want || wait != step.wait {
				t.Errorf("step %d: %q and wait %v, want %q and %v", i, code, wait, step.want, step.wait)
			}
		}
		clock.pass(2 * time.Minute)
		if code, _ := try(asha, password, "192.0.2.9"); code != "" {
			t.Errorf("after the wait: %q", code)
		}
		body := `{"email":"new%d@example.in","org_name":"New","password":"correct horse"}`
		for i, want := range []string{"", throttled} {
			if _, _, _, err := h.service.OpenAccount(t.Context(), parse(t, fmt.Sprintf(body, i)), home, ""); codeOf(err) != want {
				t.Errorf("signup %d: %v", i, err)
			}
		}
	})
}

// TestCostlierHash is made when the person comes by.
func TestCostlierHash(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := open(t, db, decisioning.Options{})
		before, err := db.System().UserByEmail(t.Context(), asha)
		if err != nil {
			t.Fatal(err)
		}
		dearer := cheap
		dearer.Passes++
		later, err := decisioning.New(db, decisioning.Options{PasswordCost: dearer})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if _, _, err := later.SignIn(t.Context(), asha, tenant.NewSecret(password), home, ""); err != nil {
				t.Fatal(err)
			}
		}
		if after, err := db.System().UserByEmail(t.Context(), asha); err != nil || after.PasswordHash == before.PasswordHash {
			t.Errorf("the hash stayed: %v", err)
		}
		h.signIn(asha)
	})
}
