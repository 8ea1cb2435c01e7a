package rule

import (
	"cmp"
	"fmt"
	"slices"

	"verdict/internal/fault"
)

// FieldID is a field's index in its catalogue. Facts store ids, so that finding
// the slot of a fact is an array lookup and hashes no string.
type FieldID int32

// Undeclared is the id of a name that is not in the catalogue: an input that a
// policy declares itself.
const Undeclared FieldID = -1

// Supply is the set of sources that can give a field its value: the two kinds
// of requests and the engine itself.
type Supply uint8

// The sources of a field's value.
const (
	FromDecisions Supply = 1 << iota // POST /v1/decisions
	FromEvaluate                     // POST /v1/evaluate
	FromEngine                       // computed during the decision; Stage 2 only
)

// Field describes a name that a condition may use.
type Field struct {
	Name    string
	Type    Type
	Group   string // the section of the catalogue that lists the field, such as "bureau" or "device.*"
	Unit    string
	Meaning string
	Supply  Supply

	// Min and Max are the smallest and largest value that a request may send.
	// Min applies only if BoundedBelow is set, Max only if BoundedAbove is set.
	Min, Max     Number
	BoundedBelow bool
	BoundedAbove bool
	Integer      bool

	// Paise marks amounts that are rounded to the paisa when a request or a file is read, so that a fact never has
	// more than two decimals.
	Paise bool

	// Values lists all possible values of a string field. It is empty if any
	// string is possible.
	Values []string

	// Core marks the fields that nearly every application has and that most knockouts read. If the absence of such a
	// field makes a rule not apply, package analysis warns about the rule.
	Core bool

	// BureauScored marks fields that are absent by definition for an
	// applicant who is new to credit.
	BureauScored bool

	// Semantics is the first semantics whose policies may name the field. 0 and 1 both mean every policy. A field
	// that the engine derives from other fields is known only in the semantics that introduced it and in later ones.
	Semantics int

	// Late marks fields that are computed after lists were read: counts that are made in the transaction that stores
	// the decision, figures that the engine derives, and features. Their values cannot be looked up in a list.
	Late bool

	// ReasonCode is the field's default reason code. It is used if the policy
	// names no code.
	ReasonCode string
}

// Catalogue has the description of every known field. It is immutable.
type Catalogue struct {
	fields []Field
	ids    map[string]FieldID
	ranks  []int32 // by id: the field's position among all names in sorted order
}

// NewCatalogue returns a catalogue of the fields, whose ids are their indexes.
// It returns an error if two fields have the same name, because a rule that
// uses the name would be ambiguous.
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

// Len returns the number of fields. Ids run from 0 to Len()-1.
func (c *Catalogue) Len() int { return len(c.fields) }

// Field returns the description of the field with the given id, which must
// exist.
func (c *Catalogue) Field(id FieldID) *Field { return &c.fields[id] }

// Lookup returns the id of the field with this name. It returns false if there
// is none.
func (c *Catalogue) Lookup(name string) (FieldID, bool) {
	id, ok := c.ids[name]
	return id, ok
}

// Nearest returns the catalogue name that is most similar to a misspelt one. It
// returns false if no name is similar enough to suggest.
func (c *Catalogue) Nearest(name string) (string, bool) { return fault.Nearest(name, c.names) }

// names yields every name in catalogue order.
func (c *Catalogue) names(yield func(string) bool) {
	for i := range c.fields {
		if !yield(c.fields[i].Name) {
			return
		}
	}
}
