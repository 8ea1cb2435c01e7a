package evidence

import (
	"bytes"
	"encoding/hex"
	"errors"
	"slices"
	"strconv"

	"verdict/internal/sealing"
	"verdict/internal/wire"
)

// Kind is the kind of object or event that a leaf is about.
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
	Alert      Kind = "alert"
	Key        Kind = "key"
	Backtest   Kind = "backtest"
	Usage      Kind = "usage"
	Webhook    Kind = "webhook"
	Scorecard  Kind = "scorecard"
	Blocklist  Kind = "blocklist"
	LegalHold  Kind = "legal_hold"
	Retention  Kind = "retention"
	List       Kind = "list"
	Table      Kind = "table"
	Batch      Kind = "batch"
	Exposure   Kind = "exposure"
)

const leafVersion = 1

// Leaf is an entry of the log. It reveals nothing about a person: Reference is a keyed
// hash, and the person's data is included only as salted hashes.
type Leaf struct {
	Kind Kind
	ID   string // the id of the object in its table
	// At is the time of the event in the format of answers: RFC 3339 in UTC.
	At string
	// Reference represents the person. It is the zero value if the leaf concerns no
	// person.
	Reference sealing.Hash
	// Row is the hash over all data that is stored unencrypted.
	Row sealing.Hash
	// Commitment is the hash over the zones. It is the zero value if there are no
	// zones.
	Commitment sealing.Hash
	// Backfilled means that the leaf was added later, for an object that was stored
	// before the log existed.
	Backfilled bool
}

// Append appends the leaf as canonical JSON (RFC 8785). These bytes are hashed.
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

// The bits of the flags of a packed leaf.
const (
	hasReference = 1 << iota
	hasCommitment
	isBackfilled
)

// kindCodes are the kinds by their number in a packed leaf. The numbers are stored, so
// new kinds must be added at the end.
var kindCodes = []Kind{
	Decision, Review, RuleSet, Activation, Config, Erasure, Rollout, Reopened, Alert, Key, Backtest, Usage, Webhook,
	Scorecard, Blocklist, LegalHold, Retention,
	List, Table, Batch, Exposure,
}

// Pack appends the leaf in the compact form in which it is stored, which takes half the bytes of
// the JSON text. ParseLeaf must accept the leaf, and each of its texts may have at most 255 bytes.
func (l *Leaf) Pack(to []byte) []byte {
	var flags byte
	if l.Reference != (sealing.Hash{}) {
		flags |= hasReference
	}
	if l.Commitment != (sealing.Hash{}) {
		flags |= hasCommitment
	}
	if l.Backfilled {
		flags |= isBackfilled
	}
	to = append(to, leafVersion, byte(slices.Index(kindCodes, l.Kind)), flags)
	to = append(append(to, byte(len(l.ID))), l.ID...)
	to = append(append(to, byte(len(l.At))), l.At...)
	to = append(to, l.Row[:]...)
	if flags&hasReference != 0 {
		to = append(to, l.Reference[:]...)
	}
	if flags&hasCommitment != 0 {
		to = append(to, l.Commitment[:]...)
	}
	return to
}

// UnpackLeaf reads a leaf that Pack wrote. It returns ErrNotALeaf for anything else.
func UnpackLeaf(from []byte) (Leaf, error) {
	const head = 3 // version, kind and flags
	if len(from) < head || from[0] != leafVersion || int(from[1]) >= len(kindCodes) {
		return Leaf{}, ErrNotALeaf
	}
	flags := from[2]
	if flags&^(hasReference|hasCommitment|isBackfilled) != 0 {
		return Leaf{}, ErrNotALeaf
	}
	l := Leaf{Kind: kindCodes[from[1]], Backfilled: flags&isBackfilled != 0}
	rest := from[head:]
	for _, text := range []*string{&l.ID, &l.At} {
		if len(rest) == 0 || len(rest) <= int(rest[0]) {
			return Leaf{}, ErrNotALeaf
		}
		end := 1 + int(rest[0])
		*text, rest = string(rest[1:end]), rest[end:]
	}
	hashes := [...]struct {
		into *sealing.Hash
		has  bool
	}{{&l.Row, true}, {&l.Reference, flags&hasReference != 0}, {&l.Commitment, flags&hasCommitment != 0}}
	for _, h := range hashes {
		if !h.has {
			continue
		}
		if len(rest) < len(h.into) {
			return Leaf{}, ErrNotALeaf
		}
		*h.into, rest = sealing.Hash(rest[:len(h.into)]), rest[len(h.into):]
		if *h.into == (sealing.Hash{}) { // Pack leaves out a hash of zeros, and the row of a leaf is never zero
			return Leaf{}, ErrNotALeaf
		}
	}
	if len(rest) > 0 {
		return Leaf{}, ErrNotALeaf
	}
	return l, nil
}

// appendHash appends a member with the hash in hexadecimal. It appends nothing for the
// zero value.
func appendHash(to []byte, name string, h sealing.Hash) []byte {
	if h == (sealing.Hash{}) {
		return to
	}
	to = append(to, name...)
	to = hex.AppendEncode(to, h[:])
	return append(to, '"')
}

// ErrNotALeaf is the error for bytes that do not have the exact form that Append or Pack writes.
var ErrNotALeaf = errors.New("not a leaf of this version in canonical form")

// ParseLeaf reads a leaf. It accepts only the exact form that Append writes, so that
// every leaf has only one text.
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
	if !slices.Contains(kindCodes, l.Kind) || l.Row == (sealing.Hash{}) || !bytes.Equal(l.Append(nil), text) {
		return Leaf{}, ErrNotALeaf
	}
	return l, nil
}

// hashOf reads a hash. It returns the zero value if the text is not a hash. Append
// never writes the zero value as a hash, so ParseLeaf then finds that the text is
// not canonical.
func hashOf(text string) (h sealing.Hash) {
	if raw, err := hex.DecodeString(text); err == nil && len(raw) == len(h) {
		return sealing.Hash(raw)
	}
	return h
}
