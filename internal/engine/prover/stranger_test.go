package prover

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"testing"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// place is a value in a document that can be replaced.
type place struct {
	key string
	get any
	set func(any)
}

func places(v any) (list []place) {
	switch v := v.(type) {
	case []any:
		for i := range v {
			list = append(list, places(v[i])...)
		}
	case map[string]any:
		keys := make([]string, 0, len(v))
		for key := range v {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		for _, key := range keys {
			if key == "inputs" || key == "tables" {
				continue
			}
			list = append(list, place{key, v[key], func(x any) { v[key] = x }})
			list = append(list, places(v[key])...)
		}
	}
	return list
}

// changed returns a changed copy of a document: a few values are moved by a small step, an operator or an entry is
// replaced, or entries of a list change places or are removed.
func (s *stranger) changed(p object) object {
	data, _ := json.Marshal(p)
	var out object
	_ = json.Unmarshal(data, &out)
	for range 1 + s.IntN(2) {
		list := places(out)
		at := list[s.IntN(len(list))]
		switch x := at.get.(type) {
		case float64:
			steps := []float64{1, -1, 0.01, -0.01, 0.000001, -0.000001, 100}
			next, _ := strconv.ParseFloat(strconv.FormatFloat(x+steps[s.IntN(len(steps))], 'f', 6, 64), 64)
			at.set(text(next))
		case string:
			words := map[string][]string{
				"op": {"lt", "lte", "gt", "gte", "and", "or", "eq", "ne", "add", "sub", "mul", "min", "max", "in",
					"not_in", "in_list", "not_in_list", "exists", "absent"},
				"action": {"approve", "refer", "decline"}, "on_absent": {"pass", "refer", "fail"},
				"score": {"lowest", "highest", "primary"}, "take": {"first", "lowest", "highest"},
			}[at.key]
			if len(words) > 0 {
				at.set(words[s.IntN(len(words))])
			}
		case []any:
			if len(x) > 1 {
				x = slices.Clone(x)
				i, j := s.IntN(len(x)), s.IntN(len(x))
				if x[i], x[j] = x[j], x[i]; s.chance(40) {
					x = slices.Delete(x, i, i+1)
				}
				at.set(x)
			}
		case map[string]any:
			switch at.key {
			case "exposure":
				at.set(object{"max_total": 50_500})
			case "when":
				at.set(s.condition(1, false))
			case "of":
				at.set(s.amount(2))
			}
		}
		data, _ = json.Marshal(out)
		out = nil
		_ = json.Unmarshal(data, &out)
	}
	return out
}

// applicant returns the facts of an applicant whose values are on or near the constants of the policies.
func (s *stranger) applicant(plans ...*engine.Plan) *rule.Facts {
	facts := rule.NewFacts(field.Catalogue())
	var names []string
	for _, p := range plans {
		names = append(names, p.Fields()...)
	}
	names = append(names, "applicant.price", "applicant.make", "applicant.vip", "co_applicant.bureau_score",
		"bureau_score",
		"bureau_is_ntc", "monthly_income", "foir", "co_applicant.monthly_income", "co_applicant.foir", "bank_income",
		"bureau_own_emi", "own_emi", "own_outstanding", "own_other_open_offer", "own_reference",
		"co_applicant.own_outstanding",
		"co_applicant.own_other_open_offer", "requested_amount", "requested_tenure_months")
	slices.Sort(names)
	absent := []int{5, 20, 50}[s.IntN(3)]
	for _, name := range slices.Compact(names) {
		if s.chance(absent) {
			continue
		}
		id, ok := field.Catalogue().Lookup(name)
		switch {
		case ok && field.Catalogue().Field(id).Supply == rule.FromEngine, name == "income_effective",
			name == "foir_effective":
		case name == "applicant.make":
			facts.Set(name, rule.Str([]string{"tata", "maruti", "tata motors", "fiat", ""}[s.IntN(5)]))
		case name == "applicant.vip":
			facts.Set(name, rule.Bool(s.chance(50)))
		case ok && field.Catalogue().Field(id).Type == rule.BoolType:
			facts.Set(name, rule.Bool(s.chance(50) || name == "own_reference" && s.chance(90)))
		case ok && field.Catalogue().Field(id).Type == rule.StringType:
			if values := field.Catalogue().Field(id).Values; len(values) > 0 {
				facts.Set(name, rule.Str(values[s.IntN(len(values))]))
			}
		default:
			if _, known := scales[name]; known {
				facts.Set(name, rule.Num(s.value(name)))
			}
		}
	}
	s.complete(facts, plans)
	return facts
}

// value returns a number that a request can have.
func (s *stranger) value(name string) rule.Number {
	alias := map[string]string{
		"monthly_income": "income_effective", "foir": "foir_effective", "bank_income": "income_effective",
	}[name]
	from := name
	if alias != "" && len(s.constants[alias]) > 0 && s.chance(40) {
		from = alias
	}
	n, _, _ := rule.ParseNumber(strconv.FormatFloat(s.near(from), 'f', 6, 64))
	id, ok := field.Catalogue().Lookup(name)
	if !ok {
		return n
	}
	f := field.Catalogue().Field(id)
	switch {
	case f.Integer:
		n -= n % rule.One
	case f.Paise:
		n -= n % rule.Paisa
	}
	if f.BoundedBelow {
		n = max(n, f.Min)
	}
	if f.BoundedAbove {
		n = min(n, f.Max)
	}
	return n
}

// complete makes the facts as consistent as the facts that the service derives. An applicant who is new to credit has
// no score. bureau_is_ntc is false only if there is a score. An applicant with a reference has the lender's own facts.
func (s *stranger) complete(facts *rule.Facts, plans []*engine.Plan) {
	if facts.Get("bureau_is_ntc").IsTrue() {
		facts.Set("bureau_score", rule.Value{})
	} else if facts.Get("bureau_score").Type() == rule.Absent {
		facts.Set("bureau_is_ntc", rule.Value{})
	}
	if facts.Get("own_reference").IsTrue() {
		for _, name := range field.OwnOfNamed() {
			if _, known := scales[name]; known && facts.Get(name).Type() == rule.Absent {
				facts.Set(name, rule.Num(s.value(name)))
			}
		}
	}
	for answer, of := range s.answers {
		if facts.Get(of).Type() != rule.Absent {
			facts.Set(answer, rule.Bool(s.chance(50)))
		}
	}
	if facts.Get("employment_type").Type() != rule.Absent && s.chance(70) {
		facts.Set("table.risk.factor", rule.Num(s.value("table.risk.factor")))
	} else {
		facts.Set("table.risk.factor", rule.Value{})
	}
}

// variant returns a valid policy with another checksum.
func (s *stranger) variant(old *engine.Plan, document object) (*engine.Plan, bool) {
	for range 30 {
		if p, ok := s.read(s.changed(document)); ok && p.Checksum() != old.Checksum() {
			return p, true
		}
	}
	return nil, false
}

// read reads a policy. It returns false if the policy is not valid.
func (s *stranger) read(p object) (*engine.Plan, bool) {
	data, _ := json.Marshal(p)
	policy, err := engine.ParsePolicy(data, engine.Sources{Catalogue: field.Catalogue()})
	if err != nil {
		return nil, false
	}
	return engine.Compile(policy, field.Catalogue()), true
}

// strangers is the number of applicants who are tried with each pair and each guarantee.
const strangers = 1_000

// TestAStrangersPolicies compares random policies that use all parts with variants of themselves. An applicant whom
// two policies treat differently must be of a listed kind, unless the result says that it is not complete.
func TestAStrangersPolicies(t *testing.T) {
	t.Parallel()
	count := map[string]int{}
	from, to := rangeOfPairs(t, 30)
	n := to - from
	for seed := from; seed < to; seed++ {
		s := newStranger(uint64(seed))
		document := s.policy()
		old, ok := s.read(document)
		if !ok {
			count["invalid"]++
			continue
		}
		changed, ok := s.variant(old, document)
		if !ok {
			count["invalid"]++
			continue
		}
		calls := 0
		r, err := comparePlans(old, changed, Options{MaxStates: 50_000, Check: func() error {
			if calls++; calls > 500 { // a time limit would depend on the machine
				return ErrOutOfTime
			}
			return nil
		}})
		if err != nil && !errors.Is(err, ErrOutOfTime) {
			t.Fatal(err)
		}
		switch {
		case r.Equal:
			count["equal"]++
		case r.Complete:
			count["different"]++
		default:
			count["incomplete"]++
			continue
		}
		known := map[Kind]bool{}
		for _, c := range r.Classes {
			known[c.Kind] = true
		}
		var x, y engine.Decision
		x.KeepQuotes()
		y.KeepQuotes()
		for range strangers {
			facts := s.applicant(old, changed)
			old.Decide(facts, &x)
			changed.Decide(facts, &y)
			if k := compare(&x, &y, r.Terms); k.changed() && !known[k] {
				t.Errorf("seed %d: equal is %v, but %v\nshows %+v\n%s\n%s", seed, r.Equal, facts.Sorted(), k,
					old.Policy().Document(), changed.Policy().Document())
				break
			}
		}
	}
	t.Logf("%d pairs: %v", n, count)
	if count["equal"] == 0 || count["different"] == 0 {
		t.Errorf("the pairs show nothing: %v", count)
	}
}

// promise returns a random guarantee.
func (s *stranger) promise() object {
	g := object{"id": "G", "text": "it holds"}
	if s.chance(40) {
		g["monotone"] = object{
			"field": s.numbers[s.IntN(len(s.numbers))], "towards": s.pick("up", "down"),
			"of": s.pick([]string{"status"}, []string{"interest_rate"}, []string{"offer_limit"},
				[]string{"status", "offer_limit"}),
		}
		return g
	}
	if s.chance(70) {
		g["when"] = s.condition(1, false)
	}
	outcome := func() object {
		switch s.IntN(4) {
		case 0:
			return s.condition(1, true)
		case 1:
			return object{
				"op": s.pick("gt", "lt", "gte"), "field": s.pick("interest_rate", "apr"),
				"value": s.pick(12, text(14.5), 20, 24),
			}
		default:
			status := s.pick("APPROVED", "REFERRED", "DECLINED")
			return object{"op": s.pick("eq", "ne"), "field": "status", "value": status}
		}
	}
	g["never"] = outcome()
	if s.chance(50) {
		g["never"] = object{"op": s.pick("and", "or"), "args": []any{outcome(), outcome()}}
	}
	return g
}

// TestAStrangersGuarantees proves random guarantees of random policies that use all parts. Nobody may violate a
// guarantee that is proved.
func TestAStrangersGuarantees(t *testing.T) {
	t.Parallel()
	count := map[Standing]int{}
	from, to := rangeOfPairs(t, 30)
	n := to - from
	for seed := from; seed < to; seed++ {
		s := newStranger(uint64(seed) + 1_000_000)
		document := s.policy()
		document["guarantees"] = []any{s.promise()}
		p, ok := s.read(document)
		if !ok {
			count["invalid"]++
			continue
		}
		g := &p.Policy().Guarantees[0]
		calls := 0
		proof, err := Prove(p, g, Options{MaxStates: 50_000, Check: func() error {
			if calls++; calls > 500 {
				return ErrOutOfTime
			}
			return nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		if count[proof.Standing]++; proof.Standing == Proved && s.violated(p, g, strangers) {
			t.Errorf("seed %d: proved, but somebody violates it:\n%s", seed, p.Policy().Document())
		}
	}
	t.Logf("%d guarantees: %v", n, count)
	if count[Proved] == 0 || count[Refuted] == 0 {
		t.Errorf("the guarantees show nothing: %v", count)
	}
}

// violated reports whether one of n applicants violates a guarantee.
func (s *stranger) violated(p *engine.Plan, g *engine.Guarantee, n int) bool {
	var x, y engine.Decision
	x.KeepQuotes()
	y.KeepQuotes()
	if g.Monotone == nil {
		watch := engine.NewWatch(p.Policy(), p.Catalogue(), g)
		for range n {
			if watch.Violates(s.applicant(p), &x) {
				return true
			}
		}
		return false
	}
	name := g.Monotone.Field.Name
	for range n {
		facts := s.applicant(p)
		first, second := s.value(name), s.value(name)
		if first == second || facts.Get(name).Type() == rule.Absent {
			continue
		}
		if (first > second) != g.Monotone.Down {
			first, second = second, first
		}
		facts.Set(name, rule.Num(first))
		p.Decide(facts, &x)
		facts.Set(name, rule.Num(second))
		p.Decide(facts, &y)
		offers := x.Status != engine.Declined && y.Status != engine.Declined
		for _, figure := range g.Monotone.Of {
			if figure == engine.FigureStatus && y.Status > x.Status ||
				offers && figure == engine.FigureRate && y.Offer.RateBP > x.Offer.RateBP ||
				offers && figure == engine.FigureLimit && y.Offer.LimitPaise < x.Offer.LimitPaise {
				return true
			}
		}
	}
	return false
}
