package rule_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/rule"
)

// This file is a second, naive implementation of conditions that uses no code
// of the package. It decodes JSON with encoding/json, represents truth as a
// number, and calculates with rationals. TestReference compares the compiled
// form with it.

// In Kleene's logic false < unknown < true. "and" is the minimum, "or" the
// maximum, and "not" reverses the order.
const (
	no      = -1
	unknown = 0
	yes     = 1
)

// reference evaluates conditions over one application.
type reference struct {
	facts map[string]any
}

// condition returns the truth and, if that is unknown, the absent fields in
// reading order.
func (r reference) condition(node map[string]any) (truth int, missing []string) {
	switch op := text(node["op"]); op {
	case "and", "or":
		truth = yes
		if op == "or" {
			truth = no
		}
		for _, arg := range list(node["args"]) {
			t, m := r.condition(object(arg))
			missing = append(missing, m...)
			if op == "and" {
				truth = min(truth, t)
			} else {
				truth = max(truth, t)
			}
		}
		if truth != unknown {
			missing = nil
		}
		return truth, missing
	case "not":
		truth, missing = r.condition(object(node["arg"]))
		return -truth, missing
	case "true":
		return yes, nil
	case "false":
		return no, nil
	case "exists":
		return either(r.facts[text(node["field"])] != nil), nil
	case "absent":
		return either(r.facts[text(node["field"])] == nil), nil
	}
	if truth = r.predicate(node); truth == unknown {
		missing = r.missing(node)
	}
	return truth, missing
}

// predicate returns the truth of a predicate. The truth is unknown if a field
// that the predicate reads is not given or if an operand has no value.
func (r reference) predicate(node map[string]any) int {
	op := text(node["op"])
	left, right := node["left"], node["right"]
	if field, ok := node["field"]; ok {
		left = map[string]any{"field": field}
		right = map[string]any{"value": node["value"]}
	}
	x := r.operand(object(left))
	if x == nil {
		return unknown
	}
	switch op {
	case "in", "not_in":
		found := slices.ContainsFunc(list(node["values"]), func(v any) bool { return same(x, scalar(v)) })
		return either(found == (op == "in"))
	case "between":
		return either(order(x, scalar(node["min"])) >= 0 && order(x, scalar(node["max"])) <= 0)
	}
	y := r.operand(object(right))
	if y == nil {
		return unknown
	}
	switch op {
	case "eq":
		return either(same(x, y))
	case "ne":
		return either(!same(x, y))
	case "lt":
		return either(order(x, y) < 0)
	case "lte":
		return either(order(x, y) <= 0)
	case "gt":
		return either(order(x, y) > 0)
	case "gte":
		return either(order(x, y) >= 0)
	case "starts_with":
		return either(strings.HasPrefix(text(x), text(y)))
	case "ends_with":
		return either(strings.HasSuffix(text(x), text(y)))
	case "contains":
		return either(strings.Contains(text(x), text(y)))
	}
	panic("the reference does not know the operator " + op)
}

// operand returns a string, a boolean, a *big.Rat, or nil if there is no value.
func (r reference) operand(node map[string]any) any {
	if field, ok := node["field"]; ok {
		return r.field(text(field))
	}
	op, ok := node["op"]
	if !ok {
		return scalar(node["value"])
	}
	var result *big.Rat
	for i, arg := range list(node["args"]) {
		x, ok := r.operand(object(arg)).(*big.Rat)
		switch {
		case !ok:
			return nil
		case i == 0:
			result = x
		default:
			if result = fold(text(op), result, x); result == nil {
				return nil
			}
		}
	}
	if op == "abs" {
		return new(big.Rat).Abs(result)
	}
	return result
}

// fold returns the rounded result of one arithmetic step, or nil if there is no
// result.
func fold(op string, x, y *big.Rat) *big.Rat {
	z := new(big.Rat)
	switch op {
	case "add":
		z.Add(x, y)
	case "sub":
		z.Sub(x, y)
	case "mul":
		z.Mul(x, y)
	case "div":
		if y.Sign() == 0 {
			return nil
		}
		z.Quo(x, y)
	case "min":
		if z = x; y.Cmp(x) < 0 {
			z = y
		}
	case "max":
		if z = x; y.Cmp(x) > 0 {
			z = y
		}
	default:
		panic("the reference does not know the operator " + op)
	}
	z = roundSix(z)
	if z.Cmp(million(1)) > 0 || z.Cmp(million(-1)) < 0 {
		return nil
	}
	return z
}

