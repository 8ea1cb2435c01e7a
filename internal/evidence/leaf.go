package evidence

import (
	"bytes"
	"encoding/hex"
	"errors"
	"strconv"

	"verdict/internal/sealing"
	"verdict/internal/wire"
)

// Kind is what a leaf is about.
type Kind string

// The kinds of leaves.
const (
	Decision   Kind = "decision"
	Review     Kind = "review"
	RuleSet    Kind = "rule_set"
	Activation Kind = "activation"
	Config     Kind = "config"
	Erasure    Kind = "erasure"
	Rollout    Kind = "rollout"
	Reopened   Kind = "reopened"
)

var kinds = map[Kind]bool{
	Decision: true, Review: true, RuleSet: true, Activation: true,
	Config: true, Erasure: true, Rollout: true, Reopened: true,
}

const leafVersion = 1

// Leaf is an entry of the log. It tells nothing about a person: the reference is a
// keyed hash, and what is known about the person enters by salted hashes.
type Leaf struct {
	Kind Kind
	ID   string // of the object in its table
	// At is when it happened, as the service answers times: RFC 3339 in UTC.
	At string
	// Reference stands for the person; the zero value if it concerns nobody.
	Reference sealing.Hash
	// Row is the hash over everything that is stored in readable form.
	Row sealing.Hash
	// Commitment is the hash over the zones; the zero value if there are none.
	Commitment sealing.Hash
	// Backfilled says that the leaf was added later, for an object that was stored
	// before there was a log.
	Backfilled bool
}

// Append appends the leaf as canonical JSON (RFC 8785): the bytes that are hashed.
func (l *Leaf) Append(to []byte) []byte {
	to = append(to, `{"at":`...)
	to = wire.AppendString(to, l.At)
	if l.Backfilled {
		to = append(to, `,"backfilled":true`...)
	}
	to = appendHash(to, `,"commit":"`, l.Commitment)
	to = appendHash(to, `,"hash":"`, l.Row)
	to = append(to, `,"id":`...)
	to = wire.AppendString(to, l.ID)
	to = append(to, `,"kind":`...)
	to = wire.AppendString(to, string(l.Kind))
	to = appendHash(to, `,"ref":"`, l.Reference)
	to = append(to, `,"v":`...)
	to = strconv.AppendInt(to, leafVersion, 10)
	return append(to, '}')
}

// appendHash appends a member in hexadecimal, or nothing for the zero value.
func appendHash(to []byte, name string, h sealing.Hash) []byte {
	if h == (sealing.Hash{}) {
		return to
	}
	to = append(to, name...)
	to = hex.AppendEncode(to, h[:])
	return append(to, '"')
}

// ErrNotALeaf is the error of bytes that are not exactly what Append writes.
var ErrNotALeaf = errors.New("not a leaf of this version in canonical form")

// ParseLeaf reads a leaf. It accepts only what Append writes, so that no two texts
// are the same leaf.
func ParseLeaf(text []byte) (Leaf, error) {
	v, err := wire.Parse(text)
	if err != nil {
		return Leaf{}, ErrNotALeaf
	}
	l := Leaf{
		Kind:       Kind(v.Get("kind").Text()),
		ID:         v.Get("id").Text(),
		At:         v.Get("at").Text(),
		Reference:  hashOf(v.Get("ref").Text()),
		Row:        hashOf(v.Get("hash").Text()),
		Commitment: hashOf(v.Get("commit").Text()),
		Backfilled: v.Get("backfilled").IsTrue(),
	}
	if !kinds[l.Kind] || l.Row == (sealing.Hash{}) || !bytes.Equal(l.Append(nil), text) {
		return Leaf{}, ErrNotALeaf
	}
	return l, nil
}

// hashOf reads a hash; the zero value if it is none, which Append then does not write.
func hashOf(text string) (h sealing.Hash) {
	if raw, err := hex.DecodeString(text); err == nil && len(raw) == len(h) {
		return sealing.Hash(raw)
	}
	return h
}
