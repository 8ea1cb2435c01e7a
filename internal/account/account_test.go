//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package account_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/account"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
)

func TestOpenAccount(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := usecasetest.Open(t, db, usecase.Options{})
		ask := tenant.Signup{
			Email:    "meena@example.in",
			OrgName:  "<script>alert(1)</script>",
			Password: tenant.NewSecret(usecasetest.Password),
		}
		signed, c, token, err := h.Service.Access.OpenAccount(t.Context(), ask, usecasetest.Home, "Firefox")
		if err != nil {
			t.Fatal(err)
		}
		if c.User.ID != signed.UserID || c.Tenant.OrgName != "<script>alert(1)</script>" ||
			c.Role() != tenant.RoleAdmin {
			t.Errorf("signed up as %+v", c)
		}
		h.Held(token)
		caller, err := h.Service.Access.Authenticate(t.Context(), signed.Key)
		if err != nil || caller.TenantID != c.Tenant.ID {
			t.Errorf("the first key is %+v's, %v", caller, err)
		}
		ask.Email, ask.OrgName = usecasetest.Asha, "Again"
		_, _, _, err = h.Service.Access.OpenAccount(t.Context(), ask, usecasetest.Home, "")
		if usecasetest.CodeOf(err) != fault.CodeEmailTaken {
			t.Errorf("signed up twice: %v", err)
		}
	})
}

func TestChangePassword(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := usecasetest.Open(t, db, usecase.Options{Logins: generous})
		c, here := h.SignIn(usecasetest.Asha)
		_, elsewhere := h.SignIn(usecasetest.Asha)
		change := func(current, next string) (tenant.Token, error) {
			_, token, err := h.Service.Access.ChangePassword(t.Context(), c, tenant.NewSecret(current),
				tenant.NewSecret(next), usecasetest.Home, "Firefox")
			return token, err
		}
		for _, wrong := range []struct {
			current, next string
			want          []string
		}{
			{"wrong horse", "battery staple", []string{"/current_password"}},
			{usecasetest.Password, "short", []string{"/password"}},
			{usecasetest.Password, usecasetest.Asha, []string{"/password"}},
			{usecasetest.Password, usecasetest.Password, []string{"/password"}},
		} {
			_, err := change(wrong.current, wrong.next)
			if diff := cmp.Diff(wrong.want, usecasetest.Pointers(t, err)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		}
		h.Held(elsewhere)
		token, err := change(usecasetest.Password, "battery staple")
		if err != nil {
			t.Fatal(err)
		}
		h.Ended(here)
		h.Ended(elsewhere)
		h.Held(token)
		_, _, err = h.Service.Access.SignIn(t.Context(), usecasetest.Asha,
			tenant.NewSecret(usecasetest.Password), usecasetest.Home, "")
		if usecasetest.CodeOf(err) != fault.CodeInvalidCredentials {
			t.Errorf("the old password still works: %v", err)
		}
		want := []string{h.Signed.UserID + " user.password_changed"}
		if diff := cmp.Diff(want, h.Logged(c.Principal(tenant.Live), c.User.ID)); diff != "" {
			t.Errorf("the log (-want +got):\n%s", diff)
		}
	})
}

