package storetest_test

import (
	"fmt"
	"testing"
	"time"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// TestLock lets two nodes count drafts and add one at the same time. The second node must wait for
// the commit of the first, so that its count includes the draft of the first.
func TestLock(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.MigratedPostgres(t)
	first, second := storetest.Open(t, databaseURL, store.Options{}), storetest.Open(t, databaseURL, store.Options{})
	raw := storetest.Raw(t, databaseURL)
	signUp(t, first, "ten_A")
	var counts [2]int64
	add := func(db *store.DB, i int, meanwhile func()) error {
		return db.Scope("ten_A", live).Write(t.Context(), func(tx *store.Tx) (err error) {
			if err := tx.Lock(); err != nil {
				return err
			}
			if counts[i], err = tx.RuleSets().Drafts(); err != nil {
				return err
			}
			meanwhile()
			d := draft(numbered("pol", i))
			d.PolicyKey = fmt.Sprint("key", i) // drafts of one policy_key would wait for each other anyway
			_, err = tx.RuleSets().Insert(d)
			return err
		})
	}
	result := make(chan error, 1)
	err := add(first, 0, func() {
		go func() { result <- add(second, 1, func() {}) }()
		for waiting := 0; waiting == 0; {
			select {
			case err := <-result:
				t.Errorf("the second node did not wait: %v", err)
				result <- err
				return
			case <-time.After(time.Millisecond):
			}
			if err := raw.QueryRowContext(t.Context(), `SELECT count(*) FROM pg_stat_activity
				WHERE wait_event_type = 'Lock' AND datname = current_database()`).
				Scan(&waiting); err != nil {
				t.Error(err)
				return
			}
		}
	})
	wantKind(t, err, 0, "")
	wantKind(t, <-result, 0, "")
	if counts != [2]int64{1, 2} { // signing up creates a draft
		t.Errorf("the nodes counted %v", counts)
	}
}
