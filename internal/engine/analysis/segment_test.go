package analysis_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"verdict/internal/engine"
	"verdict/internal/engine/analysis"
	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// segmentDraft returns a policy with overlapping bands, some of which have a condition.
func segmentDraft(r *rand.Rand) string {
	conditions := []string{
		`{"op":"eq","field":"employment_type","value":"SALARIED"}`, `{"op":"gt","field":"age","value":40}`,
		`{"op":"absent","field":"age"}`, `{"op":"true"}`,
	}
	var bands []string
	add := func(least, greatest int, when string) {
		bands = append(bands, fmt.Sprintf(`{"id":"B%d","grade":"G%d","min_score":%d,"max_score":%d,"interest_rate":%d,
			"tenure_months":12,"min_limit":1000,"max_limit":90000,"default_limit":5000,"foir_cap":0.5%s}`,
			len(bands), len(bands), least, greatest, 10+r.IntN(5), when))
	}
	for least := 300; least < 900; {
		greatest := min(900, least+50+r.IntN(400))
		for range r.IntN(3) {
			from := 300 + r.IntN(500)
			add(from, from+r.IntN(400), `,"when":`+conditions[r.IntN(len(conditions))])
		}
		if r.IntN(4) > 0 {
			add(least, greatest, "")
		}
		least = greatest + 1
	}
	if len(bands) == 0 {
		add(300, 900, "")
	}
	bins := `{"lt":400,"points":0}`
	for n := 400; n < 800; n += 100 {
		bins += fmt.Sprintf(`,{"gte":%d,"lt":%d,"points":%d}`, n, n+100, n-300)
	}
	return `{"name":"S","semantics":2,"include_defaults":false,"allow_gaps":true,"scorecard":{"base_points":300,
		"factors":[{"factor":"f","field":"bureau_score","missing_points":0,"bins":[` + bins +
		`,{"gte":800,"points":600}]}]},"pricing_bands":[` + strings.Join(bands, ",") + `]}`
}

// TestSegmentFindingsAreSound checks that no applicant gets a shadowed band. If an applicant gets no band, the policy
// must have a finding about scores without a band.
func TestSegmentFindingsAreSound(t *testing.T) {
	t.Parallel()
	said, unpriced := map[string]int{}, 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 7)) //nolint:gosec // the test must be repeatable
		document := segmentDraft(r)
		policy, err := engine.ParsePolicy([]byte(document), engine.Sources{Catalogue: field.Catalogue()})
		if err != nil {
			t.Fatalf("%v in %s", err, document)
		}
		shadowed, warned := map[string]bool{}, false
		found := analysis.Run(policy, field.Catalogue())
		for _, f := range found {
			said[f.Code]++
			if f.Code == fault.CodeShadowedBand {
				shadowed[strings.Fields(f.Detail)[0]] = true
			}
			warned = warned || f.Code == fault.CodeNoFallbackBand || f.Code == fault.CodeScoresWithoutBand ||
				f.Code == fault.CodeBetterScoreWorsePrice && strings.Contains(f.Detail, "have no band")
		}
		plan := engine.Compile(policy, field.Catalogue())
		var d engine.Decision
		for _, f := range found {
			if f.Code == fault.CodeOverlappingBands {
				checkOverlap(t, plan, &f)
			}
		}
		for range 60 {
			facts := rule.NewFacts(field.Catalogue())
			facts.Set(field.BureauIsNTC, rule.Bool(false))
			facts.Set(field.BureauScore, rule.Num(rule.Int(300+r.Int64N(601))))
			if r.IntN(3) > 0 {
				facts.Set("age", rule.Num(rule.Int(20+r.Int64N(50))))
			}
			if r.IntN(2) > 0 {
				facts.Set("employment_type", rule.Str("SALARIED"))
			}
			plan.Decide(facts, &d)
			switch band := d.Band(); {
			case band == nil && !warned:
				t.Fatalf("seed %d: a score of %s has no band, and nothing says so\n%s", seed, d.FinalScore, document)
			case band == nil:
				unpriced++
			case shadowed[band.ID]:
				t.Fatalf("seed %d: %s is said to be shadowed, and applies\n%s", seed, band.ID, document)
			}
		}
	}
	if said[fault.CodeShadowedBand] < 20 || said[fault.CodeNoFallbackBand] < 20 || unpriced < 20 ||
		said[fault.CodeOverlappingBands] < 20 {
		t.Errorf("findings %v, %d applicants without a band", said, unpriced)
	}
}

// checkOverlap checks the example of a finding about two overlapping bands: for a score that both bands have, the
// applicant never gets the later band.
func checkOverlap(t *testing.T, plan *engine.Plan, f *analysis.Finding) {
	t.Helper()
	bands := plan.Policy().Bands
	index, err := strconv.Atoi(strings.TrimPrefix(f.Pointer, "/pricing_bands/"))
	if err != nil {
		t.Fatal(err)
	}
	later := &bands[index]
	earlier := &bands[slices.IndexFunc(bands, func(b engine.Band) bool { return b.ID == f.IDs[0] })]
	var d engine.Decision
	for score := int64(300); score <= 900; score += 100 {
		facts := rule.NewFacts(field.Catalogue())
		facts.Set(field.BureauIsNTC, rule.Bool(false))
		facts.Set(field.BureauScore, rule.Num(rule.Int(score)))
		for _, fact := range f.Witness {
			facts.Set(fact.Name, fact.Value)
		}
		plan.Decide(facts, &d)
		got := d.FinalScore.Floor()
		shared := max(earlier.MinScore, later.MinScore) <= got && got <= min(earlier.MaxScore, later.MaxScore)
		if shared && d.Band() != nil && d.Band().ID == later.ID {
			t.Errorf("%v with a score of %d gets %s: %s", f.Witness, got, later.ID, f.Detail)
		}
	}
}
