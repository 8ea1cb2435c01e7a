//nolint:thelper // what Each runs is the test itself: a failure belongs to its own line
package decisioning_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/decisioning"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

func TestOpenAccount(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := open(t, db, decisioning.Options{})
		signed, c, token, err := h.service.OpenAccount(t.Context(),
			parse(t, `{"email":"meena@example.in","org_name":"<script>alert(1)</script>","password":"correct horse"}`), home, "Firefox")
		if err != nil {
			t.Fatal(err)
		}
		if c.User.ID != signed.UserID || c.Tenant.OrgName != "<script>alert(1)</script>" || c.Role() != tenant.RoleAdmin {
			t.Errorf("signed up as %+v", c)
		}
		h.held(token)
		if caller, err := h.service.Authenticate(t.Context(), signed.Key); err != nil || caller.TenantID != c.Tenant.ID {
			t.Errorf("the first key is %+v's, %v", caller, err)
		}
		_, _, _, err = h.service.OpenAccount(t.Context(), parse(t, `{"email":"asha@example.in","org_name":"Again","password":"correct horse"}`), home, "")
		if codeOf(err) != store.CodeEmailTaken {
			t.Errorf("signed up twice: %v", err)
		}
	})
}

func TestChangePassword(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := open(t, db, decisioning.Options{Logins: generous})
		c, here := h.signIn(asha)
		_, elsewhere := h.signIn(asha)
		change := func(current, next string) (tenant.Token, error) {
			_, token, err := h.service.ChangePassword(t.Context(), c, tenant.NewSecret(current), tenant.NewSecret(next), home, "Firefox")
			return token, err
		}
		for _, wrong := range []struct {
			current, next string
			want          []string
		}{
			{"wrong horse", "battery staple", []string{"/current_password"}},
			{password, "short", []string{"/password"}},
			{password, asha, []string{"/password"}},
			{password, password, []string{"/password"}},
		} {
			_, err := change(wrong.current, wrong.next)
			if diff := cmp.Diff(wrong.want, pointers(t, err)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		}
		h.held(elsewhere)
		token, err := change(password, "battery staple")
		if err != nil {
			t.Fatal(err)
		}
		h.ended(here)
		h.ended(elsewhere)
		h.held(token)
		if _, _, err := h.service.SignIn(t.Context(), asha, tenant.NewSecret(password), home, ""); codeOf(err) != decisioning.CodeInvalidCredentials {
			t.Errorf("the old password still works: %v", err)
		}
		if diff := cmp.Diff([]string{h.signed.UserID + " user.password_changed"}, h.logged(c.Principal(tenant.Live), c.User.ID)); diff != "" {
			t.Errorf("the log (-want +got):\n%s", diff)
		}
	})
}

