package sealing

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestSplit splits trees from which names were forgotten, and then splits their parts. The part of every name must
// derive the same key as the whole tree. Forgetting another name must change one part in the same way as the whole
// tree.
func TestSplit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		forgotten := rapid.IntRange(0, 30).Draw(t, "forgotten")
		splits := rapid.IntRange(1, MaxSplits).Draw(t, "splits")
		whole := testTree()
		for i := range forgotten {
			whole = whole.Forget(fmt.Sprint(i))
		}
		for i := range forgotten + 10 {
			name := fmt.Sprint(i)
			part := whole
			for level := range splits {
				left, parts := part.Split(level)
				if len(parts) != children || !left.IsSplit() || left.Size() != 1+SecretSize {
					t.Fatalf("split into %d parts; left are %d bytes", len(parts), left.Size())
				}
				if _, known := left.Key(name); known {
					t.Fatal("a split tree still derives a key")
				}
				if read := parsed(t, encoded(t, left)); !read.IsSplit() ||
					read.Part(name, level) != left.Part(name, level) {
					t.Fatal("the encoding of a split tree is read as another tree")
				}
				part = parsed(t, encoded(t, parts[left.Part(name, level)]))
			}
			want, known := whole.Key(name)
			got, still := part.Key(name)
			if got != want || known != still {
				t.Errorf("%q: the part derives %x, %v, and the whole tree %x, %v", name, got, still, want, known)
			}
			if _, still := part.Forget(name).Key(name); still {
				t.Errorf("%q is forgotten, and the part derives its key", name)
			}
		}
	})
}

// TestSplitKeepsNodes checks that the parts of a tree together have exactly the nodes of the tree, unless a node
// covers several parts.
func TestSplitKeepsNodes(t *testing.T) {
	t.Parallel()
	whole := testTree().Forget("a", "b", "c")
	_, parts := whole.Split(0)
	var nodes []node
	for _, part := range parts {
		nodes = append(nodes, part.nodes...)
	}
	if !slices.Equal(nodes, whole.nodes) {
		t.Errorf("the parts have %d nodes, and the tree %d", len(nodes), len(whole.nodes))
	}
	_, parts = testTree().Split(0)
	for i, part := range parts {
		if len(part.nodes) != 1 || part.nodes[0].level != 1 || part.nodes[0].prefix.child(0) != byte(i) {
			t.Errorf("part %d of a tree with one node has %+v", i, part.nodes)
		}
	}
	if _, err := ParseKeyTree(append(encoded(t, &KeyTree{split: true}), make([]byte, nodeSize)...)); err == nil {
		t.Error("a split tree with a node is read")
	}
}

func parsed(t interface{ Fatal(args ...any) }, from []byte) *KeyTree {
	tree, err := ParseKeyTree(from)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}
