package capsule

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strings"
	"time"
	"unicode"

	"verdict/internal/evidence"
	"verdict/internal/sealing"
	"verdict/internal/wire"
)

// Capsule is a stored decision with its evidence.
type Capsule struct {
	Row      evidence.Row
	Answer   []byte // the stored answer
	Facts    []byte // the stored facts, without those in People
	People   []Person
	Features *Features
	Policy   []byte // the document that the policy's checksum covers
	Salts    []Salt // by zone
	Leaf     evidence.Leaf
	Proof    []byte // C2SP tlog-proof
}

// Features is the stored feature vector of a decision.
type Features struct {
	AsOf, Hash     string
	Vector, Source []byte
}

// Person has the stored facts about a person other than the primary applicant. They are a zone of their own.
type Person struct {
	Zone  sealing.Zone
	Facts []byte
}

// NewPerson returns the facts about the person with a role. The zone has the name of the role.
func NewPerson(role string, facts []byte) Person {
	zone, _ := sealing.ZoneNamed(role)
	return Person{Zone: zone, Facts: facts}
}

// Salt is the salt of a zone.
type Salt struct {
	Zone sealing.Zone
	Salt sealing.Salt
}

// version is the version of the format of capsules.
const version = 2

// firstVersion is the version of capsules without the facts of several people. Programs that know only the first
// version can check such capsules, too.
const firstVersion = 1

func (c *Capsule) version() int64 {
	if len(c.People) > 0 {
		return version
	}
	return firstVersion
}

// timeFormat is RFC 3339 with microseconds, as times are stored.
const timeFormat = "2006-01-02T15:04:05.000000Z07:00"

// MaxSize is the maximum size of a capsule in bytes.
const MaxSize = 32 << 20

// Append appends the capsule as JSON. A capsule has only one form, so that no byte of a
// file can be changed without notice.
func (c *Capsule) Append(to []byte) []byte {
	w := wire.Writer{Buf: to}
	w.Object().Key("capsule").Int(c.version())
	r := &c.Row
	w.Key("decision").Object()
	w.Key("id").String(r.ID)
	w.Key("tenant_id").String(r.Tenant)
	w.Key("environment").String(r.Environment)
	w.Key("created_at").String(time.UnixMicro(r.CreatedMicros).UTC().Format(timeFormat))
	w.Key("status").String(r.Status)
	w.Key("grade").String(r.Grade)
	w.Key("policy_key").String(r.PolicyKey)
	w.Key("rule_set_id").String(r.PolicyID)
	w.Key("policy_version").Int(r.PolicyVersion)
	w.Key("endpoint").String(r.Endpoint)
	w.Key("engine_version").String(r.EngineVersion)
	w.Key("decision_hash").String(r.DecisionHash)
	w.Key("actor").String(r.Actor)
	w.Key("plain").String(r.Plain)
	w.EndObject()
	w.Key("answer").Raw(c.Answer)
	w.Key("facts").Raw(c.Facts)
	if len(c.People) > 0 {
		w.Key("people").Object()
		for _, p := range c.People {
			w.Key(p.Zone.String()).Raw(p.Facts)
		}
		w.EndObject()
	}
	if f := c.Features; f != nil {
		w.Key("features").Object().Key("as_of").String(f.AsOf).Key("hash").String(f.Hash)
		w.Key("vector").String(base64.StdEncoding.EncodeToString(f.Vector))
		w.Key("source").String(base64.StdEncoding.EncodeToString(f.Source)).EndObject()
	}
	w.Key("policy").Raw(c.Policy)
	w.Key("salts").Object()
	for _, s := range c.Salts {
		w.Key(s.Zone.String()).String(hex.EncodeToString(s.Salt[:]))
	}
	w.EndObject()
	w.Key("leaf").Raw(c.Leaf.Append(nil))
	w.Key("proof").String(string(c.Proof))
	w.EndObject()
	return w.Buf
}

// The errors of Parse.
var (
	ErrTooLarge     = errors.New("the file is larger than a capsule can be")
	ErrNotACapsule  = errors.New("the file is not a capsule, or was altered; download it again and store it unchanged")
	ErrLaterVersion = errors.New("the capsule has the format of a later version; check it with that version of verdict")
)

