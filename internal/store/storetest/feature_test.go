//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package storetest_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

func TestFeatures(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope := t.Context(), signUp(t, db, "ten_A")
		others := neighbours(t, db, "ten_A")
		with, without, refused := decision("dec_1", 1), decision("dec_2", store.Unmetered), decision("dec_3", 1)
		with.Features, refused.Features = features(), features()
		without.Meter.Billable = false
		wantKind(t, scope.InsertDecision(ctx, with), 0, "")
		wantKind(t, scope.InsertDecision(ctx, without), 0, "")
		if err := scope.InsertDecision(ctx, refused); err == nil {
			t.Error("the quota admitted one too many")
		}
		want := *features()
		want.DecisionID = "dec_1"
		got, err := scope.Decisions(ctx).Features("dec_1")
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		for _, id := range []string{"dec_2", "dec_3", "dec_none"} {
			_, err := scope.Decisions(ctx).Features(id)
			wantNotFound(t, err)
		}
		for who, other := range others {
			t.Log(who)
			_, err := other.Decisions(ctx).Features("dec_1")
			wantNotFound(t, err)
		}
	})
}
