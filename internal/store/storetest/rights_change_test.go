//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package storetest_test

import (
	"errors"
	"testing"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// arm activates a rule set in live.
func arm(t *testing.T, db *store.DB, tenant string) {
	t.Helper()
	scope := db.Scope(tenant, live)
	set, err := storetest.InsertRuleSet(t.Context(), scope,
		store.RuleSet{ID: "pol_live_" + tenant, PolicyKey: "default", CreatedBy: "usr_x"}, store.AuditEntry{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := storetest.Activate(t.Context(), scope,
		store.Activation{ID: set.ID, NowMicros: 10, Actor: "usr_x"}); err != nil {
		t.Fatal(err)
	}
}

// stands checks when a person may activate and who gave the right. It also checks when
// the person lost the right and who took it away.
func stands(t *testing.T, db *store.DB, user string, from int64, madeBy string, stopped int64, stoppedBy string) {
	t.Helper()
	u, err := db.Staff("ten_A").User(t.Context(), user)
	if err != nil {
		t.Fatal(err)
	}
	if u.MayActivateMicros != from || u.MadeBy != madeBy || u.StoppedMicros != stopped || u.StoppedBy != stoppedBy {
		t.Errorf("%s stands as %+v, want %d %q %d %q", user, u, from, madeBy, stopped, stoppedBy)
	}
}

// TestStanding checks that rights have no delay before the first activation in live.
// After it, a person who gains the right to activate has to wait. If a person loses
// the right, the time and the actor are recorded.
func TestStanding(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, staff := t.Context(), db.Staff("ten_A")
		signUp(t, db, "ten_A")
		change := func(_ []string, err error) {
			t.Helper()
			wantKind(t, err, 0, "")
		}
		early := addUser(t, db, "ten_A", "usr_early", "risk")
		change(staff.Disable(ctx, early.ID, by(5), store.AuditEntry{}))
		stands(t, db, early.ID, 0, "", 0, "")
		wantKind(t, staff.Enable(ctx, early.ID, by(6), store.AuditEntry{}), 0, "")
		stands(t, db, early.ID, 0, "", 0, "")

		arm(t, db, "ten_A")
		change(staff.Disable(ctx, early.ID, by(1000), store.AuditEntry{}))
		stands(t, db, early.ID, 0, "", 1000, "usr_ten_A")
		wantKind(t, staff.Enable(ctx, early.ID, by(1010), store.AuditEntry{}), 0, "")
		stands(t, db, early.ID, 1110, "usr_ten_A", 1000, "usr_ten_A")
		change(staff.SetRole(ctx, early.ID, "viewer", by(1200), store.AuditEntry{}))
		stands(t, db, early.ID, 1110, "usr_ten_A", 1200, "usr_ten_A")
		change(staff.SetRole(ctx, early.ID, "risk", by(1300), store.AuditEntry{}))
		change(staff.SetRole(ctx, early.ID, "admin", by(1350), store.AuditEntry{})) // the user already has the right
		stands(t, db, early.ID, 1400, "usr_ten_A", 1200, "usr_ten_A")

		// A person who is still waiting is not recorded as MadeBy of another person.
		puppet := store.User{
			ID:           "usr_puppet",
			TenantID:     "ten_A",
			Email:        "puppet@example.in",
			PasswordHash: passwordHash,
			Role:         "risk",
		}
		made := by(1360)
		made.By = early.ID
		wantKind(t, db.Accounts().InsertUser(ctx, puppet, made, store.AuditEntry{}), 0, "")
		stands(t, db, puppet.ID, 1460, "usr_ten_A", 0, "")

		// A password set by someone else restarts the delay. A password that the person
		// sets does not.
		later := by(5000)
		later.By = "operator"
		change(staff.SetPassword(ctx, early.ID, passwordHash, "fresh", store.ConsoleSession{}, store.RightsChange{},
			store.AuditEntry{}))
		stands(t, db, early.ID, 1400, "usr_ten_A", 1200, "usr_ten_A")
		change(staff.SetPassword(ctx, early.ID, "fresh", "fresher", store.ConsoleSession{}, later, store.AuditEntry{}))
		stands(t, db, early.ID, 5100, "operator", 1200, "usr_ten_A")

		no := errors.New("no")
		if err := staff.ConfirmActivator(ctx, early.ID, "usr_ten_A", func(*store.User, store.User) error { return no },
			store.AuditEntry{}); !errors.Is(err, no) {
			t.Errorf("got %v", err)
		}
		yes := func(person *store.User, by store.User) error {
			if person.ID != early.ID || by.ID != "usr_ten_A" {
				t.Errorf("asked about %s and %s", person.ID, by.ID)
			}
			person.MayActivateMicros = 0
			return nil
		}
		wantNotFound(t, db.Staff("ten_B").ConfirmActivator(ctx, early.ID, "usr_ten_A", yes, store.AuditEntry{}))
		wantKind(t, staff.ConfirmActivator(ctx, early.ID, "usr_ten_A", yes,
			entry("c", "user.activator_confirmed", early.ID)), 0, "")
		stands(t, db, early.ID, 0, "operator", 1200, "usr_ten_A")
		// The confirmed activator adds another activator before the confirmed activator's own delay is over.
		// MadeBy of the new activator is then the user who confirmed.
		wantKind(t, staff.ConfirmActivator(ctx, early.ID, "usr_ten_A", func(person *store.User, by store.User) error {
			person.MayActivateMicros, person.MadeBy = 6000, store.ConfirmedBy+by.ID
			return nil
		}, store.AuditEntry{ID: "aud_d", Environment: "live"}), 0, "")
		puppet.ID, puppet.Email, made.NowMicros = "usr_third", "third@example.in", 5500
		wantKind(t, db.Accounts().InsertUser(ctx, puppet, made, store.AuditEntry{}), 0, "")
		stands(t, db, puppet.ID, 5600, "usr_ten_A", 0, "")
		if got := actions(t, db, "ten_A", early.ID); len(got) != 1 || got[0] != "user.activator_confirmed" {
			t.Errorf("the trail says %v", got)
		}
	})
}
