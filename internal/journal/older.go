package journal

import (
	"context"
	"errors"
	"maps"

	"verdict/internal/sealing"
	"verdict/internal/store"
)

// holder identifies the holder of a key: a person, or an object that has a key of its own.
type holder struct {
	environment string
	reference   string // of the person
	object      string // the name of the object in the key tree; reference is "" then
}

// holderOf returns the holder of a decision's key: its applicant, or the decision itself if the
// applicant is not named.
func holderOf(environment string, d *store.Decision) holder {
	if d.ApplicantRef == "" {
		return holder{object: sealing.DecisionName(environment, d.ID)}
	}
	return holder{environment: environment, reference: d.ApplicantRef}
}

// name returns the name of the holder among those whose keys were looked up.
func (h holder) name() string {
	if h.reference != "" {
		return sealing.PersonName(h.environment, h.reference, 0)
	}
	return h.object
}

// secret returns the key of a holder from the tree with the given number. A person who was erased before has
// a new key. secret returns a key that opens nothing if the key of an object was erased, or if the tree is
// an earlier one and the key was not looked up.
func (t *Tree) secret(number int64, h holder) (key sealing.Secret) {
	switch {
	case number != t.newest:
		return t.found[keyName{number, h.name()}]
	case h.reference != "":
		_, key = currentKey(t.keys, h.environment, h.reference)
	default:
		key, _ = t.keys.Key(h.object)
	}
	return key
}

// knows reports whether secret can return the key of a holder from the tree with the given number.
func (t *Tree) knows(number int64, h holder) bool {
	if number == t.newest {
		return true
	}
	_, found := t.found[keyName{number, h.name()}]
	return found
}

// currentKey returns the present key of an applicant, and how often the applicant was erased before. The number
// of erasures is the smallest one for which the tree still derives a key. currentKey does not return the name of
// the key, so that the name need not be allocated.
func currentKey(keys *sealing.KeyTree, environment, reference string) (erased int, key sealing.Secret) {
	for ; ; erased++ {
		if key, ok := keys.Key(sealing.PersonName(environment, reference, erased)); ok {
			return erased, key
		}
	}
}

// keyOf returns the data key of a decision from a tree.
func (t *Tree) keyOf(number int64, environment string, d *store.Decision) sealing.Secret {
	return t.secret(number, holderOf(environment, d))
}

// with returns a Tree that also knows the key of a holder from an earlier tree. It returns t itself if t
// knows the key already, or if there is no such tree.
func (k *Keys) with(ctx context.Context, t *Tree, number int64, h holder) (*Tree, error) {
	if t.knows(number, h) {
		return t, nil
	}
	key, err := k.olderKey(ctx, t, number, h)
	if errors.Is(err, errNoTree) {
		return t, nil
	}
	if err != nil {
		return nil, err
	}
	more := *t
	more.found = maps.Clone(t.found)
	if more.found == nil {
		more.found = map[keyName]sealing.Secret{}
	}
	more.found[keyName{number, h.name()}] = key
	return &more, nil
}

// olderKey returns the key of a holder from an earlier tree, or the zero value if it was erased.
func (k *Keys) olderKey(ctx context.Context, t *Tree, number int64, h holder) (sealing.Secret, error) {
	found, err := findKey(number, h, k.reader(ctx, t))
	return found.key, err
}

// reader returns a function that reads a part of a tree.
func (k *Keys) reader(ctx context.Context, t *Tree) func(treePart) (*sealing.KeyTree, error) {
	return func(at treePart) (*sealing.KeyTree, error) {
		if at.number() == t.newest {
			return t.keys, nil
		}
		return k.older.Get(ctx, t.olderKey(k, at))
	}
}

// foundKey is a key in a tree.
type foundKey struct {
	name string           // the name in the tree
	at   treePart         // the part of the tree that contains the key
	keys *sealing.KeyTree // the keys of this part
	key  sealing.Secret   // the zero value if the key of an object was erased
	// erased is how many keys of the holder were removed from the tree.
	erased int
}

// findKey finds the present key of a holder in a tree. read reads a part of the tree.
func findKey(number int64, h holder, read func(treePart) (*sealing.KeyTree, error)) (f foundKey, err error) {
	for ; ; f.erased++ {
		if f.name = h.object; h.reference != "" {
			f.name = sealing.PersonName(h.environment, h.reference, f.erased)
		}
		if f.at, f.keys, err = findPart(number, f.name, read); err != nil {
			return f, err
		}
		var ok bool
		if f.key, ok = f.keys.Key(f.name); ok {
			return f, nil
		}
		if h.reference == "" {
			f.erased++
			return f, nil
		}
	}
}

// findPart returns the part of a tree that contains the key with the given name. It is the tree itself
// unless the tree was split.
func findPart(
	number int64, name string, read func(treePart) (*sealing.KeyTree, error),
) (at treePart, keys *sealing.KeyTree, err error) {
	if number < firstTree || number >= maxTrees { // the number is from a document, which somebody may have altered
		return at, nil, errNoTree
	}
	at = treePart{tree: number, path: 1}
	for {
		if keys, err = read(at); err != nil || !keys.IsSplit() {
			return at, keys, err
		}
		at = at.part(keys.Part(name, at.level))
	}
}

// errNoTree is the error if a tenant has no tree with the given number.
var errNoTree = errors.New("the tenant has no such key tree")

// treePart is a tree, or a part of a tree that was split.
type treePart struct {
	tree  int64
	level int   // the number of splits that led to the part
	path  int64 // 1, followed by four bits for each level: the index of the part at that level
}

func (p treePart) part(index int) treePart {
	return treePart{tree: p.tree, level: p.level + 1, path: p.path<<4 | int64(index)}
}

// maxTrees is greater than the number of any tree.
const maxTrees = 1 << treeBits

// treeBits is the number of low bits that contain the tree's number in the number of a part.
const treeBits = 32

// number returns the number under which the part is stored. The numbers of parts are negative, so that
// the newest tree has the highest number.
func (p treePart) number() int64 {
	if p.level == 0 {
		return p.tree
	}
	return -(p.path<<treeBits | p.tree)
}

// olderKey names an earlier tree, or a part of an earlier tree, in the cache. changes is the number of changes of
// the tenant's keys, so that a removed key does not stay in use.
type olderKey struct {
	treeKey

	number  int64
	changes int64
}

func (t *Tree) olderKey(k *Keys, at treePart) olderKey {
	key := olderKey{treeKey: treeKey{t.tenant, k.db.Timeline()}, number: at.number()}
	for _, state := range t.states {
		key.changes += state.Changes
	}
	return key
}

func (k *Keys) loadOlder(ctx context.Context, key olderKey) (t *sealing.KeyTree, err error) {
	err = k.master.wrapping(ctx, func() error {
		stored, found, err := k.db.Secrets().KeyTree(ctx, key.tenant, key.number)
		if err == nil && !found {
			err = errNoTree
		}
		if err == nil {
			t, err = k.master.parse(ctx, stored)
		}
		return err
	})
	return t, err
}
