//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package account_test

import (
	"strconv"
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

func TestAPIKeys(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := usecasetest.Open(t, db, usecase.Options{Logins: generous})
		admin := h.Admin()
		_, _, err := h.Service.People.CreateAPIKey(t.Context(), admin, account.NewAPIKey{ExpiresAt: time.Unix(1, 0)})
		want := []string{"/environment", "/expires_at", "/name", "/scopes"}
		if diff := cmp.Diff(want, usecasetest.Pointers(t, err)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		key, made, err := h.Service.People.CreateAPIKey(t.Context(), admin,
			account.NewAPIKey{Environment: tenant.Live, Name: "<b>core</b>", Scopes: tenant.Decide | tenant.Read})
		if err != nil {
			t.Fatal(err)
		}
		caller, err := h.Service.Access.Authenticate(t.Context(), key)
		if err != nil || caller.Environment != tenant.Live || caller.UserID != admin.UserID ||
			caller.Scopes != tenant.Decide|tenant.Read {
			t.Errorf("it calls as %+v, %v", caller, err)
		}
		keys, err := h.Service.People.APIKeys(t.Context(), admin)
		if err != nil || len(keys) != 2 || keys[1].Name != "<b>core</b>" {
			t.Errorf("the keys are %v, %v", keys, err)
		}
		_, err = h.Service.People.RevokeAPIKey(t.Context(), admin, "key_nonsense")
		if usecasetest.CodeOf(err) != fault.CodeNotFound {
			t.Errorf("nonsense: %v", err)
		}
		revoked, err := h.Service.People.RevokeAPIKey(t.Context(), admin, made.ID)
		if err != nil || revoked.RevokedAt.IsZero() {
			t.Errorf("revoked %+v, %v", revoked, err)
		}
		if _, err := h.Service.Access.Authenticate(t.Context(), key); usecasetest.CodeOf(err) != fault.CodeKeyRevoked {
			t.Errorf("it still works: %v", err)
		}
		got := oldestFirst(h.Logged(admin, made.ID))
		if diff := cmp.Diff([]string{admin.UserID + " key.created", admin.UserID + " key.revoked"}, got); diff != "" {
			t.Errorf("the log (-want +got):\n%s", diff)
		}
	})
}

func TestRotateAPIKey(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		clock := usecasetest.NewClock()
		h := usecasetest.Open(t, db, usecase.Options{Now: clock.Now, Logins: generous})
		admin := h.Admin()
		ravi, _ := h.Join(admin, "ravi@example.in", tenant.RoleAdmin)
		old, first, err := h.Service.People.CreateAPIKey(t.Context(), admin,
			account.NewAPIKey{
				Environment: tenant.Live,
				Name:        "core",
				Scopes:      tenant.Decide,
				ExpiresAt:   clock.Now().Add(90 * 24 * time.Hour),
			})
		if err != nil {
			t.Fatal(err)
		}
		for _, overlap := range []time.Duration{-time.Second, 31 * 24 * time.Hour} {
			_, _, err := h.Service.People.RotateAPIKey(t.Context(), admin, first.ID, overlap)
			if usecasetest.Pointers(t, err)[0] != "/overlap" {
				t.Errorf("an overlap of %v: %v", overlap, err)
			}
		}
		_, _, err = h.Service.People.RotateAPIKey(t.Context(), admin, "key_nonsense", 0)
		if usecasetest.CodeOf(err) != fault.CodeNotFound {
			t.Errorf("nonsense: %v", err)
		}
		clock.Pass(80 * 24 * time.Hour)
		by := ravi.Principal(tenant.Sandbox) // the console's environment differs from the key's
		fresh, second, err := h.Service.People.RotateAPIKey(t.Context(), by, first.ID, 0)
		if err != nil {
			t.Fatal(err)
		}
		if second.Name != "core" || second.Scopes != tenant.Decide || second.Environment != tenant.Live ||
			second.UserID != ravi.User.ID ||
			!second.ExpiresAt.Equal(clock.Now().Add(90*24*time.Hour)) {
			t.Errorf("it is followed by %+v", second)
		}
		works := func(name string, key tenant.Key, want string) {
			t.Helper()
			if _, err := h.Service.Access.Authenticate(t.Context(), key); usecasetest.CodeOf(err) != want {
				t.Errorf("the %s key: %v", name, err)
			}
		}
		clock.Pass(24*time.Hour - time.Second)
		works("old", old, "")
		works("new", fresh, "")
		clock.Pass(time.Second)
		works("old", old, fault.CodeKeyExpired)
		works("new", fresh, "")
		_, _, err = h.Service.People.RotateAPIKey(t.Context(), by, first.ID, time.Hour)
		if usecasetest.CodeOf(err) != fault.CodeKeyNotActive {
			t.Errorf("an ended key was followed: %v", err)
		}
		want := []string{admin.UserID + " key.created", ravi.User.ID + " key.rotated"}
		if diff := cmp.Diff(want, oldestFirst(h.Logged(admin, first.ID))); diff != "" {
			t.Errorf("the log (-want +got):\n%s", diff)
		}
	})
}

