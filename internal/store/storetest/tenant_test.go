//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package storetest_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

func TestCreateTenant(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, accounts := t.Context(), db.Accounts()
		scope := signUp(t, db, "ten_A")

		tenant, err := accounts.Tenant(ctx, "ten_A")
		if diff := cmp.Diff(seed("ten_A").Tenant, tenant); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		user, err := accounts.UserByEmail(ctx, "ten_a@example.in")
		if err != nil || user.TenantID != "ten_A" || user.PasswordHash != "argon2id" {
			t.Errorf("got %+v, %v", user, err)
		}
		active, err := scope.RuleSets(ctx).Active("default")
		if err != nil || active.ID != "pol_ten_Asandbox" || active.Version != 1 || active.ActivatedMicros != 100 {
			t.Errorf("got %+v, %v", active, err)
		}
		_, err = db.Scope("ten_A", live).RuleSets(ctx).Active("default")
		wantNotFound(t, err) // nothing is active in live at first
		if set, err := db.Scope("ten_A", live).RuleSets(ctx).Get("pol_ten_Alive"); err != nil ||
			set.Status != store.StatusDraft {
			t.Errorf("got %+v, %v", set, err)
		}
		if card, err := scope.Scorecards(ctx).Get("sc_ten_A"); err != nil || card.Version != 1 {
			t.Errorf("got %+v, %v", card, err)
		}
		entries, _, err := scope.Audit(ctx).List(store.AuditFilter{}, store.Page{})
		if err != nil || len(entries) != 1 || entries[0].Action != "tenant.created" ||
			entries[0].Environment != sandbox {
			t.Errorf("got %+v, %v", entries, err)
		}
		err = scope.Read(ctx, func(tx *store.Tx) error {
			roles, err := rolesOf(tx)
			if diff := cmp.Diff([]string{"admin"}, roles); diff != "" {
				t.Errorf("roles (-want +got):\n%s", diff)
			}
			return err
		})
		wantKind(t, err, 0, "")

		second := store.User{
			ID:            "usr_0",
			TenantID:      "ten_A",
			Email:         "second@example.in",
			Role:          "analyst",
			CreatedMicros: 200,
		}
		wantKind(t, accounts.InsertUser(ctx, second, store.RightsChange{}, store.AuditEntry{}), 0, "")
		signUp(t, db, "ten_B")
		users, err := db.Staff("ten_A").Users(ctx)
		if diff := cmp.Diff([]store.User{user, second}, users); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		if users, err := db.Staff("ten_NOBODY").Users(ctx); err != nil || len(users) != 0 {
			t.Errorf("got %v, %v", users, err)
		}

		_, err = accounts.Tenant(ctx, "ten_NOBODY")
		wantNotFound(t, err)
		_, err = accounts.UserByEmail(ctx, "nobody@example.in")
		wantNotFound(t, err)
	})
}

// TestEmailTaken checks that a signup with a taken e-mail address is refused and stores
// nothing.
func TestEmailTaken(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, accounts := t.Context(), db.Accounts()
		signUp(t, db, "ten_A")
		again := seed("ten_B")
		again.User.Email = "ten_a@example.in"
		wantKind(t, accounts.CreateTenant(ctx, again), fault.Conflict, fault.CodeEmailTaken)
		_, err := accounts.Tenant(ctx, "ten_B")
		wantNotFound(t, err)
		_, _, err = accounts.KeyByHash(ctx, "hash_ten_Bsandbox")
		wantNotFound(t, err)

		second := store.User{ID: "usr_2", TenantID: "ten_A", Email: "ten_a@example.in", Role: "analyst"}
		wantKind(t, accounts.InsertUser(ctx, second, store.RightsChange{}, store.AuditEntry{}), fault.Conflict,
			fault.CodeEmailTaken)
		second.Email = "second@example.in"
		wantKind(t, accounts.InsertUser(ctx, second, store.RightsChange{}, store.AuditEntry{}), 0, "")
		second.TenantID = "ten_NOBODY"
		wantNotFound(t, accounts.InsertUser(ctx, second, store.RightsChange{}, store.AuditEntry{}))

		errs := race(8, func(i int) error {
			racing := seed(numbered("ten_R", i))
			racing.User.Email = "race@example.in"
			return accounts.CreateTenant(ctx, racing)
		})
		if n := succeeded(t, errs, fault.Conflict, fault.CodeEmailTaken); n != 1 {
			t.Errorf("%d of 8 signups with one e-mail succeeded", n)
		}
	})
}

func TestSetPlan(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, accounts := t.Context(), db.Accounts()
		scope := signUp(t, db, "ten_A")
		signUp(t, db, "ten_B")
		audit := store.AuditEntry{
			ID:            "aud_plan",
			Environment:   sandbox,
			CreatedMicros: 300,
			Actor:         "operator",
			Action:        "plan.set",
			Object:        "ten_A",
			Note:          "growth",
		}
		wantKind(t, accounts.SetPlan(ctx, "ten_A", "growth", audit), 0, "")
		wantNotFound(t, accounts.SetPlan(ctx, "ten_NOBODY", "growth", audit))
		for id, plan := range map[string]string{"ten_A": "growth", "ten_B": "free"} {
			if tenant, err := accounts.Tenant(ctx, id); err != nil || tenant.Plan != plan {
				t.Errorf("got %+v, %v", tenant, err)
			}
		}
		if tenants, err := accounts.ListTenants(ctx, ""); err != nil || len(tenants) != 2 || tenants[0].ID != "ten_A" {
			t.Errorf("got %+v, %v", tenants, err)
		}
		if tenants, err := accounts.ListTenants(ctx, "ten_A"); err != nil || len(tenants) != 1 ||
			tenants[0].ID != "ten_B" {
			t.Errorf("got %+v, %v", tenants, err)
		}
		entries, _, err := scope.Audit(ctx).List(store.AuditFilter{Action: "plan.set"}, store.Page{})
		if diff := cmp.Diff([]store.AuditEntry{audit}, entries); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	})
}

