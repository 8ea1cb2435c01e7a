package analysis

import (
	"encoding/json"
	"fmt"
	"regexp"
	"testing"

	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// grid returns an applicant for every combination of the states that conditions
// over the fields can distinguish: each threshold, one step below it, one step
// above it, and absence.
func grid(fields []specimen) []*rule.Facts {
	all := []*rule.Facts{rule.NewFacts(field.Catalogue())}
	for i := range fields {
		s := &fields[i]
		values := []rule.Value{{}}
		for k := range max(3*len(s.thresholds), len(s.words)+1, 2) {
			if v := s.value(k); fits(s.name, v) {
				values = append(values, v)
			}
		}
		var next []*rule.Facts
		for _, facts := range all {
			for _, v := range values {
				more := rule.NewFacts(field.Catalogue())
				for _, nv := range facts.Sorted() {
					more.Set(nv.Name, nv.Value)
				}
				more.Set(s.name, v)
				next = append(next, more)
			}
		}
		all = next
	}
	possible := all[:0]
	for _, facts := range all {
		if !facts.Get(field.BureauIsNTC).IsTrue() || facts.Get(field.BureauScore).Type() == rule.Absent {
			possible = append(possible, facts)
		}
	}
	return possible
}

// TestAnalysisIsExact compares the analysis with the decisions for every
// distinguishable applicant. For rules that sets can express, the analysis must
// find exactly the rules that never fire, always fire, or are implied by
// another rule.
func TestAnalysisIsExact(t *testing.T) {
	t.Parallel()
	fields := []specimen{specimens[0], specimens[2], specimens[10], specimens[13]}
	people := grid(fields)
	said := map[string]int{}
	for seed := range uint64(60) {
		l := newLab(seed)
		l.fields = fields
		p := l.exactPolicy(t)
		x := newExaminer(t, p)
		got := map[string]bool{}
		for _, f := range x.findings {
			got[f.Code+f.Pointer] = true
		}
		hits := make([][]bool, len(p.Knockouts))
		for i := range hits {
			hits[i] = make([]bool, len(people))
			for k, facts := range people {
				hits[i][k] = x.holds(&p.Knockouts[i].Condition, facts)
			}
		}
		for i := range hits {
			at := fmt.Sprintf("/knockouts/%d", i)
			want := map[string]bool{
				fault.CodeNeverFires:  count(hits[i]) == 0,
				fault.CodeAlwaysFires: count(hits[i]) > 0 && alwaysHits(&p.Knockouts[i].Condition, people, hits[i]),
			}
			superfluous := takenIn(hits, i)
			if !superfluous.unsure {
				want[fault.CodeImpliedBy], want[fault.CodeDuplicateCondition] = superfluous.implied,
					superfluous.duplicate
			}
			for code, is := range want {
				if got[code+at] != is {
					t.Errorf("seed %d: %s of %s is %v, want %v\n%s",
						seed, code, p.Knockouts[i].Condition.Text(), !is, is, p.Document())
				}
				if is {
					said[code]++
				}
			}
		}
	}
	t.Logf("%d applicants, %v", len(people), said)
}

// exactPolicy returns a policy of knockouts with the same action, whose
// predicates can all be expressed by sets.
func (l *lab) exactPolicy(tb testing.TB) *engine.Policy {
	tb.Helper()
	var knockouts []object
	for len(knockouts) < 6 {
		condition := l.condition(2, false)
		text, err := json.Marshal(condition)
		if err != nil {
			tb.Fatal(err)
		}
		if opaque.Match(text) {
			continue
		}
		knockouts = append(knockouts,
			object{"id": fmt.Sprintf("KO_%d", len(knockouts)), "reason_code": "BUR_SCORE", "condition_ast": condition})
	}
	data, err := json.Marshal(object{
		"name": "exact", "include_defaults": false, "knockouts": knockouts,
		"scorecard":     object{"base_points": 600, "factors": []object{}},
		"pricing_bands": []object{{"id": "PB", "grade": "F", "min_score": 300, "max_score": 900, "action": "decline"}},
	})
	if err != nil {
		tb.Fatal(err)
	}
	p, err := engine.ParsePolicy(data, engine.Sources{Catalogue: field.Catalogue()})
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

func count(hits []bool) (n int) {
	for _, hit := range hits {
		if hit {
			n++
		}
	}
	return n
}

func alwaysHits(c *rule.Condition, people []*rule.Facts, hits []bool) bool {
	somebody := false
	for k, facts := range people {
		if suppliesAll(c, facts) {
			somebody = true
			if !hits[k] {
				return false
			}
		}
	}
	return somebody
}

type verdictOn struct{ implied, duplicate, unsure bool }

// takenIn returns the expected finding for rule i. It looks for the first other rule that hits whenever rule i hits.
// If the two rules always hit together, rule i is a duplicate, otherwise it is implied. Rules that hit nobody or
// everybody are not compared.
func takenIn(hits [][]bool, i int) (v verdictOn) {
	if n := count(hits[i]); n == 0 || n == len(hits[i]) {
		v.unsure = n > 0
		return v
	}
	for j := range hits {
		if j == i || !within(hits[i], hits[j]) {
			continue
		}
		if count(hits[j]) == len(hits[j]) {
			v.unsure = true // the analysis may fail to prove that rule j hits everybody
			return v
		}
		mutual := within(hits[j], hits[i])
		if mutual && j > i {
			continue
		}
		return verdictOn{implied: !mutual, duplicate: mutual}
	}
	return v
}

func within(a, b []bool) bool {
	for k := range a {
		if a[k] && !b[k] {
			return false
		}
	}
	return true
}

var opaque = regexp.MustCompile(`"left"|starts_with|contains`)
