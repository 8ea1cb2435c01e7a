//nolint:thelper // the function passed to EachURL is the test itself: report failures at their own lines
package storetest_test

import (
	"database/sql"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// measureStored returns the query that adds up, by scope, the sizes of the rows that count among the stored bytes.
// The query is taken from the migration that created the counters, because that migration had to count the rows that
// were already stored.
func measureStored(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../migrations/0030_stored_bytes.sql")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), "INSERT INTO stored_bytes (tenant_id, environment, bytes)\n")
	query, _, ends := strings.Cut(rest, ";")
	if !found || !ends {
		t.Fatal("the migration does not count what is stored")
	}
	// The tables of proofs and edits were added after that migration.
	const end = ") AS stored"
	if !strings.Contains(query, end) {
		t.Fatal("the migration counts in another way")
	}
	return strings.Replace(query, end,
		"UNION ALL SELECT tenant_id, environment, length(document) FROM guarantee_proofs\n"+
			"UNION ALL SELECT tenant_id, environment, length(state) FROM policy_edit_steps\n"+end, 1)
}

// wantMeasured checks that the counters of stored bytes equal the sizes of the stored rows, and returns the sum.
func wantMeasured(t *testing.T, databaseURL string) (sum int64) {
	t.Helper()
	tx := announced(t, storetest.Raw(t, databaseURL), "", "")
	defer func() { _ = tx.Rollback() }()
	if _, err := tx.ExecContext(t.Context(), asSystem(databaseURL)); err != nil {
		t.Fatal(err)
	}
	counted := scopeSums(t, tx, "SELECT tenant_id, environment, bytes FROM stored_bytes")
	measured := scopeSums(t, tx, measureStored(t))
	for scope, n := range counted {
		if measured[scope] != n {
			t.Errorf("%s has stored %d bytes, and %d are counted", scope, measured[scope], n)
		}
		sum += n
	}
	for scope, n := range measured {
		if _, known := counted[scope]; !known {
			t.Errorf("%s has stored %d bytes, and none are counted", scope, n)
		}
	}
	return sum
}

// asSystem returns the statement that lets a raw transaction see the rows of all tenants.
func asSystem(databaseURL string) string {
	if strings.HasPrefix(databaseURL, "sqlite") {
		return "SELECT 1"
	}
	return "SELECT set_config('verdict.role', 'system', true)"
}

func scopeSums(t *testing.T, tx *sql.Tx, query string) map[string]int64 {
	t.Helper()
	rows, err := tx.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	sums := map[string]int64{}
	for rows.Next() {
		var tenant, environment string
		var n int64
		if err := rows.Scan(&tenant, &environment, &n); err != nil {
			t.Fatal(err)
		}
		sums[tenant+" "+environment] = n
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return sums
}

// TestStoredBytes checks after every change that the counter equals the size of the stored rows.
func TestStoredBytes(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		db := storetest.Open(t, databaseURL, store.Options{})
		ctx, scope := t.Context(), signUp(t, db, "ten_A")
		fill(t, db, scope)
		fill(t, db, signUp(t, db, "ten_B"))
		last := wantMeasured(t, databaseURL)
		// step makes a change that must change the sum by diff bytes.
		step := func(name string, diff int64, change func(tx *store.Tx) error) {
			t.Helper()
			if err := scope.Write(ctx, change); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			now := wantMeasured(t, databaseURL)
			if now-last != diff {
				t.Errorf("%s changes the sum by %d bytes, want %d", name, now-last, diff)
			}
			last = now
		}

		queueBatch(t, scope, "bat_1", 2)
		last = wantMeasured(t, databaseURL)
		done := batchChunk(1)
		done.Result = make([]byte, 100)
		for i, diff := range []int64{97, 0} { // three bytes of rows are replaced by the result, once
			step(fmt.Sprint("finish a chunk ", i), diff, func(tx *store.Tx) error {
				_, err := tx.BatchJobs().FinishChunk("bat_1", done, 10, plusOne)
				return err
			})
		}
		step("a rule set", 17, func(tx *store.Tx) error {
			_, err := tx.RuleSets().Insert(draft("pol_new1"))
			return err
		})
		step("delete the rule set", -17, func(tx *store.Tx) error {
			_, _, err := tx.RuleSets().RemoveDraft("pol_new1", 9)
			return err
		})
		step("a lender profile", 30, func(tx *store.Tx) error {
			_, err := tx.LenderProfiles().Put(store.ConfigVersion{Document: make([]byte, 30), UpdatedMicros: 1}, -1)
			return err
		})
		loan := store.Exposure{ID: "exp_9", ApplicantRef: "app-9", Document: []byte("abc"), CreatedMicros: 1}
		for i, diff := range []int64{1024, 0} {
			step(fmt.Sprint("report a loan ", i), diff,
				func(tx *store.Tx) error { return tx.Exposures().Put(&loan, 0) })
		}
		for i, diff := range []int64{-1024, 0} {
			step(fmt.Sprint("erase a loan ", i), diff, func(tx *store.Tx) error {
				return tx.Erasures().DeleteExposure("exp_9", 1, &store.ErasedCounts{})
			})
		}
		chunks := []store.ListChunk{{ID: 77, CreatedMicros: 1, Keys: make([]byte, 10), Values: make([]byte, 30)}}
		step("a part of a list", 40, func(tx *store.Tx) error { return tx.Lists().InsertChunks("lst_1", chunks) })
		step("delete parts of a list", -40, func(tx *store.Tx) error {
			return tx.Lists().DeleteChunks("lst_1", []int64{77, 78})
		})
		for i, diff := range []int64{5, 5, 5, -5} { // the fourth call adds a step and then deletes two
			step(fmt.Sprint("a step of an edit ", i), diff, func(tx *store.Tx) error {
				edit := store.PolicyEdit{UserID: "usr_1", RuleSetID: "pol_9", PolicyKey: "default", BeganMicros: 1}
				if _, err := tx.PolicyEdits().Add(edit, store.PolicyEditStep{State: make([]byte, 5)}); err != nil ||
					i < 3 {
					return err
				}
				return tx.PolicyEdits().Trim("usr_1", "pol_9", 2, 100)
			})
		}
		step("amend the last step", 4, func(tx *store.Tx) error {
			return tx.PolicyEdits().Amend("usr_1", "pol_9", store.PolicyEditStep{Number: 4, State: make([]byte, 9)}, 2)
		})
		step("amend it again", -6, func(tx *store.Tx) error {
			return tx.PolicyEdits().Amend("usr_1", "pol_9", store.PolicyEditStep{Number: 4, State: make([]byte, 3)}, 2)
		})
		step("discard the edit", -8, func(tx *store.Tx) error { return tx.PolicyEdits().Delete("usr_1", "pol_9") })
		kept := answer("x")
		kept.Key.Name, kept.Subject, kept.Body = "kept", "", make([]byte, 88)
		kept.NowMicros, kept.ExpiresMicros = 1000, 2000
		step("an answer", 600, func(tx *store.Tx) error { return tx.Answers().Insert(kept) })
		kept.NowMicros, kept.ExpiresMicros, kept.Body = 3000, 4000, make([]byte, 8)
		step("an answer instead of an expired one", -80, func(tx *store.Tx) error { return tx.Answers().Insert(kept) })
	})
}

