package decisioning_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"verdict/internal/evidence"
	"verdict/internal/journal"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
)

// TestBackfill checks that Backfill adds journal entries for decisions, reviews, rule sets,
// activations, settings, scorecards and the block list from before the journal. Backfill is
// interrupted, a new decision is made, and a second call must do the rest.
func TestBackfill(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		db := storetest.Open(t, databaseURL, store.Options{})
		clock := usecasetest.NewClock()
		h := usecasetest.Open(t, db, usecase.Options{Now: clock.Now})
		decide := func(n int) {
			t.Helper()
			for range n {
				_, err := h.Service.Decisions.Decide(t.Context(), h.Caller, decision(t, usecasetest.Sample), nil)
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		const older = 110
		decide(older)
		scope := db.Scope(h.Caller.TenantID, string(h.Caller.Environment))
		makeReviews(t, h, scope)
		makeFraudConfig(t, h, scope)
		versioned("collections_strategy", putStrategy)(t, h, scope)
		makePincodes(t, h, scope)
		makeScorecards(t, h, scope)
		makeBlocklist(t, h, scope)
		// Two decisions with reviews; the rule sets and the scorecards of the signup in both
		// environments; the fraud configuration; two strategies; the pincode risks; two scorecards;
		// two entries of the block list.
		const decisions, records = older + 2, 2 + 4 + 2 + 1 + 2 + 1 + 2 + 2
		i := intrude(t, databaseURL, db.Kind())
		forget := []string{
			"DELETE FROM journal", "PRAGMA ignore_check_constraints = ON", "UPDATE decisions SET leaf = -1, plain = ''",
			"UPDATE decision_reviews SET leaf = -1", "UPDATE rule_sets SET leaf = -1, activation_leaf = -1",
			"UPDATE fraud_configs SET leaf = -1", "UPDATE collections_strategies SET leaf = -1",
			"UPDATE fraud_changes SET pincode_leaf = -1", "UPDATE scorecards SET leaf = -1",
			"UPDATE fraud_entities SET block_id = '', blocked_leaf = -1 WHERE blocked_micros > 0",
		}
		if db.Kind() == "postgres" {
			forget[1] = "ALTER TABLE decisions DROP CONSTRAINT decisions_have_leaf"
			forget = append(forget, "DELETE FROM journal_heads")
		}
		i.do(forget...)

		found, err := h.Service.Decisions.Audit.Verify(t.Context(), "", nil)
		if err != nil || found.Failed != 0 || found.NoEntry != decisions+records {
			t.Fatalf("verified %+v, %v", found, err)
		}
		ctx, interrupt := context.WithCancel(t.Context())
		done, err := h.Service.Decisions.Audit.Backfill(ctx, func(int64) { interrupt() })
		if !errors.Is(err, context.Canceled) || done == 0 || done >= decisions {
			t.Fatalf("%d are done when it is interrupted: %v", done, err)
		}
		decide(1)
		rest, err := h.Service.Decisions.Audit.Backfill(t.Context(), nil)
		if err != nil || done+rest != decisions+records {
			t.Fatalf("%d and %d are done: %v", done, rest, err)
		}
		if again, err := h.Service.Decisions.Audit.Backfill(t.Context(), nil); err != nil || again != 0 {
			t.Errorf("%d are done again: %v", again, err)
		}
		found, err = h.Service.Decisions.Audit.Verify(t.Context(), "", nil)
		if err != nil || found.Failed != 0 || found.NoEntry != 0 || found.Checked != decisions+1 {
			t.Errorf("verified %+v, %v", found, err)
		}
		runs, err := scope.Journal(t.Context()).Read(0)
		if err != nil {
			t.Fatal(err)
		}
		for _, run := range runs {
			if at := time.UnixMicro(run.CreatedMicros); clock.Now().Sub(at) > time.Hour {
				t.Errorf("entry %d was added at %s, long ago", run.First, at)
			}
		}
		backfilled := 0
		err = journal.NewReader(scope).Each(t.Context(), 0, func(_ int64, e store.Entry) error {
			leaf, err := evidence.UnpackLeaf(e.Leaf)
			if leaf.Backfilled {
				backfilled++
			}
			return err
		})
		// The journal of this environment lacks three of the records: the two rule sets and the
		// scorecard of the other environment. It has one entry more: the activation.
		if err != nil || backfilled != decisions+records-3+1 {
			t.Errorf("%d leaves say that they were added later: %v", backfilled, err)
		}
	})
}
