package policytest

import (
	"bytes"
	"fmt"
	"slices"

	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// pincodeFacts are the facts that the service finds in the tenant's table of pincodes.
var pincodeFacts = []string{"location_pincode_risk", "location_pincode_risk_score"}

// IsServiceFact reports whether the service finds a fact in its stored data: in earlier applications, in the block
// list, in the tenant's pincodes, or in the lender's earlier decisions and loans. No application states such a fact,
// so the case states it.
func IsServiceFact(name string) bool {
	id, ok := field.Catalogue().Lookup(name)
	switch {
	case !ok || name == field.OwnReference:
		return false
	case slices.Contains(pincodeFacts, name) || field.IsOwnOfAnybody(name), field.IsFraudOfOther(name):
		return true
	default:
		return field.Catalogue().Field(id).Group == "fraud"
	}
}

// readFacts reads the facts of a case that the service would find.
func readFacts(v wire.Value, faults *fault.List) (list []rule.NamedValue) {
	if v.Kind() != wire.Object {
		faults.Add(v.Pointer(), fault.CodeWrongType, "must be an object, but is %s", v.Kind())
		return nil
	}
	for name, member := range v.Members() {
		if !IsServiceFact(name) {
			faults.Add(member.Pointer(), fault.CodeUnknownField,
				"must be a fact that the service takes from its own data, such as fraud_blocklisted, "+
					"own_outstanding or location_pincode_risk; all other facts are part of the application%s",
				likely(name))
			continue
		}
		id, _ := field.Catalogue().Lookup(name)
		f := field.Catalogue().Field(id)
		value, ok := rule.ReadValue(member)
		switch {
		case !ok || value.Type() != f.Type:
			faults.Add(member.Pointer(), fault.CodeWrongType, "must be a %s, but is %s", f.Type, member.Kind())
		case !possible(f, value):
			faults.Add(member.Pointer(), fault.CodeOutOfRange, "is not a value of the field; see docs/FIELDS.md")
		default:
			list = append(list, rule.NamedValue{Name: name, Value: value})
		}
	}
	return list
}

// likely returns the end of the message about an unknown fact, with the fact that was probably meant, or "".
func likely(name string) string {
	if near, ok := field.Catalogue().Nearest(name); ok && IsServiceFact(near) {
		return "; did you mean " + near + "?"
	}
	return ""
}

// possible reports whether a field can have a value.
func possible(f *rule.Field, v rule.Value) bool {
	switch f.Type {
	case rule.NumberType:
		n := v.Number()
		return !(f.BoundedBelow && n < f.Min || f.BoundedAbove && n > f.Max || f.Integer && !n.HasPlaces(0))
	case rule.StringType:
		return len(f.Values) == 0 || slices.Contains(f.Values, v.Text())
	default:
		return true
	}
}

// Facts formats facts that the service would find. It returns the JSON object for FactsSection, with one fact per
// line.
func Facts(list []rule.NamedValue) []byte {
	var b bytes.Buffer
	b.WriteString("{")
	for i, f := range list {
		var w wire.Writer
		f.Value.Write(&w)
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, "\n  %q: %s", f.Name, w.Buf)
	}
	b.WriteString("\n}\n")
	return b.Bytes()
}
