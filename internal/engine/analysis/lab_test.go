package analysis

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// The lab generates policies whose conditions use nearby thresholds, so that
// contradictions, implications and dead branches occur often. It generates
// applicants at exactly those thresholds.

type object = map[string]any

// specimen is a field of the generated policies. Conditions compare the field with its thresholds. Applicants get each
// threshold, and the values one step below and above it.
type specimen struct {
	name       string
	thresholds []float64
	step       float64
	words      []string
	boolean    bool
}

var specimens = []specimen{
	{name: "bureau_score", thresholds: []float64{300, 299, 500, 650, 651, 900, 901}, step: 1},
	{name: "age", thresholds: []float64{0, 21, 21.5, 22, 60, 120}, step: 1},
	{name: "foir", thresholds: []float64{0, 0.3, 0.6, 5}, step: 0.000001},
	{name: "monthly_income", thresholds: []float64{0, 15000, 25000}, step: 0.01},
	{name: "enquiries_6m", thresholds: []float64{0, 1, 3, 4}, step: 1},
	{name: "max_dpd_12m", thresholds: []float64{0, 30, 60}, step: 1},
	{name: "bank_avg_balance", thresholds: []float64{-100, 0, 5000}, step: 1},
	{name: "bank_emi_mismatch_pct", thresholds: []float64{-100, 0, 100}, step: 0.5},
	{name: "applicant.tenure_years", thresholds: []float64{-1, 1, 2}, step: 1},
	{name: "report.segment", words: []string{"prime", "thin"}},
	{name: "employment_type", words: []string{"SALARIED", "SELF_EMPLOYED", "STUDENT", "OTHER"}},
	{name: "location_pincode_risk", words: []string{"LOW", "MEDIUM", "HIGH", "BLOCKED"}},
	{name: "location_ip_country", words: []string{"IN", "NP", "other"}},
	{name: "bureau_is_ntc", boolean: true},
	{name: "device_is_emulator", boolean: true},
	{name: "applicant.is_staff", boolean: true},
	{name: "bureau_report.enquiries_6m", thresholds: []float64{0, 1, 3}, step: 1}, // only in decision requests
}

var labInputs = []object{
	{"name": "applicant.tenure_years", "type": "number"}, {"name": "report.segment", "type": "string"},
	{"name": "applicant.is_staff", "type": "boolean"},
}

type lab struct {
	*rand.Rand
	fields []specimen // fields of the current policy; few, so that conditions overlap
}

func newLab(seed uint64) *lab {
	l := &lab{Rand: rand.New(rand.NewPCG(seed, 7))}
	for _, i := range l.Perm(len(specimens))[:4] {
		l.fields = append(l.fields, specimens[i])
	}
	if l.IntN(3) == 0 {
		l.fields[0], l.fields[1] = specimens[0], specimens[13] // "bureau_score" and "bureau_is_ntc"
	}
	return l
}

func choose[T any](l *lab, from []T) T { return from[l.IntN(len(from))] }

func (l *lab) condition(depth int, stage2 bool) object {
	if depth > 0 && l.IntN(3) > 0 {
		if l.IntN(4) == 0 {
			return object{"op": "not", "arg": l.condition(depth-1, stage2)}
		}
		args := make([]object, 1+l.IntN(3))
		for i := range args {
			args[i] = l.condition(depth-1, stage2)
		}
		return object{"op": choose(l, []string{"and", "or"}), "args": args}
	}
	if stage2 && l.IntN(2) == 0 {
		return choose(l, []object{
			{
				"op":    choose(l, []string{"lt", "gte"}),
				"field": "final_score",
				"value": choose(l, []int{299, 300, 620, 700, 900, 901}),
			},
			{
				"op":    choose(l, []string{"eq", "ne"}),
				"field": "grade",
				"value": choose(l, []string{"G0", "G2", "NA", "ZZ"}),
			},
			{"op": choose(l, []string{"exists", "absent"}), "field": choose(l, []string{"offer_limit", "final_score"})},
		})
	}
	return l.predicate(choose(l, l.fields))
}

