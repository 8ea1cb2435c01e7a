//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package storetest_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// TestCountOutcomes checks that CountOutcomes counts the latest decisions of a rule set. It must count no
// decision of another scope, and no more decisions than the limit.
func TestCountOutcomes(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope, other := t.Context(), signUp(t, db, "ten_A"), signUp(t, db, "ten_B")
		for i, of := range []struct{ policy, status, grade string }{
			{"pol_1", "DECLINED", "F"}, {"pol_1", "APPROVED", "A"}, {"pol_2", "APPROVED", "A"},
			{"pol_1", "APPROVED", "B"},
			{"pol_1", "APPROVED", "A"},
		} {
			w := decision(numbered("dec", i), store.Unmetered)
			w.Decision.PolicyID, w.Decision.Status, w.Decision.Grade = of.policy, of.status, of.grade
			wantKind(t, scope.InsertDecision(ctx, w), 0, "")
		}
		for _, c := range []struct {
			from  string
			limit int
			want  []store.OutcomeCount
		}{
			{"", 9, []store.OutcomeCount{
				outcomeCount("APPROVED", "A", 2), outcomeCount("APPROVED", "B", 1), outcomeCount("DECLINED", "F", 1),
			}},
			{"", 2, []store.OutcomeCount{outcomeCount("APPROVED", "A", 1), outcomeCount("APPROVED", "B", 1)}},
			{numbered("dec", 4), 9, []store.OutcomeCount{outcomeCount("APPROVED", "A", 1)}},
		} {
			got, err := scope.Decisions(ctx).CountOutcomes("pol_1", c.from, c.limit)
			if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
				t.Errorf("from %s: %v (-want +got):\n%s", c.from, err, diff)
			}
		}
		for _, elsewhere := range []*store.Scope{other, db.Scope("ten_A", "live")} {
			if got, err := elsewhere.Decisions(ctx).CountOutcomes("pol_1", "", 9); err != nil || len(got) != 0 {
				t.Errorf("another scope sees %v, %v", got, err)
			}
		}
	})
}

func outcomeCount(status, grade string, count int64) store.OutcomeCount {
	return store.OutcomeCount{Status: status, Grade: grade, Count: count}
}
