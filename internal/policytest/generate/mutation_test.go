package generate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/policytest"
	"verdict/internal/wire"
)

// mutation is one change of a policy document.
type mutation struct {
	name  string
	apply func(document object)
}

type (
	object = map[string]any
	list   = []any
)

// mutations lists single changes of every threshold, operator, action, code, point,
// bin, band, price, condition and source of a policy.
func mutations(document object) (all []mutation) {
	m := &mutator{}
	for i, k := range document["knockouts"].(list) {
		m.ruleLike("knockouts", i, k.(object))
		m.choice(at("knockouts", i, "action"), "decline", "refer")
		m.set(at("knockouts", i, "on_absent"), "fail")
	}
	for i, k := range document["adjustments"].(list) {
		m.ruleLike("adjustments", i, k.(object))
		m.shift(at("adjustments", i, "delta"), k.(object)["delta"], "1")
	}
	for i, k := range document["conditions"].(list) {
		m.set(at("conditions", i, "code"), "OTHER_CODE")
		m.delete(at("conditions"), i)
		m.condition(at("conditions", i, "condition_ast"), k.(object)["condition_ast"].(object))
	}
	card := document["scorecard"].(object)
	for _, name := range []string{"base_points", "min_score", "max_score"} {
		m.shift(at("scorecard", name), card[name], "1")
	}
	for i, f := range card["factors"].(list) {
		m.factor(at("scorecard", "factors", i), f.(object))
		m.delete(at("scorecard", "factors"), i)
	}
	m.bands(document["pricing_bands"].(list))
	for _, take := range []string{"first", "highest"} {
		m.set(at("affordability", "obligations", "take"), take)
	}
	m.delete(at("affordability", "obligations", "of"), 0)
	m.delete(at("affordability", "obligations", "of"), 1)
	m.set(at("limit_step"), json.Number("2000"))
	m.set(at("offer_validity_days"), json.Number("4"))
	m.delete(at("required_fields"), 0)
	return m.all
}

type mutator struct{ all []mutation }

func at(path ...any) []any { return path }

func pathText(path []any) string {
	var b strings.Builder
	for _, step := range path {
		fmt.Fprintf(&b, "/%v", step)
	}
	return b.String()
}

func join(path []any, more ...any) []any { return append(slices.Clone(path), more...) }

// parent returns the value that contains the last step of a path.
func parent(document object, path []any) any {
	var v any = document
	for _, step := range path[:len(path)-1] {
		switch step := step.(type) {
		case string:
			v = v.(object)[step]
		case int:
			v = v.(list)[step]
		}
	}
	return v
}

func put(document object, path []any, v any) {
	switch step := path[len(path)-1].(type) {
	case string:
		parent(document, path).(object)[step] = v
	case int:
		parent(document, path).(list)[step] = v
	}
}

func get(document object, path []any) any {
	switch step := path[len(path)-1].(type) {
	case string:
		return parent(document, path).(object)[step]
	default:
		return parent(document, path).(list)[step.(int)]
	}
}

func (m *mutator) add(name string, apply func(object)) { m.all = append(m.all, mutation{name, apply}) }

func (m *mutator) set(path []any, v any) {
	m.add(fmt.Sprintf("%s = %v", pathText(path), v), func(d object) { put(d, path, v) })
}

// choice exchanges two words.
func (m *mutator) choice(path []any, a, b string) {
	m.add(fmt.Sprintf("%s: %s and %s exchanged", pathText(path), a, b), func(d object) {
		if get(d, path) == a {
			put(d, path, b)
		} else {
			put(d, path, a)
		}
	})
}

// delete removes an element of an array.
func (m *mutator) delete(path []any, i int) {
	m.add(fmt.Sprintf("%s/%d removed", pathText(path), i), func(d object) {
		put(d, path, slices.Delete(slices.Clone(get(d, path).(list)), i, i+1))
	})
}

// plus returns a number plus a step, in decimal.
func plus(n any, step string, sign float64) json.Number {
	x, _ := n.(json.Number).Float64()
	by, _ := strconv.ParseFloat(step, 64)
	return json.Number(strconv.FormatFloat(x+sign*by, 'f', 2, 64))
}

// shift raises and lowers a number by a step.
func (m *mutator) shift(path []any, now any, step string) {
	for _, sign := range []float64{1, -1} {
		m.set(path, plus(now, step, sign))
	}
}

// stepOf returns the step by which a threshold is changed.
func stepOf(n any) string {
	if strings.Contains(string(n.(json.Number)), ".") {
		return "0.01"
	}
	return "1"
}

