package prover

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"verdict/internal/field"
	"verdict/internal/rule"
)

// stranger generates policies over the real catalogue that use every part of a policy, changes them at a few places,
// and generates applicants on and near the constants of the policies. It shares no code with the other generators of
// these tests.
type stranger struct {
	*rand.Rand
	numbers, words, flags []string
	constants             map[string][]float64
	answers               map[string]string // the facts of lists, each with the field that is looked up
}

// scales has the step between neighbouring values of a field, and the values around which constants are chosen.
var scales = map[string]struct {
	step  float64
	about []float64
}{
	"age":                               {0.000001, []float64{21, 23, 60}},
	"monthly_income":                    {0.01, []float64{0, 15_000, 40_000, 40_000.5}},
	"foir":                              {0.000001, []float64{0, 0.3, 0.45, 0.5}},
	"requested_amount":                  {0.01, []float64{20_000, 50_000, 75_000}},
	"requested_tenure_months":           {1, []float64{12, 24, 36}},
	"bureau_score":                      {1, []float64{600, 650, 700}},
	"enquiries_6m":                      {1, []float64{0, 2, 5}},
	"bank_avg_balance":                  {0.000001, []float64{-500, 0, 1_000}},
	"bank_income":                       {0.000001, []float64{0, 15_000, 40_000}},
	"bureau_own_emi":                    {0.000001, []float64{0, 8_000, 20_000}},
	"income_effective":                  {0.000001, []float64{15_000, 40_000}},
	"foir_effective":                    {0.000001, []float64{0.3, 0.45}},
	"own_outstanding":                   {0.000001, []float64{0, 50_000}},
	"own_other_open_offer":              {0.000001, []float64{0, 20_000}},
	"own_emi":                           {0.000001, []float64{0, 5_000}},
	"own_declines_30d":                  {1, []float64{0, 2}},
	"co_applicant.bureau_score":         {1, []float64{600, 650, 700}},
	"co_applicant.monthly_income":       {0.000001, []float64{0, 15_000, 40_000}},
	"co_applicant.foir":                 {0.000001, []float64{0, 0.3}},
	"co_applicant.own_outstanding":      {0.000001, []float64{0, 50_000}},
	"guarantor.bureau_score":            {1, []float64{650, 700}},
	"applicant.price":                   {0.000001, []float64{-1, 0, 30_000, 60_000}},
	"table.risk.factor":                 {0.000001, []float64{0, 0.5, 2}},
	"final_score":                       {0.0001, []float64{595, 600, 605.5, 610}},
	"offer_limit":                       {100, []float64{20_000, 30_000, 50_000}},
	"offer_emi":                         {0.01, []float64{1_000, 2_000, 3_000}},
	"offer_apr":                         {0.01, []float64{14, 18, 22}},
	"post_offer_foir":                   {0.0001, []float64{0.3, 0.4, 0.5}},
	"co_applicant.own_other_open_offer": {0.000001, []float64{0, 20_000}},
}

var results = []string{"final_score", "grade", "offer_limit", "offer_emi", "offer_apr", "post_offer_foir"}

func newStranger(seed uint64) *stranger {
	s := &stranger{
		Rand: rand.New(rand.NewPCG(seed, 99)), constants: map[string][]float64{}, answers: map[string]string{},
	}
	all := []string{
		"age", "monthly_income", "foir", "requested_amount", "requested_tenure_months", "bureau_score", "enquiries_6m",
		"bank_avg_balance", "bank_income", "bureau_own_emi", "income_effective", "foir_effective", "own_outstanding",
		"own_other_open_offer", "own_emi", "own_declines_30d", "co_applicant.bureau_score",
		"co_applicant.monthly_income",
		"co_applicant.foir", "co_applicant.own_outstanding", "co_applicant.own_other_open_offer",
		"guarantor.bureau_score", "applicant.price", "table.risk.factor",
	}
	s.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	s.numbers = all[:2+s.IntN(5)]
	words := []string{"employment_type", "applicant.make", "own_last_status"}
	s.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	s.words = words[:s.IntN(3)]
	flags := []string{"bureau_is_ntc", "applicant.vip", "has_co_applicant", "bureau_suit_or_wilful"}
	s.Shuffle(len(flags), func(i, j int) { flags[i], flags[j] = flags[j], flags[i] })
	s.flags = flags[:s.IntN(3)]
	return s
}