// million returns n million millions, that is, n·10^12. The largest absolute value of a number is 10^12.
func million(n int64) *big.Rat { return new(big.Rat).SetInt64(n * 1e12) }

// roundSix rounds half away from zero at the sixth decimal.
func roundSix(x *big.Rat) *big.Rat {
	millionths := new(big.Rat).Mul(x, big.NewRat(1e6, 1))
	half := big.NewRat(int64(x.Sign()), 2)
	millionths.Add(millionths, half)
	whole := new(big.Int).Quo(millionths.Num(), millionths.Denom()) // rounds towards zero
	return new(big.Rat).SetFrac(whole, big.NewInt(1e6))
}

// field returns the value of a field, or nil if the value is absent or does not
// have the field's type.
func (r reference) field(name string) any {
	v := scalar(r.facts[name])
	for kind, names := range fieldsOf {
		if slices.Contains(names, name) && kindOf(v) == kind {
			return v
		}
	}
	return nil
}

// missing returns the absent fields of a predicate. A field can occur more than once.
func (r reference) missing(node map[string]any) (names []string) {
	if field, ok := node["field"]; ok && r.field(text(field)) == nil {
		names = append(names, text(field))
	}
	for _, side := range []string{"left", "right"} {
		if operand, ok := node[side]; ok {
			names = append(names, r.missing(object(operand))...)
		}
	}
	for _, arg := range list(node["args"]) {
		names = append(names, r.missing(object(arg))...)
	}
	return names
}

func either(b bool) int {
	if b {
		return yes
	}
	return no
}

func kindOf(v any) string {
	switch v.(type) {
	case *big.Rat:
		return "number"
	case string:
		return "string"
	case bool:
		return "boolean"
	default:
		return "nothing"
	}
}

// scalar converts a JSON number to a rational with six decimals. Strings and
// booleans are returned unchanged, and null is nil.
func scalar(v any) any {
	n, ok := v.(json.Number)
	if !ok {
		return v
	}
	r, ok := new(big.Rat).SetString(n.String())
	if !ok {
		panic(n.String() + " is not a number")
	}
	return roundSix(r)
}

func same(x, y any) bool {
	if _, number := x.(*big.Rat); number {
		return order(x, y) == 0
	}
	return x == y
}

// order compares two numbers. Values of other types cannot occur, because
// ReadCondition rejects them.
func order(x, y any) int {
	a, _ := x.(*big.Rat)
	b, _ := y.(*big.Rat)
	return a.Cmp(b)
}

func object(v any) map[string]any { m, _ := v.(map[string]any); return m }
func list(v any) []any            { l, _ := v.([]any); return l }
func text(v any) string           { s, _ := v.(string); return s }

func decode(t tb, document string) map[string]any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(document))
	d.UseNumber()
	var m map[string]any
	if err := d.Decode(&m); err != nil {
		t.Fatalf("%v\n%s", err, document)
	}
	return m
}

// long reports whether VERDICT_LONG=1 requests the long test run.
func long() bool { return os.Getenv("VERDICT_LONG") == "1" }

// TestReference checks that the compiled form and the explanation agree with
// the reference, for random conditions and facts.
func TestReference(t *testing.T) {
	t.Parallel()
	const shards = 8
	cases := 20_000
	if long() {
		cases = 1_000_000
	}
	for shard := range shards {
		t.Run(fmt.Sprint(shard), func(t *testing.T) {
			t.Parallel()
			var seen [3]int
			var frame rule.Frame // reused, as in production
			for n := shard; n < cases && !t.Failed(); n += shards {
				seed := uint64(n)
				g := grower{pick: rand.New(rand.NewPCG(seed, 0)).IntN}
				c := newCase(t, &g)
				truth := c.check(t, &frame)
				seen[truth]++
				if t.Failed() {
					t.Logf("rand.NewPCG(%d, 0)\ncondition: %s\nfacts: %s", seed, c.documents[0], c.facts)
				}
			}
			for truth, n := range seen {
				if n < cases/shards/20 {
					t.Errorf("only %d cases %s: the generator lost its balance", n, name(rule.Truth(truth)))
				}
			}
		})
	}
}

// referenceCase is one application with the conditions of one plan. documents[0] is the condition under test; the
// others are only compiled together with it.
type referenceCase struct {
	documents []string
	facts     string
	plan      *plan
}