func (m *mutator) ruleLike(section string, i int, entry object) {
	m.delete(at(section), i)
	if entry["reason_code"] != nil {
		m.set(at(section, i, "reason_code"), "OTHER_CODE")
	}
	m.condition(at(section, i, "condition_ast"), entry["condition_ast"].(object))
}

var operators = map[string][]string{
	"lt": {"lte", "gt"}, "lte": {"lt", "gte"}, "gt": {"gte", "lt"}, "gte": {"gt", "lte"}, "eq": {"ne"}, "ne": {"eq"},
	"and": {"or"}, "or": {"and"}, "in": {"not_in"}, "absent": {"exists"}, "exists": {"absent"},
}

func (m *mutator) condition(path []any, c object) {
	op := c["op"].(string)
	for _, other := range operators[op] {
		m.set(join(path, "op"), other)
	}
	for _, name := range []string{"value", "min", "max"} {
		switch v := c[name].(type) {
		case json.Number:
			m.shift(join(path, name), v, stepOf(v))
		case bool:
			m.set(join(path, name), !v)
		case string:
			m.set(join(path, name), "LOW")
		}
	}
	if values, ok := c["values"].(list); ok {
		for i := range values {
			m.delete(join(path, "values"), i)
		}
	}
	if args, ok := c["args"].(list); ok {
		for i, a := range args {
			m.condition(join(path, "args", i), a.(object))
			m.delete(join(path, "args"), i)
		}
	}
}

func (m *mutator) factor(path []any, f object) {
	m.set(join(path, "reason_code"), "OTHER_CODE")
	m.set(join(path, "missing_points"), json.Number("-1"))
	if when, ok := f["when"].(object); ok {
		m.condition(join(path, "when"), when)
		m.add(pathText(path)+"/when removed", func(d object) { delete(get(d, path).(object), "when") })
	}
	bins := f["bins"].(list)
	for i, b := range bins {
		b := b.(object)
		m.shift(join(path, "bins", i, "points"), b["points"], "1")
		if b["reason_code"] != nil {
			m.set(join(path, "bins", i, "reason_code"), "OTHER_CODE")
		}
		if edge, ok := b["lt"]; ok && i+1 < len(bins) { // both bins at the edge move together
			for _, sign := range []float64{1, -1} {
				to := plus(edge, stepOf(edge), sign)
				m.add(fmt.Sprintf("%s/bins/%d/lt and the next gte = %s", pathText(path), i, to), func(d object) {
					put(d, join(path, "bins", i, "lt"), to)
					put(d, join(path, "bins", i+1, "gte"), to)
				})
			}
		}
		if values, ok := b["in"].(list); ok && len(values) > 1 {
			for k := range values {
				m.delete(join(path, "bins", i, "in"), k)
			}
		}
	}
}

// bandSteps has the steps by which the numbers of a band are changed.
var bandSteps = map[string]string{
	"interest_rate": "0.25", "min_limit": "1000", "max_limit": "1000", "default_limit": "1000", "income_multiple": "1",
	"foir_cap": "0.01", "processing_fee_pct": "0.1", "processing_fee_min": "1", "gst_pct": "1",
}

func (m *mutator) bands(bands list) {
	for i, b := range bands {
		b, path := b.(object), at("pricing_bands", i)
		m.set(join(path, "grade"), "Z")
		for _, action := range []string{"approve", "refer", "decline"} {
			if b["action"] != action {
				m.set(join(path, "action"), action)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(bandSteps)) {
			if b[name] != nil {
				m.shift(join(path, name), b[name], bandSteps[name])
			}
		}
		if tenures, ok := b["tenures_allowed"].(list); ok {
			for k, months := range tenures {
				if months != b["tenure_months"] {
					m.delete(join(path, "tenures_allowed"), k)
					m.set(join(path, "tenure_months"), months)
				}
			}
		}
		if b["min_score"] == nil {
			continue
		}
		for k, o := range bands { // the neighbour below moves with the lowest score
			if o := o.(object); o["max_score"] == nil || plus(o["max_score"], "1", 1) != plus(b["min_score"], "0", 1) {
				continue
			}
			for _, sign := range []float64{1, -1} {
				least, most := plus(b["min_score"], "1", sign), plus(bands[k].(object)["max_score"], "1", sign)
				m.add(fmt.Sprintf("%s/min_score and the max_score below = %s", pathText(path), least), func(d object) {
					put(d, at("pricing_bands", i, "min_score"), whole(least))
					put(d, at("pricing_bands", k, "max_score"), whole(most))
				})
			}
		}
	}
	m.set(at("pricing_bands", len(bands)-2, "min_score"), json.Number("301"))
	m.set(at("pricing_bands", 0, "max_score"), json.Number("899"))
}

func whole(n json.Number) json.Number {
	text, _, _ := strings.Cut(string(n), ".")
	return json.Number(text)
}

func decoded(t *testing.T, data []byte) (document object) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&document); err != nil {
		t.Fatal(err)
	}
	return document
}