func (l *lab) predicate(s specimen) object {
	switch l.IntN(12) {
	case 0:
		return object{"op": "exists", "field": s.name}
	case 1:
		return object{"op": "absent", "field": s.name}
	case 2:
		if l.IntN(4) == 0 {
			return object{"op": choose(l, []string{"true", "false"})}
		}
	}
	switch {
	case s.boolean:
		return object{"op": choose(l, []string{"eq", "ne"}), "field": s.name, "value": l.IntN(2) == 0}
	case s.words != nil:
		if l.IntN(6) == 0 {
			return object{
				"op":    choose(l, []string{"starts_with", "contains"}),
				"field": s.name,
				"value": choose(l, []string{"S", "L", "i"}),
			}
		}
		if l.IntN(2) == 0 {
			values := []string{choose(l, s.words), choose(l, s.words)}
			return object{"op": choose(l, []string{"in", "not_in"}), "field": s.name, "values": values}
		}
		return object{"op": choose(l, []string{"eq", "ne"}), "field": s.name, "value": choose(l, s.words)}
	}
	switch l.IntN(8) {
	case 0:
		from := choose(l, s.thresholds)
		return object{"op": "between", "field": s.name, "min": from, "max": max(from, choose(l, s.thresholds))}
	case 1:
		return object{
			"op":     choose(l, []string{"in", "not_in"}),
			"field":  s.name,
			"values": []float64{choose(l, s.thresholds), choose(l, s.thresholds)},
		}
	case 2: // sets cannot express arithmetic or a comparison of two fields
		left := object{"op": "add", "args": []object{{"field": s.name}, {"value": 1}}}
		return object{
			"op":    choose(l, []string{"lt", "gte", "eq"}),
			"left":  left,
			"right": object{"value": choose(l, s.thresholds)},
		}
	case 3:
		return object{
			"op":    choose(l, []string{"lt", "gt"}),
			"left":  object{"value": choose(l, s.thresholds)},
			"right": object{"field": s.name},
		}
	}
	return object{
		"op":    choose(l, []string{"eq", "ne", "lt", "lte", "gt", "gte"}),
		"field": s.name,
		"value": choose(l, s.thresholds),
	}
}

// policy generates a complete policy over the chosen fields.
func (l *lab) policy(tb testing.TB) *engine.Policy {
	tb.Helper()
	var knockouts, adjustments, factors, terms, bands []object
	for i := range 5 + l.IntN(4) {
		stage := 1 + l.IntN(8)/7
		k := object{
			"id": fmt.Sprintf("KO_%d", i), "stage": stage, "action": choose(l, []string{"decline", "refer"}),
			"reason_code": "BUR_SCORE", "condition_ast": l.condition(2, stage == 2),
		}
		if l.IntN(6) == 0 {
			k["on_absent"] = choose(l, []string{"refer", "fail"})
		}
		if i > 0 && l.IntN(12) == 0 { // an exact duplicate
			k["condition_ast"], k["stage"] = knockouts[0]["condition_ast"], knockouts[0]["stage"]
		}
		knockouts = append(knockouts, k)
	}
	points := func() float64 { return float64(l.IntN(9)-4) * choose(l, []float64{10, 25, 2.5}) }
	for i := range l.IntN(4) {
		adjustments = append(adjustments,
			object{"id": fmt.Sprintf("ADJ_%d", i), "delta": points(), "condition_ast": l.condition(1, false)})
	}
	for i, s := range l.fields[:1+l.IntN(len(l.fields))] {
		f := object{"factor": fmt.Sprintf("F%d", i), "field": s.name}
		if s.thresholds != nil {
			at := choose(l, s.thresholds)
			f["bins"] = []object{
				{"lt": at, "points": points()},
				{"gte": at, "lt": at + 10, "points": points()},
				{"gte": at + 10, "points": points()},
			}
			if l.IntN(3) == 0 { // a special value within the first or the second range
				bins, _ := f["bins"].([]object)
				f["bins"] = append(bins, object{"special": []float64{at + float64(l.IntN(2)*3-1)}, "points": points()})
			}
		} else if s.words != nil {
			f["bins"] = []object{
				{"in": s.words[:1], "points": points()},
				{"in": s.words[1:], "points": points()},
				{"else": true, "points": points()},
			}
		} else {
			f["bins"] = []object{{"in": []bool{true}, "points": points()}, {"else": true, "points": points()}}
		}
		if l.IntN(2) == 0 {
			f["missing_points"] = points()
		}
		if l.IntN(3) == 0 {
			f["when"] = l.condition(1, false)
		}
		if l.IntN(4) == 0 {
			f["weight"] = 1.5
		}
		factors = append(factors, f)
	}
	terms = append(terms, object{"code": "T", "text": "t", "condition_ast": l.condition(2, false)})
	for _, ntc := range []bool{false, true} {
		from := 300
		for from < 900 {
			to := min(from+20+l.IntN(120), 900)
			bands = append(bands, object{
				"id": fmt.Sprintf("PB_%d", len(bands)), "grade": fmt.Sprintf("G%d", len(bands)), "ntc": ntc,
				"min_score": from, "max_score": to, "action": "decline",
			})
			from = to + 1
		}
	}
	document := object{
		"name": "lab", "include_defaults": false, "inputs": labInputs, "knockouts": knockouts,
		"adjustments": adjustments, "conditions": terms, "pricing_bands": bands,
		"scorecard": object{"base_points": 600 + 10*l.IntN(5), "factors": factors},
	}
	if l.IntN(3) == 0 {
		document["required_fields"] = []string{choose(l, l.fields).name}
	}
	data, err := json.Marshal(document)
	if err != nil {
		tb.Fatal(err)
	}
	p, err := engine.ParsePolicy(data, engine.Sources{Catalogue: field.Catalogue()})
	if err != nil {
		tb.Fatalf("%v\n%s", err, data)
	}
	return p
}

