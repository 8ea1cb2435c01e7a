package sealing

import (
	"bytes"
	"errors"
	"testing"
)

// TestWrap checks that a wrapped secret is opened only by the same epoch under the same
// name and unaltered, and that its bytes do not contain the secret.
func TestWrap(t *testing.T) {
	t.Parallel()
	e := NewEpoch(Secret{1})
	tree, err := NewKeyTree(Secret{2}, Secret{3}).AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	wrapped := e.Wrap("key tree ten_1 1", tree)
	got, err := e.Unwrap("key tree ten_1 1", wrapped)
	if err != nil || !bytes.Equal(got, tree) {
		t.Fatalf("unwrapped %x, %v", got, err)
	}
	if Wrapped(tree) || !Wrapped(wrapped) || Wrapped(nil) {
		t.Error("a wrapped secret is not recognised")
	}
	if fingerprint := e.Fingerprint(); bytes.Contains(wrapped, make([]byte, 16)) || fingerprint == (Hash{1}) {
		t.Error("the wrapped bytes show the secret")
	}
	refused := func(what string, e *Epoch, name string, wrapped []byte) {
		t.Helper()
		if secret, err := e.Unwrap(name, wrapped); !errors.Is(err, ErrUnreadable) {
			t.Errorf("%s: unwrapped %x, %v", what, secret, err)
		}
	}
	refused("another epoch", NewEpoch(Secret{4}), "key tree ten_1 1", wrapped)
	refused("another name", e, "key tree ten_2 1", wrapped)
	refused("nothing", e, "key tree ten_1 1", nil)
	for i := range wrapped {
		bad := bytes.Clone(wrapped)
		bad[i] ^= 1
		refused("an altered byte", e, "key tree ten_1 1", bad)
		refused("cut", e, "key tree ten_1 1", wrapped[:i])
	}
}
