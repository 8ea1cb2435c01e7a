//nolint:thelper // what Each runs is the test itself: a failure belongs to its own line
package storetest_test

import (
	"testing"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// TestCutDecisions cuts a list of decisions into stretches, each of which
// begins where the one before ended.
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
			last   string
			n      int64
		}{
			{store.DecisionFilter{}, store.Page{}, 5, "dec_004", 5},
			{store.DecisionFilter{}, store.Page{AfterID: "dec_004"}, 5, "dec_009", 5},
			{store.DecisionFilter{}, store.Page{AfterID: "dec_009"}, 5, "dec_011", 2},
			{store.DecisionFilter{}, store.Page{AfterID: "dec_011"}, 5, "", 0},
			{store.DecisionFilter{Status: "DECLINED"}, store.Page{}, 3, "dec_006", 3},
			{store.DecisionFilter{Status: "DECLINED", PolicyKey: "gold"}, store.Page{AfterID: "dec_006"}, 3, "dec_009", 1},
			{store.DecisionFilter{}, store.Page{FromMicros: 1002, ToMicros: 1006, FromID: "dec_002", ToID: "dec_006"}, 9, "dec_005", 4},
		} {
			last, n, err := scope.CutDecisions(ctx, c.filter, c.page, c.most)
			if err != nil || last != c.last || n != c.n {
				t.Errorf("%+v %+v: got %d up to %q, %v", c.filter, c.page, n, last, err)
			}
		}
		for who, other := range neighbours(t, db, "ten_A") {
			if last, n, err := other.CutDecisions(ctx, store.DecisionFilter{}, store.Page{}, 5); err != nil || n != 0 || last != "" {
				t.Errorf("%s sees %d decisions up to %q, %v", who, n, last, err)
			}
		}
	})
}
