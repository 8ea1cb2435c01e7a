package capsule

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"time"

	"verdict/internal/engine"
	"verdict/internal/evidence"
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/sealing"
	"verdict/internal/wire"
)

// Report is the result of checking a capsule.
type Report struct {
	// Decided is nil if the engine made the same decision again from the facts and the policy.
	// Otherwise it says why not.
	Decided error
	// Logged is nil if the decision is in the log with exactly this content. Otherwise it says why
	// not.
	Logged     error
	Checkpoint evidence.Checkpoint // the size and root of the log, if Logged is nil
	// Replaced says when the key that has signed the checkpoint was replaced. It is "" if that key
	// is the present key.
	Replaced string
	Seen     []Seen // the witnesses that have signed the checkpoint
}

// Seen says that a witness has signed the checkpoint.
type Seen struct {
	Witness string
	At      time.Time
}

// Check checks a capsule with the public keys of the log and of witnesses.
func (c *Capsule) Check(log *evidence.LogKeys, witnesses []evidence.WitnessKey) Report {
	r := Report{Decided: c.decideAgain()}
	proof, err := c.logged(log, &r)
	if r.Logged = err; err != nil {
		return r
	}
	for _, w := range witnesses {
		if at := evidence.Cosigned(proof.Checkpoint, w); at > 0 {
			r.Seen = append(r.Seen, Seen{Witness: w.Name, At: time.Unix(at, 0).UTC()})
		}
	}
	return r
}

// logged returns the proof, and sets the checkpoint in the report, if the decision is in the
// log with exactly this content. Otherwise it returns why not.
func (c *Capsule) logged(log *evidence.LogKeys, r *Report) (evidence.Proof, error) {
	if err := c.matchesLeaf(); err != nil {
		return evidence.Proof{}, err
	}
	proof, err := evidence.ParseProof(c.Proof)
	if err != nil {
		return evidence.Proof{}, err
	}
	checkpoint, replaced, err := log.Open(proof.Checkpoint)
	if err == nil {
		err = proof.Includes(c.Leaf.Append(nil), checkpoint)
	}
	if err != nil {
		return evidence.Proof{}, err
	}
	if scope, _, _ := strings.Cut(checkpoint.Origin, "#"); scope != "verdict/"+c.Row.Tenant+"/"+c.Row.Environment {
		return evidence.Proof{}, errors.New("the decision belongs to another tenant or environment than the log")
	}
	r.Checkpoint, r.Replaced = checkpoint, replaced
	return proof, nil
}

// decideAgain returns nil if the engine makes the same decision again, and the answer belongs to
// that decision.
func (c *Capsule) decideAgain() error {
	answer, err := wire.Parse(c.Answer)
	if err != nil {
		return errors.New("the answer cannot be read")
	}
	r := &c.Row
	if answer.Get("decision_id").Text() != r.ID || answer.Get("environment").Text() != r.Environment ||
		answer.Get("status").Text() != r.Status || answer.Get("grade").Text() != r.Grade ||
		answer.Get("policy").Get("id").Text() != r.PolicyID ||
		integer(answer.Get("policy").Get("version")) != r.PolicyVersion ||
		answer.Get("created_at").Text() != evidence.At(r.CreatedMicros) {
		return errors.New("the answer does not match the decision")
	}
	checksum := sha256.Sum256(c.Policy)
	if "sha256:"+hex.EncodeToString(checksum[:]) != answer.Get("policy").Get("checksum").Text() {
		return errors.New("the policy is not the one with which the decision was made")
	}
	policy, err := engine.ParsePolicy(c.Policy, engine.Sources{Catalogue: field.Catalogue(), Unnamed: true})
	if err != nil {
		return errors.New("this version of the program cannot read the policy")
	}
	facts, err := c.allFacts()
	if err != nil {
		return errors.New("the facts cannot be read")
	}
	var d engine.Decision
	engine.Compile(policy, field.Catalogue()).Decide(facts, &d)
	switch {
	case d.Status.String() != c.Row.Status || d.Grade != c.Row.Grade || d.Hash() != c.Row.DecisionHash:
		return errors.New("the policy decides differently on these facts")
	case engine.ResponseHash(answer) != c.Row.DecisionHash:
		return errors.New("the answer does not match the decision")
	}
	return nil
}

// allFacts returns the facts of all people.
func (c *Capsule) allFacts() (*rule.Facts, error) {
	facts := rule.NewFacts(field.Catalogue())
	documents := [][]byte{c.Facts}
	for _, p := range c.People {
		documents = append(documents, p.Facts)
	}
	for _, text := range documents {
		document, err := wire.Parse(text)
		if err != nil {
			return nil, err
		}
		read, err := rule.ReadFacts(document, field.Catalogue())
		if err != nil {
			return nil, err
		}
		for _, fact := range read.Sorted() {
			facts.Set(fact.Name, fact.Value)
		}
	}
	return facts, nil
}

// matchesLeaf returns nil if the leaf matches all columns, the answer, the facts and the features
// of this decision.
func (c *Capsule) matchesLeaf() error {
	row, _ := c.Row.AppendHash(nil)
	if c.Leaf.Kind != evidence.Decision || c.Leaf.ID != c.Row.ID || c.Leaf.Row != row ||
		c.Leaf.At != evidence.At(c.Row.CreatedMicros) {
		return errors.New("the leaf does not match this decision")
	}
	plain, err := wire.Parse([]byte(c.Row.Plain))
	if err != nil {
		return errors.New(`the hashes of the decision ("plain") cannot be read`)
	}
	// Every part needs its hash, because a part without a hash could be anything.
	zones := []sealing.Zone{sealing.Response, sealing.Combined}
	if c.Features != nil {
		zones = []sealing.Zone{sealing.Response, sealing.History, sealing.Features, sealing.Combined}
	}
	for _, p := range c.People {
		zones = append(zones, p.Zone)
	}
	if len(c.Salts) != len(zones) || plain.Get("zones").Len() != len(zones) ||
		(plain.Get("features").Kind() == wire.Object) != (c.Features != nil) {
		return errors.New("the capsule has other parts than the decision")
	}
	var hashes []sealing.ZoneHash
	for i, s := range c.Salts {
		if s.Zone != zones[i] {
			return errors.New("the capsule has other parts than the decision")
		}
		hash := sealing.HashZone(s.Zone, s.Salt, c.zone(s.Zone))
		if plain.Get("zones").Get(s.Zone.String()).Text() != hex.EncodeToString(hash[:]) {
			return errors.New("the answer, the facts or the features do not match the leaf")
		}
		hashes = append(hashes, sealing.ZoneHash{Zone: s.Zone, Hash: hash})
	}
	if sealing.Commitment(hashes) != c.Leaf.Commitment {
		return errors.New("the answer, the facts or the features do not match the leaf")
	}
	if f := c.Features; f != nil {
		stored := plain.Get("features")
		if stored.Get("as_of").Text() != f.AsOf || stored.Get("hash").Text() != f.Hash {
			return errors.New("the date or the hash of the features does not match the leaf")
		}
	}
	return nil
}

// zone returns the data of a zone.
func (c *Capsule) zone(z sealing.Zone) []byte {
	switch z {
	case sealing.Response:
		return c.Answer
	case sealing.Combined:
		return c.Facts
	case sealing.History:
		return c.Features.Source
	case sealing.Features:
		return c.Features.Vector
	default:
		for _, p := range c.People {
			if p.Zone == z {
				return p.Facts
			}
		}
		return nil
	}
}
