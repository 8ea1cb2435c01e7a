//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package account_test

import (
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

func TestOperatorsKeys(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := usecasetest.Open(t, db, usecase.Options{})
		_, _, err := h.Service.Operator.CreateKey(t.Context(),
			account.NewKey{TenantID: h.Caller.TenantID, ExpiresAt: time.Unix(1, 0)})
		want := []string{"/environment", "/expires_at", "/name", "/scopes"}
		if diff := cmp.Diff(want, usecasetest.Pointers(t, err)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		ask := account.NewKey{
			TenantID:    "ten_0000000000000000000000000A",
			Environment: tenant.Live,
			Name:        "lost",
			Scopes:      tenant.Read,
		}
		_, _, err = h.Service.Operator.CreateKey(t.Context(), ask)
		if usecasetest.Pointers(t, err)[0] != fault.CodeNotFound {
			t.Errorf("a key of nobody: %v", err)
		}
		ask.TenantID, ask.UserID = h.Caller.TenantID, h.Signed.UserID
		key, made, err := h.Service.Operator.CreateKey(t.Context(), ask)
		if err != nil {
			t.Fatal(err)
		}
		caller, err := h.Service.Access.Authenticate(t.Context(), key)
		if err != nil || caller.Environment != tenant.Live || caller.Scopes != tenant.Read || caller.KeyID != made.ID {
			t.Errorf("authenticated %+v, %v", caller, err)
		}
		keys, err := h.Service.Operator.Keys(t.Context(), h.Caller.TenantID)
		if err != nil || len(keys) != 2 || keys[1].Prefix != key.Prefix() {
			t.Errorf("the keys are %v, %v", keys, err)
		}
		other, _ := h.Signup("other@example.in")
		_, err = h.Service.Operator.RevokeKey(t.Context(), other.Tenant.ID, made.ID)
		if usecasetest.Pointers(t, err)[0] != fault.CodeNotFound {
			t.Errorf("another tenant's key was revoked: %v", err)
		}
	})
}

func TestOperatorsPlansAndPeople(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := usecasetest.Open(t, db, usecase.Options{})
		got := usecasetest.Pointers(t, h.Service.Operator.SetPlan(t.Context(), h.Caller.TenantID, "golden"))
		if diff := cmp.Diff([]string{"/plan"}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if err := h.Service.Operator.SetPlan(t.Context(), h.Caller.TenantID, "growth"); err != nil {
			t.Fatal(err)
		}
		if got, err := h.Service.Operator.Tenant(t.Context(), h.Caller.TenantID); err != nil || got.Plan != "growth" {
			t.Errorf("the tenant is %+v, %v", got, err)
		}
		_, err := h.Service.Operator.CreateUser(t.Context(), h.Caller.TenantID, "nowhere",
			tenant.NewSecret("short"), "king")
		if diff := cmp.Diff([]string{"/email", "/password", "/role"}, usecasetest.Pointers(t, err)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		_, err = h.Service.Operator.CreateUser(t.Context(), h.Caller.TenantID, "ASHA@example.in",
			tenant.NewSecret("correct horse"), tenant.RoleAdmin)
		if diff := cmp.Diff([]string{fault.CodeEmailTaken}, usecasetest.Pointers(t, err)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		_, err = h.Service.Operator.CreateUser(t.Context(), h.Caller.TenantID, "ravi@example.in",
			tenant.NewSecret("correct horse"), tenant.RoleAdmin)
		if err != nil {
			t.Fatal(err)
		}
		people, err := h.Service.Operator.Users(t.Context(), h.Caller.TenantID)
		if err != nil || len(people) != 2 || people[1].Email != "ravi@example.in" {
			t.Errorf("the people are %v, %v", people, err)
		}
		tenants, err := h.Service.Operator.Tenants(t.Context(), "")
		if err != nil || len(tenants) != 1 {
			t.Errorf("the tenants are %v, %v", tenants, err)
		}
	})
}
