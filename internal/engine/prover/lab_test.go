package prover

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
)

type object = map[string]any

// lab makes small policies over a catalogue whose fields have few values, so that every applicant can be tried.
type lab struct {
	*rand.Rand
	catalogue *rule.Catalogue
	fields    []string // fields that conditions may name
	results   []string
	opaque    bool // conditions may compare fields with each other
	wide      bool // policies may have segments, caps, charges and people
}

func newLab(tb testing.TB, seed uint64) *lab {
	tb.Helper()
	return makeLab(tb, seed, false)
}

func makeLab(tb testing.TB, seed uint64, wide bool) *lab {
	tb.Helper()
	l := &lab{Rand: rand.New(rand.NewPCG(seed, 17)), wide: wide}
	whole := func(name string, least, most int64) rule.Field {
		return rule.Field{
			Name: name, Type: rule.NumberType, Supply: rule.FromDecisions, Integer: true,
			Min: rule.Int(least), Max: rule.Int(most), BoundedBelow: true, BoundedAbove: true,
		}
	}
	result := func(name string, typ rule.Type) rule.Field {
		return rule.Field{Name: name, Type: typ, Supply: rule.FromEngine}
	}
	score := whole(field.BureauScore, 300, 303)
	score.BureauScored = true
	all := []rule.Field{
		{Name: field.BureauIsNTC, Type: rule.BoolType, Supply: rule.FromDecisions},
		whole("x", 0, 4), score,
		{Name: "word", Type: rule.StringType, Supply: rule.FromDecisions, Values: []string{"A", "B", "C"}},
		whole("y", -1, 1),
		{Name: "flag", Type: rule.BoolType, Supply: rule.FromDecisions},
		whole(field.MonthlyIncome, 0, 9), whole(field.FOIR, 0, 1), whole(field.RequestedAmount, 2, 7),
		whole(field.RequestedTenureMonths, 1, 3),
		result(field.FinalScore, rule.NumberType), result(field.Grade, rule.StringType),
		result(field.OfferLimit, rule.NumberType), result(field.OfferEMI, rule.NumberType),
		result(field.OfferAPR, rule.NumberType), result(field.PostOfferFOIR, rule.NumberType),
	}
	facts := 9
	if wide {
		all = slices.Insert(all, 1, whole(field.OfRole(field.CoApplicant, field.BureauScore), 300, 303))
		facts++
	}
	l.Shuffle(facts, func(i, j int) { all[i+1], all[j+1] = all[j+1], all[i+1] })
	var chosen []rule.Field
	const most = 60_000 // applicants
	people := 3
	for _, f := range all {
		switch {
		case f.Supply == rule.FromEngine:
			l.results = append(l.results, f.Name)
		case f.Name == field.BureauIsNTC:
		case (l.IntN(3) == 0 || people*(1+len(values(&f))) > most) && len(l.fields) > 0:
			continue
		default:
			people *= 1 + len(values(&f))
			l.fields = append(l.fields, f.Name)
		}
		chosen = append(chosen, f)
	}
	catalogue, err := rule.NewCatalogue(chosen)
	if err != nil {
		tb.Fatal(err)
	}
	l.catalogue = catalogue
	return l
}

func (l *lab) percent(n int) bool { return l.IntN(100) < n }

func (l *lab) field(name string) *rule.Field {
	id, _ := l.catalogue.Lookup(name)
	return l.catalogue.Field(id)
}

// constant returns a constant for a condition, in or near the range of a field.
func (l *lab) constant(f *rule.Field) any {
	switch {
	case f.Type == rule.BoolType:
		return l.percent(50)
	case f.Name == field.Grade:
		return []string{"A", "B", "C"}[l.IntN(3)]
	case f.Type == rule.StringType:
		return f.Values[l.IntN(len(f.Values))]
	case f.Name == field.FinalScore:
		return 595 + l.IntN(20)
	case f.Name == field.PostOfferFOIR:
		return float64(l.IntN(30)) / 20
	case f.Supply == rule.FromEngine:
		return l.IntN(12)
	default:
		least, most := f.Min.Floor(), f.Max.Floor()
		return least + l.Int64N(most-least+1)
	}
}

