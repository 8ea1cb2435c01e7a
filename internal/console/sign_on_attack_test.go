package console_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"verdict/internal/account"
	"verdict/internal/console"
	"verdict/internal/fault"
	"verdict/internal/policydesk"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
)

// TestProviderIsNoSecondPerson checks that an administrator cannot act as two people by creating a second account at
// the identity provider. The administrator confirms the second account as an activator. For a day, the second account
// cannot activate the administrator's policies or confirm other accounts. The administrator cannot activate policies of
// the second account or confirm people whom it invited.
func TestProviderIsNoSecondPerson(t *testing.T) {
	t.Parallel()
	h := newSignOnHouse(t)
	first := h.admin.between("/console/live/policies", "/console/live/policies/pol_", "\"")
	h.admin.post("/console/live/policies/pol_"+first+"/activate", "confirm", "LIVE").want(http.StatusSeeOther)
	signOn := func(n int) tenant.Principal {
		h.provider.SignedIn(fmt.Sprint("sub-", n), fmt.Sprintf("puppet.%d@example.in", n), "Admins")
		b := h.newBrowser()
		b.signOn("acme", "").to("/console")
		return b.who(tenant.Live)
	}
	puppet, second := signOn(1), signOn(2)
	asha := h.admin.who(tenant.Live)
	confirm := func(by, who tenant.Principal) error {
		return h.service.People.ConfirmActivator(t.Context(), by, who.UserID)
	}
	draft := func(by tenant.Principal) string {
		set, err := h.service.Policies.CreateRuleSet(t.Context(), by, usecasetest.Draft(t, `{"name":"new"}`), nil)
		if err != nil {
			t.Fatal(err)
		}
		return set.ID
	}
	activate := func(by tenant.Principal, id string) error {
		_, err := h.service.Policies.Activate(t.Context(), by, id, policydesk.Activation{}, nil)
		return err
	}
	refused := func(what string, err error) {
		t.Helper()
		if fault.CodeOf(err) != fault.CodeSecondPersonRequired {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := confirm(asha, puppet); err != nil {
		t.Fatal(err)
	}
	own := draft(asha)
	err := activate(puppet, own)
	refused("the author confirmed the activator", err)
	if err == nil || !strings.Contains(err.Error(), "the author of this rule set confirmed it") {
		t.Errorf("the refusal is %v", err)
	}
	refused("a confirmed activator confirms another", confirm(puppet, second))
	invited, token, err := h.service.People.Invite(t.Context(), puppet, "third@example.in", tenant.RoleRisk)
	if err != nil {
		t.Fatal(err)
	}
	third, _, err := h.service.Access.AcceptInvitation(t.Context(), token, tenant.NewSecret("battery staple"), "", "")
	if err != nil {
		t.Fatal(err, invited)
	}
	refused("the author confirms whom the puppet invited", confirm(asha, third.Principal(tenant.Live)))

	refused("the author is the puppet", activate(asha, draft(puppet)))
	refused("the author is a new person of the provider", activate(asha, draft(second)))

	h.clock.advance(24 * time.Hour)
	if err := activate(puppet, own); err != nil {
		t.Error(err)
	}
}

// TestRemovedConnectionEndsSessions checks that a session ends when the operator removes the connection with which it
// began, or gives it to another tenant. Sessions with a password stay.
func TestRemovedConnectionEndsSessions(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, storetest.MigratedSQLite(t), store.Options{})
	admin := houseOver(t, db).signUp()
	tenantID := admin.who(tenant.Live).TenantID
	now := newClock().now()
	token, err := tenant.MintToken(strings.NewReader(strings.Repeat("token", 20)))
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = db.Staff(tenantID).SignOn(t.Context(), store.SignOn{
		Identity: store.Identity{Connection: "acme", Issuer: "https://id.example", Subject: "sub-1"},
		User:     store.User{ID: "usr_ravi", Email: "ravi@example.in", Role: "risk", CreatedMicros: now.UnixMicro()},
		Session: store.ConsoleSession{
			ID: "ses_1", Hash: tenant.HashToken(token).String(), Connection: "acme", CreatedMicros: now.UnixMicro(),
			SeenMicros: now.UnixMicro(), ExpiresMicros: now.Add(time.Hour).UnixMicro(),
		},
		Audit: func(action, _, object, _ string) store.AuditEntry {
			return store.AuditEntry{ID: "aud_" + action, Environment: "live", Action: action, Object: object}
		},
		Added: "user.created", SignedIn: "session.created",
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name        string
		connections []account.Connection
		ends        bool
	}{
		{"configured", []account.Connection{{ID: "acme", TenantID: tenantID}}, false},
		{"removed", nil, true},
		{"of another tenant", []account.Connection{{ID: "acme", TenantID: "ten_other"}}, true},
	} {
		h := houseOf(t, db, console.Options{}, usecase.Options{Connections: c.connections})
		_, err := h.service.Access.SessionOf(t.Context(), token)
		if ended := fault.CodeOf(err) == fault.CodeSessionEnded; ended != c.ends || !ended && err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		b := h.newBrowser()
		b.post("/console/signin", "email", admin.email, "password", admin.password).want(http.StatusSeeOther)
	}
}

// TestContinuedEditsAreLimited checks that continuing an edit from the sign-in page counts towards the person's
// rate limit for forms.
func TestContinuedEditsAreLimited(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, storetest.MigratedSQLite(t), store.Options{})
	h := houseWith(t, db, console.Options{PostRate: tenant.Rate{Allowance: 1, Window: time.Hour, Burst: 2}})
	b := h.signUp()
	for range 2 {
		b.post("/console/signin", "continue", "yes", "kept", "x", "route", "/x").to("/console")
	}
	b.post("/console/signin", "continue", "yes", "kept", "x", "route", "/x").want(http.StatusTooManyRequests)
}
