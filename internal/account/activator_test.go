//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package account_test

import (
	"strings"
	"testing"
	"time"

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

// team is a test service with one tenant, which has several people and an active rule
// set in live.
type team struct {
	*usecasetest.House
	clock            *usecasetest.Clock
	asha, ravi, zoya tenant.Principal // asha is an administrator; ravi and zoya have the risk role
	first            string           // the seeded rule set, active
	safe             string           // SAFE_MODE
}

func newTeam(t *testing.T, db *store.DB) *team {
	t.Helper()
	c := usecasetest.NewClock()
	h := usecasetest.Open(t, db, usecase.Options{Logins: generous, Now: c.Now})
	m := &team{House: h, clock: c, asha: h.Admin()}
	sets, err := h.Service.Policies.RuleSets(t.Context(), m.asha, policydesk.RuleSetFilter{},
		operation.List{Limit: 10, Ascending: true})
	if err != nil {
		t.Fatal(err)
	}
	m.first, m.safe = sets.Data[0].ID, sets.Data[1].ID
	ravi, _ := h.Join(m.asha, "ravi@example.in", tenant.RoleRisk)
	m.ravi = ravi.Principal(tenant.Live)
	zoya, _ := h.Join(m.asha, "zoya@example.in", tenant.RoleRisk)
	m.zoya = zoya.Principal(tenant.Live)
	m.may(m.asha, m.first)
	return m
}

// draft stores a rule set written by the principal and returns its id.
func (m *team) draft(by tenant.Principal) string {
	m.Helper()
	set, err := m.Service.Policies.CreateRuleSet(m.Context(), by, usecasetest.Draft(m.T, `{"name":"new"}`), nil)
	if err != nil {
		m.Fatal(err)
	}
	return set.ID
}

func (m *team) activate(by tenant.Principal, id string) error {
	_, err := m.Service.Policies.Activate(m.Context(), by, id, policydesk.Activation{}, nil)
	return err
}

func (m *team) may(by tenant.Principal, id string) {
	m.Helper()
	if err := m.activate(by, id); err != nil {
		m.Errorf("refused: %v", err)
	}
}

// mayNot checks that an activation is refused and that the refusal contains all texts in says.
func (m *team) mayNot(by tenant.Principal, id string, says ...string) {
	m.Helper()
	err := m.activate(by, id)
	m.refused(err, says...)
}

func (m *team) refused(err error, says ...string) {
	m.Helper()
	if usecasetest.CodeOf(err) != fault.CodeSecondPersonRequired {
		m.Errorf("got %v", err)
		return
	}
	for _, text := range says {
		if !strings.Contains(err.Error(), text) {
			m.Errorf("%q does not say %q", err, text)
		}
	}
}

func (m *team) done(err error) {
	m.Helper()
	if err != nil {
		m.Error(err)
	}
}

// eachTeam runs a test on each database.
func eachTeam(t *testing.T, test func(m *team)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, db *store.DB) { test(newTeam(t, db)) })
}

const day = 24 * time.Hour

// TestDisabledPersonCounts checks that disabled or demoted activators still count for a
// day, so an author cannot become the only activator by disabling everybody else.
func TestDisabledPersonCounts(t *testing.T) {
	t.Parallel()
	eachTeam(t, func(m *team) {
		own := m.draft(m.asha)
		m.mayNot(m.asha, own, "ravi@example.in or zoya@example.in can activate it")
		m.done(m.Service.People.DisableUser(m.Context(), m.asha, m.ravi.UserID, false))
		m.done(m.Service.People.SetRole(m.Context(), m.asha, m.zoya.UserID, tenant.RoleViewer))
		m.mayNot(m.asha, own, "until 2026-11-16 09:00 UTC")

		// Enabling the user again does not help: a re-enabled activator has to wait.
		m.clock.Pass(time.Hour)
		m.done(m.Service.People.EnableUser(m.Context(), m.asha, m.ravi.UserID))
		m.mayNot(m.asha, own, "ravi@example.in from 2026-11-16 10:00 UTC can activate it")
		m.mayNot(m.ravi, own, "from 2026-11-16 10:00 UTC", "nobody else can confirm")
		m.clock.Pass(day)
		m.mayNot(m.asha, own)
		m.may(m.ravi, own)

		// A disabled user stops counting after a day. The only activator left may then
		// activate her own draft.
		own = m.draft(m.asha)
		m.done(m.Service.People.DisableUser(m.Context(), m.asha, m.ravi.UserID, false))
		m.clock.Pass(day - time.Second)
		m.mayNot(m.asha, own)
		m.clock.Pass(time.Second)
		m.may(m.asha, own)
	})
}