func (l *lab) predicate(results bool) object {
	names := l.fields
	if results && l.percent(50) {
		names = l.results
	}
	name := names[l.IntN(len(names))]
	f := l.field(name)
	switch n := l.IntN(10); {
	case n == 0:
		return object{"op": "exists", "field": name}
	case n == 1:
		return object{"op": "absent", "field": name}
	case f.Type == rule.NumberType && l.opaque && n == 2:
		other := l.fields[l.IntN(len(l.fields))]
		if l.field(other).Type == rule.NumberType {
			return object{"op": "lt", "left": object{"field": name}, "right": object{"field": other}}
		}
	case f.Type == rule.NumberType && n == 3:
		return object{"op": "in", "field": name, "values": []any{l.constant(f), l.constant(f)}}
	}
	ops := []string{"eq", "ne"}
	if f.Type == rule.NumberType {
		ops = []string{"lt", "lte", "gt", "gte", "eq", "ne"}
	}
	return object{"op": ops[l.IntN(len(ops))], "field": name, "value": l.constant(f)}
}

func (l *lab) condition(depth int, results bool) object {
	switch n := l.IntN(6); {
	case depth == 0 || n < 2:
		return l.predicate(results)
	case n == 2:
		return object{"op": "not", "arg": l.condition(depth-1, results)}
	default:
		return object{
			"op":   []string{"and", "and", "or"}[n-3],
			"args": []any{l.condition(depth-1, results), l.condition(depth-1, results)},
		}
	}
}

func (l *lab) knockout(i int) object {
	stage := 1 + l.IntN(3)/2
	return object{
		"id": fmt.Sprintf("KO_%d", i), "reason_code": "BUR_SCORE", "stage": stage,
		"action":        []string{"decline", "refer", "refer"}[l.IntN(3)],
		"on_absent":     []string{"pass", "pass", "refer", "fail"}[l.IntN(4)],
		"condition_ast": l.condition(2, stage == 2),
	}
}

func (l *lab) adjustment(i int) object {
	return object{"id": fmt.Sprintf("ADJ_%d", i), "delta": l.IntN(9) - 4, "condition_ast": l.condition(2, false)}
}

func (l *lab) factor(i int) object {
	name := l.fields[l.IntN(len(l.fields))]
	f := l.field(name)
	out := object{"factor": fmt.Sprintf("f_%d", i), "field": name, "weight": []any{1, 1, 0.5}[l.IntN(3)]}
	if f.Type == rule.NumberType {
		at := l.constant(f)
		out["bins"] = []any{object{"lt": at, "points": l.IntN(9) - 4}, object{"gte": at, "points": l.IntN(9) - 4}}
	} else {
		out["bins"] = []any{
			object{"in": []any{l.constant(f)}, "points": l.IntN(9) - 4}, object{"else": true, "points": l.IntN(9) - 4},
		}
	}
	if l.percent(40) {
		out["missing_points"] = l.IntN(5) - 2
	}
	if l.percent(40) {
		out["when"] = l.condition(1, false)
	}
	return out
}

func (l *lab) term(i int) object {
	return object{"code": fmt.Sprintf("T_%d", i), "text": "bring it", "condition_ast": l.condition(1, false)}
}

func (l *lab) band(i int, from, to int) object {
	least := 3 + l.IntN(2)
	most := least + l.IntN(6)
	b := object{
		"id": fmt.Sprintf("PB_%d", i), "grade": []string{"A", "B", "C"}[i%3], "min_score": from, "max_score": to,
		"action":        []string{"approve", "approve", "approve", "refer", "decline"}[l.IntN(5)],
		"interest_rate": 10 + l.IntN(3),
		"tenure_months": 2, "tenures_allowed": []any{[]int{2}, []int{1, 2}, []int{2, 3}}[l.IntN(3)], "min_limit": least,
		"max_limit": most, "default_limit": least + l.IntN(most-least+1), "foir_cap": 0.5 + float64(l.IntN(5))/10,
		"processing_fee_pct": l.IntN(3), "processing_fee_min": float64(l.IntN(3)) / 10,
	}
	if l.percent(50) {
		b["income_multiple"] = 1 + l.IntN(2)
	}
	return b
}

// sections has the entries of a policy.
type sections map[string][]object

