package policydesk

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/operation"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// readInputs reads the applicants to score: objects of field names and values.
// A card of many factors takes fewer of them. What is legal and looks like a
// mistake is a warning.
func readInputs(body wire.Value, card *engine.Scorecard) (list []*rule.Facts, warnings []fault.Item, err error) {
	one, many := body.Get("input"), body.Get("inputs")
	most := min(maxInputs, maxContributions/max(len(card.Factors), 1))
	var doubts fault.List
	r := inputReader{reads: factorFields(card), doubts: &doubts}
	switch {
	case one.Given() && many.Given():
		return nil, nil, operation.Invalid("/inputs", fault.CodeInvalidField, "give either input or inputs")
	case one.Given():
		facts, err := r.input(one)
		return []*rule.Facts{facts}, doubts.Items(), err
	case many.Kind() != wire.Array:
		return nil, nil, operation.Invalid("/inputs", fault.CodeWrongType, "must be a list of objects")
	case many.Len() > most:
		return nil, nil, operation.Invalid("/inputs", fault.CodeTooMany,
			fmt.Sprintf("has more than %d entries, the most for a scorecard of %d factors", most, len(card.Factors)))
	}
	list = make([]*rule.Facts, 0, many.Len())
	var faults fault.List
	for _, v := range many.Elements() {
		facts, err := r.input(v)
		var refusal *fault.Error
		if errors.As(err, &refusal) && refusal.Kind == fault.Invalid {
			operation.AddAll(&faults, refusal.Items)
		} else if err != nil {
			return nil, nil, err
		}
		list = append(list, facts)
	}
	return list, doubts.Items(), faults.Err()
}

// factorFields lists the fields that a card's factors and their conditions
// read.
func factorFields(card *engine.Scorecard) (names []string) {
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

type inputReader struct {
	reads  []string // the fields that the card reads
	doubts *fault.List
}

// input reads one applicant. It refuses a name that is no field's, a value of
// the wrong type and one outside the field's domain: scored as absent, or in
// the bin at the end, they would pass unnoticed.
func (r *inputReader) input(v wire.Value) (*rule.Facts, error) {
	facts, err := rule.ReadFacts(v, field.Catalogue())
	if err != nil {
		return nil, err
	}
	var faults fault.List
	for name, member := range v.Members() {
		if !member.Given() {
			continue
		}
		id, known := field.Catalogue().Lookup(name)
		switch {
		case !known && !field.Declarable(name):
			faults.Add(member.Pointer(), fault.CodeUnknownField, "is not a field a scorecard can read%s", nearestField(name, &faults))
		case !known:
			r.unread(name, member)
		default:
			r.known(field.Catalogue().Field(id), facts.Get(name), member, &faults)
		}
	}
	return facts, faults.Err()
}

// nearestField hints at a known name, unless there are too many faults already
// for a search.
func nearestField(name string, faults *fault.List) string {
	if faults.Terse() {
		return ""
	}
	if near, ok := field.Catalogue().Nearest(name); ok {
		return "; did you mean " + near + "?"
	}
	return ""
}

// unread warns of a path of the lender's own that no factor reads.
func (r *inputReader) unread(name string, v wire.Value) {
	if slices.Contains(r.reads, name) {
		return
	}
	hint := ""
	if near, ok := fault.Nearest(name, slices.Values(r.reads)); ok {
		hint = "; did you mean " + near + "?"
	}
	r.doubts.Add(v.Pointer(), fault.CodeUnknownField, "no factor of the scorecard reads this, and it was ignored%s", hint)
}

// known checks a value against the catalogue.
func (r *inputReader) known(f *rule.Field, value rule.Value, v wire.Value, faults *fault.List) {
	pair, paired := field.PairOf(f.Name)
	switch {
	case value.Type() != f.Type:
		faults.Add(v.Pointer(), fault.CodeWrongType, "must be a %s", f.Type)
	case f.Type == rule.StringType && len(f.Values) > 0 && !slices.Contains(f.Values, value.Text()):
		faults.Add(v.Pointer(), fault.CodeOutOfRange, "must be one of %s", strings.Join(f.Values, ", "))
	case f.Type == rule.NumberType && outside(f, value.Number()):
		unit := ""
		if paired {
			unit = fmt.Sprintf("; it is %s, where %s means %s", pair.UnitOf(f.Name), pair.Example(f.Name), pair.Meaning)
		}
		faults.Add(v.Pointer(), fault.CodeOutOfRange, "must be %s%s", domainText(f), unit)
	case f.Type == rule.NumberType && paired && pair.Foreign(f.Name, value.Number()):
		r.doubts.Add(v.Pointer(), fault.CodeUnitDoubtful, "was read as it stands, as %s, where %s means %s",
			pair.UnitOf(f.Name), pair.Example(f.Name), pair.Meaning)
	}
}

// outside reports whether no request can carry a number in a field.
func outside(f *rule.Field, n rule.Number) bool {
	return f.BoundedBelow && n < f.Min || f.BoundedAbove && n > f.Max || f.Integer && n%rule.One != 0
}

// domainText says which numbers a field takes.
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

// writeInputWarnings writes what is doubtful about the inputs; nothing when
// nothing is.
func writeInputWarnings(w *wire.Writer, warnings []fault.Item) {
	if len(warnings) == 0 {
		return
	}
	w.Key("warnings").Array()
	for _, item := range warnings {
		w.Object().Key("code").String(item.Code).Key("pointer").String(item.Pointer).Key("detail").String(item.Detail).EndObject()
	}
	w.EndArray()
}
