//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package storetest_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// TestDecisionsByReference checks that ByReference finds exactly the references that begin with a text, compared byte
// by byte. It checks the order on both databases, every filter, and several pages. No other tenant or environment must
// see the references.
func TestDecisionsByReference(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope := t.Context(), signUp(t, db, "ten_A")
		refs := []string{
			"A-7", "A-70", "A7", "a-7", "A-", "A_7", "", "Ä-7", "A-7é", "A-7\U0010FFFE", "B", "A-7", "A- 7", "A-7Z",
		}
		for i, ref := range refs {
			w := decision(numbered("dec", i), store.Unmetered)
			w.Decision.ApplicantRef, w.Decision.CreatedMicros = ref, int64(1000+i)
			if i%2 == 0 {
				w.Decision.Status = "DECLINED"
			}
			wantKind(t, scope.InsertDecision(ctx, w), 0, "")
		}
		read := func(prefix string, f store.DecisionFilter, p store.Page) (found []string) {
			for after := (store.ReferencePosition{}); ; {
				rows, next, err := scope.Decisions(ctx).ByReference(prefix, f, p, after)
				if err != nil {
					t.Fatal(err)
				}
				for _, d := range rows {
					found = append(found, d.ApplicantRef+" "+d.ID)
				}
				if after = next; next.ID == "" {
					return found
				}
			}
		}
		sevens := []string{
			"A-7\U0010FFFE dec_009", "A-7é dec_008", "A-7Z dec_013", "A-70 dec_001", "A-7 dec_011", "A-7 dec_000",
		}
		for _, limit := range []int{1, 4, 50} {
			if diff := cmp.Diff(sevens, read("A-7", store.DecisionFilter{}, store.Page{Limit: limit})); diff != "" {
				t.Errorf("limit %d (-want +got):\n%s", limit, diff)
			}
		}
		declined := read("A-7", store.DecisionFilter{Status: "DECLINED"}, store.Page{Limit: 2})
		if want := []string{"A-7é dec_008", "A-7 dec_000"}; !slices.Equal(want, declined) {
			t.Errorf("got %q, want %q", declined, want)
		}
		late := read("A-7", store.DecisionFilter{Grade: "B"}, store.Page{FromMicros: 1008, ToMicros: 1011})
		if want := sevens[:2]; !slices.Equal(want, late) {
			t.Errorf("got %q, want %q", late, want)
		}
		if got := read("A-7", store.DecisionFilter{PolicyKey: "none"}, store.Page{}); len(got) != 0 {
			t.Errorf("got %q", got)
		}
		for who, other := range neighbours(t, db, "ten_A") {
			rows, next, err := other.Decisions(ctx).ByReference("A", store.DecisionFilter{}, store.Page{},
				store.ReferencePosition{})
			if err != nil || len(rows) != 0 || next.ID != "" {
				t.Errorf("%s sees %v, %v, %v", who, rows, next, err)
			}
			rows, _, err = other.Decisions(ctx).ListPlain(store.DecisionFilter{}, store.Page{})
			if err != nil || len(rows) != 0 {
				t.Errorf("%s sees %v, %v", who, rows, err)
			}
		}
	})
}

// TestListsWithPlain checks that ListPlain returns the same page as List, but with the column plain.
func TestListsWithPlain(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope := t.Context(), signUp(t, db, "ten_A")
		for i := range 5 {
			w := decision(numbered("dec", i), store.Unmetered)
			w.Decision.Plain = fmt.Sprintf(`{"score":%d}`, i)
			wantKind(t, scope.InsertDecision(ctx, w), 0, "")
		}
		page := store.Page{Limit: 3, Descending: true}
		want, next, err := scope.Decisions(ctx).List(store.DecisionFilter{}, page)
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			want[i].Plain = fmt.Sprintf(`{"score":%d}`, 4-i)
		}
		got, after, err := scope.Decisions(ctx).ListPlain(store.DecisionFilter{}, page)
		if diff := cmp.Diff(want, got); diff != "" || err != nil || after != next {
			t.Errorf("%v, %v (-want +got):\n%s", after, err, diff)
		}
	})
}