func (s *stranger) pick(list ...any) any    { return list[s.IntN(len(list))] }
func (s *stranger) chance(percent int) bool { return s.IntN(100) < percent }

func text(x float64) json.Number { return json.Number(strconv.FormatFloat(x, 'f', -1, 64)) }

// near returns a number on or near one of the values of a field.
func (s *stranger) near(name string) float64 {
	scale := scales[name]
	about := scale.about
	if known := s.constants[name]; len(known) > 0 && s.chance(80) {
		about = known
	}
	x := about[s.IntN(len(about))]
	switch s.IntN(6) {
	case 0, 1, 2:
	case 3:
		x += scale.step
	case 4:
		x -= scale.step
	default:
		x += scale.step * float64(s.IntN(2_000_001)-1_000_000) * []float64{0.00001, 0.001, 1}[s.IntN(3)]
	}
	n := int64(x/scale.step + 0.5)
	if x < 0 {
		n = int64(x/scale.step - 0.5)
	}
	x, _ = strconv.ParseFloat(strconv.FormatFloat(float64(n)*scale.step, 'f', 6, 64), 64)
	return x
}

// constant returns a number with which a condition compares a field, within the field's domain.
func (s *stranger) constant(name string) json.Number {
	x := s.near(name)
	if id, ok := field.Catalogue().Lookup(name); ok {
		f := field.Catalogue().Field(id)
		if f.BoundedBelow {
			x = max(x, float64(f.Min)/float64(rule.One))
		}
		if f.BoundedAbove {
			x = min(x, float64(f.Max)/float64(rule.One))
		}
	}
	s.constants[name] = append(s.constants[name], x)
	return text(x)
}

func (s *stranger) leaf(stage2 bool) object {
	if stage2 && s.chance(50) {
		name := results[s.IntN(len(results))]
		if name == "grade" {
			return object{"op": s.pick("eq", "ne"), "field": name, "value": s.pick("A", "B")}
		}
		return object{"op": s.pick("lt", "lte", "gt", "gte", "eq", "ne"), "field": name, "value": s.constant(name)}
	}
	switch n := s.IntN(10); {
	case n == 0 && len(s.flags) > 0:
		name := s.flags[s.IntN(len(s.flags))]
		return object{"op": s.pick("eq", "ne"), "field": name, "value": s.chance(50)}
	case n <= 2 && len(s.words) > 0:
		return s.word(s.words[s.IntN(len(s.words))])
	case n == 3:
		all := slices.Concat(s.numbers, s.words, s.flags)
		return object{"op": s.pick("exists", "absent"), "field": all[s.IntN(len(all))]}
	}
	name := s.numbers[s.IntN(len(s.numbers))]
	switch s.IntN(12) {
	case 0:
		return object{"op": s.pick("in", "not_in"), "field": name, "values": []any{s.constant(name), s.constant(name)}}
	case 1:
		x, y := s.constant(name), s.constant(name)
		if a, _ := x.Float64(); true {
			if b, _ := y.Float64(); b < a {
				x, y = y, x
			}
		}
		return object{"op": "between", "field": name, "min": x, "max": y}
	case 2:
		return object{"op": s.pick("lt", "gte", "eq"), "left": s.amount(1), "right": s.amount(1)}
	case 3:
		return object{
			"op": s.pick("lt", "gt", "lte"), "left": object{"field": name}, "right": object{"value": s.constant(name)},
		}
	}
	return object{"op": s.pick("lt", "lte", "gt", "gte", "eq", "ne"), "field": name, "value": s.constant(name)}
}

