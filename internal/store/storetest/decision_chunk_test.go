//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package storetest_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// TestCutDecisions splits a list of decisions with NextChunk, and checks that each chunk begins where the previous
// chunk ended.
func TestCutDecisions(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope := t.Context(), signUp(t, db, "ten_A")
		for i := range 12 {
			w := decision(numbered("dec", i), store.Unmetered)
			w.Decision.CreatedMicros = int64(1000 + i)
			if i%3 == 0 {
				w.Decision.Status, w.Decision.PolicyKey = "DECLINED", "gold"
			}
			wantKind(t, scope.InsertDecision(ctx, w), 0, "")
		}
		for _, c := range []struct {
			filter store.DecisionFilter
			page   store.Page
			most   int64
			want   store.DecisionChunk
		}{
			{store.DecisionFilter{}, store.Page{}, 5, store.DecisionChunk{Rows: 5, Last: "dec_004", Next: "dec_004"}},
			{store.DecisionFilter{}, store.Page{AfterID: "dec_004"}, 5,
				store.DecisionChunk{Rows: 5, Last: "dec_009", Next: "dec_009"}},
			{store.DecisionFilter{}, store.Page{AfterID: "dec_009"}, 5, store.DecisionChunk{Rows: 2, Last: "dec_011"}},
			{store.DecisionFilter{}, store.Page{AfterID: "dec_011"}, 5, store.DecisionChunk{}},
			{store.DecisionFilter{Status: "DECLINED"}, store.Page{}, 3,
				store.DecisionChunk{Rows: 3, Last: "dec_006", Next: "dec_006"}},
			{store.DecisionFilter{Status: "DECLINED", PolicyKey: "gold"}, store.Page{AfterID: "dec_006"}, 3,
				store.DecisionChunk{Rows: 1, Last: "dec_009"}},
			{store.DecisionFilter{}, store.Page{FromMicros: 1002, ToMicros: 1006, FromID: "dec_002", ToID: "dec_006"},
				9, store.DecisionChunk{Rows: 4, Last: "dec_005"}},
		} {
			cut, err := scope.Decisions(ctx).NextChunk(c.filter, c.page, c.most)
			if err != nil || cut != c.want {
				t.Errorf("%+v %+v: got %+v, %v", c.filter, c.page, cut, err)
			}
		}
		for who, other := range neighbours(t, db, "ten_A") {
			if cut, err := other.Decisions(ctx).NextChunk(store.DecisionFilter{}, store.Page{}, 5); err != nil ||
				cut != (store.DecisionChunk{}) {
				t.Errorf("%s sees %+v, %v", who, cut, err)
			}
		}
	})
}

// TestRareDecisions finds rare decisions among many with NextChunk and with Walk. Both must find the same decisions as
// a full scan, in the same order, and neither may scan more rows than its limit at a time.
func TestRareDecisions(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		db := storetest.Open(t, databaseURL, store.Options{})
		fillBy(t, databaseURL, db.Kind(), strings.Replace(manyDecisions, "'default'",
			"CASE WHEN i % 1500 = 0 THEN 'rare' WHEN i > 19000 AND i % 2 = 0 THEN 'late' ELSE 'default' END", 1))
		scope := db.Scope("ten_0", sandbox) // has every third decision
		walk := func(f store.DecisionFilter) (found []store.Decision) {
			err := scope.Decisions(t.Context()).Walk(f, store.Page{Limit: 60}, func(d *store.Decision) error {
				found = append(found, *d)
				return nil
			})
			wantKind(t, err, 0, "")
			return found
		}
		all := walk(store.DecisionFilter{})
		for _, c := range []struct {
			filter store.DecisionFilter
			cuts   int // calls of NextChunk; 6,666 decisions take four scans, and a chunk has at most 25 decisions
		}{
			{store.DecisionFilter{PolicyKey: "none"}, 4},
			{store.DecisionFilter{PolicyKey: "rare"}, 4},
			{store.DecisionFilter{PolicyKey: "late"}, 10},
			{store.DecisionFilter{Status: "REFERRED", PolicyKey: "rare"}, 1},
			{store.DecisionFilter{Status: "APPROVED", PolicyKey: "late"}, 10},
			{store.DecisionFilter{Status: "REFERRED"}, 1},
			{store.DecisionFilter{PolicyKey: "default"}, 260},
			{store.DecisionFilter{}, 267},
		} {
			var want []store.Decision
			for _, d := range all {
				if (c.filter.Status == "" || c.filter.Status == d.Status) &&
					(c.filter.PolicyKey == "" || c.filter.PolicyKey == d.PolicyKey) {
					want = append(want, d)
				}
			}
			if diff := cmp.Diff(want, walk(c.filter)); diff != "" {
				t.Errorf("%+v (-naive +walked):\n%s", c.filter, diff)
			}
			if cuts := wantCuts(t, scope, c.filter, want); cuts != c.cuts {
				t.Errorf("%+v took %d cuts, want %d", c.filter, cuts, c.cuts)
			}
		}
	})
}

// wantCuts calls NextChunk until it has covered all decisions that match a filter, compares the result with want, and
// returns the number of calls.
func wantCuts(t *testing.T, scope *store.Scope, f store.DecisionFilter, want []store.Decision) (cuts int) {
	t.Helper()
	var found int64
	for after := ""; cuts == 0 || after != ""; cuts++ {
		cut, err := scope.Decisions(t.Context()).NextChunk(f, store.Page{AfterID: after}, 25)
		if err != nil {
			t.Fatal(err)
		}
		if found += cut.Rows; cut.Rows > 25 || int(found) > len(want) || cut.Rows > 0 && cut.Last != want[found-1].ID {
			t.Fatalf("%+v: %d so far, then %+v", f, found, cut)
		}
		after = cut.Next
	}
	if int(found) != len(want) {
		t.Errorf("%+v: %d were cut, want %d", f, found, len(want))
	}
	return cuts
}