func newCase(t tb, g *grower) *referenceCase {
	t.Helper()
	c := &referenceCase{}
	var conditions []*rule.Condition
	for range 1 + g.pick(2) {
		g.nodes = 0
		document := g.condition(1 + g.pick(6))
		c.documents = append(c.documents, document)
		conditions = append(conditions, readCondition(t, document))
	}
	c.facts = g.facts()
	c.plan = compileBehind([]int{0, 0, 0, 58, 62, 70}[g.pick(6)], conditions...)
	return c
}

// check compares the results of Eval, Satisfied and Explain for the first
// condition with the reference, and returns the truth.
func (c *referenceCase) check(t tb, frame *rule.Frame) rule.Truth {
	t.Helper()
	p := c.plan
	meaning := reference{decode(t, c.facts)}
	truth, missing := meaning.condition(decode(t, c.documents[0]))
	want := map[int]rule.Truth{no: rule.Fails, unknown: rule.Unknown, yes: rule.Holds}[truth]

	facts := readFacts(t, c.facts)
	p.slots.Load(facts, frame)
	if got := p.code.Eval(p.tests[0], frame); got != want {
		t.Errorf("Eval: %s, the reference: %s", name(got), name(want))
	}
	if got := p.code.Satisfied(p.tests[0], frame); got != (want == rule.Holds) {
		t.Errorf("Satisfied: %t, the reference: %s", got, name(want))
	}
	e := p.code.Explain(p.conditions[0], frame)
	if e.Truth != want {
		t.Errorf("Explain: %s, the reference: %s", name(e.Truth), name(want))
	}
	if diff := cmp.Diff(unique(missing), unique(e.Missing)); diff != "" {
		t.Errorf("missing (-reference +Explain):\n%s", diff)
	}
	if len(e.Missing) != len(unique(e.Missing)) {
		t.Errorf("a missing field is named twice: %q", e.Missing)
	}
	c.checkDeciding(t, meaning, e)
	c.fillIn(t, facts, frame, e.Missing)
	return want
}

func unique(names []string) (out []string) {
	for _, n := range names {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// checkDeciding checks that the deciding predicates determine the result even
// if every other predicate is unknown, and that none of them can be left out.
// An unknown result must have no deciding predicates.
func (c *referenceCase) checkDeciding(t tb, meaning reference, e rule.Explanation) {
	t.Helper()
	known := map[*rule.Condition]int{}
	for _, p := range e.Deciding {
		known[p], _ = meaning.condition(decode(t, canonical(p)))
	}
	want := map[rule.Truth]int{rule.Fails: no, rule.Unknown: unknown, rule.Holds: yes}[e.Truth]
	if got := settled(c.plan.conditions[0], known); got != want {
		t.Errorf("it %s, but its deciding predicates alone give %d", name(e.Truth), got)
	}
	for p, truth := range known {
		known[p] = unknown
		if settled(c.plan.conditions[0], known) != unknown {
			t.Errorf("it %s without the deciding %s", name(e.Truth), p.Text())
		}
		known[p] = truth
	}
	if e.Truth == rule.Unknown && len(e.Deciding) > 0 {
		t.Errorf("it is unknown, and yet %d predicates decided", len(e.Deciding))
	}
}

// settled returns the truth of a condition if the predicates in known have the
// given truth and all others are unknown.
func settled(n *rule.Condition, known map[*rule.Condition]int) int {
	truth := yes
	switch n.Op {
	case rule.Not:
		return -settled(&n.Args[0], known)
	case rule.And:
		for i := range n.Args {
			truth = min(truth, settled(&n.Args[i], known))
		}
	case rule.Or:
		truth = no
		for i := range n.Args {
			truth = max(truth, settled(&n.Args[i], known))
		}
	default:
		return known[n]
	}
	return truth
}

// fillIn sets the missing fields until no field is listed as missing. It fails
// the test if a field is listed again after it was set.
func (c *referenceCase) fillIn(t tb, facts *rule.Facts, frame *rule.Frame, missing []string) {
	t.Helper()
	var asked []string
	for len(missing) > 0 {
		for _, field := range missing {
			if slices.Contains(asked, field) {
				t.Errorf("%s was given and is still missing", field)
				return
			}
			asked = append(asked, field)
			facts.Set(field, someValue(field))
		}
		c.plan.slots.Load(facts, frame)
		missing = c.plan.code.Explain(c.plan.conditions[0], frame).Missing
	}
}

func someValue(field string) rule.Value {
	switch {
	case slices.Contains(fieldsOf["number"], field):
		return rule.Num(rule.One)
	case slices.Contains(fieldsOf["string"], field):
		return rule.Str("a")
	default:
		return rule.Bool(true)
	}
}
