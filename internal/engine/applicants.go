package engine

import (
	"fmt"
	"slices"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// maxApplicants is the maximum number of applicants that one request can score. maxContributions limits the product
// of the number of applicants and the number of factors, because the response lists every contribution.
const (
	maxApplicants    = 1_000
	maxContributions = 50_000
)

// Applicants are the people to be scored. Each applicant has field values by name.
// The values come either from the JSON of a request or from a caller that filled
// them in. They are not checked yet; Read reports their faults.
type Applicants struct {
	input, inputs wire.Value
	values        []rule.NamedValue // values of a single applicant that the caller of OneApplicant filled in
}

// NewApplicants returns the applicants of a request: input is a single applicant,
// inputs is a list. Only one of the two may be given.
func NewApplicants(input, inputs wire.Value) Applicants {
	return Applicants{input: input, inputs: inputs}
}

// OneApplicant returns a single applicant with values that the caller filled in.
func OneApplicant(values []rule.NamedValue) Applicants { return Applicants{values: values} }

// IsList reports whether the applicants were sent as a list.
func (a Applicants) IsList() bool { return a.inputs.Given() && !a.input.Given() }

// Read checks the applicants and returns their facts. The more factors the card
// has, the fewer applicants one call can score. A value that is valid but probably
// a mistake gives a warning.
func (a Applicants) Read(card *Scorecard) (list []*rule.Facts, warnings []fault.Item, err error) {
	most := min(maxApplicants, maxContributions/max(len(card.Factors), 1))
	var doubts, faults fault.List
	r := applicantReader{reads: factorFields(card), doubts: &doubts}
	switch {
	case a.input.Given() && a.inputs.Given():
		faults.Add("/inputs", fault.CodeInvalidField, `give either "input" or "inputs", not both`)
		return nil, nil, faults.Err()
	case a.input.Given():
		facts, err := r.read(a.input)
		return []*rule.Facts{facts}, doubts.Items(), err
	case !a.inputs.Given():
		facts, err := r.filledIn(a.values)
		return []*rule.Facts{facts}, doubts.Items(), err
	case a.inputs.Kind() != wire.Array:
		faults.Add("/inputs", fault.CodeWrongType, "must be a list of objects")
		return nil, nil, faults.Err()
	case a.inputs.Len() > most:
		faults.Add("/inputs", fault.CodeTooMany,
			"has more than %d entries, the maximum for a scorecard of %d factors", most, len(card.Factors))
		return nil, nil, faults.Err()
	}
	list = make([]*rule.Facts, 0, a.inputs.Len())
	for _, v := range a.inputs.Elements() {
		facts, err := r.read(v)
		if fault.KindOf(err) == fault.Invalid {
			for _, item := range fault.Of(err).Items {
				faults.AddItem(item)
			}
		} else if err != nil {
			return nil, nil, err
		}
		list = append(list, facts)
	}
	return list, doubts.Items(), faults.Err()
}

// factorFields lists the fields that a card's factors and their conditions
// read.
func factorFields(card *Scorecard) (names []string) {
	add := func(ref rule.Ref) {
		if !slices.Contains(names, ref.Name) {
			names = append(names, ref.Name)
		}
	}
	for i := range card.Factors {
		add(card.Factors[i].Field)
		if when := card.Factors[i].When; when != nil {
			when.Fields(add)
		}
	}
	return names
}

type applicantReader struct {
	reads  []string // the fields that the card reads
	doubts *fault.List
}

// member is a value of an applicant, either sent in a request or filled in.
type member struct {
	sent wire.Value
	name string // name of a value that was filled in; "" for a value that was sent
}

// Pointer returns the JSON pointer of the value in the request.
func (m member) Pointer() string {
	if m.name != "" {
		return "/input/" + m.name
	}
	return m.sent.Pointer()
}

// read reads one applicant. It rejects a name that is neither a field nor a path that a lender may define, a value of
// the wrong type, and a value outside the field's domain. Without these checks, such a value would be scored as absent
// or in the lowest or highest bin without any error.
func (r *applicantReader) read(v wire.Value) (*rule.Facts, error) {
	facts, err := rule.ReadFacts(v, field.Catalogue())
	if err != nil {
		return nil, err
	}
	var faults fault.List
	for name, sent := range v.Members() {
		if sent.Given() {
			r.check(name, facts.Get(name), member{sent: sent}, &faults)
		}
	}
	return facts, faults.Err()
}

// filledIn does the same as read for an applicant whose values the caller of OneApplicant has
// filled in instead of sending them as JSON.
func (r *applicantReader) filledIn(values []rule.NamedValue) (*rule.Facts, error) {
	facts := rule.NewFacts(field.Catalogue())
	var faults fault.List
	for _, v := range values {
		facts.Set(v.Name, v.Value)
		r.check(v.Name, v.Value, member{name: v.Name}, &faults)
	}
	return facts, faults.Err()
}

func (r *applicantReader) check(name string, value rule.Value, at member, faults *fault.List) {
	id, known := field.Catalogue().Lookup(name)
	_, _, column := rule.ParseTableFact(name) // scoring reads no table, so the caller sends the columns of tables
	switch {
	case !known && !column && !field.Declarable(name):
		faults.Add(at.Pointer(), fault.CodeUnknownField,
			"is not a field a scorecard can read%s", nearestField(name, faults))
	case !known:
		r.unread(name, at)
	default:
		r.known(field.Catalogue().Field(id), value, at, faults)
	}
}

// nearestField returns a hint with the most similar known name. It returns "" if
// there is no similar name, or if there are already so many faults that the search
// is skipped.
func nearestField(name string, faults *fault.List) string {
	if faults.SkipHints() {
		return ""
	}
	if near, ok := field.Catalogue().Nearest(name); ok {
		return "; did you mean " + near + "?"
	}
	return ""
}

// unread adds a warning if no factor reads the field with the given name. That name is a path that a lender may
// define.
func (r *applicantReader) unread(name string, at member) {
	if slices.Contains(r.reads, name) {
		return
	}
	hint := ""
	if near, ok := fault.Nearest(name, slices.Values(r.reads)); ok {
		hint = "; did you mean " + near + "?"
	}
	r.doubts.Add(at.Pointer(), fault.CodeUnknownField,
		"no factor of the scorecard reads this, and it was ignored%s", hint)
}

// known checks a value against the catalogue.
func (r *applicantReader) known(f *rule.Field, value rule.Value, at member, faults *fault.List) {
	pair, paired := field.PairOf(f.Name)
	switch {
	case value.Type() != f.Type:
		faults.Add(at.Pointer(), fault.CodeWrongType, "must be a %s", f.Type)
	case f.Type == rule.StringType && len(f.Values) > 0 && !slices.Contains(f.Values, value.Text()):
		faults.Add(at.Pointer(), fault.CodeOutOfRange, "must be one of %s", strings.Join(f.Values, ", "))
	case f.Type == rule.NumberType && outside(f, value.Number()):
		unit := ""
		if paired {
			unit = fmt.Sprintf("; it is %s, where %s means %s", pair.UnitOf(f.Name), pair.Example(f.Name), pair.Meaning)
		}
		faults.Add(at.Pointer(), fault.CodeOutOfRange, "must be %s%s", domainText(f), unit)
	case f.Type == rule.NumberType && paired && pair.Foreign(f.Name, value.Number()):
		r.doubts.Add(at.Pointer(), fault.CodeUnitDoubtful, "was read unchanged, as %s, where %s means %s",
			pair.UnitOf(f.Name), pair.Example(f.Name), pair.Meaning)
	}
}

// outside reports whether the number n is outside the domain of the field f.
func outside(f *rule.Field, n rule.Number) bool {
	return f.BoundedBelow && n < f.Min || f.BoundedAbove && n > f.Max || f.Integer && n%rule.One != 0
}

// domainText returns a text about which numbers a field can have.
func domainText(f *rule.Field) string {
	noun := "a number"
	if f.Integer {
		noun = "a whole number"
	}
	switch {
	case f.BoundedBelow && f.BoundedAbove:
		return fmt.Sprintf("%s from %s to %s", noun, f.Min, f.Max)
	case f.BoundedBelow:
		return fmt.Sprintf("%s from %s on", noun, f.Min)
	case f.BoundedAbove:
		return fmt.Sprintf("%s up to %s", noun, f.Max)
	default:
		return noun
	}
}