func TestPeople(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := open(t, db, decisioning.Options{Logins: generous})
		admin := h.admin()
		ravi, token := h.join(admin, "ravi@example.in", tenant.RoleRisk)
		if err := h.service.SetRole(t.Context(), admin, admin.UserID, tenant.RoleViewer); codeOf(err) != store.CodeLastAdmin {
			t.Errorf("the last administrator: %v", err)
		}
		if err := h.service.DisableUser(t.Context(), admin, admin.UserID, true); codeOf(err) != store.CodeLastAdmin {
			t.Errorf("the last administrator: %v", err)
		}
		if err := h.service.SetRole(t.Context(), admin, ravi.User.ID, "king"); pointers(t, err)[0] != "/role" {
			t.Errorf("a king: %v", err)
		}
		if err := h.service.SetRole(t.Context(), admin, ravi.User.ID, tenant.RoleAdmin); err != nil {
			t.Fatal(err)
		}
		h.ended(token) // a new role, a new token
		ravi, token = h.signIn("ravi@example.in")
		key, _, err := h.service.CreateAPIKey(t.Context(), ravi.Principal(tenant.Live), decisioning.NewAPIKey{Environment: tenant.Live, Name: "his", Scopes: tenant.Read})
		if err != nil {
			t.Fatal(err)
		}
		if err := h.service.DisableUser(t.Context(), admin, ravi.User.ID, false); err != nil {
			t.Fatal(err)
		}
		h.ended(token)
		if _, _, err := h.service.SignIn(t.Context(), "ravi@example.in", tenant.NewSecret(password), home, ""); codeOf(err) != decisioning.CodeInvalidCredentials {
			t.Errorf("who was shut out came in: %v", err)
		}
		if _, err := h.service.Authenticate(t.Context(), key); err != nil {
			t.Errorf("his key stopped: %v", err)
		}
		if err := h.service.DisableUser(t.Context(), admin, ravi.User.ID, true); err != nil {
			t.Fatal(err)
		}
		if _, err := h.service.Authenticate(t.Context(), key); codeOf(err) != tenant.CodeKeyRevoked {
			t.Errorf("his key works: %v", err)
		}
		people, err := h.service.People(t.Context(), admin)
		if err != nil || len(people) != 2 || people[1].Role != "admin" || people[1].DisabledAt.IsZero() || !people[0].DisabledAt.IsZero() {
			t.Errorf("the people are %+v, %v", people, err)
		}
		if err := h.service.EnableUser(t.Context(), admin, ravi.User.ID); err != nil {
			t.Fatal(err)
		}
		h.signIn("ravi@example.in")
		if diff := cmp.Diff([]string{
			admin.UserID + " user.role_set", admin.UserID + " user.disabled", admin.UserID + " user.enabled",
		}, oldestFirst(h.logged(admin, ravi.User.ID))); diff != "" {
			t.Errorf("the log (-want +got):\n%s", diff)
		}
	})
}

// oldestFirst turns a trail around if it is told newest first.
func oldestFirst(actions []string) []string {
	turned := make([]string, 0, len(actions))
	for i := len(actions) - 1; i >= 0; i-- {
		turned = append(turned, actions[i])
	}
	return turned
}

// TestOnlyAdministratorsManage people and keys, and only their own tenant's.
func TestOnlyAdministratorsManage(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := open(t, db, decisioning.Options{Logins: generous})
		admin := h.admin()
		victim, _ := h.join(admin, "victim@example.in", tenant.RoleAdmin)
		invited, _, err := h.service.Invite(t.Context(), admin, "guest@example.in", tenant.RoleViewer)
		if err != nil {
			t.Fatal(err)
		}
		h.signup("other@example.in")
		other, _ := h.signIn("other@example.in")
		risk, _ := h.join(admin, "risk@example.in", tenant.RoleRisk)
		viewer, _ := h.join(admin, "viewer@example.in", tenant.RoleViewer)
		for _, c := range []struct {
			who  decisioning.Session
			code string
		}{{risk, tenant.CodeInsufficientScope}, {viewer, tenant.CodeInsufficientScope}, {other, store.CodeNotFound}} {
			p := c.who.Principal(tenant.Sandbox)
			tries := map[string]error{
				"role":       h.service.SetRole(t.Context(), p, victim.User.ID, tenant.RoleViewer),
				"disable":    h.service.DisableUser(t.Context(), p, victim.User.ID, true),
				"enable":     h.service.EnableUser(t.Context(), p, victim.User.ID),
				"invitation": h.service.RevokeInvitation(t.Context(), p, invited.ID),
			}
			_, tries["revoke"] = h.service.RevokeAPIKey(t.Context(), p, h.signed.KeyID)
			_, _, tries["rotate"] = h.service.RotateAPIKey(t.Context(), p, h.signed.KeyID, time.Hour)
			for what, err := range tries {
				if codeOf(err) != c.code {
					t.Errorf("%s by %s: %v", what, c.who.User.Email, err)
				}
			}
			keys, err := h.service.APIKeys(t.Context(), p)
			if c.code == store.CodeNotFound {
				if err != nil || len(keys) != 1 || keys[0].ID == h.signed.KeyID {
					t.Errorf("another tenant's keys are %v, %v", keys, err)
				}
				continue
			}
			_, _, invite := h.service.Invite(t.Context(), p, "friend@example.in", tenant.RoleAdmin)
			_, _, create := h.service.CreateAPIKey(t.Context(), p, decisioning.NewAPIKey{Environment: tenant.Sandbox, Name: "mine", Scopes: tenant.Read})
			_, list := h.service.Invitations(t.Context(), p)
			for what, err := range map[string]error{"keys": err, "invite": invite, "create": create, "invitations": list} {
				if codeOf(err) != tenant.CodeInsufficientScope {
					t.Errorf("%s by %s: %v", what, c.who.User.Email, err)
				}
			}
		}
		if people, err := h.service.People(t.Context(), other.Principal(tenant.Live)); err != nil || len(people) != 1 {
			t.Errorf("another tenant's people are %v, %v", people, err)
		}
	})
}