// TestNewActivatorWaits checks that a newly invited activator may activate only after a
// day or after somebody else has confirmed them. This also holds for a user invited by
// a new activator.
func TestNewActivatorWaits(t *testing.T) {
	t.Parallel()
	eachTeam(t, func(m *team) {
		own := m.draft(m.asha)
		puppet, _ := m.Join(m.asha, "asha.too@example.in", tenant.RoleAdmin)
		second := puppet.Principal(tenant.Live)
		m.mayNot(second, own, "from 2026-11-16 09:00 UTC", "ravi@example.in or zoya@example.in can confirm the right")
		another, _ := m.Join(second, "asha.three@example.in", tenant.RoleRisk)
		third := another.Principal(tenant.Live)
		m.mayNot(third, own)

		confirm := func(by, who tenant.Principal) error {
			return m.Service.People.ConfirmActivator(m.Context(), by, who.UserID)
		}
		m.refused(confirm(m.asha, second), "you gave this person")
		m.refused(confirm(second, second), "yourself")
		m.refused(confirm(second, third), "you may confirm others from")
		m.refused(confirm(m.asha, third), "you gave this person") // asha invited the user who invited third
		if err := confirm(m.ravi, m.zoya); usecasetest.CodeOf(err) != fault.CodeNothingToConfirm {
			m.Errorf("got %v", err)
		}
		viewer, _ := m.Join(m.asha, "viewer@example.in", tenant.RoleViewer)
		err := confirm(viewer.Principal(tenant.Live), third)
		if usecasetest.CodeOf(err) != fault.CodeInsufficientScope {
			m.Errorf("got %v", err)
		}
		m.done(confirm(m.ravi, third))
		m.may(third, own)
		m.mayNot(second, m.draft(m.asha))
		if got := m.Logged(m.asha, third.UserID); len(got) == 0 || got[0] != m.ravi.UserID+" user.activator_confirmed" {
			m.Errorf("the trail says %v", got)
		}
		m.clock.Pass(day)
		m.may(second, m.draft(m.asha))

		// A password set by the operator makes a user a new activator again.
		m.done(m.Service.Operator.ResetPassword(m.Context(), m.asha.TenantID, "ravi@example.in",
			tenant.NewSecret("battery staple")))
		m.mayNot(m.ravi, m.draft(m.asha))
		m.done(confirm(m.asha, m.ravi))
		m.may(m.ravi, m.draft(m.asha))
	})
}

// TestPuppetAuthor checks that, for a day, a person who invited an author, or who alone confirmed the author,
// cannot activate what the author has written. This must hold even if the author is disabled afterwards.
func TestPuppetAuthor(t *testing.T) {
	t.Parallel()
	eachTeam(t, func(m *team) {
		puppet, _ := m.Join(m.asha, "asha.too@example.in", tenant.RoleRisk)
		author := puppet.Principal(tenant.Live)
		written := m.draft(author)
		m.mayNot(m.asha, written, "from 2026-11-16 09:00 UTC", "somebody else")
		m.done(m.Service.People.DisableUser(m.Context(), m.asha, author.UserID, false))
		m.mayNot(m.asha, written)
		m.may(m.ravi, written) // another person

		m.done(m.Service.People.EnableUser(m.Context(), m.asha, author.UserID))
		written = m.draft(author)
		m.mayNot(m.asha, written)
		m.done(m.Service.People.ConfirmActivator(m.Context(), m.ravi, author.UserID))
		m.may(m.asha, written)

		other, _ := m.Join(m.asha, "asha.three@example.in", tenant.RoleRisk)
		written = m.draft(other.Principal(tenant.Live))
		m.mayNot(m.asha, written)
		m.clock.Pass(day)
		m.may(m.asha, written)
	})
}

// TestStopButtonAsksNobody checks that a waiting activator can still stop lending and
// undo the last activation.
func TestStopButtonAsksNobody(t *testing.T) {
	t.Parallel()
	eachTeam(t, func(m *team) {
		m.may(m.ravi, m.draft(m.asha))
		puppet, _ := m.Join(m.asha, "new@example.in", tenant.RoleRisk)
		waiting := puppet.Principal(tenant.Live)
		m.may(waiting, m.safe)
		sets, err := m.Service.Policies.RuleSets(m.Context(), m.asha,
			policydesk.RuleSetFilter{Status: store.StatusRetired}, operation.List{Limit: 10})
		if err != nil || len(sets.Data) != 2 {
			m.Fatalf("%d retired, %v", len(sets.Data), err)
		}
		m.may(waiting, sets.Data[0].ID) // the rule set that was active before
		m.mayNot(waiting, m.first)      // the seeded default is not the previous rule set
	})
}

// TestKeysFollowTheirOwner checks that a key acts for its owner, and does not count as
// a second person after its owner is disabled.
func TestKeysFollowTheirOwner(t *testing.T) {
	t.Parallel()
	eachTeam(t, func(m *team) {
		m.done(m.Service.People.SetRole(m.Context(), m.asha, m.ravi.UserID, tenant.RoleAdmin))
		key, _, err := m.Service.People.CreateAPIKey(m.Context(), tenant.Principal{
			TenantID: m.ravi.TenantID, UserID: m.ravi.UserID, Environment: tenant.Live, Scopes: tenant.Admin,
		}, account.NewAPIKey{Environment: tenant.Live, Name: "his", Scopes: tenant.Admin})
		if err != nil {
			m.Fatal(err)
		}
		call := func() tenant.Principal {
			m.Helper()
			p, err := m.Service.Access.Authenticate(m.Context(), key)
			if err != nil {
				m.Fatal(err)
			}
			return p
		}
		before := call()
		own := m.draft(m.asha)
		m.mayNot(before, m.draft(m.ravi)) // ravi's key cannot activate ravi's own draft
		m.done(m.Service.People.DisableUser(m.Context(), m.asha, m.ravi.UserID, false))
		after := call()
		if after.Scopes.Has(tenant.PolicyActivate) || after.Scopes.Has(tenant.PolicyWrite) ||
			!after.Scopes.Has(tenant.Decide|tenant.Read) {
			m.Errorf("the key of who was disabled may %s", after.Scopes)
		}
		m.mayNot(before, own, "the owner of this API key") // even with a principal made before ravi was disabled
		m.done(m.Service.People.EnableUser(m.Context(), m.asha, m.ravi.UserID))
		m.mayNot(call(), own, "from ")
	})
}