func TestKeys(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, accounts := t.Context(), db.Accounts()
		signUp(t, db, "ten_A")
		signUp(t, db, "ten_B")
		armed := key("ten_A", live)
		armed.CreatedMicros, armed.ExpiresMicros = 300, 900
		wantKind(t, accounts.InsertKey(ctx, armed, plenty, store.AuditEntry{ID: "aud_key", Action: "key.created"}), 0,
			"")
		got, tenant, err := accounts.KeyByHash(ctx, armed.Hash)
		if got.OwnerRole != "admin" {
			t.Errorf("its owner is %q", got.OwnerRole)
		}
		got.OwnerRole = ""
		if diff := cmp.Diff(armed, got); err != nil || diff != "" || tenant.Plan != "free" {
			t.Errorf("%v, %+v (-want +got):\n%s", err, tenant, diff)
		}
		_, _, err = accounts.KeyByHash(ctx, "hash_of_nothing")
		wantNotFound(t, err)

		twin := armed
		twin.ID = "key_twin"
		wantKind(t, accounts.InsertKey(ctx, twin, plenty, store.AuditEntry{}), fault.Conflict,
			fault.CodeVersionConflict)
		orphan := key("ten_NOBODY", live)
		wantNotFound(t, accounts.InsertKey(ctx, orphan, plenty, store.AuditEntry{}))

		keys, err := accounts.ListKeys(ctx, "ten_A", 1000)
		if diff := cmp.Diff([]store.Key{key("ten_A", sandbox), armed}, keys); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		if keys, err := accounts.ListKeys(ctx, "ten_NOBODY", 1000); err != nil || len(keys) != 0 {
			t.Errorf("got %v, %v", keys, err)
		}
	})
}

func TestRevokeKey(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, accounts := t.Context(), db.Accounts()
		scope := signUp(t, db, "ten_A")
		signUp(t, db, "ten_B")
		id := key("ten_A", sandbox).ID
		audit := store.AuditEntry{ID: "aud_r", CreatedMicros: 500, Action: "key.revoked", Object: id}
		_, err := accounts.RevokeKey(ctx, "ten_B", id, 500, audit)
		wantNotFound(t, err)
		_, err = accounts.RevokeKey(ctx, "ten_A", "key_none", 500, audit)
		wantNotFound(t, err)
		for _, now := range []int64{500, 600} {
			got, err := accounts.RevokeKey(ctx, "ten_A", id, now, audit)
			if err != nil || got.RevokedMicros != 500 {
				t.Errorf("got %+v, %v", got, err)
			}
		}
		if got, _, err := accounts.KeyByHash(ctx, key("ten_A", sandbox).Hash); err != nil || got.RevokedMicros != 500 {
			t.Errorf("got %+v, %v", got, err)
		}
		entries, _, err := scope.Audit(ctx).List(store.AuditFilter{Object: id}, store.Page{})
		if err != nil || len(entries) != 1 {
			t.Errorf("got %+v, %v", entries, err)
		}
	})
}

func TestTouchKeys(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, accounts := t.Context(), db.Accounts()
		signUp(t, db, "ten_A")
		signUp(t, db, "ten_B")
		a, b := key("ten_A", sandbox).Hash, key("ten_B", sandbox).Hash
		wantKind(t, accounts.TouchKeys(ctx, nil), 0, "")
		wantKind(t, accounts.TouchKeys(ctx, []store.Touch{
			{Hash: a, UsedMicros: 700}, {Hash: a, UsedMicros: 600}, {Hash: b, UsedMicros: 50},
			{Hash: "hash_gone", UsedMicros: 1},
		}), 0, "")
		for hash, used := range map[string]int64{a: 700, b: 50} {
			if got, _, err := accounts.KeyByHash(ctx, hash); err != nil || got.LastUsedMicros != used {
				t.Errorf("got %+v, %v", got, err)
			}
		}
	})
}

func TestKeyOwner(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		scope := signUp(t, db, "ten_A")
		id := key("ten_A", sandbox).ID
		want := func(scope *store.Scope, id, owner string) {
			t.Helper()
			err := scope.Read(t.Context(), func(tx *store.Tx) error {
				got, err := tx.Keys().Owner(id)
				if got != owner {
					t.Errorf("got %q", got)
				}
				return err
			})
			wantKind(t, err, 0, "")
		}
		want(scope, id, "usr_ten_A")
		want(scope, "key_none", "")
		for who, other := range neighbours(t, db, "ten_A") {
			t.Log(who)
			want(other, id, "")
		}
	})
}
