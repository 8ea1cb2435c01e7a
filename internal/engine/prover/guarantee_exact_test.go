package prover

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// outcomeCondition returns a random condition on the outcome.
func (l *lab) outcomeCondition(depth int) object {
	switch n := l.IntN(8); {
	case depth > 0 && n == 0:
		return object{"op": "not", "arg": l.outcomeCondition(depth - 1)}
	case depth > 0 && n < 4:
		return object{
			"op":   []string{"and", "and", "or"}[n-1],
			"args": []any{l.outcomeCondition(depth - 1), l.outcomeCondition(depth - 1)},
		}
	case n == 4:
		return l.predicate(true)
	case n == 5:
		name := []string{"interest_rate", "apr"}[l.IntN(2)]
		return object{"op": []string{"lt", "lte", "gt", "gte", "eq"}[l.IntN(5)], "field": name, "value": 9 + l.IntN(6)}
	default:
		status := []string{"APPROVED", "APPROVED", "REFERRED", "DECLINED"}[l.IntN(4)]
		return object{"op": []string{"eq", "eq", "ne"}[l.IntN(3)], "field": "status", "value": status}
	}
}

// guarantee returns a random guarantee.
func (l *lab) guarantee(i int) object {
	g := object{"id": fmt.Sprintf("G_%d", i), "text": "it holds"}
	if l.percent(35) {
		var numbers []string
		for _, name := range l.fields {
			if l.field(name).Type == rule.NumberType {
				numbers = append(numbers, name)
			}
		}
		if len(numbers) > 0 {
			of := []string{"status", "grade", "interest_rate", "offer_limit"}
			l.Shuffle(len(of), func(i, j int) { of[i], of[j] = of[j], of[i] })
			g["monotone"] = object{
				"field": numbers[l.IntN(len(numbers))], "towards": []string{"up", "down"}[l.IntN(2)],
				"of": of[:1+l.IntN(len(of))],
			}
			return g
		}
	}
	if l.percent(80) {
		g["when"] = l.condition(1, false)
	}
	g["never"] = l.outcomeCondition(2)
	return g
}

// truth is the result of the naive evaluation of a condition: 0 unknown, 1 true, -1 false.
type truth int

func truthOf(b bool) truth {
	if b {
		return 1
	}
	return -1
}

// evaluate evaluates a condition document on named values.
func evaluate(c object, value func(name string) rule.Value) truth {
	sub := func(x any) truth {
		inner, _ := x.(object)
		return evaluate(inner, value)
	}
	op, _ := c["op"].(string)
	switch op {
	case "not":
		return -sub(c["arg"])
	case "and", "or":
		out := truth(1)
		for _, arg := range c["args"].([]any) {
			t := sub(arg)
			if op == "or" {
				t = -t
			}
			out = min(out, t)
		}
		if op == "or" {
			out = -out
		}
		return out
	}
	if left, ok := c["left"].(object); ok {
		right, _ := c["right"].(object)
		x, y := value(left["field"].(string)), value(right["field"].(string))
		if x.Type() != rule.NumberType || y.Type() != rule.NumberType {
			return 0
		}
		return truthOf(x.Number() < y.Number())
	}
	v := value(c["field"].(string))
	switch op {
	case "exists":
		return truthOf(v.Type() != rule.Absent)
	case "absent":
		return truthOf(v.Type() == rule.Absent)
	}
	if v.Type() == rule.Absent {
		return 0
	}
	if op == "in" {
		return truthOf(slices.ContainsFunc(c["values"].([]any), func(x any) bool { return compareWith(v, x) == 0 }))
	}
	order := compareWith(v, c["value"])
	return truthOf(map[string]bool{
		"eq": order == 0, "ne": order != 0, "lt": order < 0, "lte": order <= 0, "gt": order > 0, "gte": order >= 0,
	}[op])
}

// compareWith compares a value with a constant of a document. For texts and booleans only the difference between equal
// and unequal is meaningful.
func compareWith(v rule.Value, constant any) int {
	switch x := constant.(type) {
	case bool:
		if v.IsTrue() != x {
			return 1
		}
	case string:
		return strings.Compare(v.Text(), x)
	case int:
		return sign(int64(v.Number() - rule.Int(int64(x))))
	case int64:
		return sign(int64(v.Number() - rule.Int(x)))
	case float64:
		return sign(int64(v.Number()) - int64(x*20+0.5)*int64(rule.One)/20) // constants are multiples of one twentieth
	}
	return 0
}

