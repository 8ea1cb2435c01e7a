package app

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"verdict/internal/journal"
	"verdict/internal/sealing"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// TestNodeStopsWithoutTheKey activates a new master key that a running node does not have. The node says so on
// /readyz, and stops a minute later.
func TestNodeStopsWithoutTheKey(t *testing.T) {
	t.Parallel()
	everyDatabase(t, func(t *testing.T, databaseURL string) {
		c, err := load(t, []string{
			"-addr", "127.0.0.1:0", "-database-url", databaseURL, "-log-key", testLogKey(t), "-master-key",
			testMasterKey(t),
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var passed atomic.Int64
		begun := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
		c.Now = func() time.Time { return begun.Add(time.Duration(passed.Load())) }
		log := &safeBuffer{}
		a, err := New(t.Context(), c, log)
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- a.Run(t.Context()) }()
		ready := func() (int, string) {
			t.Helper()
			passed.Add(int64(time.Second)) // the result of a check is used for a second
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, a.URL()+"/readyz", nil)
			if err != nil {
				t.Fatal(err)
			}
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = response.Body.Close() }()
			text, err := io.ReadAll(response.Body)
			if err != nil {
				t.Fatal(err)
			}
			return response.StatusCode, string(text)
		}
		if status, text := ready(); status != http.StatusOK {
			t.Errorf("before: %d %s", status, text)
		}
		db := storetest.Open(t, databaseURL, store.Options{})
		fresh := sealing.NewEpoch(sealing.Secret{'n', 'e', 'w'}).Fingerprint()
		if _, err := db.Secrets().AnnounceKey(t.Context(), fresh[:], begun.UnixMicro()); err != nil {
			t.Fatal(err)
		}
		if err := db.Secrets().UseKey(t.Context(), fresh[:]); err != nil {
			t.Fatal(err)
		}
		for { // the node checks for a new key once a second
			status, text := ready()
			if status == http.StatusServiceUnavailable {
				if !strings.Contains(text, "the master key was replaced, and this node does not have the new one") {
					t.Errorf("/readyz says %q", text)
				}
				break
			}
		}
		passed.Add(int64(time.Hour))
		if err := <-done; !errors.Is(err, journal.ErrKeyReplaced) {
			t.Errorf("the node ends with %v", err)
		}
		if !strings.Contains(log.String(), "the master key was replaced") {
			t.Errorf("the log is\n%s", log.String())
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
}