func TestPeople(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := usecasetest.Open(t, db, usecase.Options{Logins: generous})
		admin := h.Admin()
		ravi, token := h.Join(admin, "ravi@example.in", tenant.RoleRisk)
		err := h.Service.People.SetRole(t.Context(), admin, admin.UserID, tenant.RoleViewer)
		if usecasetest.CodeOf(err) != fault.CodeLastAdmin {
			t.Errorf("the last administrator: %v", err)
		}
		err = h.Service.People.DisableUser(t.Context(), admin, admin.UserID, true)
		if usecasetest.CodeOf(err) != fault.CodeLastAdmin {
			t.Errorf("the last administrator: %v", err)
		}
		err = h.Service.People.SetRole(t.Context(), admin, ravi.User.ID, "king")
		if usecasetest.Pointers(t, err)[0] != "/role" {
			t.Errorf("a king: %v", err)
		}
		if err := h.Service.People.SetRole(t.Context(), admin, ravi.User.ID, tenant.RoleAdmin); err != nil {
			t.Fatal(err)
		}
		h.Ended(token) // a new role ends the earlier session
		ravi, token = h.SignIn("ravi@example.in")
		key, _, err := h.Service.People.CreateAPIKey(t.Context(), ravi.Principal(tenant.Live),
			account.NewAPIKey{Environment: tenant.Live, Name: "his", Scopes: tenant.Read})
		if err != nil {
			t.Fatal(err)
		}
		if err := h.Service.People.DisableUser(t.Context(), admin, ravi.User.ID, false); err != nil {
			t.Fatal(err)
		}
		h.Ended(token)
		_, _, err = h.Service.Access.SignIn(t.Context(), "ravi@example.in",
			tenant.NewSecret(usecasetest.Password), usecasetest.Home, "")
		if usecasetest.CodeOf(err) != fault.CodeInvalidCredentials {
			t.Errorf("who was shut out came in: %v", err)
		}
		if _, err := h.Service.Access.Authenticate(t.Context(), key); err != nil {
			t.Errorf("his key stopped: %v", err)
		}
		if err := h.Service.People.DisableUser(t.Context(), admin, ravi.User.ID, true); err != nil {
			t.Fatal(err)
		}
		if _, err := h.Service.Access.Authenticate(t.Context(), key); usecasetest.CodeOf(err) != fault.CodeKeyRevoked {
			t.Errorf("his key works: %v", err)
		}
		people, err := h.Service.People.List(t.Context(), admin)
		if err != nil || len(people) != 2 || people[1].Role != "admin" || people[1].DisabledAt.IsZero() ||
			!people[0].DisabledAt.IsZero() {
			t.Errorf("the people are %+v, %v", people, err)
		}
		if err := h.Service.People.EnableUser(t.Context(), admin, ravi.User.ID); err != nil {
			t.Fatal(err)
		}
		h.SignIn("ravi@example.in")
		if diff := cmp.Diff([]string{
			admin.UserID + " user.role_set", admin.UserID + " user.disabled", admin.UserID + " user.enabled",
		}, oldestFirst(h.Logged(admin, ravi.User.ID))); diff != "" {
			t.Errorf("the log (-want +got):\n%s", diff)
		}
	})
}

// oldestFirst reverses an audit trail that lists its newest entry first.
func oldestFirst(actions []string) []string {
	turned := make([]string, 0, len(actions))
	for i := len(actions) - 1; i >= 0; i-- {
		turned = append(turned, actions[i])
	}
	return turned
}

// TestOnlyAdministratorsManage checks that only administrators manage people and keys,
// and only the people and keys of their own tenant.
func TestOnlyAdministratorsManage(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := usecasetest.Open(t, db, usecase.Options{Logins: generous})
		admin := h.Admin()
		victim, _ := h.Join(admin, "victim@example.in", tenant.RoleAdmin)
		invited, _, err := h.Service.People.Invite(t.Context(), admin, "guest@example.in", tenant.RoleViewer)
		if err != nil {
			t.Fatal(err)
		}
		h.Signup("other@example.in")
		other, _ := h.SignIn("other@example.in")
		risk, _ := h.Join(admin, "risk@example.in", tenant.RoleRisk)
		viewer, _ := h.Join(admin, "viewer@example.in", tenant.RoleViewer)
		for _, c := range []struct {
			who  account.Session
			code string
		}{{risk, fault.CodeInsufficientScope}, {viewer, fault.CodeInsufficientScope}, {other, fault.CodeNotFound}} {
			p := c.who.Principal(tenant.Sandbox)
			tries := map[string]error{
				"role":       h.Service.People.SetRole(t.Context(), p, victim.User.ID, tenant.RoleViewer),
				"disable":    h.Service.People.DisableUser(t.Context(), p, victim.User.ID, true),
				"enable":     h.Service.People.EnableUser(t.Context(), p, victim.User.ID),
				"invitation": h.Service.People.RevokeInvitation(t.Context(), p, invited.ID),
			}
			_, tries["revoke"] = h.Service.People.RevokeAPIKey(t.Context(), p, h.Signed.KeyID)
			_, _, tries["rotate"] = h.Service.People.RotateAPIKey(t.Context(), p, h.Signed.KeyID, time.Hour)
			for what, err := range tries {
				if usecasetest.CodeOf(err) != c.code {
					t.Errorf("%s by %s: %v", what, c.who.User.Email, err)
				}
			}
			keys, err := h.Service.People.APIKeys(t.Context(), p)
			if c.code == fault.CodeNotFound {
				if err != nil || len(keys) != 1 || keys[0].ID == h.Signed.KeyID {
					t.Errorf("another tenant's keys are %v, %v", keys, err)
				}
				continue
			}
			_, _, invite := h.Service.People.Invite(t.Context(), p, "friend@example.in", tenant.RoleAdmin)
			_, _, create := h.Service.People.CreateAPIKey(t.Context(), p,
				account.NewAPIKey{Environment: tenant.Sandbox, Name: "mine", Scopes: tenant.Read})
			_, list := h.Service.People.Invitations(t.Context(), p)
			for what, err := range map[string]error{
				"keys":        err,
				"invite":      invite,
				"create":      create,
				"invitations": list,
			} {
				if usecasetest.CodeOf(err) != fault.CodeInsufficientScope {
					t.Errorf("%s by %s: %v", what, c.who.User.Email, err)
				}
			}
		}
		people, err := h.Service.People.List(t.Context(), other.Principal(tenant.Live))
		if err != nil || len(people) != 1 {
			t.Errorf("another tenant's people are %v, %v", people, err)
		}
	})
}

