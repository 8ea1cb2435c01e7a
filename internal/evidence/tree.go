package evidence

import (
	"crypto/sha256"
	"errors"
	"math/bits"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

// Logs are stored and published in tiles of 256 hashes (C2SP tlog-tiles).
const (
	tileHeight = 8
	TileWidth  = 1 << tileHeight
)

// Tile is a part of a log's Merkle tree: up to 256 consecutive hashes of a level. The hashes of
// level 0 are those of the leaves. Each hash of a higher level is the hash of a full tile of the
// level below.
type Tile struct {
	Level  int
	Number int64  // the number of the tile in its level
	Hashes []byte // the hashes, one after the other
}

// TileReader returns the hashes of tiles. For each tile it returns at least as many hashes as the width of the tile
// (W).
type TileReader func(tiles []tlog.Tile) ([][]byte, error)

// Tree is the Merkle tree of a log at some size. It reads the hashes that it needs, and
// checks that they belong to its root.
type Tree struct {
	Size   int64
	Root   tlog.Hash
	hashes tlog.HashReader
}

// NewTree returns a tree whose size and root are known.
func NewTree(size int64, root tlog.Hash, read TileReader) *Tree {
	source := &tileSource{read: read, known: map[tlog.Tile][]byte{}}
	return &Tree{Size: size, Root: root, hashes: tlog.TileHashReader(tlog.Tree{N: size, Hash: root}, source)}
}

// tileSource implements tlog.TileReader. It reads each tile once.
type tileSource struct {
	read  TileReader
	known map[tlog.Tile][]byte
}

func (s *tileSource) Height() int { return tileHeight }

// ErrTilesMissing is the error if the hashes of a tree cannot be found.
var ErrTilesMissing = errors.New("hashes of the log are missing")

func (s *tileSource) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	var unknown []tlog.Tile
	for _, t := range tiles {
		if s.known[t] == nil {
			unknown = append(unknown, t)
		}
	}
	if len(unknown) > 0 {
		found, err := s.read(unknown)
		if err != nil {
			return nil, err
		}
		for i, t := range unknown {
			if i >= len(found) || len(found[i]) < t.W*tlog.HashSize {
				return nil, ErrTilesMissing
			}
			s.known[t] = found[i][:t.W*tlog.HashSize]
		}
	}
	data := make([][]byte, len(tiles))
	for i, t := range tiles {
		data[i] = s.known[t]
	}
	return data, nil
}

// SaveTiles does nothing, because ReadTiles keeps what it has read.
func (s *tileSource) SaveTiles([]tlog.Tile, [][]byte) {}

// Extend returns the tree with further leaves, and the tiles that are new or longer than
// before. leaves are the hashes of the leaves (LeafHash).
func (t *Tree) Extend(leaves []tlog.Hash) (*Tree, []Tile, error) {
	complete, err := t.completeSubtrees()
	if err != nil {
		return nil, nil, err
	}
	grown := &grownHashes{
		first:  tlog.StoredHashIndex(0, t.Size),
		added:  make([]tlog.Hash, 0, 2*len(leaves)),
		before: t.hashes,
	}
	for i, hash := range leaves {
		grown.added = append(grown.added, hash)
		level := 0
		// The leaf completes one further subtree for each trailing 1 bit of its number.
		for number := t.Size + int64(i); number&1 == 1; number >>= 1 {
			hash = tlog.NodeHash(complete[level], hash)
			grown.added = append(grown.added, hash)
			level++
		}
		complete[level] = hash
	}
	after := &Tree{Size: t.Size + int64(len(leaves)), hashes: grown}
	if after.Root, err = rootOf(after.Size, &complete); err != nil {
		return nil, nil, err
	}
	var tiles []Tile
	for _, tile := range tlog.NewTiles(tileHeight, t.Size, after.Size) {
		hashes, err := tlog.ReadTileData(tile, grown)
		if err != nil {
			return nil, nil, err
		}
		tiles = append(tiles, Tile{Level: tile.L, Number: tile.N, Hashes: hashes})
	}
	return after, tiles, nil
}

// subtrees holds the roots of the complete subtrees that a tree consists of, by their levels. A tree has a complete
// subtree of a level if the bit of its size for this level is set; the other hashes have no meaning.
type subtrees [maxLevels]tlog.Hash

const maxLevels = 64 // the bits of a size

