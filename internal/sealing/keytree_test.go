package sealing

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func testTree() *KeyTree { return NewKeyTree(Secret{1}, Secret{2}) }

// TestForget checks with random trees that forgetting removes the keys of the
// given names and no other keys, and that the order of the names does not matter.
func TestForget(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		people := rapid.SliceOfNDistinct(rapid.StringN(0, 8, 16), 1, 40, rapid.ID[string]).Draw(t, "people")
		forgotten := people[:rapid.IntRange(0, len(people)).Draw(t, "forgotten")]
		whole := testTree()
		left := whole.Forget(forgotten...)

		reversed := slices.Clone(forgotten)
		slices.Reverse(reversed)
		other := whole
		for _, name := range append(reversed, forgotten...) {
			other = other.Forget(name)
		}
		if a, b := encoded(t, left), encoded(t, other); !slices.Equal(a, b) {
			t.Error("the tree depends on the order in which names were forgotten")
		}

		for i, name := range people {
			want, _ := whole.Key(name)
			got, known := left.Key(name)
			switch {
			case i < len(forgotten) && (known || got != Secret{}):
				t.Errorf("the key of %q is still known", name)
			case i >= len(forgotten) && (!known || got != want):
				t.Errorf("the key of %q is lost or another one", name)
			}
		}
	})
}

// TestKeysAreIndependent checks that no two people have the same key, whether in the same tree or in different trees.
// When keys are forgotten, no remaining node of the tree may have the secret of a forgotten key.
func TestKeysAreIndependent(t *testing.T) {
	t.Parallel()
	seen := map[Secret]string{}
	for root := range byte(4) {
		tree := NewKeyTree(Secret{root}, Secret{9, root})
		for i := range 500 {
			name := fmt.Sprint(i)
			key, known := tree.Key(name)
			if !known || seen[key] != "" {
				t.Fatalf("key of %d/%s: known %v, also of %q", root, name, known, seen[key])
			}
			seen[key] = fmt.Sprintf("%d/%s", root, name)
		}
		for _, n := range tree.Forget("1", "2", "3").nodes {
			if seen[n.secret] != "" {
				t.Errorf("a node is the key of %s", seen[n.secret])
			}
		}
	}
}

// TestEveryStepOfAPoint forgets one name and checks the remaining nodes. Each level must have all children but one,
// and each node must be found by its first point.
func TestEveryStepOfAPoint(t *testing.T) {
	t.Parallel()
	left := testTree().Forget("somebody")
	if got, want := len(left.nodes), (children-1)*depth; got != want {
		t.Fatalf("%d nodes, want %d", got, want)
	}
	perLevel := map[int]int{}
	for _, n := range left.nodes {
		perLevel[int(n.level)]++
		if i, found := left.find(n.prefix); !found || left.nodes[i].prefix != n.prefix {
			t.Errorf("the first point of a subtree on level %d is not found", n.level)
		}
	}
	for level := 1; level <= depth; level++ {
		if perLevel[level] != children-1 {
			t.Errorf("%d nodes on level %d, want %d", perLevel[level], level, children-1)
		}
	}
}

func TestTreeEncoding(t *testing.T) {
	t.Parallel()
	for _, tree := range []*KeyTree{testTree(), testTree().Forget("a"), testTree().Forget("a", "b", "c")} {
		text := encoded(t, tree)
		again, err := ParseKeyTree(text)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(encoded(t, again), text) {
			t.Error("read and written again, the tree is another one")
		}
		one, known := tree.Key("d")
		two, knownAgain := again.Key("d")
		if one != two || known != knownAgain {
			t.Error("read again, the tree derives another key")
		}
	}
}

func TestParseKeyTreeRefuses(t *testing.T) {
	t.Parallel()
	good := encoded(t, testTree().Forget("a"))
	at := 1 + SecretSize // the first node
	for name, bad := range map[string][]byte{
		"nothing":            {},
		"another version":    append([]byte{9}, good[1:]...),
		"a byte short":       good[:len(good)-1],
		"a level too deep":   changed(good, at, depth+1),
		"nodes out of order": slices.Concat(good[:at], good[at+nodeSize:], good[at:at+nodeSize]),
		"a node twice":       append(slices.Clone(good), good[len(good)-nodeSize:]...),
		"a node over others": changed(good, at, 0),
		"a prefix too long":  changed(encoded(t, testTree()), at+1, 0x80),
	} {
		if tree, err := ParseKeyTree(bad); err == nil {
			t.Errorf("%s: read a tree of %d nodes", name, len(tree.nodes))
		}
	}
}

// FuzzParseKeyTree checks that a tree has one encoding, and that a tree that was read can derive
// and forget keys.
func FuzzParseKeyTree(f *testing.F) {
	whole := encoded(f, testTree())
	f.Add(whole, "a")
	f.Add(encoded(f, testTree().Forget("a")), "b")
	f.Add(whole[:1+SecretSize], "") // a tree in which everybody is forgotten
	f.Add(changed(whole, 0, treeVersion+1), "a")
	f.Fuzz(func(t *testing.T, text []byte, name string) {
		tree, err := ParseKeyTree(text)
		if err != nil {
			return
		}
		if !slices.Equal(encoded(t, tree), text) {
			t.Error("read and written again, the tree is another one")
		}
		left := tree.Forget(name)
		if _, known := left.Key(name); known {
			t.Error("a forgotten key is still known")
		}
		again, err := ParseKeyTree(encoded(t, left))
		if err != nil {
			t.Fatalf("the tree without a name is not read: %v", err)
		}
		for i := range 20 {
			other := fmt.Sprint("person ", i)
			before, had := tree.Key(other)
			if after, has := again.Key(other); name != other && (after != before || has != had) {
				t.Errorf("the key of %q is another one", other)
			}
		}
	})
}

func changed(text []byte, at int, to byte) []byte {
	text = slices.Clone(text)
	text[at] = to
	return text
}

func encoded(t interface{ Fatal(...any) }, tree *KeyTree) []byte {
	text, err := tree.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func BenchmarkKey(b *testing.B) {
	tree := testTree()
	for b.Loop() {
		tree.Key("applicant-4711")
	}
}

// TestNamesTellApart checks that names differ if the environment, the kind, the
// reference or the count differs.
func TestNamesTellApart(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, name := range []string{
		PersonName("live", "A1", 0), PersonName("sandbox", "A1", 0), PersonName("live", "A1", 1),
		PersonName("live", "1 A1", 0), PersonName("live", "A", 11), PersonName("live", "", 0),
		PersonName("live", "dec_1", 0), DecisionName("live", "dec_1"), DecisionName("sandbox", "dec_1"),
	} {
		if seen[name] {
			t.Errorf("%q is the name of two", name)
		}
		seen[name] = true
	}
}
