package engine

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"verdict/internal/field"
)

// hostileDocuments returns valid policies of about a megabyte, each of which
// causes as much work as possible in one way.
func hostileDocuments() map[string]string {
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

func hostilePolicy(tb testing.TB, name string) *Policy {
	tb.Helper()
	document := hostileDocuments()[name]
	if name == "texts" {
		document = `{"inputs":[{"name":"applicant.t","type":"string"}],` + strings.ReplaceAll(document,
			"employment_type_x", "applicant.t")[1:]
	}
	p, err := ParsePolicy([]byte(document), Sources{Catalogue: field.Catalogue()})
	if err != nil {
		tb.Fatalf("%s: %.300s", name, err)
	}
	return p
}

func BenchmarkHostile(b *testing.B) {
	for name, document := range hostileDocuments() {
		p := hostilePolicy(b, name)
		b.Logf("%s has %d bytes and costs %d", name, len(document), Compile(p, field.Catalogue()).Cost())
		b.Run(name+"/read", func(b *testing.B) {
			for b.Loop() {
				hostilePolicy(b, name)
			}
		})
		b.Run(name+"/compile", func(b *testing.B) {
			for b.Loop() {
				Compile(p, field.Catalogue())
			}
		})
		b.Run(name+"/analyse", func(b *testing.B) {
			for b.Loop() {
				Analyse(p, field.Catalogue())
			}
		})
		b.Run(name+"/against", func(b *testing.B) {
			found := Analyse(p, field.Catalogue())
			for b.Loop() {
				Changes(p, DefaultPolicy())
				Against(found, p, found, p)
			}
		})
	}
}

// TestAnalysisEndsWithItsCaller checks that reading and analysing the largest
// policies calls check at least every few hundred steps, and ends at the first
// check that fails.
func TestAnalysisEndsWithItsCaller(t *testing.T) {
	t.Parallel()
	gone := errors.New("gone")
	for name := range hostileDocuments() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := hostilePolicy(t, name)
			checks := 0
			found, err := AnalyseUntil(p, field.Catalogue(), func() error { checks++; return nil })
			if err != nil || !reflect.DeepEqual(found, Analyse(p, field.Catalogue())) {
				t.Errorf("%d findings, %v", len(found), err)
			}
			if checks < 3 {
				t.Errorf("%d checks", checks)
			}
			for _, last := range []int{1, 2, checks} {
				asked := 0
				found, err = AnalyseUntil(p, field.Catalogue(), func() error {
					if asked++; asked == last {
						return gone
					}
					return nil
				})
				if !errors.Is(err, gone) || found != nil || asked != last {
					t.Errorf("ended at %d: %d findings, %v after %d", last, len(found), err, asked)
				}
			}
		})
	}
}

func TestReadingEndsWithItsCaller(t *testing.T) {
	t.Parallel()
	gone, asked := errors.New("gone"), 0
	_, err := ParsePolicy([]byte(hostileDocuments()["thresholds"]),
		Sources{Catalogue: field.Catalogue(), Check: func() error {
			if asked++; asked == 100 {
				return gone
			}
			return nil
		}})
	if !errors.Is(err, gone) || asked != 100 {
		t.Errorf("%v after %d", err, asked)
	}
}

// TestPolicyCost checks that the cost of a policy is the sum over its
// conditions, bins and bands.
func TestPolicyCost(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]int{
		"thresholds": 9_800 + 1, "crossed": 250*(1+40*3) + 1, "alternatives": 45*501 + 1,
		"sets": 150*101 + 1, "sums": 3_000*(1+8) + 1, "bins": 60*500 + 1,
	} {
		system := 0
		p := hostilePolicy(t, name)
		for i := range p.Knockouts {
			if p.Knockouts[i].System {
				system += (&Policy{Knockouts: p.Knockouts[i : i+1], Scorecard: &Scorecard{}}).Cost()
			}
		}
		if got := p.Cost() - system; got != want {
			t.Errorf("%s costs %d, not %d", name, got, want)
		}
		if p.Cost() > MaxCost {
			t.Errorf("%s is refused", name)
		}
	}
}
