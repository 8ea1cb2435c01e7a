// Package enginetest provides policies for the tests of the engine and of the packages around it.
package enginetest

import (
	"fmt"
	"strings"
	"testing"

	"verdict/internal/engine"
	"verdict/internal/field"
)

// HostileDocuments returns policies of up to about one megabyte by name. Each policy maximises one kind of work for the
// engine or the analysis. All are valid except "texts", which HostilePolicy completes.
func HostileDocuments() map[string]string {
	const bands = `"scorecard":{"base_points":700,"factors":[%s]},` +
		`"pricing_bands":[{"id":"B","grade":"G","min_score":300,"max_score":900,` +
		`"action":"approve","interest_rate":12,"tenure_months":24,"min_limit":50000,"max_limit":5000000,` +
		`"default_limit":50000,"foir_cap":0.5}]}`
	policy := func(knockouts int, condition func(i int) string) string {
		rules := make([]string, knockouts)
		for i := range rules {
			rules[i] = fmt.Sprintf(`{"id":"K%d","reason_code":"R","condition_ast":%s}`, i, condition(i))
		}
		return `{"name":"hostile","knockouts":[` + strings.Join(rules, ",") + `],` + fmt.Sprintf(bands, "")
	}
	join := func(n int, one func(k int) string) string {
		parts := make([]string, n)
		for k := range parts {
			parts[k] = one(k)
		}
		return strings.Join(parts, ",")
	}
	names := []string{"requested_amount", "enquiries_6m", "foir", "monthly_income", "bureau_score", "active_tradelines",
		"max_dpd_12m", "age"}
	return map[string]string{
		"thresholds": policy(9_800, func(i int) string {
			return fmt.Sprintf(`{"op":"gt","field":"requested_amount","value":%d}`, 100*i)
		}),
		"points": policy(9_800, func(i int) string {
			return fmt.Sprintf(`{"op":"eq","field":"requested_amount","value":%d}`, 100*i)
		}),
		"crossed": policy(250, func(i int) string {
			return `{"op":"and","args":[` + join(40, func(k int) string {
				return fmt.Sprintf(
					`{"op":"or","args":[{"op":"lt","field":%q,"value":%d},{"op":"gt","field":%q,"value":%d}]}`,
					names[(i+k)%8], i+k, names[(i+k+1)%8], i+k+9)
			}) + `]}`
		}),
		"alternatives": policy(45, func(i int) string {
			return `{"op":"or","args":[` + join(500, func(k int) string {
				return fmt.Sprintf(`{"op":"eq","field":%q,"value":%d}`, names[(i+k)%8], i*500+k)
			}) + `]}`
		}),
		"sets": policy(150, func(i int) string {
			return `{"op":"in","field":"requested_amount","values":[` + join(1_000,
				func(k int) string { return fmt.Sprint(1_000*i + 2*k) }) + `]}`
		}),
		"texts": policy(60, func(i int) string {
			return `{"op":"in","field":"employment_type_x","values":[` + join(1_000,
				func(k int) string { return fmt.Sprintf(`"t%d_%d"`, i, k) }) + `]}`
		}),
		"sums": policy(3_000, func(i int) string {
			return fmt.Sprintf(`{"op":"gt","left":{"op":"add","args":[%s]},"right":{"value":%d}}`,
				join(8, func(k int) string { return fmt.Sprintf(`{"field":%q}`, names[(i+k)%8]) }), i)
		}),
		"bins": `{"name":"bins","knockouts":[],` + fmt.Sprintf(bands, join(60, func(i int) string {
			return fmt.Sprintf(`{"factor":"f%d","field":%q,"bins":[{"lt":0,"points":0},%s,{"gte":498,"points":1}]}`, i,
				names[i%8], join(498,
					func(k int) string { return fmt.Sprintf(`{"gte":%d,"lt":%d,"points":%d}`, k, k+1, k%7) }))
		})),
	}
}

// HostilePolicy parses the document of HostileDocuments with this name.
func HostilePolicy(tb testing.TB, name string) *engine.Policy {
	tb.Helper()
	document := HostileDocuments()[name]
	if name == "texts" {
		document = `{"inputs":[{"name":"applicant.t","type":"string"}],` + strings.ReplaceAll(document,
			"employment_type_x", "applicant.t")[1:]
	}
	p, err := engine.ParsePolicy([]byte(document), engine.Sources{Catalogue: field.Catalogue()})
	if err != nil {
		tb.Fatalf("%s: %.300s", name, err)
	}
	return p
}
