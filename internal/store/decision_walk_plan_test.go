package store_test

import (
	"testing"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// TestPageIsReadByItsIDs checks that both databases find the feature vectors and the people of a page of decisions by
// their ids, and do not read those of other decisions.
func TestPageIsReadByItsIDs(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		t.Helper()
		kind := storetest.Open(t, databaseURL, store.Options{}).Kind()
		tx, err := storetest.Raw(t, databaseURL).BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = tx.Rollback() }()
		if kind == "sqlite" {
			execAll(t, tx, manyVectors, manyPeople)
			wantSearches(t, tx, store.SelectFeaturesBetween)
			wantSearches(t, tx, store.SelectPeopleBetween)
			return
		}
		execAll(t, tx, "SELECT set_config('verdict.role', 'system', true)",
			"SET LOCAL plan_cache_mode = force_generic_plan", manyVectors, manyPeople)
		for _, analysed := range []bool{false, true} {
			if analysed {
				execAll(t, tx, "ANALYZE decision_features", "ANALYZE decision_people")
			}
			wantIndexConditions(t, tx, store.SelectFeaturesBetween)
			wantIndexConditions(t, tx, store.SelectPeopleBetween)
		}
	})
}