// value returns the i-th value of a field. For a number it is at, just below or
// just above a threshold.
func (s *specimen) value(i int) rule.Value {
	switch {
	case s.boolean:
		return rule.Bool(i%2 == 0)
	case s.words != nil:
		if i %= len(s.words) + 1; i < len(s.words) {
			return rule.Str(s.words[i])
		}
		return rule.Str("RETIRED") // a value that is not in s.words
	}
	n := len(s.thresholds)
	x := s.thresholds[i%n] + s.step*float64(i/n%3-1)
	return rule.Num(rule.Number(x*float64(rule.One) + 0.5*float64(sign(x))))
}

func sign(x float64) int {
	if x < 0 {
		return -1
	}
	return 1
}

// fits reports whether the catalogue allows a value.
func fits(name string, v rule.Value) bool {
	id, ok := field.Catalogue().Lookup(name)
	if !ok {
		return true
	}
	f := field.Catalogue().Field(id)
	if len(f.Values) > 0 {
		for _, word := range f.Values {
			if word == v.Text() {
				return true
			}
		}
		return false
	}
	n := v.Number()
	return (!f.BoundedBelow || n >= f.Min) && (!f.BoundedAbove || n <= f.Max) && (!f.Integer || n%rule.One == 0)
}

// carries reports whether a request of a kind can contain a field.
func carries(by rule.Supply, name string) bool {
	if id, ok := field.Catalogue().Lookup(name); ok {
		return field.Catalogue().Field(id).Supply&by != 0
	}
	return (name[0] == 'a') == (by == rule.FromDecisions)
}

// applicant generates the facts of one request over the policy's fields.
func (l *lab) applicant() *rule.Facts {
	by := choose(l, []rule.Supply{rule.FromDecisions, rule.FromEvaluate})
	facts := rule.NewFacts(field.Catalogue())
	for i := range l.fields {
		s := &l.fields[i]
		if !carries(by, s.name) || l.IntN(5) == 0 {
			continue
		}
		v := s.value(l.IntN(60))
		if _, known := field.Catalogue().Lookup(s.name); !known && l.IntN(10) == 0 {
			v = choose(l, []rule.Value{rule.Str("prime"), rule.Num(0), rule.Bool(true)}) // may have the wrong type
		}
		if fits(s.name, v) {
			facts.Set(s.name, v)
		}
	}
	if facts.Get(field.BureauIsNTC).IsTrue() {
		facts.Set(field.BureauScore, rule.Value{})
	}
	return facts
}
