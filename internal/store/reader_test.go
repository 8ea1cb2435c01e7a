package store_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// TestReadersKeepNoWriterWaiting uses all read connections, with many more
// readers waiting, and checks that writes are stored in the meantime.
func TestReadersKeepNoWriterWaiting(t *testing.T) {
	t.Parallel()
	storetest.Each(t, testReaders)
}

func testReaders(t *testing.T, db *store.DB) {
	t.Helper()
	const connections = 8 // the default of store.Options
	scope := db.Scope("ten_A", "sandbox")
	end := make(chan struct{})
	var here, all sync.WaitGroup
	here.Add(connections)
	for i := range 5 * connections {
		if i == connections {
			here.Wait()
		}
		all.Go(func() {
			err := scope.Read(t.Context(), func(tx *store.Tx) error {
				if i < connections {
					here.Done()
				}
				<-end
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	for i := range 20 {
		if err := scope.InsertDecision(ctx, write(numbered("dec", i))); err != nil {
			t.Error(err)
			break
		}
		if err := scope.Write(ctx, func(tx *store.Tx) error {
			return tx.Audit().Add(store.AuditEntry{ID: numbered("aud_more", i), Action: "looked"})
		}); err != nil {
			t.Error(err)
			break
		}
	}
	close(end)
	all.Wait()
}
