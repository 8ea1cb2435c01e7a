package sealing

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"golang.org/x/crypto/blake2b"
)

// SecretSize is the length of a secret in bytes.
const SecretSize = blake2b.Size256

// Secret is a key, or the secret of a tree node from which keys are derived.
type Secret [SecretSize]byte

// pointSize is the length of a point in bytes. Points are keyed hashes, so nobody can
// choose two people with the same point. The probability that any two of five million
// people have the same point by chance is about 1e-11.
const pointSize = 10

// depth is the number of levels of the tree. At each level, four bits of a point
// choose one of 16 children. A wider tree would derive keys faster, but would grow
// more for each forgotten key.
const (
	depth    = pointSize * 2
	children = 16
)

// point is a person's position among the leaves of the tree.
type point [pointSize]byte

// child returns the index of the child that is on the path to the point at a
// level.
func (p point) child(level int) byte { return p[level/2] >> (4 - 4*(level%2)) & 15 }

// node is a subtree whose keys can be derived. Its prefix contains the first steps of the points in the subtree.
// level is the number of these steps; the rest of the prefix is zero.
type node struct {
	prefix point
	level  uint8 // one byte, so that a tree needs as much memory as its encoding
	secret Secret
}

// covers reports whether the point is in the subtree.
func (n *node) covers(p point) bool {
	for level := range int(n.level) {
		if n.prefix.child(level) != p.child(level) {
			return false
		}
	}
	return true
}

// padded reports whether the prefix is zero after the steps that level counts.
func (n *node) padded() bool {
	for level := int(n.level); level < depth; level++ {
		if n.prefix.child(level) != 0 {
			return false
		}
	}
	return true
}

// PersonName returns the name of an applicant for KeyTree. erased is the number of
// times that the reference was erased before. It is part of the name, so that a
// reference that is used again gets another key.
func PersonName(environment, reference string, erased int) string {
	return "person " + environment + " " + strconv.Itoa(erased) + " " + reference
}

// DecisionName returns the name, for KeyTree, of a decision whose applicant is not
// named.
func DecisionName(environment, id string) string { return "decision " + environment + " " + id }

// RunName returns the name, for KeyTree, of an agent's run whose subject is not named.
func RunName(environment, id string) string { return "run " + environment + " " + id }

// AnswerName returns the name, for KeyTree, of the stored answer to a request with an
// idempotency key.
func AnswerName(environment, route, key string) string {
	return "answer " + environment + " " + route + " " + key
}

// ListName returns the name, for KeyTree, of the values of a list.
func ListName(environment, id string) string { return "list " + environment + " " + id }

// BacktestName returns the name, for KeyTree, of the uploaded rows of a backtest.
func BacktestName(environment, id string) string { return "backtest " + environment + " " + id }

// BatchName returns the name, for KeyTree, of the rows of a batch.
func BatchName(environment, id string) string { return "batch " + environment + " " + id }

// TableName returns the name, for KeyTree, of the rows of a lookup table.
func TableName(environment, id string) string { return "table " + environment + " " + id }

// WebhookName returns the name, for KeyTree, of the secret of a webhook.
func WebhookName(environment, id string) string { return "webhook " + environment + " " + id }

// FactorName returns the name, for KeyTree, of the second factor of a user.
func FactorName(userID string) string { return "second factor " + userID }

// KeyTree derives the keys of a tenant's people. It is a puncturable pseudorandom
// function: a tree of one-way functions (Goldreich, Goldwasser and Micali) whose root
// derives every key. Forgetting a key replaces the nodes above it with their other
// children, from which all other keys can still be derived. The first forgotten key
// makes the tree 13 kB larger. Later keys share nodes with earlier keys and need less
// space.
//
// A tree from which many keys were forgotten can be split into 16 parts (Split), so that forgetting
// another key changes only one of them.
//
// A KeyTree never changes, so it may be used concurrently.
type KeyTree struct {
	names Secret // the key of the hashes that turn names into points
	nodes []node // sorted by prefix; no node covers another
	split bool   // the tree was split: the nodes are in its parts, and the field nodes is empty
}

// NewKeyTree returns the tree of a new tenant. Both secrets must be random.
func NewKeyTree(names, root Secret) *KeyTree {
	return &KeyTree{names: names, nodes: []node{{secret: root}}}
}

// Key returns the data key of a name. It returns false if the key was forgotten. If the tree was split, call Key on
// the part that has the name.
func (t *KeyTree) Key(name string) (Secret, bool) {
	p := t.point(name)
	i, found := t.find(p)
	if !found {
		return Secret{}, false
	}
	n := &t.nodes[i]
	secret := n.secret
	for level := int(n.level); level < depth; level++ {
		secret = descend(&secret, p.child(level))
	}
	return secret, true
}

