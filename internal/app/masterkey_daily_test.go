package app

import (
	"bytes"
	"io"
	"testing"
	"time"

	"verdict/internal/sealing"
	"verdict/internal/store/storetest"
)

// TestDailyRotation checks that a node does not replace a new key, and completes a rotation
// that was interrupted.
func TestDailyRotation(t *testing.T) {
	t.Parallel()
	c, err := load(t, []string{
		"-addr", "127.0.0.1:0", "-database-url", storetest.MigratedSQLite(t), "-log-key", "off", "-master-key",
		testMasterKey(t),
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	c.Now = func() time.Time { return now }
	a, err := New(t.Context(), c, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}()
	present := func() []byte {
		t.Helper()
		known, err := a.db.Secrets().MasterKey(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return known
	}
	first := present()
	a.rotateIfDue(t.Context())
	now = now.Add(25 * time.Hour)
	a.rotateIfDue(t.Context()) // nobody was erased
	if !bytes.Equal(present(), first) {
		t.Error("the key was replaced without a reason")
	}
	source, _ := c.masterKeySource()
	key := sealing.Secret{'n'}
	if err := source.Add(key); err != nil {
		t.Fatal(err)
	}
	fingerprint := sealing.NewEpoch(key).Fingerprint()
	if _, err := a.db.Secrets().AnnounceKey(t.Context(), fingerprint[:], now.UnixMicro()); err != nil {
		t.Fatal(err)
	}
	a.rotateIfDue(t.Context())
	epochs, err := a.db.Secrets().KeyEpochs(t.Context())
	if err != nil || !bytes.Equal(epochs.Current, fingerprint[:]) || len(epochs.Retiring()) > 0 {
		t.Errorf("the interrupted rotation was not completed: %+v, %v", epochs, err)
	}
}