func (l *lab) sections() sections {
	s := sections{}
	add := func(name string, most int, make func(int) object) {
		s[name] = []object{}
		for i := range l.IntN(most + 1) {
			s[name] = append(s[name], make(i))
		}
	}
	add("knockouts", 3, l.knockout)
	add("adjustments", 2, l.adjustment)
	add("factors", 2, l.factor)
	add("conditions", 2, l.term)
	s["pricing_bands"] = []object{l.band(0, 300, 599), l.band(1, 600, 604), l.band(2, 605, 900)}
	if l.percent(60) {
		ntc := l.band(3, 300, 900)
		ntc["ntc"], ntc["grade"] = true, "N"
		s["pricing_bands"] = append(s["pricing_bands"], ntc)
	}
	if l.wide {
		l.widen(s)
		add("limit_caps", 2, l.limitCap)
		add("charges", 2, l.charge)
		add("people", 1, l.people)
	}
	return s
}

// changed returns the sections with one or two entries replaced by new random ones.
func (l *lab) changed(s sections) sections {
	out := sections{}
	for name, list := range s {
		out[name] = append([]object{}, list...)
	}
	make := map[string]func(int) object{
		"knockouts": l.knockout, "adjustments": l.adjustment, "factors": l.factor, "conditions": l.term,
		"pricing_bands": func(i int) object {
			b := s["pricing_bands"][i]
			next := l.band(i, 0, 0)
			next["min_score"], next["max_score"] = b["min_score"], b["max_score"]
			next["id"], next["grade"] = b["id"], b["grade"]
			if b["ntc"] != nil {
				next["ntc"] = true
			}
			if b["when"] != nil {
				next["when"] = b["when"]
				if l.percent(50) {
					next["when"] = l.condition(1, false)
				}
			}
			return next
		},
		"limit_caps": l.limitCap, "charges": l.charge, "people": l.people,
	}
	names := []string{"knockouts", "adjustments", "factors", "conditions", "pricing_bands"}
	if l.wide {
		names = append(names, "pricing_bands", "limit_caps", "limit_caps", "charges", "charges", "people")
	}
	for range 1 + l.IntN(2) {
		name := names[l.IntN(len(names))]
		switch list := out[name]; {
		case len(list) == 0:
			out[name] = append(list, make[name](0))
		case name != "pricing_bands" && l.percent(20):
			out[name] = list[1:]
		default:
			i := l.IntN(len(list))
			list[i] = make[name](i)
		}
	}
	return out
}

// plan compiles the sections.
func (l *lab) plan(tb testing.TB, s sections) *engine.Plan {
	tb.Helper()
	document := object{
		"name": "small", "semantics": 1, "include_defaults": false, "limit_step": 1, "knockouts": s["knockouts"],
		"adjustments": s["adjustments"], "conditions": s["conditions"], "pricing_bands": s["pricing_bands"],
		"scorecard": object{"base_points": 602, "factors": s["factors"]}, "guarantees": s["guarantees"],
	}
	if l.wide {
		document["semantics"], document["limit_caps"], document["charges"] = 2, s["limit_caps"], s["charges"]
		if len(s["people"]) > 0 {
			document["people"] = s["people"][0]
		}
	}
	data, err := json.Marshal(document)
	if err != nil {
		tb.Fatal(err)
	}
	p, err := engine.ParsePolicy(data, engine.Sources{Catalogue: l.catalogue})
	if err != nil {
		tb.Fatalf("%v\n%s", err, data)
	}
	return engine.Compile(p, l.catalogue)
}

// everybody calls visit with every applicant of the catalogue.
func (l *lab) everybody(visit func(*rule.Facts)) {
	names := append([]string{field.BureauIsNTC}, l.fields...)
	facts := rule.NewFacts(l.catalogue)
	var choose func(at int)
	choose = func(at int) {
		if at == len(names) {
			visit(facts)
			return
		}
		f := l.field(names[at])
		facts.Set(f.Name, rule.Value{})
		ntc := facts.Get(field.BureauIsNTC)
		if f.Name != field.BureauScore || ntc.Type() == rule.Absent || ntc.IsTrue() { // only a score makes ntc false
			choose(at + 1)
		}
		if f.BureauScored && facts.Get(field.BureauIsNTC).IsTrue() {
			return
		}
		for _, v := range values(f) {
			facts.Set(f.Name, v)
			choose(at + 1)
		}
		facts.Set(f.Name, rule.Value{})
	}
	choose(0)
}

func values(f *rule.Field) (out []rule.Value) {
	switch f.Type {
	case rule.BoolType:
		return []rule.Value{rule.Bool(false), rule.Bool(true)}
	case rule.StringType:
		for _, word := range f.Values {
			out = append(out, rule.Str(word))
		}
	default:
		for n := f.Min; n <= f.Max; n += rule.One {
			out = append(out, rule.Num(n))
		}
	}
	return out
}