func (t *Tree) completeSubtrees() (complete subtrees, err error) {
	var indexes []int64
	var levels []int
	for level := 0; t.Size>>level > 0; level++ {
		if number := t.Size >> level; number&1 == 1 {
			// The subtree is the last complete node of its level.
			indexes, levels = append(indexes, tlog.StoredHashIndex(level, number-1)), append(levels, level)
		}
	}
	if len(indexes) == 0 {
		return complete, nil
	}
	found, err := t.hashes.ReadHashes(indexes)
	for i := range found {
		complete[levels[i]] = found[i]
	}
	return complete, err
}

// rootOf returns the root of a tree that consists of the given subtrees.
func rootOf(size int64, complete *subtrees) (tlog.Hash, error) {
	if size == 0 {
		return tlog.TreeHash(0, nil)
	}
	level := bits.TrailingZeros64(uint64(size)) // a size is not negative
	root := complete[level]
	for level++; size>>level > 0; level++ {
		if size>>level&1 == 1 {
			root = tlog.NodeHash(complete[level], root)
		}
	}
	return root, nil
}

// grownHashes reads the hashes of a tree that was extended.
type grownHashes struct {
	first  int64       // the index of the first hash in added
	added  []tlog.Hash // in the order of their indexes, without gaps
	before tlog.HashReader
}

// ReadHashes implements tlog.HashReader.
func (g *grownHashes) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	hashes := make([]tlog.Hash, len(indexes))
	var older []int64
	for i, index := range indexes {
		if index < g.first {
			older = append(older, index)
			continue
		}
		if index-g.first >= int64(len(g.added)) {
			return nil, ErrTilesMissing
		}
		hashes[i] = g.added[index-g.first]
	}
	if len(older) == 0 {
		return hashes, nil
	}
	found, err := g.before.ReadHashes(older)
	if err != nil {
		return nil, err
	}
	for i, index := range indexes {
		if index < g.first {
			hashes[i], found = found[0], found[1:]
		}
	}
	return hashes, nil
}

// RootAt returns the root that the tree had when it had a smaller size.
func (t *Tree) RootAt(size int64) (tlog.Hash, error) { return tlog.TreeHash(size, t.hashes) }

// LeafHash returns the hash of the leaf with the given number, which must be less than the size.
func (t *Tree) LeafHash(number int64) (tlog.Hash, error) {
	hashes, err := t.hashes.ReadHashes([]int64{tlog.StoredHashIndex(0, number)})
	if err != nil {
		return tlog.Hash{}, err
	}
	return hashes[0], nil
}

// Prove returns the path from the leaf with the given number to the root that the tree had at the
// given size. The number must be less than the size.
func (t *Tree) Prove(size, number int64) (tlog.RecordProof, error) {
	return tlog.ProveRecord(size, number, t.hashes)
}

// ProveGrowth returns the proof that the tree at a smaller size is the beginning of this tree.
func (t *Tree) ProveGrowth(size int64) (tlog.TreeProof, error) {
	return tlog.ProveTree(t.Size, size, t.hashes)
}

// LeafHash returns the hash of a leaf in the tree: the hash of a zero byte and the leaf's text (RFC 6962). Unlike
// tlog.RecordHash, it does not allocate memory for a text of usual length.
func LeafHash(l *Leaf) tlog.Hash {
	var text [leafSpace]byte
	return sha256.Sum256(l.Append(text[:1]))
}

// leafSpace is the size of the buffer for the text of a leaf, in bytes. Memory is allocated only for a longer text.
const leafSpace = 512

// HasTile reports whether the tile t exists in a tree of the given size, with all the hashes of its width.
func HasTile(size int64, t tlog.Tile) bool {
	if t.H != tileHeight || t.N < 0 || t.N > size/TileWidth || t.W < 1 || t.W > TileWidth {
		return false
	}
	return t.N*TileWidth+int64(t.W) <= size>>(tileHeight*max(0, t.L))
}

// EntriesLevel is the level of a tile that contains leaves instead of hashes.
const EntriesLevel = -1

// ParseTilePath returns the tile that the end of a path names (C2SP tlog-tiles): "0/x001/067" is
// tile 1067 of level 0, "entries/000.p/7" are the first seven leaves. ok is false for
// anything else.
func ParseTilePath(path string) (t tlog.Tile, ok bool) {
	level, rest, _ := strings.Cut(path, "/")
	if level == "entries" {
		level = "data" // the name in package tlog
	} else if level == "data" {
		return tlog.Tile{}, false
	}
	t, err := tlog.ParseTilePath("tile/8/" + level + "/" + rest)
	return t, err == nil
}
