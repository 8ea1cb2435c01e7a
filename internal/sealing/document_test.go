package sealing

import (
	"bytes"
	"errors"
	"testing"

	"pgregory.net/rapid"
)

// TestSealDocument seals documents with arbitrary tree numbers and opens them again. It checks that an altered or
// shortened document cannot be opened.
func TestSealDocument(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		document := rapid.SliceOf(rapid.Byte()).Draw(t, "document")
		tree := rapid.Int64Range(1, 1<<40).Draw(t, "tree")
		sealer := NewSealer(Secret{7}, "dec_1")
		stored := sealer.SealDocument(nil, tree, hashOf(Combined, Salt{1}, document), document)
		if !Sealed(stored) || len(stored) > len(document)+MaxDocumentOverhead {
			t.Fatalf("%d bytes are stored as %d: %x", len(document), len(stored), stored)
		}
		if got, err := sealer.OpenDocument(Combined, stored); err != nil || !bytes.Equal(got, document) {
			t.Fatalf("opened %x, %v", got, err)
		}
		cut := stored[:rapid.IntRange(0, len(stored)-1).Draw(t, "cut")]
		if got, err := sealer.OpenDocument(Combined, cut); !errors.Is(err, ErrUnreadable) {
			t.Fatalf("opened %x of a cut document, %v", got, err)
		}
		at := rapid.IntRange(1, len(stored)-1).Draw(t, "at")
		if stored[at] ^= 0x40; at < len(stored)-len(document)-Overhead {
			return // the byte is part of the tree's number; OpenDocument ignores the number, because the key is given
		}
		if got, err := sealer.OpenDocument(Combined, stored); !errors.Is(err, ErrUnreadable) {
			t.Fatalf("opened %x with byte %d altered, %v", got, at, err)
		}
	})
	for _, readable := range []string{"", "{}", "\x01\x00", "\x02"} {
		if Sealed([]byte(readable)) {
			t.Errorf("%q counts as sealed", readable)
		}
	}
}
