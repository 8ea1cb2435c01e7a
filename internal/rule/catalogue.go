package rule

import (
	"cmp"
	"fmt"
	"slices"

	"verdict/internal/fault"
)

// FieldID is a field's place in its catalogue. Facts carry ids, so that the
// way from a request to a plan's slot is an array index and no string is
// hashed on the way.
type FieldID int32

// Undeclared is the id of a name that no catalogue knows: an input that one
// policy declares for itself.
const Undeclared FieldID = -1

// Supply says which requests can carry a field.
type Supply uint8

// The ways a field reaches the engine.
const (
	FromDecisions Supply = 1 << iota // POST /v1/decisions
	FromEvaluate                     // POST /v1/evaluate
	FromEngine                       // computed while deciding: Stage 2 only
)

// Field describes one name a condition may use.
type Field struct {
	Name    string
	Type    Type
	Group   string // the block or part of the request it belongs to
	Unit    string
	Meaning string
	Supply  Supply

	// Min and Max are the least and greatest value a request can carry;
	// BoundedBelow and BoundedAbove say which of them hold.
	Min, Max     Number
	BoundedBelow bool
	BoundedAbove bool
	Integer      bool

	// Values is the closed vocabulary of a string field, empty when open.
	Values []string

	// Core marks the fields that nearly every application carries and most
	// knockouts stand on: a rule that goes silent without one is worth a word.
	Core bool

	// BureauScored marks fields that are absent by definition for an
	// applicant who is new to credit.
	BureauScored bool

	// Semantics is the first semantics whose policies may name the field; 0
	// and 1 are every policy. A field that the engine derives from others came
	// with the semantics that defined it.
	Semantics int

	// ReasonCode is given for points lost on this field when the policy
	// names none.
	ReasonCode string
}

// Catalogue knows every name, its type and its meaning. It is immutable.
type Catalogue struct {
	fields []Field
	ids    map[string]FieldID
	ranks  []int32 // by id: the field's place among all names in their order
}

// NewCatalogue indexes the fields. Two alike names are an error: which of
// them a rule meant would be anyone's guess.
func NewCatalogue(fields []Field) (*Catalogue, error) {
	c := &Catalogue{fields: fields, ids: make(map[string]FieldID, len(fields))}
	for i := range fields {
		name := fields[i].Name
		if _, dup := c.ids[name]; dup {
			return nil, fmt.Errorf("catalogue: the field %s is defined twice", name)
		}
		c.ids[name] = FieldID(i)
	}
	byName := make([]FieldID, len(fields))
	for i := range byName {
		byName[i] = FieldID(i)
	}
	slices.SortFunc(byName, func(a, b FieldID) int { return cmp.Compare(fields[a].Name, fields[b].Name) })
	c.ranks = make([]int32, len(fields))
	for rank, id := range byName {
		c.ranks[id] = int32(rank)
	}
	return c, nil
}

// Len is the number of fields; ids run from 0 to Len()-1.
func (c *Catalogue) Len() int { return len(c.fields) }

// Field returns the description behind an id.
func (c *Catalogue) Field(id FieldID) *Field { return &c.fields[id] }

// Lookup finds a name.
func (c *Catalogue) Lookup(name string) (FieldID, bool) {
	id, ok := c.ids[name]
	return id, ok
}

// Nearest returns the known name closest to a misspelt one, when one is close
// enough to be worth suggesting.
func (c *Catalogue) Nearest(name string) (string, bool) { return fault.Nearest(name, c.names) }

// names yields every name in the order of the catalogue.
func (c *Catalogue) names(yield func(string) bool) {
	for i := range c.fields {
		if !yield(c.fields[i].Name) {
			return
		}
	}
}

// Nearest returns the candidate closest to a misspelt name, for names that are
// not of the catalogue.
func Nearest(name string, candidates []string) (string, bool) {
	return fault.Nearest(name, slices.Values(candidates))
}

// Meant returns the known name that an unknown one was probably meant to be, ""
// when none is close. A name that differs in case alone is always found; terse
// leaves out the search for others.
func Meant(name string, known []string, terse bool) (meant string, caseOnly bool) {
	return fault.Meant(name, known, terse)
}