// TestStoredBytesPurged checks that the counters fall when rows of several scopes are purged at the same time.
func TestStoredBytesPurged(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		db := storetest.Open(t, databaseURL, store.Options{})
		ctx := t.Context()
		scopes := []*store.Scope{signUp(t, db, "ten_A"), signUp(t, db, "ten_B")}
		empty := wantMeasured(t, databaseURL)
		for _, scope := range scopes {
			queueBatch(t, scope, "bat_1", 3)
			for number := int64(1); number <= 3; number++ {
				finishBatchChunk(t, scope, "bat_1", number, 2000)
			}
			change(t, scope, func(tx *store.Tx) error {
				if err := tx.BatchJobs().Insert(batchJob("bat_2")); err != nil {
					return err
				}
				if err := tx.BatchJobs().ReceiveChunk("bat_2", batchChunk(1)); err != nil {
					return err
				}
				return tx.BatchJobs().Fail("bat_2", "x", "y", 2000)
			})
			change(t, scope, fillBacktest)
			change(t, scope, func(tx *store.Tx) error {
				_, _, err := tx.Backtests().Cancel("bt_fill", 2000)
				return err
			})
			a := answer("x")
			a.Subject, a.NowMicros, a.ExpiresMicros = "", 1000, 2000
			if err := once(t, scope, a); err != nil {
				t.Fatal(err)
			}
		}
		if wantMeasured(t, databaseURL) == empty {
			t.Fatal("nothing is counted")
		}
		var nodes sync.WaitGroup
		for range 2 {
			nodes.Go(func() {
				for done := int64(1); done > 0; {
					n, err := db.Jobs().PurgeBatchJobs(ctx, 4000, 3)
					done = n
					if err == nil {
						n, err = db.Jobs().PurgeFailedBacktests(ctx, 4000, 3)
						done += n
					}
					if err == nil {
						n, err = db.System().PurgeIdempotency(ctx, 4000, 1)
						done += n
					}
					if err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		nodes.Wait()
		if now := wantMeasured(t, databaseURL); now != empty {
			t.Errorf("%d bytes are counted after the purge, want %d", now, empty)
		}
	})
}

// TestDiscard checks that the rows of an aborted job are deleted, and those of any other job are not.
func TestDiscard(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		db := storetest.Open(t, databaseURL, store.Options{})
		scope := signUp(t, db, "ten_A")
		before := wantMeasured(t, databaseURL)
		queueBatch(t, scope, "bat_1", 2)
		change(t, scope, func(tx *store.Tx) error {
			if err := tx.BatchJobs().Insert(batchJob("bat_2")); err != nil {
				return err
			}
			for number := int64(1); number <= 3; number++ {
				if err := tx.BatchJobs().ReceiveChunk("bat_2", batchChunk(number)); err != nil {
					return err
				}
			}
			return nil
		})
		discard := func(id string) (more bool) {
			t.Helper()
			change(t, scope, func(tx *store.Tx) (err error) {
				more, err = tx.BatchJobs().Discard(id, 2)
				return err
			})
			return more
		}
		if discard("bat_1") || discard("bat_2") {
			t.Error("rows of unfinished jobs were deleted")
		}
		if n := wantMeasured(t, databaseURL) - before; n != 5*3 {
			t.Errorf("%d bytes are stored", n)
		}
		change(t, scope, func(tx *store.Tx) error { return tx.BatchJobs().Fail("bat_2", "x", "y", 2000) })
		steps := 1
		for discard("bat_2") {
			steps++
		}
		if steps < 2 {
			t.Errorf("three rows were deleted in %d steps of two", steps)
		}
		if n := wantMeasured(t, databaseURL) - before; n != 2*3 {
			t.Errorf("%d bytes are stored after the aborted job was discarded", n)
		}
	})
}