// TestRotationFollowsALoweredRole checks that a rotated key has no scope beyond its
// owner's current role, even if an admin rotates it. The demoted owner's old key must
// no longer be able to rotate keys.
func TestRotationFollowsALoweredRole(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := usecasetest.Open(t, db, usecase.Options{Logins: generous})
		admin := h.Admin()
		ravi, _ := h.Join(admin, "ravi@example.in", tenant.RoleAdmin)
		create := func(scopes tenant.Scopes) (tenant.Key, tenant.APIKey) {
			t.Helper()
			key, made, err := h.Service.People.CreateAPIKey(t.Context(), ravi.Principal(tenant.Sandbox),
				account.NewAPIKey{Environment: tenant.Live, Name: "core", Scopes: scopes})
			if err != nil {
				t.Fatal(err)
			}
			return key, made
		}
		rotate := func(by tenant.Principal, id string) (tenant.APIKey, error) {
			_, fresh, err := h.Service.People.RotateAPIKey(t.Context(), by, id, 0)
			return fresh, err
		}
		all, full := create(tenant.Admin)
		_, writing := create(tenant.Read | tenant.PolicyWrite)
		_, deciding := create(tenant.Decide)
		_, again := create(tenant.Admin)
		if err := h.Service.People.SetRole(t.Context(), admin, ravi.User.ID, tenant.RoleViewer); err != nil {
			t.Fatal(err)
		}
		if fresh, err := rotate(admin, full.ID); err != nil || fresh.Scopes != tenant.Read|tenant.LogRead {
			t.Errorf("a key for everything is followed by %v, %v", fresh.Scopes, err)
		}
		if fresh, err := rotate(admin, writing.ID); err != nil || fresh.Scopes != tenant.Read {
			t.Errorf("a key to write is followed by %v, %v", fresh.Scopes, err)
		}
		if _, err := rotate(admin, deciding.ID); usecasetest.CodeOf(err) != fault.CodeRoleTooLow {
			t.Errorf("a key to decide: %v", err)
		}
		// The owner's old key can no longer manage keys, not even its own successor.
		caller, err := h.Service.Access.Authenticate(t.Context(), all)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{again.ID, h.Signed.KeyID} {
			if _, err := rotate(caller, id); usecasetest.CodeOf(err) != fault.CodeInsufficientScope {
				t.Errorf("with their old key: %v", err)
			}
		}
	})
}

func TestTooManyAPIKeys(t *testing.T) {
	t.Parallel()
	h := usecasetest.Open(t, storetest.Open(t, storetest.SQLite(t), store.Options{}), usecase.Options{Logins: generous})
	admin := h.Admin()
	ask := account.NewAPIKey{Environment: tenant.Sandbox, Scopes: tenant.Read}
	for i := range 99 { // the signup created one more
		ask.Name = strconv.Itoa(i)
		if _, _, err := h.Service.People.CreateAPIKey(t.Context(), admin, ask); err != nil {
			t.Fatal(err)
		}
	}
	_, _, err := h.Service.People.CreateAPIKey(t.Context(), admin, ask)
	if usecasetest.CodeOf(err) != fault.CodeTooManyKeys {
		t.Errorf("a key too many: %v", err)
	}
	if _, err := h.Service.People.RevokeAPIKey(t.Context(), admin, h.Signed.KeyID); err != nil {
		t.Fatal(err)
	}
	if _, _, err := h.Service.People.CreateAPIKey(t.Context(), admin, ask); err != nil {
		t.Errorf("there is room again: %v", err)
	}
}
