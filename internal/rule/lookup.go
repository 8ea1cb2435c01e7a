package rule

import (
	"fmt"
	"slices"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/wire"
)

// Lookup asks whether a list contains the value of a field. The answer is found before the decision, when the facts
// are gathered, and is stored as a fact. So a decision reads no list, and it can be explained and repeated in the same
// way after the list has changed.
type Lookup struct {
	List  string
	Field Ref
}

const (
	listPrefix    = "list."
	versionPrefix = "list_version."
	maxListName   = 64
)

// Fact returns a reference to the fact that has the answer: true if the list contains the value. The fact is absent if
// the field is absent.
func (l Lookup) Fact() Ref {
	return Ref{Name: listPrefix + l.List + "." + l.Field.Name, ID: Undeclared, Type: BoolType}
}

// ListVersionFact returns the name of the fact that has the version of a list in which values were looked up.
func ListVersionFact(list string) string { return versionPrefix + list }

// ListVersion is the version of a list or table in which fields of an application were looked up.
type ListVersion struct {
	Name    string
	Version int64
}

// ParseListFact returns the list and the field of a fact that Lookup.Fact names. It returns false for any other
// name.
func ParseListFact(fact string) (list, field string, ok bool) {
	rest, ok := strings.CutPrefix(fact, listPrefix)
	if !ok {
		return "", "", false
	}
	return strings.Cut(rest, ".")
}

// IsListName reports whether a text can be the name of a list: a lowercase letter, then up to 63 lowercase letters,
// digits and underscores.
func IsListName(name string) bool {
	if name == "" || len(name) > maxListName || name[0] < 'a' || name[0] > 'z' {
		return false
	}
	for i := range len(name) {
		if c := name[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' {
			return false
		}
	}
	return true
}

// ListNameRule describes the names for which IsListName returns true.
const ListNameRule = "a lowercase letter, then at most 63 lowercase letters, digits and underscores"

// IsLookup reports whether the condition is "in_list" or "not_in_list".
func (c *Condition) IsLookup() bool { return c.Op == InList || c.Op == NotInList }

// Lookup returns the lookup of an "in_list" or "not_in_list" condition.
func (c *Condition) Lookup() Lookup { return Lookup{List: c.List, Field: c.Left.Field} }

// Lookups appends the lookups of the condition to list, each once.
func (c *Condition) Lookups(list []Lookup) []Lookup {
	c.Walk(func(n *Condition) {
		if n.IsLookup() && !slices.Contains(list, n.Lookup()) {
			list = append(list, n.Lookup())
		}
	})
	return list
}

// lookup reads "field" and "list".
func (r *reader) lookup(v wire.Value, c *Condition) {
	r.members(v, "op", "field", "list")
	c.Left = r.field(v)
	name := v.Get("list")
	switch {
	case name.Kind() != wire.String:
		r.fail(v, `%q needs "list", the name of a list`, c.Op)
		return
	case !IsListName(name.Text()):
		r.fail(name, "must be the name of a list: %s", ListNameRule)
		return
	}
	c.List = name.Text()
	if c.Left.Kind != FieldOperand {
		return
	}
	ref := c.Left.Field
	if detail := r.scope.unlisted(ref); detail != "" {
		r.faults.Add(v.Get("field").Pointer(), fault.CodeInvalidCondition, "%s", detail)
		return
	}
	if r.scope.List == nil {
		return
	}
	switch t, ok := r.scope.List(c.List); {
	case !ok:
		r.faults.Add(name.Pointer(), fault.CodeUnknownList,
			"no list has this name; PUT /v1/lists/{name} creates one, GET /v1/lists shows those that exist")
	case t != ref.Type:
		r.fail(v, "%s is %s, and the list has values of the type %s", ref.Name, article(ref.Type), t)
	}
}

// unlisted returns the reason why the value of a field cannot be looked up in a list, or "" if it can be.
func (s *Scope) unlisted(ref Ref) string {
	if ref.Type == BoolType {
		return ref.Name + ` is a boolean; use "eq"`
	}
	if _, _, ok := ParseTableFact(ref.Name); ok {
		return ref.Name + " is the column of a table, which is read together with lists; use a field of the request"
	}
	if ref.ID < 0 {
		return ""
	}
	if f := s.Catalogue.Field(ref.ID); f.Supply == FromEngine || f.Late {
		return fmt.Sprintf("%s is computed after lists were read; use a field of the request", ref.Name)
	}
	return ""
}

// NamedLookup is a lookup with the names of its facts, which are computed once.
type NamedLookup struct {
	Lookup
	Fact    string
	Version string // ListVersionFact of the list
}

// Named returns the lookup with the names of its facts.
func (l Lookup) Named() NamedLookup { return NamedLookup{l, l.Fact().Name, ListVersionFact(l.List)} }
