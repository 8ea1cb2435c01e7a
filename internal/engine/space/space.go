package space

import (
	"slices"
	"strings"

	"verdict/internal/exact"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// Field is the index of a field within a Space. Indexes are assigned from 0 on,
// in the order in which fields are placed.
type Field int32

// NoField is the index of a field that a Space does not have.
const NoField Field = -1

// Domain describes the states that one field can have in an application,
// according to the catalogue.
type Domain struct {
	Ref        rule.Ref
	Vocabulary []string    // possible values of a string field, in the order of their codes; empty if open
	Unit       rule.Number // the step between two codes: a millionth, a paisa for rounded amounts, or one
	Given      Set         // the states with a readable value
	All        Set         // Given, and the states without a readable value if the field can have them
	Supply     rule.Supply // the kinds of requests that can contain the field
	Computed   bool        // computed during the decision, not part of a request
	Derived    bool        // derived from other facts before Stage 1
	Scored     bool        // the field is a bureau score, which an applicant who is new to credit never has
}

// Params has the data that a Space needs about the policy or policies whose
// applications it describes.
type Params struct {
	MinScore, MaxScore rule.Number // the range of final_score
	Grades             []string    // the possible values of grade
	IncomeSource       string      // fact that determines income_effective if no other source is given; "" if none
	FOIRSource         string      // fact that determines foir_effective if no other source is given; "" if none
	Tables             []rule.Table
}

// Space is the set of all applications: the fields that conditions name, each with its domain and the codes of its
// values. A field must be placed, by FieldOf or Reads, before its index can be used. The zero value is not ready: call
// Reset first. A Space must not be used by several goroutines at the same time.
type Space struct {
	catalogue *rule.Catalogue
	params    Params
	domains   []Domain
	byID      []uint16 // index+1 by catalogue id; 0 for a field that is not placed
	byName    map[string]Field
	looked    map[string]rule.Ref // the fields that were looked up in lists, by the facts that have the answers
	answers   []answer            // answers of lists and tables, in the order in which they were placed
	texts     map[string]int64    // codes of the texts of open string fields
	textOf    []string
	ntc       Field
	scored    []Field
	sets      Sets // allocates the sets of the domains, which stay valid as long as the space
}

// Reset empties the space and prepares it for another catalogue and other
// policies. It places the field bureau_is_ntc if the catalogue has one. Memory
// is reused, so sets and domains from before the call must no longer be used.
func (s *Space) Reset(catalogue *rule.Catalogue, params Params) {
	s.Clear()
	byID := s.byID
	if cap(byID) < catalogue.Len() {
		byID = make([]uint16, catalogue.Len())
	}
	byID = byID[:catalogue.Len()]
	clear(byID)
	s.catalogue, s.params, s.byID, s.ntc = catalogue, params, byID, NoField
	if s.byName == nil {
		s.byName, s.texts, s.looked = map[string]Field{}, map[string]int64{}, map[string]rule.Ref{}
		s.domains = make([]Domain, 0, 32)
	}
	if id, ok := catalogue.Lookup(field.BureauIsNTC); ok {
		s.ntc = s.FieldOf(rule.Ref{Name: field.BureauIsNTC, ID: id, Type: catalogue.Field(id).Type})
	}
}

// Clear empties the space and drops its references to a policy. The next Reset
// reuses its memory.
func (s *Space) Clear() {
	clear(s.domains)
	clear(s.byName)
	clear(s.texts)
	clear(s.looked)
	clear(s.textOf)
	clear(s.answers)
	s.answers = s.answers[:0]
	s.domains, s.textOf, s.scored = s.domains[:0], s.textOf[:0], s.scored[:0]
	s.sets.block = s.sets.block[:0]
	s.params = Params{}
}

// Size returns the number of fields that the space has memory for, or the number of texts if that is larger. A caller
// that reuses spaces calls Size before Clear, and does not reuse a large space.
func (s *Space) Size() int { return max(len(s.texts), cap(s.domains)) }

// Len returns the number of fields that were placed.
func (s *Space) Len() int { return len(s.domains) }

// Domain returns the domain of a field. The pointer is valid until the next
// call of FieldOf; the sets in it are valid as long as the space.
func (s *Space) Domain(at Field) *Domain { return &s.domains[at] }

// NTC returns the field that says whether an applicant is new to credit, or
// NoField if the catalogue has none.
func (s *Space) NTC() Field { return s.ntc }

// FieldOf returns the index of a field. If the field is new to the space, FieldOf
// assigns an index and computes the domain.
func (s *Space) FieldOf(ref rule.Ref) Field {
	if ref.ID >= 0 {
		if at := s.byID[ref.ID]; at != 0 {
			return Field(at) - 1
		}
	} else if at, ok := s.byName[ref.Name]; ok {
		return at
	}
	d := s.domainOf(ref) // also places the looked-up fields if ref is the answer of a list or a table
	at := Field(len(s.domains))
	s.domains = append(s.domains, d)
	if s.domains[at].Scored {
		s.scored = append(s.scored, at)
	}
	if ref.ID < 0 {
		if keys := s.keysOf(ref); len(keys) > 0 {
			s.answers = append(s.answers, answer{at, keys})
		}
	}
	if ref.ID >= 0 {
		s.byID[ref.ID] = uint16(at) + 1
	} else {
		s.byName[ref.Name] = at
	}
	return at
}

func (s *Space) domainOf(ref rule.Ref) Domain {
	d := Domain{Ref: ref, Unit: 1}
	least, most := -rule.MaxNumber, rule.MaxNumber
	missing := Span{Absent, Absent}
	if ref.ID >= 0 {
		f := s.catalogue.Field(ref.ID)
		d.Supply, d.Scored, d.Vocabulary = f.Supply, f.BureauScored, f.Values
		if f.BoundedBelow {
			least = f.Min
		}
		if f.BoundedAbove {
			most = f.Max
		}
		switch {
		case f.Integer:
			d.Unit = rule.One
		case f.Paise:
			d.Unit = rule.Paisa
		}
	} else if of, ok := s.LookedUp(ref); ok {
		d.Supply = s.Domain(s.FieldOf(of)).Supply
	} else if t, ok := s.Table(ref); ok {
		d.Supply = AnyRequest
		for _, key := range t.Keys {
			d.Supply &= s.Domain(s.FieldOf(key.Field)).Supply
		}
	} else {
		// A request is checked against the type that the policy declares. But stored facts may come from requests for
		// which the path was not declared yet, so the value may have another type.
		missing.Hi = Mistyped
		d.Supply = rule.FromEvaluate
		if strings.HasPrefix(ref.Name, "applicant.") { // both kinds of requests have an applicant
			d.Supply = AnyRequest
		}
	}
	d.Derived = ref.Name == field.IncomeEffective || ref.Name == field.FOIREffective
	always := false
	if d.Supply == rule.FromEngine {
		d.Supply, d.Computed = AnyRequest, true
		switch ref.Name {
		case field.FinalScore:
			least, most, always = s.params.MinScore, s.params.MaxScore, true
		case field.Grade:
			d.Vocabulary, always = s.params.Grades, true
		}
	}
	values := Span{0, mostCode}
	switch {
	case ref.Type == rule.NumberType:
		values = Span{exact.DivCeil(least, d.Unit), exact.DivFloor(most, d.Unit)}
	case ref.Type == rule.BoolType:
		values = Span{False, True}
	case len(d.Vocabulary) > 0:
		values = Span{0, int64(len(d.Vocabulary)) - 1}
	}
	d.All = s.sets.of(missing, values)
	d.Given = d.All[1:]
	if always {
		d.All = d.Given
	}
	return d
}

// AnyRequest is the supply of a field that both kinds of requests can contain.
const AnyRequest = rule.FromDecisions | rule.FromEvaluate

// Code returns the code of a constant that a field is compared with. ok is
// false for a fraction if the field has whole numbers, and for a word outside
// the vocabulary. Code does not check the bounds of a number. A text of an open
// field gets a code the first time it occurs.
func (s *Space) Code(d *Domain, v rule.Value) (code int64, ok bool) {
	switch v.Type() {
	case rule.NumberType:
		return exact.DivFloor(v.Number(), d.Unit), v.Number()%d.Unit == 0
	case rule.BoolType:
		if v.IsTrue() {
			return True, true
		}
		return False, true
	default:
	}
	if len(d.Vocabulary) > 0 {
		at := slices.Index(d.Vocabulary, v.Text())
		return int64(at), at >= 0
	}
	code, ok = s.texts[v.Text()]
	if !ok {
		// The codes that are not assigned yet represent all other texts.
		code = int64(len(s.textOf))
		s.texts[v.Text()] = code
		s.textOf = append(s.textOf, v.Text())
	}
	return code, true
}

// Reads appends to the list the fields whose values a condition reads, except those that are already in list[mark:].
// It places every field that the condition names, including fields whose presence it only tests.
func (s *Space) Reads(c *rule.Condition, list []Field, mark int) []Field {
	for i := range c.Args {
		list = s.Reads(&c.Args[i], list, mark)
	}
	if c.Op == rule.Exists || c.Op == rule.IsAbsent {
		s.FieldOf(c.Left.Field)
		return list
	}
	if c.IsLookup() {
		s.FieldOf(c.Left.Field)
		s.looked[c.Lookup().Fact().Name] = c.Left.Field
		answer := rule.Operand{Kind: rule.FieldOperand, Field: c.Lookup().Fact()}
		return s.operands(&answer, list, mark)
	}
	return s.operands(&c.Right, s.operands(&c.Left, list, mark), mark)
}

// LookedUp returns the field whose value was looked up to get ref. ref must be the answer of a list, or a column of a
// table that has a default and only one key. Such a fact is absent only if the field is absent.
func (s *Space) LookedUp(ref rule.Ref) (field rule.Ref, ok bool) {
	if ref.ID >= 0 {
		return rule.Ref{}, false
	}
	if t, ok := s.Table(ref); ok && t.Default && len(t.Keys) == 1 {
		return t.Keys[0].Field, true
	}
	field, ok = s.looked[ref.Name]
	return field, ok
}

// Table returns the table that has the column ref.
func (s *Space) Table(ref rule.Ref) (*rule.Table, bool) {
	if ref.ID >= 0 || len(s.params.Tables) == 0 {
		return nil, false
	}
	t, _, ok := rule.FindTable(s.params.Tables, ref.Name)
	return t, ok
}

func (s *Space) operands(o *rule.Operand, list []Field, mark int) []Field {
	if o.Kind == rule.FieldOperand {
		if at := s.FieldOf(o.Field); !slices.Contains(list[mark:], at) {
			list = append(list, at)
		}
	}
	for i := range o.Args {
		list = s.operands(&o.Args[i], list, mark)
	}
	return list
}
