package advice_test

import (
	"fmt"
	"strings"
	"testing"

	"verdict/internal/advice"
	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// manyKnockouts is the number of rules of the hostile policies, as many as fit
// into a document of one megabyte.
const manyKnockouts = 9_800

// hostile returns a valid policy of nearly one megabyte. The function condition
// returns the condition of the i-th knockout.
func hostile(condition func(i int) string) string {
	var b strings.Builder
	b.WriteString(`{"name":"hostile","actionable_fields":["requested_amount","enquiries_6m","foir"],"knockouts":[`)
	for i := range manyKnockouts {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":"K%d","stage":1,"action":"decline","reason_code":"R","condition_ast":%s}`,
			i, condition(i))
	}
	b.WriteString(`],"scorecard":{"base_points":700,"factors":[]},"pricing_bands":[` +
		`{"id":"B","grade":"G","min_score":300,"max_score":900,"action":"approve","interest_rate":12,` +
		`"tenure_months":24,` +
		`"tenures_allowed":[12,24],"min_limit":50000,"max_limit":5000000,"default_limit":50000,"foir_cap":0.5}]}`)
	return b.String()
}

// hostilePolicies has, by name, the conditions of policies that are worst cases
// for a search.
var hostilePolicies = map[string]func(i int) string{
	// The knockout with the lowest threshold declines all trials but the last
	// few.
	"thresholds": func(i int) string {
		return fmt.Sprintf(`{"op":"gt","field":"requested_amount","value":%d}`, 100*i+100)
	},
	// A different rule declines each trial.
	"points": func(i int) string {
		return fmt.Sprintf(`{"op":"between","field":"requested_amount","min":%d,"max":%d}`, 100*i+1, 100*i+100)
	},
}

func hostileFacts() *rule.Facts {
	f := application(&dice{state: 3})
	for _, name := range []string{"requested_amount", "applicant.requested_amount"} {
		f.Set(name, rule.Num(rule.Int(100*manyKnockouts)))
	}
	for _, name := range []string{"enquiries_6m", "bureau_report.enquiries_6m"} {
		f.Set(name, rule.Num(rule.Int(30)))
	}
	return f
}

func BenchmarkHostile(b *testing.B) {
	for name, condition := range hostilePolicies {
		plan, facts := compile(b, hostile(condition)), hostileFacts()
		b.Run(name+"/improve", func(b *testing.B) {
			for b.Loop() {
				var d engine.Decision
				plan.Decide(facts, &d)
				improve(b, plan, facts, &d, advice.Options{})
			}
		})
		b.Run(name+"/complete", func(b *testing.B) {
			empty := rule.NewFacts(field.Catalogue())
			for b.Loop() {
				var d engine.Decision
				plan.Decide(empty, &d)
				complete(b, plan, empty, &d)
			}
		})
		b.Run(name+"/decide", func(b *testing.B) {
			var d engine.Decision
			for b.Loop() {
				plan.Decide(facts, &d)
			}
		})
	}
}