func (s *stranger) word(name string) object {
	values := map[string][]any{
		"employment_type": {"SALARIED", "SELF_EMPLOYED", "STUDENT"},
		"applicant.make":  {"tata", "maruti", "tata motors"}, "own_last_status": {"APPROVED", "DECLINED"},
	}[name]
	switch s.IntN(6) {
	case 0:
		return object{"op": s.pick("in", "not_in"), "field": name, "values": values[:2]}
	case 1:
		return object{
			"op": s.pick("starts_with", "ends_with", "contains"), "field": name,
			"value": s.pick("SE", "ta", "ti", "ED"),
		}
	case 2:
		if name == "applicant.make" {
			list := "makers"
			s.answers["list."+list+"."+name] = name
			return object{"op": s.pick("in_list", "not_in_list"), "field": name, "list": list}
		}
	}
	return object{"op": s.pick("eq", "ne"), "field": name, "value": values[s.IntN(len(values))]}
}

func (s *stranger) condition(depth int, stage2 bool) object {
	if depth == 0 || s.chance(40) {
		return s.leaf(stage2)
	}
	if s.chance(20) {
		return object{"op": "not", "arg": s.condition(depth-1, stage2)}
	}
	return object{"op": s.pick("and", "or"), "args": []any{s.condition(depth-1, stage2), s.condition(depth-1, stage2)}}
}

// amount returns an operand.
func (s *stranger) amount(depth int) object {
	name := s.numbers[s.IntN(len(s.numbers))]
	switch {
	case depth == 0 && s.chance(30), depth > 0 && s.chance(10):
		return object{"value": s.pick(text(0.5), text(2), text(30_000), text(-1), text(0), text(45_000.005))}
	case depth == 0 || s.chance(25):
		return object{"field": name}
	case s.chance(10):
		return object{"op": "abs", "args": []any{s.amount(depth - 1)}}
	default:
		return object{
			"op":   s.pick("add", "sub", "mul", "div", "min", "max"),
			"args": []any{s.amount(depth - 1), s.amount(depth - 1)},
		}
	}
}

func (s *stranger) points() json.Number {
	return text(float64(s.IntN(41)-20) / []float64{1, 2, 4}[s.IntN(3)])
}

func (s *stranger) list(most int, entry func(i int) object) []any {
	out := []any{}
	for i := range s.IntN(most + 1) {
		out = append(out, entry(i))
	}
	return out
}

func (s *stranger) band(id string, from, to int) object {
	least := 20_000 + 500*s.IntN(10)
	most := least + 1_000*s.IntN(60)
	b := object{
		"id": id, "grade": s.pick("A", "B", "C"), "min_score": from, "max_score": to,
		"action":        s.pick("approve", "approve", "approve", "refer", "decline"),
		"interest_rate": s.pick(text(12), text(14.5), text(24)),
		"tenure_months": 24, "tenures_allowed": s.pick([]int{24}, []int{12, 24}, []int{24, 36}), "min_limit": least,
		"max_limit": most, "default_limit": least + s.IntN(most-least+1),
		"foir_cap":           s.pick(text(0.5), text(0.45), text(0.450001)),
		"processing_fee_pct": s.pick(0, 1, text(2.5)), "processing_fee_min": s.pick(0, 300, 500),
		"gst_pct": s.pick(0, 18),
	}
	if s.chance(50) {
		b["income_multiple"] = s.pick(text(1), text(1.5), text(2.0001))
	}
	if s.chance(20) {
		b["when"] = s.condition(1, false)
	}
	return b
}

