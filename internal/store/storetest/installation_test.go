//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package storetest_test

import (
	"bytes"
	"testing"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// TestSecret checks that the first call sets the secret for all nodes permanently.
func TestSecret(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		asked := make([][]byte, 16)
		errs := race(len(asked), func(i int) (err error) {
			asked[i], err = db.Secrets().Secret(t.Context(), bytes.Repeat([]byte{byte(i + 1)}, 32))
			return err
		})
		if got := succeeded(t, errs, 0, ""); got != len(asked) {
			t.Fatalf("%d of %d calls succeeded", got, len(asked))
		}
		for _, secret := range asked {
			if len(secret) != 32 || !bytes.Equal(secret, asked[0]) {
				t.Errorf("told %x and %x", secret, asked[0])
			}
		}
	})
}

// TestReplaceLogKey replaces the log key many times concurrently. Each change must begin with the key that the
// previous change has set.
func TestReplaceLogKey(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		secrets := db.Secrets()
		if public, changes, err := secrets.LogKeyHistory(t.Context()); err != nil || public != nil || changes != "" {
			t.Errorf("an empty database has %x, %q, %v", public, changes, err)
		}
		if done, err := secrets.ReplaceLogKey(t.Context(), []byte("a"), []byte("b"), "a b"); err != nil || done {
			t.Errorf("a key that does not exist is replaced: %v", err)
		}
		if _, err := secrets.SetLogKey(t.Context(), []byte("a")); err != nil {
			t.Fatal(err)
		}
		done := make([]bool, 8)
		errs := race(len(done), func(i int) (err error) {
			to := []byte{'b' + byte(i)}
			done[i], err = secrets.ReplaceLogKey(t.Context(), []byte("a"), to, "a "+string(to))
			return err
		})
		if got := succeeded(t, errs, 0, ""); got != len(done) {
			t.Fatalf("%d of %d calls succeeded", got, len(done))
		}
		public, changes, err := secrets.LogKeyHistory(t.Context())
		if err != nil || len(public) != 1 || changes != "a "+string(public)+"\n" {
			t.Fatalf("the key is %q after %q, %v", public, changes, err)
		}
		for i, won := range done {
			if won != (public[0] == 'b'+byte(i)) {
				t.Errorf("call %d replaced the key: %t, and the key is %q", i, won, public)
			}
		}
		if _, err := secrets.ReplaceLogKey(t.Context(), public, []byte("z"), "and z"); err != nil {
			t.Fatal(err)
		}
		if public, changes, err = secrets.LogKeyHistory(t.Context()); err != nil || string(public) != "z" ||
			len(changes) != len("a b\nand z\n") {
			t.Errorf("the key is %q after %q, %v", public, changes, err)
		}
	})
}
