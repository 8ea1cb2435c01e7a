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
			asked[i], err = db.System().Secret(t.Context(), bytes.Repeat([]byte{byte(i + 1)}, 32))
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
