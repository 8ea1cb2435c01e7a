package enginetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Mutation is one change of a policy document.
type Mutation struct {
	Name  string
	Apply func(document map[string]any)
}

type (
	object = map[string]any
	list   = []any
)

// Mutations lists single changes of every threshold, operator, action, code, point,
// bin, band, price, condition and source of a policy.
func Mutations(document map[string]any) []Mutation {
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

type mutator struct{ all []Mutation }

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

func (m *mutator) add(name string, apply func(object)) { m.all = append(m.all, Mutation{name, apply}) }

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

// plus returns n + sign × step with two decimal places.
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
	if op == "between" { // without one of its ends
		for _, end := range [][2]string{{"gte", "min"}, {"lte", "max"}} {
			to := object{"op": end[0], "field": c["field"], "value": c[end[1]]}
			m.add(fmt.Sprintf("%s has only %s", pathText(path), end[1]), func(d object) { put(d, path, to) })
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

// Decode returns a policy document. It keeps the spelling of numbers.
func Decode(tb testing.TB, data []byte) (document map[string]any) {
	tb.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&document); err != nil {
		tb.Fatal(err)
	}
	return document
}

// Same says why no application can show the changes whose names begin with Name.
type Same struct{ Name, Why string }

// Equivalent gives the reason why no application can show a change of the default
// policy, by the beginning of the change's name.
var Equivalent = []Same{
	{"/knockouts/12 removed", "the rule is a system rule, which is added again"},
	{"/knockouts/13 removed", "the rule is a system rule, which is added again"},
	{"/knockouts/19/on_absent", "a request without a score is refused, so it is always known who is new to credit"},
	{"/knockouts/21/condition_ast/args/0 removed",
		"only applicants who are new to credit have the index; without it the rule passes, or is not evaluated"},
	{"/knockouts/21/condition_ast/args/1/min = 0", "the index is at least 1"},
	{"/knockouts/21/condition_ast/args/1 has only max", "the index is at least 1"},
	{"/scorecard/min_score", "no sum of points is that low"},
	{"/scorecard/max_score", "no sum of points is that high"},
	{"/pricing_bands/6/min_score = 301", "no sum of points is that low"},
	{"/pricing_bands/0/max_score = 899", "no sum of points is that high"},
	{"/pricing_bands/3/processing_fee_min", "the share of the smallest limit is higher"},
	{"/pricing_bands/4/processing_fee_min", "the share of the smallest limit is higher"},
	{"/pricing_bands/5/processing_fee_min", "the share of the smallest limit is higher"},
	{"/pricing_bands/7/processing_fee_min", "the share of the smallest limit is higher"},
	{"/affordability/obligations/take = highest", "the policy already has this value"},
	{"/required_fields/0 removed", "a request without a score is refused"},
}

// PriceMutations lists single changes of every segment, price, cap and charge of a policy, and of their order.
func PriceMutations(document map[string]any) []Mutation {
	m := &mutator{}
	swap := func(section string, i int) {
		m.add(fmt.Sprintf("/%s/%d and the next exchanged", section, i), func(d object) {
			entries := d[section].(list)
			entries[i], entries[i+1] = entries[i+1], entries[i]
		})
	}
	when := func(section string, i int, entry object) {
		if c, ok := entry["when"].(object); ok {
			m.condition(at(section, i, "when"), c)
			m.add(fmt.Sprintf("/%s/%d/when removed", section, i), func(d object) {
				delete(d[section].(list)[i].(object), "when")
			})
		}
	}
	m.bands(document["pricing_bands"].(list))
	for i, b := range document["pricing_bands"].(list) {
		when("pricing_bands", i, b.(object))
		m.delete(at("pricing_bands"), i)
		if i > 0 {
			swap("pricing_bands", i-1)
		}
	}
	for i, c := range document["limit_caps"].(list) {
		when("limit_caps", i, c.(object))
		m.delete(at("limit_caps"), i)
		m.set(at("limit_caps", i, "reason_code"), "OTHER_CODE")
		of := c.(object)["of"].(object)
		if of["value"] != nil {
			m.shift(at("limit_caps", i, "of", "value"), of["value"], "1000")
			continue
		}
		share := of["args"].(list)[0].(object)["value"]
		for _, step := range []string{"0.01", "0.05"} {
			m.shift(at("limit_caps", i, "of", "args", 0, "value"), share, step)
		}
		m.set(at("limit_caps", i, "of", "op"), "add")
	}
	for i, c := range document["charges"].(list) {
		m.delete(at("charges"), i)
		m.choice(at("charges", i, "to"), "lender", "third_party")
		m.set(at("charges", i, "id"), "other")
		steps := map[string]string{"amount": "0.01", "min": "1", "max": "1", "gst": "1"}
		for _, name := range slices.Sorted(maps.Keys(steps)) {
			if now := c.(object)[name]; now != nil {
				m.shift(at("charges", i, name), now, steps[name])
			}
		}
		if i > 0 {
			swap("charges", i-1)
		}
	}
	return m.all
}

// SamePrices gives the reason why no application can show a change of the segmented policy, by the beginning of the
// change's name.
var SamePrices = []Same{
	{"/pricing_bands/0/max_score = 899", "no sum of points is that high"},
	{"/pricing_bands/0/min_score and the max_score below = 719", "no sum of points is 719"},
	{"/pricing_bands/1/min_score and the max_score below = 719", "no sum of points is 719"},
	{"/pricing_bands/2/min_score and the max_score below = 659", "no sum of points is 659"},
	{"/pricing_bands/3/min_score and the max_score below = 659", "no sum of points is 659"},
	{"/pricing_bands/1 and the next exchanged", "the two bands have different scores"},
	{"/pricing_bands/3 and the next exchanged", "the two bands have different scores"},
}