// TestSecondPersonIsAPerson whether they come with a key or a session.
func TestSecondPersonIsAPerson(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		clock := newClock()
		h := open(t, db, decisioning.Options{Logins: generous, Now: clock.now})
		admin := h.admin()
		key, _, err := h.service.CreateAPIKey(t.Context(), admin, decisioning.NewAPIKey{Environment: tenant.Live, Name: "ci", Scopes: tenant.Admin})
		if err != nil {
			t.Fatal(err)
		}
		ashasKey, err := h.service.Authenticate(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		sets, err := h.service.RuleSets(t.Context(), admin, decisioning.RuleSetFilter{}, operation.List{Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		draft := func(by tenant.Principal) string {
			t.Helper()
			answer, err := h.service.CreateRuleSet(t.Context(), by, parse(t, `{"name":"a draft","base":"`+sets.Data[0].ID+`"}`), nil)
			if err != nil {
				t.Fatal(err)
			}
			id, _ := object(t, answer.Body)["id"].(string)
			return id
		}
		arm := func(by tenant.Principal, id string) string {
			t.Helper()
			_, err := h.service.Activate(t.Context(), by, id, wire.Value{}, nil)
			if err != nil && codeOf(err) == "" {
				t.Fatal(err)
			}
			return codeOf(err)
		}
		h.join(admin, "viewer@example.in", tenant.RoleViewer)
		if code := arm(admin, draft(admin)); code != "" {
			t.Errorf("nobody else may, and still: %s", code)
		}
		ravi, _ := h.join(admin, "ravi@example.in", tenant.RoleRisk)
		risk := ravi.Principal(tenant.Live)
		clock.pass(24 * time.Hour) // he is new until then
		for name, c := range map[string]struct{ author, by tenant.Principal }{
			"by hand":               {admin, admin},
			"by hand, then the key": {admin, ashasKey},
			"the key, then by hand": {ashasKey, admin},
			"the key twice":         {ashasKey, ashasKey},
			"Ravi by hand":          {risk, risk},
		} {
			if code := arm(c.by, draft(c.author)); code != decisioning.CodeSecondPersonRequired {
				t.Errorf("%s: %q", name, code)
			}
		}
		for name, c := range map[string]struct{ author, by tenant.Principal }{
			"Asha's hand, Ravi": {admin, risk}, "Asha's key, Ravi": {ashasKey, risk}, "Ravi, Asha's key": {risk, ashasKey},
		} {
			if code := arm(c.by, draft(c.author)); code != "" {
				t.Errorf("%s: %q", name, code)
			}
		}
		if err := h.service.DisableUser(t.Context(), admin, ravi.User.ID, false); err != nil {
			t.Fatal(err)
		}
		clock.pass(24 * time.Hour) // he counts until then
		if code := arm(admin, draft(admin)); code != "" {
			t.Errorf("nobody else is left, and still: %s", code)
		}
	})
}