// TestSecondPersonIsAPerson checks that the author of a draft does not count as the
// second person, whether the author uses a key or a session.
func TestSecondPersonIsAPerson(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		clock := usecasetest.NewClock()
		h := usecasetest.Open(t, db, usecase.Options{Logins: generous, Now: clock.Now})
		admin := h.Admin()
		key, _, err := h.Service.People.CreateAPIKey(t.Context(), admin,
			account.NewAPIKey{Environment: tenant.Live, Name: "ci", Scopes: tenant.Admin})
		if err != nil {
			t.Fatal(err)
		}
		ashasKey, err := h.Service.Access.Authenticate(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		sets, err := h.Service.Policies.RuleSets(t.Context(), admin, policydesk.RuleSetFilter{},
			operation.List{Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		draft := func(by tenant.Principal) string {
			t.Helper()
			set, err := h.Service.Policies.CreateRuleSet(t.Context(), by,
				usecasetest.Draft(t, `{"name":"a draft","base":"`+sets.Data[0].ID+`"}`), nil)
			if err != nil {
				t.Fatal(err)
			}
			return set.ID
		}
		arm := func(by tenant.Principal, id string) string {
			t.Helper()
			_, err := h.Service.Policies.Activate(t.Context(), by, id, policydesk.Activation{}, nil)
			if err != nil && usecasetest.CodeOf(err) == "" {
				t.Fatal(err)
			}
			return usecasetest.CodeOf(err)
		}
		h.Join(admin, "viewer@example.in", tenant.RoleViewer)
		if code := arm(admin, draft(admin)); code != "" {
			t.Errorf("nobody else may, and still: %s", code)
		}
		ravi, _ := h.Join(admin, "ravi@example.in", tenant.RoleRisk)
		risk := ravi.Principal(tenant.Live)
		clock.Pass(24 * time.Hour) // a new activator waits for a day
		for name, c := range map[string]struct{ author, by tenant.Principal }{
			"by hand":               {admin, admin},
			"by hand, then the key": {admin, ashasKey},
			"the key, then by hand": {ashasKey, admin},
			"the key twice":         {ashasKey, ashasKey},
			"Ravi by hand":          {risk, risk},
		} {
			if code := arm(c.by, draft(c.author)); code != fault.CodeSecondPersonRequired {
				t.Errorf("%s: %q", name, code)
			}
		}
		for name, c := range map[string]struct{ author, by tenant.Principal }{
			"Asha's hand, Ravi": {admin, risk},
			"Asha's key, Ravi":  {ashasKey, risk},
			"Ravi, Asha's key":  {risk, ashasKey},
		} {
			if code := arm(c.by, draft(c.author)); code != "" {
				t.Errorf("%s: %q", name, code)
			}
		}
		if err := h.Service.People.DisableUser(t.Context(), admin, ravi.User.ID, false); err != nil {
			t.Fatal(err)
		}
		clock.Pass(24 * time.Hour) // a disabled activator counts for a day
		if code := arm(admin, draft(admin)); code != "" {
			t.Errorf("nobody else is left, and still: %s", code)
		}
	})
}