// Parse reads a capsule. It accepts only the exact form that Append writes. It verifies
// nothing else.
func Parse(text []byte) (*Capsule, error) {
	if len(text) > MaxSize {
		return nil, ErrTooLarge
	}
	text = bytes.TrimSuffix(text, []byte("\n"))
	v, err := wire.Parse(text)
	if err != nil || v.Kind() != wire.Object {
		return nil, ErrNotACapsule
	}
	if n := integer(v.Get("capsule")); n > version {
		return nil, ErrLaterVersion
	}
	d := v.Get("decision")
	c := &Capsule{
		Row: evidence.Row{
			Tenant:        d.Get("tenant_id").Text(),
			Environment:   d.Get("environment").Text(),
			ID:            d.Get("id").Text(),
			CreatedMicros: micros(d.Get("created_at")),
			Status:        d.Get("status").Text(),
			Grade:         d.Get("grade").Text(),
			PolicyKey:     d.Get("policy_key").Text(),
			PolicyID:      d.Get("rule_set_id").Text(),
			PolicyVersion: integer(d.Get("policy_version")),
			Endpoint:      d.Get("endpoint").Text(),
			EngineVersion: d.Get("engine_version").Text(),
			DecisionHash:  d.Get("decision_hash").Text(),
			Actor:         d.Get("actor").Text(),
			Plain:         d.Get("plain").Text(),
		},
		Answer: bytesOf(v.Get("answer")),
		Facts:  bytesOf(v.Get("facts")),
		Policy: bytesOf(v.Get("policy")),
		Proof:  []byte(v.Get("proof").Text()),
	}
	if f := v.Get("features"); f.Kind() == wire.Object {
		c.Features = &Features{AsOf: f.Get("as_of").Text(), Hash: f.Get("hash").Text()}
		for name, to := range map[string]*[]byte{"vector": &c.Features.Vector, "source": &c.Features.Source} {
			if *to, err = base64.StdEncoding.DecodeString(f.Get(name).Text()); err != nil {
				return nil, ErrNotACapsule
			}
		}
	}
	for name, member := range v.Get("people").Members() {
		zone, known := sealing.ZoneNamed(name)
		if !known {
			return nil, ErrNotACapsule
		}
		c.People = append(c.People, Person{zone, bytesOf(member)})
	}
	for name, member := range v.Get("salts").Members() {
		zone, known := sealing.ZoneNamed(name)
		raw, err := hex.DecodeString(member.Text())
		if !known || err != nil || len(raw) != sealing.SaltSize {
			return nil, ErrNotACapsule
		}
		c.Salts = append(c.Salts, Salt{zone, sealing.Salt(raw)})
	}
	if c.Leaf, err = evidence.ParseLeaf(bytesOf(v.Get("leaf"))); err != nil {
		return nil, ErrNotACapsule
	}
	if !bytes.Equal(c.Append(nil), text) || hasControls(&c.Row) {
		return nil, ErrNotACapsule
	}
	return c, nil
}

// hasControls reports whether a column contains control characters. With control characters, a capsule could forge
// the output of a program that prints the column.
func hasControls(r *evidence.Row) bool {
	for _, column := range []string{
		r.Tenant, r.Environment, r.ID, r.Status, r.Grade, r.PolicyKey, r.PolicyID, r.Endpoint, r.EngineVersion,
		r.DecisionHash, r.Actor, r.Plain,
	} {
		if strings.ContainsFunc(column, isControl) {
			return true
		}
	}
	return false
}

func isControl(c rune) bool { return unicode.IsControl(c) || unicode.In(c, unicode.Cf) }

// bytesOf returns a value as JSON without spaces, as the service writes it.
func bytesOf(v wire.Value) []byte {
	if v.Kind() == wire.Missing {
		return nil
	}
	var w wire.Writer
	w.Value(v)
	return w.Buf
}

// micros returns a time in microseconds, or 0 if the value is not a time.
func micros(v wire.Value) int64 {
	t, err := time.Parse(timeFormat, v.Text())
	if err != nil {
		return 0
	}
	return t.UnixMicro()
}

// integer returns a number, or 0 if the value is not an integer. Parse then finds that
// the text is not in the form of Append.
func integer(v wire.Value) int64 {
	kind, text := v.Scalar()
	if kind != wire.Number {
		return 0
	}
	n, exact, ok := wire.ParseDecimal(text, 0)
	if !exact || !ok {
		return 0
	}
	return n
}
