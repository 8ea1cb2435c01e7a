//nolint:thelper // what Each runs is the test itself: a failure belongs to its own line
package decisioning_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/decisioning"
	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tenant"
)

// pointers are where a refusal found fault; its code alone when it names no
// place.
func pointers(t *testing.T, err error) []string {
	t.Helper()
	var refusal *fault.Error
	if !errors.As(err, &refusal) {
		t.Fatalf("no refusal: %v", err)
	}
	if len(refusal.Items) == 0 {
		return []string{refusal.Code}
	}
	list := make([]string, len(refusal.Items))
	for i, item := range refusal.Items {
		list[i] = item.Pointer
	}
	slices.Sort(list)
	return list
}

func TestOperatorsKeys(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := open(t, db, decisioning.Options{})
		_, _, err := h.service.CreateKey(t.Context(), decisioning.NewKey{TenantID: h.caller.TenantID, ExpiresAt: time.Unix(1, 0)})
		if diff := cmp.Diff([]string{"/environment", "/expires_at", "/name", "/scopes"}, pointers(t, err)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		ask := decisioning.NewKey{TenantID: "ten_0000000000000000000000000A", Environment: tenant.Live, Name: "lost", Scopes: tenant.Read}
		if _, _, err := h.service.CreateKey(t.Context(), ask); pointers(t, err)[0] != store.CodeNotFound {
			t.Errorf("a key of nobody: %v", err)
		}
		ask.TenantID, ask.UserID = h.caller.TenantID, h.signed.UserID
		key, made, err := h.service.CreateKey(t.Context(), ask)
		if err != nil {
			t.Fatal(err)
		}
		caller, err := h.service.Authenticate(t.Context(), key)
		if err != nil || caller.Environment != tenant.Live || caller.Scopes != tenant.Read || caller.KeyID != made.ID {
			t.Errorf("authenticated %+v, %v", caller, err)
		}
		keys, err := h.service.Keys(t.Context(), h.caller.TenantID)
		if err != nil || len(keys) != 2 || keys[1].Prefix != key.Prefix() {
			t.Errorf("the keys are %v, %v", keys, err)
		}
		other, _ := h.signup("other@example.in")
		if _, err := h.service.RevokeKey(t.Context(), other.Tenant.ID, made.ID); pointers(t, err)[0] != store.CodeNotFound {
			t.Errorf("another tenant's key was revoked: %v", err)
		}
	})
}

func TestOperatorsPlansAndPeople(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := open(t, db, decisioning.Options{})
		if diff := cmp.Diff([]string{"/plan"}, pointers(t, h.service.SetPlan(t.Context(), h.caller.TenantID, "golden"))); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if err := h.service.SetPlan(t.Context(), h.caller.TenantID, "growth"); err != nil {
			t.Fatal(err)
		}
		if got, err := h.service.Tenant(t.Context(), h.caller.TenantID); err != nil || got.Plan != "growth" {
			t.Errorf("the tenant is %+v, %v", got, err)
		}
		_, err := h.service.CreateUser(t.Context(), h.caller.TenantID, "nowhere", tenant.NewSecret("short"), "king")
		if diff := cmp.Diff([]string{"/email", "/password", "/role"}, pointers(t, err)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		_, err = h.service.CreateUser(t.Context(), h.caller.TenantID, "ASHA@example.in", tenant.NewSecret("correct horse"), tenant.RoleAdmin)
		if diff := cmp.Diff([]string{store.CodeEmailTaken}, pointers(t, err)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if _, err := h.service.CreateUser(t.Context(), h.caller.TenantID, "ravi@example.in", tenant.NewSecret("correct horse"), tenant.RoleAdmin); err != nil {
			t.Fatal(err)
		}
		people, err := h.service.Users(t.Context(), h.caller.TenantID)
		if err != nil || len(people) != 2 || people[1].Email != "ravi@example.in" {
			t.Errorf("the people are %v, %v", people, err)
		}
		tenants, err := h.service.Tenants(t.Context(), "")
		if err != nil || len(tenants) != 1 {
			t.Errorf("the tenants are %v, %v", tenants, err)
		}
	})
}

// forge stores a copy of a decision under another id, with a hash that its
// facts do not give.
func forge(t *testing.T, scope *store.Scope, id string) (forged string) {
	t.Helper()
	d, err := scope.Decision(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	d.ID, d.Hash = id[:len(id)-1]+"0", "sha256:forged"
	if d.ID == id {
		d.ID = id[:len(id)-1] + "1"
	}
	if err := scope.InsertDecision(t.Context(), &store.DecisionWrite{Decision: d}); err != nil {
		t.Fatal(err)
	}
	return d.ID
}

// TestVerifyFindsWhatDoesNotReproduce replays everything, with one decision
// that came in behind the service's back.
func TestVerifyFindsWhatDoesNotReproduce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := open(t, db, decisioning.Options{})
		_, other := h.signup("other@example.in")
		var last string
		for _, caller := range []tenant.Principal{h.caller, h.caller, other} {
			answer, err := h.service.Decide(t.Context(), caller, parse(t, sample), nil)
			if err != nil {
				t.Fatal(err)
			}
			last, _ = object(t, answer.Body)["decision_id"].(string)
		}
		var told []int64
		clean, err := h.service.Verify(t.Context(), "", func(done, total int64) { told = append(told, done, total) })
		if err != nil || clean.Checked != 3 || clean.Failed != 0 {
			t.Errorf("verified %+v, %v", clean, err)
		}
		if diff := cmp.Diff([]int64{1, 3, 2, 3, 3, 3}, told); diff != "" {
			t.Errorf("progress (-want +got):\n%s", diff)
		}

		forged := forge(t, db.Scope(other.TenantID, string(other.Environment)), last)
		found, err := h.service.Verify(t.Context(), "", nil)
		if err != nil || found.Checked != 4 || found.Failed != 1 || len(found.Wrong) != 1 || found.Wrong[0].ID != forged {
			t.Errorf("verified %+v, %v", found, err)
		}
		if mine, err := h.service.Verify(t.Context(), h.caller.TenantID, nil); err != nil || mine.Checked != 2 || mine.Failed != 0 {
			t.Errorf("verified %+v, %v", mine, err)
		}
		if _, err := h.service.Verify(t.Context(), "ten_0000000000000000000000000A", nil); pointers(t, err)[0] != store.CodeNotFound {
			t.Errorf("verified nobody's: %v", err)
		}
		answer, err := h.service.Decision(t.Context(), other, forged)
		if err != nil {
			t.Fatal(err)
		}
		if again, _ := object(t, answer.Body)["re_explanation"].(map[string]any); again["verified"] != false {
			t.Errorf("re-explained as %v", again)
		}
	})
}