// outcomeOf returns the value of a name after a decision, as the documentation of guarantees defines it.
func outcomeOf(facts *rule.Facts, d *engine.Decision, name string) rule.Value {
	if name == "status" {
		return rule.Str(d.Status.String())
	}
	offered := d.Status != engine.Declined
	var v rule.Value
	switch o := &d.Offer; name {
	case "interest_rate":
		v = rule.Num(rule.Number(o.RateBP) * rule.Paisa)
	case "apr", field.OfferAPR:
		v = rule.Num(rule.Number(o.APR) * rule.Paisa)
	case field.Grade:
		v = rule.Str(d.Grade)
	case field.FinalScore:
		v = rule.Num(d.FinalScore)
	case field.OfferLimit:
		v = rule.Num(rule.Rupees(o.LimitPaise))
	case field.OfferEMI:
		v = rule.Num(rule.Rupees(o.InstalmentPaise))
	case field.PostOfferFOIR:
		v = rule.Num(rule.Number(o.PostFOIR) * rule.One / 10_000)
		offered = offered && o.HasPostFOIR
	default:
		return facts.Get(name)
	}
	if !offered {
		return rule.Value{}
	}
	return v
}

// holdsForAll reports whether a guarantee holds for every applicant of a lab.
func holdsForAll(l *lab, p *engine.Plan, g object) bool {
	if m, ok := g["monotone"].(object); ok {
		return monotoneForAll(l, p, m)
	}
	var d engine.Decision
	d.KeepQuotes()
	holds := true
	when, limited := g["when"].(object)
	l.everybody(func(facts *rule.Facts) {
		p.Decide(facts, &d)
		value := func(name string) rule.Value { return outcomeOf(facts, &d, name) }
		covered := !limited || evaluate(when, value) == 1
		holds = holds && !(covered && evaluate(g["never"].(object), value) == 1)
	})
	return holds
}

// point is the outcome of an applicant for one value of a field.
type point struct {
	value rule.Number
	d     Decided
}

// monotoneForAll compares all applicants who differ in one field only.
func monotoneForAll(l *lab, p *engine.Plan, m object) bool {
	name, _ := m["field"].(string)
	of, _ := m["of"].([]string)
	groups := map[string][]point{}
	var d engine.Decision
	d.KeepQuotes()
	l.everybody(func(facts *rule.Facts) {
		v := facts.Get(name)
		if v.Type() == rule.Absent {
			return
		}
		var key strings.Builder
		for _, f := range facts.Sorted() {
			if f.Name != name {
				fmt.Fprintf(&key, "%s=%s;", f.Name, f.Value)
			}
		}
		p.Decide(facts, &d)
		groups[key.String()] = append(groups[key.String()], point{v.Number(), decided(&d)})
	})
	best := map[string]int64{}
	for _, b := range p.Policy().Bands {
		best[b.Grade] = max(best[b.Grade], b.MinScore)
	}
	for _, list := range groups {
		for _, x := range list {
			for _, y := range list {
				if x.value == y.value || (y.value > x.value) != (m["towards"] == "up") {
					continue
				}
				if worseOutcome(&x.d, &y.d, of, best) {
					return false
				}
			}
		}
	}
	return true
}

func worseOutcome(x, y *Decided, of []string, best map[string]int64) bool {
	if slices.Contains(of, "status") && y.Status > x.Status {
		return true
	}
	if !x.Offered || !y.Offered {
		return false
	}
	return slices.Contains(of, "interest_rate") && y.RateBP > x.RateBP ||
		slices.Contains(of, "offer_limit") && y.LimitPaise < x.LimitPaise ||
		slices.Contains(of, "grade") && best[y.Grade] < best[x.Grade]
}

// TestGuaranteesAreExact proves random guarantees of random small policies and compares the results with the decisions
// on every applicant.
func TestGuaranteesAreExact(t *testing.T) {
	t.Parallel()
	count := map[string]int{}
	from, to := rangeOfPairs(t, 40)
	n := to - from
	for seed := uint64(from); seed < uint64(to); seed++ {
		l := makeLab(t, 50_000+seed, seed%2 == 1)
		l.opaque = seed%4 == 3
		s := l.sections()
		s["guarantees"] = []object{l.guarantee(0), l.guarantee(1)}
		p := l.plan(t, s)
		proofs, err := ProveAll(p, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i, proof := range proofs {
			g := s["guarantees"][i]
			holds := holdsForAll(l, p, g)
			kind := "never"
			if g["monotone"] != nil {
				kind = "monotone"
			}
			count[kind+" "+string(proof.Standing)]++
			switch {
			case proof.Standing == Proved && !holds, proof.Standing == Refuted && holds:
				text, _ := json.Marshal(g)
				t.Fatalf("seed %d: %s, but it holds is %v: %s\n%+v\n%s", seed, proof.Standing, holds, text, proof,
					p.Policy().Document())
			case proof.Standing == Undecided:
				t.Logf("seed %d: %s undecided, holds is %v: %v", seed, kind, holds, proof.Why)
			case proof.Standing == Refuted && len(proof.Applicants) == 0:
				t.Errorf("seed %d: refuted without an applicant", seed)
			}
		}
	}
	t.Logf("%d policies: %v", n, count)
	if count["never undecided"]+count["monotone undecided"] > 2*n/5 {
		t.Errorf("too many are undecided: %v", count)
	}
}
