package study

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"

	"verdict/internal/store"
)

// TestUnpackIsBounded checks that unpack accepts the largest block. It must refuse a larger one, even if the
// stored chunk has only a few kilobytes.
func TestUnpackIsBounded(t *testing.T) {
	t.Parallel()
	for size, fits := range map[int]bool{maxBlock: true, maxBlock + 1: false} {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		if _, err := w.Write(make([]byte, size)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		block, err := unpack(store.BacktestChunk{Number: 7, Input: packed.Bytes()})
		if fits && (err != nil || len(block.Data) != size) {
			t.Errorf("%d bytes: unpacked %d, %v", size, len(block.Data), err)
		}
		if !fits && (err == nil || !strings.Contains(err.Error(), "chunk 7 is larger than")) {
			t.Errorf("%d bytes: unpacked %d, %v", size, len(block.Data), err)
		}
	}
}

// TestChunkBytesFitABlock checks that no setting makes chunks that cannot be unpacked.
func TestChunkBytesFitABlock(t *testing.T) {
	t.Parallel()
	l := BacktestLimits{ChunkBytes: 2 * maxBlock}
	if l.fill(); l.ChunkBytes != maxBlock {
		t.Errorf("ChunkBytes is %d, the largest block %d", l.ChunkBytes, maxBlock)
	}
}
