package decisioning_test

import (
	"strings"
	"testing"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
)

// TestVerifyCountsUsage deletes the last decision together with its entry at the end of the journal, so that the
// remaining rows match. Verify must find that more decisions were metered than exist.
func TestVerifyCountsUsage(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		db := storetest.Open(t, databaseURL, store.Options{})
		h := usecasetest.Open(t, db, usecase.Options{})
		var last string
		for range 3 {
			decided, err := h.Service.Decisions.Decide(t.Context(), h.Caller, decision(t, usecasetest.Sample), nil)
			if err != nil {
				t.Fatal(err)
			}
			last = decided.ID
		}
		if found, err := h.Service.Decisions.Audit.Verify(t.Context(), "", nil); err != nil || found.Failed != 0 {
			t.Fatalf("verify finds %+v, %v", found, err)
		}
		i := intrude(t, databaseURL, db.Kind())
		i.do("DELETE FROM decisions WHERE id = '"+last+"'", `DELETE FROM journal WHERE environment = 'sandbox'
			AND first = (SELECT max(first) FROM journal WHERE environment = 'sandbox')`)
		if db.Kind() == "postgres" {
			i.do("UPDATE journal_heads SET size = size - 1 WHERE environment = 'sandbox'")
		}
		found, err := h.Service.Decisions.Audit.Verify(t.Context(), "", nil)
		if err != nil || len(found.Wrong) != 1 ||
			!strings.Contains(found.Wrong[0].Why, "3 decisions were metered, but only 2") {
			t.Errorf("verify finds %+v, %v", found, err)
		}
	})
}