// Forget returns a tree that derives every key except the keys of the given names. Forgetting a name that is already
// forgotten changes nothing.
func (t *KeyTree) Forget(names ...string) *KeyTree {
	left := &KeyTree{names: t.names, nodes: slices.Clone(t.nodes), split: t.split}
	for _, name := range names {
		left.forget(t.point(name))
	}
	return left
}

func (t *KeyTree) forget(p point) {
	i, found := t.find(p)
	if !found {
		return
	}
	top := t.nodes[i]
	siblings := make([]node, 0, (children-1)*(depth-int(top.level)))
	secret := top.secret
	for level := int(top.level); level < depth; level++ {
		toward := p.child(level)
		for other := range byte(children) {
			if other != toward {
				siblings = append(siblings, node{
					prefix: p.sibling(level, other),
					level:  uint8(level + 1), // at most depth
					secret: descend(&secret, other),
				})
			}
		}
		secret = descend(&secret, toward)
	}
	slices.SortFunc(siblings, compareNodes)
	t.nodes = slices.Replace(t.nodes, i, i+1, siblings...)
}

// sibling returns the prefix of a child at a level. Parameter "other" is the index of the child. The path to p must
// not lead through this child.
func (p point) sibling(level int, other byte) (prefix point) {
	copy(prefix[:], p[:level/2+1])
	last := &prefix[level/2]
	if level%2 == 0 {
		*last = other << 4
	} else {
		*last = *last&0xf0 | other
	}
	return prefix
}

func (t *KeyTree) point(name string) (p point) {
	h := keyed(&t.names, "", name)
	copy(p[:], h[:])
	return p
}

// find returns the index of the node that covers the point, and false if there is
// none.
func (t *KeyTree) find(p point) (int, bool) {
	i, exact := slices.BinarySearchFunc(t.nodes, p, func(n node, p point) int {
		return bytes.Compare(n.prefix[:], p[:])
	})
	if !exact {
		i-- // the last node that begins before the point
	}
	return i, i >= 0 && t.nodes[i].covers(p)
}

func compareNodes(a, b node) int {
	return cmp.Or(bytes.Compare(a.prefix[:], b.prefix[:]), cmp.Compare(a.level, b.level))
}

// descend returns the secret of a child. The children of a node are independent, and a
// child reveals nothing about the node or about its siblings.
func descend(secret *Secret, child byte) Secret {
	var text [1 + SecretSize]byte
	text[0] = child
	copy(text[1:], secret[:])
	return blake2b.Sum256(text[:])
}

// The encoding of a tree: a version, the secret in the field names, and then the level, prefix and secret of each
// node. A tree that was split has another version and no nodes.
const (
	treeVersion  = 1
	splitVersion = 2
	nodeSize     = 1 + pointSize + SecretSize
)

var errNotATree = errors.New("not a key tree")

// AppendBinary appends the encoding of the tree. The encoding contains the secrets of
// all keys, so the caller must encrypt it.
func (t *KeyTree) AppendBinary(to []byte) ([]byte, error) {
	version := byte(treeVersion)
	if t.split {
		version = splitVersion
	}
	to = append(to, version)
	to = append(to, t.names[:]...)
	for i := range t.nodes {
		n := &t.nodes[i]
		to = append(to, n.level)
		to = append(to, n.prefix[:]...)
		to = append(to, n.secret[:]...)
	}
	return to, nil
}

// Size returns the length of the encoding in bytes.
func (t *KeyTree) Size() int { return 1 + SecretSize + len(t.nodes)*nodeSize }

// ParseKeyTree decodes the encoding of a tree. It returns an error for other
// bytes.
func ParseKeyTree(from []byte) (*KeyTree, error) {
	if len(from) < 1+SecretSize || (len(from)-1-SecretSize)%nodeSize != 0 {
		return nil, errNotATree
	}
	t := &KeyTree{split: from[0] == splitVersion}
	if from[0] != treeVersion && !t.split {
		return nil, fmt.Errorf("a key tree of version %d; this program reads versions %d and %d", from[0], treeVersion,
			splitVersion)
	}
	if t.split && len(from) != 1+SecretSize {
		return nil, errNotATree
	}
	from = from[1+copy(t.names[:], from[1:]):]
	t.nodes = make([]node, len(from)/nodeSize)
	for i := range t.nodes {
		n := &t.nodes[i]
		n.level = from[0]
		copy(n.prefix[:], from[1:])
		copy(n.secret[:], from[1+pointSize:])
		from = from[nodeSize:]
		if n.level > depth || !n.padded() {
			return nil, errNotATree
		}
		if i > 0 && (compareNodes(t.nodes[i-1], *n) >= 0 || t.nodes[i-1].covers(n.prefix)) {
			return nil, errNotATree
		}
	}
	return t, nil
}