func (s *stranger) policy() object {
	p := object{
		"name": "stranger", "semantics": 2, "include_defaults": false, "allow_gaps": true,
		"limit_step": s.pick(100, 500, 1_000),
	}
	p["inputs"] = []any{
		object{"name": "applicant.price", "type": "number"}, object{"name": "applicant.make", "type": "string"},
		object{"name": "applicant.vip", "type": "boolean"},
	}
	p["tables"] = []any{object{"name": "risk", "default": s.chance(50),
		"keys":    []any{object{"field": "employment_type", "match": "exact", "type": "string"}},
		"columns": []any{object{"name": "factor", "type": "number"}}}}
	p["knockouts"] = s.list(4, func(i int) object {
		stage := 1 + s.IntN(3)/2
		return object{
			"id": fmt.Sprintf("K%d", i), "reason_code": "R", "stage": stage, "action": s.pick("decline", "refer"),
			"on_absent": s.pick("pass", "pass", "refer", "fail"), "condition_ast": s.condition(2, stage == 2),
		}
	})
	p["adjustments"] = s.list(3, func(i int) object {
		return object{"id": fmt.Sprintf("A%d", i), "delta": s.points(), "condition_ast": s.condition(2, false)}
	})
	p["conditions"] = s.list(2, func(i int) object {
		return object{"code": fmt.Sprintf("T%d", i), "text": "a paper", "condition_ast": s.condition(1, false)}
	})
	p["scorecard"] = object{"base_points": 600, "min_score": 300, "max_score": 900, "factors": s.list(3, s.factor)}
	cut := 598 + s.IntN(6)
	bands := []any{s.band("B0", 300, cut), s.band("B1", cut+1, 610), s.band("B2", 611, 900)}
	if s.chance(50) {
		ntc := s.band("BN", 300, 900)
		ntc["ntc"] = true
		bands = append(bands, ntc)
	}
	if s.chance(30) {
		extra := s.band("BX", 300, 900)
		extra["when"] = s.condition(1, false)
		bands = slices.Insert(bands, s.IntN(len(bands)+1), any(extra))
	}
	p["pricing_bands"] = bands
	if s.chance(35) {
		p["limit_caps"] = s.list(2, func(i int) object {
			c := object{"id": fmt.Sprintf("L%d", i), "of": s.amount(2)}
			if s.chance(50) {
				c["when"] = s.condition(1, false)
			}
			return c
		})
	}
	if s.chance(25) {
		p["charges"] = s.list(2, func(i int) object {
			if s.chance(50) {
				return object{
					"id": fmt.Sprintf("H%d", i), "to": "lender", "kind": "fixed", "amount": 100 * (1 + s.IntN(100)),
					"gst": s.pick(0, 18),
				}
			}
			return object{
				"id": fmt.Sprintf("H%d", i), "to": "third_party", "kind": "percent", "amount": s.pick(text(0.5), 2),
				"min": 200,
			}
		})
	}
	if s.chance(25) {
		p["people"] = object{"score": s.pick("lowest", "highest", "primary")}
	}
	if s.chance(25) {
		p["exposure"] = object{"max_total": s.pick(50_000, 60_000, 1_000_000)}
	}
	if s.chance(35) {
		a := object{}
		if s.chance(60) {
			a["income"] = object{"take": s.pick("first", "lowest"), "of": s.pick([]string{"monthly_income"},
				[]string{"bank_income"}, []string{"monthly_income", "bank_income"})}
		}
		if s.chance(60) {
			a["obligations"] = object{"take": s.pick("highest", "first"), "of": s.pick([]string{"declared"},
				[]string{"bureau"}, []string{"declared", "bureau"}, []string{"declared", "own"})}
		}
		if s.chance(30) {
			a["people"] = "all"
		}
		p["affordability"] = a
	}
	if s.chance(30) {
		all := slices.Concat(s.numbers, s.words)
		p["required_fields"] = []any{s.pick(all[s.IntN(len(all))], all[0]+"|"+all[s.IntN(len(all))])}
	}
	return p
}

func (s *stranger) factor(i int) object {
	f := object{"factor": fmt.Sprintf("f%d", i), "weight": s.pick(1, text(0.5), text(1.25))}
	if len(s.words) > 0 && s.chance(25) {
		name := s.words[s.IntN(len(s.words))]
		value := map[string]any{"employment_type": "STUDENT", "applicant.make": "tata",
			"own_last_status": "DECLINED"}[name]
		f["field"] = name
		f["bins"] = []any{
			object{"in": []any{value}, "points": s.points()}, object{"else": true, "points": s.points()},
		}
	} else {
		name := s.numbers[s.IntN(len(s.numbers))]
		at := s.constant(name)
		f["field"] = name
		bins := []any{object{"lt": at, "points": s.points()}, object{"gte": at, "points": s.points()}}
		if s.chance(30) {
			bins = append(bins, object{"special": []any{s.constant(name)}, "points": s.points()})
		}
		f["bins"] = bins
	}
	if s.chance(40) {
		f["missing_points"] = s.points()
	}
	if s.chance(30) {
		f["when"] = s.condition(1, false)
	}
	return f
}
