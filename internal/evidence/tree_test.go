package evidence

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/transparency-dev/merkle/compact"
	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"golang.org/x/mod/sumdb/tlog"
)

// tileStore stores tiles as a database does.
type tileStore map[[2]int64][]byte

func (s tileStore) put(tiles []Tile) {
	for _, t := range tiles {
		key := [2]int64{int64(t.Level), t.Number}
		if len(t.Hashes) > len(s[key]) {
			s[key] = t.Hashes
		}
	}
}

func (s tileStore) read(tiles []tlog.Tile) ([][]byte, error) {
	found := make([][]byte, len(tiles))
	for i, t := range tiles {
		found[i] = s[[2]int64{int64(t.L), t.N}]
	}
	return found, nil
}

// TestTreeGrows extends a tree in steps of random size and compares its roots and proofs
// with those of another implementation.
func TestTreeGrows(t *testing.T) {
	t.Parallel()
	dice := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		tiles := tileStore{}
		judge := (&compact.RangeFactory{Hash: rfc6962.DefaultHasher.HashChildren}).NewEmptyRange(0)
		tree := NewTree(0, tlog.Hash{}, tiles.read)
		var all []tlog.Hash
		for step := range 12 {
			var leaves []tlog.Hash
			for range 1 + dice.IntN(700) {
				text := fmt.Appendf(nil, "leaf %d", len(all))
				leaves = append(leaves, tlog.RecordHash(text))
				all = append(all, leaves[len(leaves)-1])
				if err := judge.Append(rfc6962.DefaultHasher.HashLeaf(text), nil); err != nil {
					t.Fatal(err)
				}
			}
			before := tree
			after, changed, err := tree.Extend(leaves)
			if err != nil {
				t.Fatal(err)
			}
			tiles.put(changed)
			root, err := judge.GetRootHash(nil)
			if err != nil || !bytes.Equal(root, after.Root[:]) || after.Size != int64(len(all)) {
				t.Fatalf("step %d: size %d, root %x, want %d, %x, %v", step, after.Size, after.Root, len(all), root,
					err)
			}
			tree = NewTree(after.Size, after.Root, tiles.read) // as after a restart
			number := dice.Int64N(tree.Size)
			path, err := tree.Prove(tree.Size, number)
			if err != nil {
				t.Fatal(err)
			}
			var hashes [][]byte
			for _, h := range path {
				hashes = append(hashes, h[:])
			}
			if err := proof.VerifyInclusion(rfc6962.DefaultHasher, uint64(number), uint64(tree.Size),
				all[number][:], hashes, tree.Root[:]); err != nil {
				t.Fatal(err)
			}
			if before.Size > 0 {
				if root, err := tree.RootAt(before.Size); err != nil || root != before.Root {
					t.Fatalf("the root at %d is %x, %v; want %x", before.Size, root, err, before.Root)
				}
			}
		}
	}
}

// TestTreeNoticesOtherTiles alters a stored hash: neither a proof nor an extension may be
// built on it.
func TestTreeNoticesOtherTiles(t *testing.T) {
	t.Parallel()
	tiles := tileStore{}
	leaves := make([]tlog.Hash, 300)
	for i := range leaves {
		leaves[i] = tlog.RecordHash(fmt.Append(nil, i))
	}
	tree, changed, err := NewTree(0, tlog.Hash{}, tiles.read).Extend(leaves)
	if err != nil {
		t.Fatal(err)
	}
	tiles.put(changed)
	again := func() *Tree { return NewTree(tree.Size, tree.Root, tiles.read) }
	if _, err := again().Prove(tree.Size, 7); err != nil {
		t.Fatal(err)
	}
	tiles[[2]int64{0, 1}][0] ^= 1
	if _, err := again().Prove(tree.Size, 290); err == nil {
		t.Error("a proof is built on an altered hash")
	}
	if _, _, err := again().Extend(leaves[:1]); err == nil {
		t.Error("a tree is extended from an altered hash")
	}
	delete(tiles, [2]int64{0, 1})
	if _, err := again().Prove(tree.Size, 290); !errors.Is(err, ErrTilesMissing) {
		t.Errorf("got %v for a missing tile", err)
	}
}

// TestTilePaths checks the paths of C2SP tlog-tiles.
func TestTilePaths(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]tlog.Tile{
		"0/000":                {H: 8, L: 0, N: 0, W: 256},
		"0/x001/x234/067":      {H: 8, L: 0, N: 1234067, W: 256},
		"1/000.p/7":            {H: 8, L: 1, N: 0, W: 7},
		"entries/x001/067.p/9": {H: 8, L: -1, N: 1067, W: 9},
	} {
		if got, ok := ParseTilePath(path); !ok || got != want {
			t.Errorf("%s: %+v, %t", path, got, ok)
		}
	}
	for _, path := range []string{
		"", "0", "0/", "0/0", "0/000.p/0", "0/000.p/256", "data/000", "-1/000", "0/x000/000", "0/000/", "../0/000",
	} {
		if got, ok := ParseTilePath(path); ok {
			t.Errorf("%q is taken for %+v", path, got)
		}
	}
	for _, c := range []struct {
		size int64
		path string
		want bool
	}{
		{1, "0/000.p/1", true}, {1, "0/000.p/2", false}, {255, "0/000", false}, {256, "0/000", true},
		{256, "1/000.p/1", true}, {255, "1/000.p/1", false}, {300, "0/001.p/44", true}, {300, "0/001.p/45", false},
		{300, "entries/001.p/44", true}, {300, "entries/001.p/45", false}, {300, "7/000.p/1", false},
		{1 << 40, "5/000.p/1", true}, {0, "0/000.p/1", false},
	} {
		tile, ok := ParseTilePath(c.path)
		if got := ok && HasTile(c.size, tile); got != c.want {
			t.Errorf("%s of %d leaves: %t", c.path, c.size, got)
		}
	}
}