// equivalent gives the reason for which no application can show a change of the
// default policy, by the beginning of the change's name.
var equivalent = []struct{ name, why string }{
	{"/knockouts/12 removed", "the rule is a system rule, which is added again"},
	{"/knockouts/13 removed", "the rule is a system rule, which is added again"},
	{"/knockouts/19/on_absent", "a request without a score is refused, so it is always known who is new to credit"},
	{"/knockouts/21/condition_ast/args/0 removed",
		"only applicants who are new to credit have the index; without it the rule passes, or is not evaluated"},
	{"/knockouts/21/condition_ast/args/1/min = 0", "the index is at least 1"},
	{"/scorecard/min_score", "no sum of points is that low"},
	{"/scorecard/max_score", "no sum of points is that high"},
	{"/pricing_bands/6/min_score = 301", "no sum of points is that low"},
	{"/pricing_bands/0/max_score = 899", "no sum of points is that high"},
	{"/pricing_bands/3/processing_fee_min", "the share of the smallest limit is higher"},
	{"/pricing_bands/4/processing_fee_min", "the share of the smallest limit is higher"},
	{"/pricing_bands/5/processing_fee_min", "the share of the smallest limit is higher"},
	{"/pricing_bands/7/processing_fee_min", "the share of the smallest limit is higher"},
	{"/affordability/obligations/take = highest", "the policy says so already"},
	{"/required_fields/0 removed", "a request without a score is refused"},
}

// TestMutations changes the default policy once in every way that mutations lists,
// and checks that the generated cases notice at least 95 percent of the changes. A
// change that they do not notice counts as missed, unless equivalent has a reason and
// none of the applications that the search decided shows it.
func TestMutations(t *testing.T) {
	t.Parallel()
	search, set := generated(t)
	var cases []policytest.Case
	for _, f := range set.Files {
		read, err := policytest.Read(f.Data)
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		cases = append(cases, read...)
	}
	original := policytest.NewSubject(engine.DefaultPolicy())
	var killed, refused, same int
	var missed []string
	for _, m := range mutations(decoded(t, engine.DefaultPolicyJSON())) {
		document := decoded(t, engine.DefaultPolicyJSON())
		m.apply(document)
		text, err := json.Marshal(document)
		if err != nil {
			t.Fatal(err)
		}
		policy, err := engine.ParsePolicy(text, engine.Sources{Catalogue: field.Catalogue()})
		if err != nil {
			refused++
			continue
		}
		mutant := policytest.NewSubject(policy)
		switch {
		case slices.ContainsFunc(cases, func(c policytest.Case) bool { r := mutant.Run("", &c); return !r.Passed() }):
			killed++
		default:
			at := slices.IndexFunc(equivalent, func(e struct{ name, why string }) bool {
				return strings.HasPrefix(m.name, e.name)
			})
			if at < 0 {
				missed = append(missed, m.name)
				continue
			}
			same++
			t.Logf("equivalent: %s: %s", m.name, equivalent[at].why)
			if differs(t, search, original, mutant) {
				t.Errorf("%s is not equivalent: an application shows it", m.name)
			}
		}
	}
	for _, name := range missed {
		t.Logf("missed: %s", name)
	}
	t.Logf("%d cases: %d killed, %d missed, %d equivalent, %d refused as invalid", len(cases), killed, len(missed), same,
		refused)
	if killed < 300 || killed*100 < 95*(killed+len(missed)) {
		t.Errorf("%d of %d changes are noticed, want 95 percent of at least 300", killed, killed+len(missed))
	}
}

// differs reports whether any of the applications that the search decided is decided
// differently by the two policies.
func differs(t *testing.T, s *search, original, mutant *policytest.Subject) bool {
	t.Helper()
	visible := []string{"status", "grade", "score", "offer", "reasons", "hits"}
	for i := 0; i < len(s.pool); i += 1 + len(s.pool)/1_500 {
		body, err := wire.Parse(s.pool[i].body())
		if err != nil {
			t.Fatal(err)
		}
		var got [2][]byte
		for k, subject := range []*policytest.Subject{original, mutant} {
			answer, err := subject.Answer(body, time.Time{}, s.pool[i].stated()...)
			if err != nil {
				got[k] = []byte("refused")
				continue
			}
			decision, err := wire.Parse(answer)
			if err != nil {
				t.Fatal(err)
			}
			got[k] = policytest.Expect(decision, visible)
		}
		if !bytes.Equal(got[0], got[1]) {
			return true
		}
	}
	return false
}
