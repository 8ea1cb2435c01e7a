//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package decisioning_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
)

// forge stores a copy of a decision under another id, with a hash that does not match
// its facts, and returns that id.
func forge(t *testing.T, service *usecase.Set, scope *store.Scope, id string) (forged string) {
	t.Helper()
	d, err := scope.Decisions(t.Context()).Get(id)
	if err != nil {
		t.Fatal(err)
	}
	// Decrypt the decision, because its ciphertext cannot be decrypted in another row.
	if err := service.Decisions.Open(t.Context(), scope, &d, nil); err != nil {
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

// TestVerifyFindsWhatDoesNotReproduce checks that Verify replays all decisions and
// finds a forged one.
func TestVerifyFindsWhatDoesNotReproduce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := usecasetest.Open(t, db, usecase.Options{})
		_, other := h.Signup("other@example.in")
		var last string
		for _, caller := range []tenant.Principal{h.Caller, h.Caller, other} {
			decided, err := h.Service.Decisions.Decide(t.Context(), caller, decision(t, usecasetest.Sample), nil)
			if err != nil {
				t.Fatal(err)
			}
			last = decided.ID
		}
		var told []int64
		clean, err := h.Service.Decisions.Audit.Verify(t.Context(), "", func(done, total int64) {
			told = append(told, done, total)
		})
		if err != nil || clean.Checked != 3 || clean.Failed != 0 {
			t.Errorf("verified %+v, %v", clean, err)
		}
		if diff := cmp.Diff([]int64{1, 3, 2, 3, 3, 3}, told); diff != "" {
			t.Errorf("progress (-want +got):\n%s", diff)
		}

		forged := forge(t, h.Service, db.Scope(other.TenantID, string(other.Environment)), last)
		found, err := h.Service.Decisions.Audit.Verify(t.Context(), "", nil)
		if err != nil || found.Checked != 4 || found.Failed != 1 || len(found.Wrong) != 1 ||
			found.Wrong[0].ID != forged {
			t.Errorf("verified %+v, %v", found, err)
		}
		mine, err := h.Service.Decisions.Audit.Verify(t.Context(), h.Caller.TenantID, nil)
		if err != nil || mine.Checked != 2 || mine.Failed != 0 {
			t.Errorf("verified %+v, %v", mine, err)
		}
		_, err = h.Service.Decisions.Audit.Verify(t.Context(), "ten_0000000000000000000000000A", nil)
		if usecasetest.Pointers(t, err)[0] != fault.CodeNotFound {
			t.Errorf("verified nobody's: %v", err)
		}
		explained, err := h.Service.Decisions.Decision(t.Context(), other, forged)
		if err != nil {
			t.Fatal(err)
		}
		if explained.Again.Verified {
			t.Errorf("re-explained as %v", explained.Again)
		}
	})
}
