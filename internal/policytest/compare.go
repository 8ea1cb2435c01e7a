package policytest

import (
	"slices"
	"strconv"
	"strings"

	"verdict/internal/wire"
)

// The parts of a decision that have a short name.
const (
	statusPart     = "status"
	gradePart      = "grade"
	scorePart      = "score"
	limitPart      = "limit"
	ratePart       = "rate"
	reasonsPart    = "reasons"
	hitsPart       = "hits"
	conditionsPart = "conditions"
)

var partNames = []string{
	statusPart, gradePart, scorePart, limitPart, ratePart, reasonsPart, hitsPart, conditionsPart,
}

// paths has the paths of the short names that stand for a single value.
var paths = map[string]string{
	scorePart: "explanation.final_score", limitPart: "offer.limit", ratePart: "offer.interest_rate",
}

// roots are the members of a decision in which a path may begin.
var roots = []string{"offer", "explanation", "reasons", "policy", "warnings", "decision_hash", "engine_version"}

// isPart reports whether a name is a short name or can be a path of a decision.
func isPart(name string) bool {
	root, _, _ := strings.Cut(name, ".")
	return slices.Contains(partNames, name) || slices.Contains(roots, root)
}

// Difference is one part of a decision that is not as expected. Want and Got are
// JSON, or Nothing.
type Difference struct {
	Path      string
	Want, Got string
}

// Nothing stands for a part that is absent.
const Nothing = "(absent)"

// compare returns the expected parts that differ from a decision, in the order in
// which they are expected.
func compare(expect []Expectation, decision wire.Value) (list []Difference) {
	for _, e := range expect {
		want, got := shown(e.Want), part(decision, e.Path)
		if want != got {
			list = append(list, Difference{Path: e.Path, Want: want, Got: got})
		}
	}
	return list
}

// Expect returns the given parts of a decision as the object of expected parts, one part per line. It leaves out the
// parts that are absent.
func Expect(decision wire.Value, names []string) []byte {
	var b strings.Builder
	b.WriteString("{")
	separator := ""
	for _, name := range names {
		got := part(decision, name)
		if got == Nothing {
			continue
		}
		b.WriteString(separator + "\n  " + string(wire.AppendString(nil, name)) + ": " + got)
		separator = ","
	}
	b.WriteString("\n}\n")
	return []byte(b.String())
}

// part returns a part of a decision in the form in which parts are compared.
func part(decision wire.Value, path string) string {
	switch path {
	case reasonsPart:
		return codes(decision.Get("reasons"))
	case conditionsPart:
		return codes(decision.Get("offer").Get("conditions"))
	case hitsPart:
		return hits(decision)
	}
	if long, ok := paths[path]; ok {
		path = long
	}
	v := decision
	for step := range strings.SplitSeq(path, ".") {
		v = into(v, step)
	}
	return shown(v)
}

// into takes one step of a path. In an object, the result is the member with the name step. In an array, it is the
// element with the index step, or the first element whose id, factor or code is step.
func into(v wire.Value, step string) wire.Value {
	if v.Kind() != wire.Array {
		return v.Get(step)
	}
	for i, e := range v.Elements() {
		if strconv.Itoa(i) == step || slices.ContainsFunc([]string{"id", "factor", "code"}, func(key string) bool {
			return e.Get(key).Kind() == wire.String && e.Get(key).Text() == step
		}) {
			return e
		}
	}
	return wire.Value{}
}

// codes returns the codes of a list of objects.
func codes(list wire.Value) string {
	var w wire.Writer
	w.Array()
	for _, e := range list.Elements() {
		w.String(e.Get("code").Text())
	}
	return shownBytes(w.EndArray().Buf)
}

// hits returns the rules that hit, with their results, and the adjustments that
// were applied, with their deltas.
func hits(decision wire.Value) string {
	var w wire.Writer
	w.Object()
	for _, e := range decision.Get("explanation").Get("fired_rules").Elements() {
		switch result := e.Get("result").Text(); result {
		case "pass":
		case "applied":
			w.Name(e.Get("id").Text()).Value(e.Get("delta"))
		default:
			w.Name(e.Get("id").Text()).String(result)
		}
	}
	return shownBytes(w.EndObject().Buf)
}

func shownBytes(document []byte) string {
	v, err := wire.Parse(document)
	if err != nil {
		return string(document) // a document of this package is always valid
	}
	return shown(v)
}

// shown returns a value in the form in which parts are compared and printed: the
// members of an object are sorted, and numbers have no superfluous digits.
func shown(v wire.Value) string {
	var b strings.Builder
	write(&b, v)
	return b.String()
}

func write(b *strings.Builder, v wire.Value) {
	switch v.Kind() {
	case wire.Missing, wire.Null:
		b.WriteString(Nothing)
	case wire.Object:
		type member struct {
			name  string
			value wire.Value
		}
		var members []member
		for name, value := range v.Members() {
			if value.Given() {
				members = append(members, member{name, value})
			}
		}
		slices.SortFunc(members, func(x, y member) int { return strings.Compare(x.name, y.name) })
		b.WriteByte('{')
		for i, m := range members {
			if i > 0 {
				b.WriteString(", ")
			}
			b.Write(wire.AppendString(nil, m.name))
			b.WriteString(": ")
			write(b, m.value)
		}
		b.WriteByte('}')
	case wire.Array:
		b.WriteByte('[')
		for i, e := range v.Elements() {
			if i > 0 {
				b.WriteString(", ")
			}
			write(b, e)
		}
		b.WriteByte(']')
	case wire.Number:
		const places = 9 // more than any number of a decision has
		if coef, exact, ok := wire.ParseDecimal(v.Text(), places); ok && exact {
			b.Write(wire.AppendDecimal(nil, coef, places))
		} else {
			b.WriteString(v.Text())
		}
	case wire.String:
		b.Write(wire.AppendString(nil, v.Text()))
	case wire.Bool:
		b.WriteString(strconv.FormatBool(v.IsTrue()))
	}
}
