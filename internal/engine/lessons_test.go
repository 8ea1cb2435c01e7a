package engine_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// This list numbers defects that similar systems have had and that the pure packages must avoid. After each number,
// it names the tests that check for the defect. The tests of this file and of read_test.go have the number of the
// defect in their names.
//
//	 1  TestLesson01…, TestSharedPlanUnderGoroutines
//	 2  TestLesson02…, rule.TestConcurrentUse
//	 3  TestLesson03…, TestReusedDecisionKeepsNothing, rule.TestFrameForgets
//	 4  TestLesson04…, rule.TestAbsenceNeverSatisfies
//	 5  TestLesson05…
//	 6  TestLesson06…, rule.TestMatrix: every operator × {holds, fails, absent, null, wrong type}
//	 7  TestLesson07…, rule.TestMatrix, rule.TestAbsenceNeverSatisfies
//	 8  TestLesson08…, rule.TestMatrix (two fields)
//	 9  TestLesson09…
//	10  TestLesson10…, rule.TestBoundaries
//	11  TestLesson11…, rule.TestArithmetic
//	12  TestLesson12…
//	13  TestLesson13…, rule.TestReference
//	14  TestLesson14…
//	15  TestLesson15…, app.TestLayers: the pure packages read no clock
//	17  TestLesson17… (read_test.go)
//	18  TestLesson18…, rule.TestArithmetic, rule.TestBoundaries
//	19  TestLesson19…
//	22  TestLesson22… (read_test.go), rule.TestFaultsAreTheirOwn
//	24  TestLesson24…, TestCorpusHashes: a release does not change decisions
//	25  TestLesson25…
//	26  TestLesson26…, testdata/faults/conditions.txtar

// lessonBand offers a price for every score.
const lessonBand = `{"id":"P","grade":"A","min_score":-1000,"max_score":1000,"interest_rate":16,"tenure_months":36,` +
	`"min_limit":20000,"max_limit":500000,"default_limit":50000,"foir_cap":0.5}`

// lessonPlan compiles a policy with the given sections. If there is no scorecard or no pricing
// bands, it adds simple ones.
func lessonPlan(tb testing.TB, sections string) *engine.Plan {
	tb.Helper()
	if !strings.Contains(sections, `"scorecard"`) {
		sections += `,"scorecard":{"base_points":700,"factors":[]}`
	}
	if !strings.Contains(sections, `"pricing_bands"`) {
		sections += `,"pricing_bands":[` + lessonBand + `]`
	}
	return goldenCompile(tb, `{"name":"lesson","include_defaults":false,`+strings.TrimPrefix(sections, ",")+`}`)
}

func lessonKnockout(id, condition string) string {
	return fmt.Sprintf(`{"id":%q,"reason_code":"X","condition_ast":%s}`, id, condition)
}

func lessonDecide(tb testing.TB, plan *engine.Plan, facts string) *engine.Decision {
	tb.Helper()
	var d engine.Decision
	plan.Decide(goldenFacts(tb, []byte(facts)), &d)
	return &d
}

// lessonApplicants has several different applications.
var lessonApplicants = []string{
	`{}`,
	`{
		"bureau_score":742,"bureau_is_ntc":false,"monthly_income":85000,"foir":0.32,"enquiries_6m":2,
		"active_tradelines":4,"max_dpd_12m":0,"requested_amount":600000
	}`,
	`{"bureau_score":781,"bureau_is_ntc":false}`,
	`{"bureau_score":560,"bureau_is_ntc":false,"age":19,"employment_type":"STUDENT","monthly_income":9000,"foir":0.7}`,
	`{"bureau_is_ntc":true,"monthly_income":45000,"foir":0.1,"enquiries_6m":1,"employment_type":"SALARIED"}`,
	`{"bureau_is_ntc":true,"bureau_ntc_index":2,"device_is_emulator":true}`,
	`{"bureau_score":655,"bureau_is_ntc":false,"monthly_income":60000,"foir":0.5,"enquiries_6m":5,"max_dpd_12m":45}`,
}

// TestLesson01ScoreIsFoldedInOrder checks that many goroutines that decide
// concurrently on one plan get the same sum and the same bytes. Each goroutine
// adds the points in declared order.
func TestLesson01ScoreIsFoldedInOrder(t *testing.T) {
	t.Parallel()
	plan := engine.Compile(engine.DefaultPolicy(), field.Catalogue())
	var group sync.WaitGroup
	for _, applicant := range lessonApplicants {
		facts := goldenFacts(t, []byte(applicant))
		var alone engine.Decision
		plan.Decide(facts, &alone)
		want := alone.Canonical()
		for range 8 {
			group.Go(func() {
				var d engine.Decision
				for range 50 {
					plan.Decide(facts, &d)
					if !bytes.Equal(d.Canonical(), want) {
						t.Errorf("%s was decided in two ways", applicant)
						return
					}
				}
			})
		}
	}
	group.Wait()
	// Contributions are in the order of the policy's factors.
	d := lessonDecide(t, plan, lessonApplicants[1])
	var order []string
	for _, f := range engine.DefaultPolicy().Scorecard.Factors {
		order = append(order, f.Name)
	}
	at := -1
	for _, c := range d.Contributions()[1:] {
		next := slices.Index(order, c.Factor)
		if next <= at {
			t.Errorf("%s stands out of order", c.Factor)
		}
		at = next
	}
}

// TestLesson02PlanIsImmutable checks that deciding and explaining change
// neither the policy nor the plan. The race detector checks this too.
func TestLesson02PlanIsImmutable(t *testing.T) {
	t.Parallel()
	policy := engine.DefaultPolicy()
	plan := engine.Compile(policy, field.Catalogue())
	document, fields := policy.Document(), plan.Fields()
	var group sync.WaitGroup
	for _, applicant := range lessonApplicants {
		facts := goldenFacts(t, []byte(applicant))
		group.Go(func() {
			for range 20 {
				var d engine.Decision
				plan.Decide(facts, &d)
				d.NotEvaluated()
				var w wire.Writer
				d.Write(&w, &engine.Envelope{Facts: facts})
				var e engine.Eligibility
				plan.Eligible(facts, &e)
			}
		})
	}
	group.Wait()
	if !bytes.Equal(document, policy.Document()) {
		t.Error("deciding changed the policy")
	}
	if diff := cmp.Diff(fields, plan.Fields()); diff != "" {
		t.Errorf("deciding changed the plan:\n%s", diff)
	}
}

// TestLesson03NothingOfARequestStays checks that no data of one applicant affects another. It
// decides pairs of applicants alternately with one plan and one reused decision.
func TestLesson03NothingOfARequestStays(t *testing.T) {
	t.Parallel()
	plan := engine.Compile(engine.DefaultPolicy(), field.Catalogue())
	var wants [][]byte
	for _, applicant := range lessonApplicants {
		wants = append(wants, lessonDecide(t, plan, applicant).Canonical())
	}
	var reused engine.Decision
	for i := range lessonApplicants {
		for j := range lessonApplicants {
			for _, k := range []int{i, j, i} {
				plan.Decide(goldenFacts(t, []byte(lessonApplicants[k])), &reused)
				if !bytes.Equal(reused.Canonical(), wants[k]) {
					t.Fatalf("after another applicant, %s is decided otherwise", lessonApplicants[k])
				}
			}
		}
	}
}

// TestLesson04UnknownIsVisible checks that a rule that could not be evaluated is listed with every field that is
// missing, no matter what its "on_absent" is. A missing required field declines the application.
func TestLesson04UnknownIsVisible(t *testing.T) {
	t.Parallel()
	const condition = `{"op":"or","args":[{"op":"lt","field":"age","value":21},{"op":"not","arg":{"op":"lte",` +
		`"left":{"field":"foir"},"right":{"op":"div","args":[{"field":"monthly_income"},{"value":100000}]}}}]}`
	for onAbsent, want := range map[string]engine.Status{
		"pass":  engine.Approved,
		"refer": engine.Referred,
		"fail":  engine.Declined,
	} {
		rule := strings.Replace(lessonKnockout("KO", condition), `"id"`, `"on_absent":"`+onAbsent+`","id"`, 1)
		d := lessonDecide(t, lessonPlan(t, `"knockouts":[`+rule+`]`), `{"bureau_score":742}`)
		if d.Status != want {
			t.Errorf("on_absent %s: %s, want %s", onAbsent, d.Status, want)
		}
		if listed := len(d.Rules()) == 1; listed != (onAbsent != "pass") {
			t.Errorf("on_absent %s: the rules are %v", onAbsent, d.Rules())
		}
		missing := []engine.NotEvaluated{{ID: "KO", Missing: []string{"age", "foir", "monthly_income"}}}
		if diff := cmp.Diff(missing, d.NotEvaluated()); diff != "" {
			t.Errorf("on_absent %s:\n%s", onAbsent, diff)
		}
	}
	d := lessonDecide(t, lessonPlan(t, `"required_fields":["age|foir","monthly_income"]`), `{"foir":0.1}`)
	if d.Status != engine.Declined || d.Reasons[0].Code != engine.ReasonMissingInput ||
		d.Detail(d.Reasons[0]).Field != "monthly_income" {
		t.Errorf("a required field is missing: %s, %v", d.Status, d.Reasons)
	}
}

// TestLesson05AbsentIsNotZero checks that no factor, rule, capacity or message
// treats an absent number as zero.
func TestLesson05AbsentIsNotZero(t *testing.T) {
	t.Parallel()
	plan := lessonPlan(t,
		`"knockouts":[`+lessonKnockout("KO_ZERO", `{"op":"lte","field":"monthly_income","value":0}`)+`],
		"scorecard":{"base_points":700,"factors":[{"factor":"income","field":"monthly_income",
			"bins":[{"lt":1,"points":-100},{"gte":1,"points":0}]}]}`)
	absent, zero := lessonDecide(t, plan, `{"foir":0.1}`), lessonDecide(t, plan, `{"foir":0.1,"monthly_income":0}`)
	if absent.Status != engine.Approved || absent.FinalScore != rule.Int(700) || len(absent.Rules()) != 0 ||
		absent.Offer.HasCapacity || absent.Offer.LimitPaise != 50_000_00 {
		t.Errorf("absent: %s, %s, %v, %+v", absent.Status, absent.FinalScore, absent.Rules(), absent.Offer)
	}
	if zero.Status != engine.Declined || zero.FinalScore != rule.Int(600) ||
		zero.Rules()[0].Result != engine.ResultFail {
		t.Errorf("zero: %s, %s, %v", zero.Status, zero.FinalScore, zero.Rules())
	}
}

// lessonSilent checks that conditions over absent fields do not hit, whether negated or not, and
// that all of them are listed as not evaluated.
func lessonSilent(t *testing.T, conditions ...string) {
	t.Helper()
	var rules []string
	for i, c := range conditions {
		rules = append(rules, lessonKnockout(fmt.Sprintf("KO_%d", i), c),
			lessonKnockout(fmt.Sprintf("NOT_%d", i), `{"op":"not","arg":`+c+`}`))
	}
	d := lessonDecide(t, lessonPlan(t, `"knockouts":[`+strings.Join(rules, ",")+`]`),
		`{"bureau_score":742,"foir":null}`)
	if d.Status != engine.Approved || len(d.Rules()) != 0 || len(d.NotEvaluated()) != len(rules) {
		t.Errorf("%s with %v; not evaluated %v", d.Status, d.Rules(), d.NotEvaluated())
	}
}

func TestLesson06NullIsNeitherBelowNorAboveNorAmong(t *testing.T) {
	t.Parallel()
	lessonSilent(t,
		`{"op":"lt","field":"foir","value":10}`, `{"op":"gt","field":"foir","value":20}`,
		`{"op":"gte","field":"foir","value":0}`,
		`{"op":"between","field":"foir","min":0,"max":5}`, `{"op":"in","field":"foir","values":[0,1]}`)
}

func TestLesson07AbsentIsNotUnequal(t *testing.T) {
	t.Parallel()
	lessonSilent(t,
		`{"op":"ne","field":"foir","value":0.5}`, `{"op":"not_in","field":"employment_type","values":["SALARIED"]}`,
		`{"op":"ne","field":"device_is_emulator","value":true}`)
}

func TestLesson08AbsentIsNotEqualToAbsent(t *testing.T) {
	t.Parallel()
	lessonSilent(t,
		`{"op":"eq","left":{"field":"foir"},"right":{"field":"bank_foir"}}`,
		`{"op":"eq","left":{"field":"location.ip"},"right":{"field":"fraud.ip"}}`,
		`{"op":"eq","left":{"field":"device_is_rooted"},"right":{"field":"device_is_emulator"}}`,
		`{"op":"eq","left":{"field":"foir"},"right":{"field":"foir"}}`)
}

// TestLesson09BinsAreHalfOpenAndCover checks that a bound belongs to the bin above it, that every
// value has exactly one bin, and that an absent value has no bin.
func TestLesson09BinsAreHalfOpenAndCover(t *testing.T) {
	t.Parallel()
	few := `{"lt":650,"points":1},{"gte":650,"lt":700,"points":2},{"gte":700,"points":3}`
	many := `{"lt":301,"points":301}` // enough bins for the binary search
	for i := 301; i < 340; i++ {
		many += fmt.Sprintf(`,{"gte":%d,"lt":%d,"points":%d}`, i, i+1, i+1)
	}
	many += `,{"gte":340,"points":341}`
	plan := lessonPlan(t, `"scorecard":{"base_points":0,"min_score":-1000,"max_score":1000,"factors":[
		{"factor":"few","field":"bureau_score","bins":[`+few+`]},{"factor":"many","field":"bureau_score","bins":[`+many+
		`]}]}`)
	for score := 300; score <= 900; score++ {
		d := lessonDecide(t, plan, fmt.Sprintf(`{"bureau_score":%d}`, score))
		wantFew, wantMany := int64(3), int64(min(score+1, 341))
		switch {
		case score < 650:
			wantFew = 1
		case score < 700:
			wantFew = 2
		}
		if got := d.Contributions(); len(got) != 3 || got[1].Points != rule.Int(wantFew) ||
			got[2].Points != rule.Int(wantMany) {
			t.Errorf("score %d earns %v", score, got)
		}
	}
	if got := lessonDecide(t, plan, `{}`).Contributions(); len(got) != 1 {
		t.Errorf("an absent score earns %v", got)
	}
	for _, c := range []struct{ bins, code string }{
		{`{"lt":650,"points":1},{"gte":651,"points":2}`, "bin_gap"},
		{`{"lt":650,"points":1},{"gte":649,"points":2}`, "bin_overlap"},
		{`{"gte":301,"points":1}`, "bin_gap"},
		{`{"lt":900,"points":1}`, "bin_gap"}, // the score 900 has no bin
	} {
		got := policyFaults(t,
			[]byte(`{"name":"x","scorecard":{"base_points":0,"factors":[{"factor":"f","field":"bureau_score","bins":[`+
				c.bins+`]}]},"pricing_bands":[`+lessonBand+`]}`))
		if len(got) != 1 || got[0].Code != c.code {
			t.Errorf("%s: %v, want %s", c.bins, got, c.code)
		}
	}
}

// TestLesson10ZeroIsABound checks that bounds of 0 and -1 work in conditions,
// bins, clamps, bands and amounts.
func TestLesson10ZeroIsABound(t *testing.T) {
	t.Parallel()
	plan := lessonPlan(t, `"knockouts":[`+strings.Join([]string{
		lessonKnockout("GTE_0", `{"op":"gte","field":"bank_avg_balance","value":0}`),
		lessonKnockout("LT_0", `{"op":"lt","field":"bank_avg_balance","value":0}`),
		lessonKnockout("BETWEEN", `{"op":"between","field":"bank_avg_balance","min":-1,"max":0}`),
	}, ",")+`],
		"scorecard":{"base_points":0,"min_score":-1,"max_score":0,"factors":[
			{"factor":"balance","field":"bank_avg_balance","bins":[{"lt":-1,"points":-5},{"gte":-1,"lt":0,"points":-1},
				{"gte":0,"points":5}]}]},
		"pricing_bands":[`+strings.Replace(strings.Replace(lessonBand, "-1000", "0", 1), "1000,", "0,",
		1)+`,{"id":"D","grade":"B","min_score":-1,"max_score":-1,"action":"decline"}]`)
	for balance, want := range map[string]string{
		"-1.000001": "pass fail pass -1 B",
		"-1":        "pass fail fail -1 B",
		"-0.000001": "pass fail fail -1 B",
		"0":         "fail pass fail 0 A",
		"0.000001":  "fail pass pass 0 A",
	} {
		d := lessonDecide(t, plan, `{"bank_avg_balance":`+balance+`}`)
		var got []string
		for _, r := range d.Rules() {
			got = append(got, r.Result.String())
		}
		got = append(got, d.FinalScore.String(), d.Grade)
		if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
			t.Errorf("balance %s:\n%s", balance, diff)
		}
	}
}

// TestLesson11AnErrorIsNoNumber checks that arithmetic without a result is unknown. An unknown
// result is not converted to a number, so it can neither make a rule hit nor add points.
func TestLesson11AnErrorIsNoNumber(t *testing.T) {
	t.Parallel()
	ratio := func(op string, value string) string {
		return `{"op":"` + op +
			`","left":{"op":"div","args":[{"field":"requested_amount"},{"field":"monthly_income"}]},"right":{"value":` +
			value + `}}`
	}
	huge := `{"op":"gte","left":{"op":"mul","args":[{"field":"requested_amount"},{"field":"requested_amount"}]},
		"right":{"value":0}}`
	plan := lessonPlan(t, `"knockouts":[`+strings.Join([]string{
		lessonKnockout("LT", ratio("lt", "5")), lessonKnockout("GTE", ratio("gte", "0")),
		lessonKnockout("EQ", ratio("eq", "0")), lessonKnockout("NE", ratio("ne", "1")),
		lessonKnockout("NOT", `{"op":"not","arg":`+ratio("lt", "5")+`}`), lessonKnockout("HUGE", huge),
		lessonKnockout("NOT_HUGE", `{"op":"not","arg":`+huge+`}`),
	}, ",")+`],"adjustments":[{"id":"ADJ","delta":50,"condition_ast":`+ratio("lt", "5")+`}]`)
	d := lessonDecide(t, plan, `{"requested_amount":900000000000,"monthly_income":0}`)
	if len(d.Rules()) != 0 || d.FinalScore != rule.Int(700) {
		t.Errorf("rules %v, score %s", d.Rules(), d.FinalScore)
	}
	var ids []string
	for _, n := range d.NotEvaluated() {
		ids = append(ids, n.ID)
	}
	if diff := cmp.Diff([]string{"LT", "GTE", "EQ", "NE", "NOT", "HUGE", "NOT_HUGE", "ADJ"}, ids); diff != "" {
		t.Error(diff)
	}
}

// TestLesson12AWrongValueIsNotTheNextRow checks that a value of the wrong type has no bin, not
// even the "else" bin, and that rules on such a value are not evaluated.
func TestLesson12AWrongValueIsNotTheNextRow(t *testing.T) {
	t.Parallel()
	plan := lessonPlan(t, `"knockouts":[`+strings.Join([]string{
		lessonKnockout("KO", `{"op":"in","field":"employment_type","values":["STUDENT"]}`),
		lessonKnockout("KO_REST", `{"op":"not_in","field":"employment_type","values":["STUDENT"]}`),
	}, ",")+`],"scorecard":{"base_points":700,"factors":[
		{"factor":"job","field":"employment_type","bins":[{"in":["SALARIED"],"points":5},{"else":true,"points":50}]},
		{"factor":"foir","field":"foir","bins":[{"lt":0.4,"points":5},{"gte":0.4,"points":50}]}]}`)
	// Requests with values of the wrong type are rejected, but the engine must not rely on that.
	d := lessonDecide(t, plan, `{"employment_type":7,"foir":"0.9"}`)
	if len(d.Rules()) != 0 || d.FinalScore != rule.Int(700) || len(d.Contributions()) != 1 {
		t.Errorf("rules %v, contributions %v", d.Rules(), d.Contributions())
	}
	if got := len(d.NotEvaluated()); got != 2 {
		t.Errorf("%d rules are named, want 2", got)
	}
}

// TestLesson13ExplanationIsTheDecision checks that the explanation agrees with
// the decision for any applicant. Every rule is either in the decision or
// listed as not evaluated, never both. The detail of a rule that hit names a
// value that is given. The canonical bytes agree with the response.
func TestLesson13ExplanationIsTheDecision(t *testing.T) {
	t.Parallel()
	plan := engine.Compile(engine.DefaultPolicy(), field.Catalogue())
	rapid.Check(t, func(t *rapid.T) {
		facts := rule.NewFacts(field.Catalogue())
		for name, most := range map[string]int{
			"bureau_score": 900, "age": 80, "monthly_income": 120_000, "enquiries_6m": 20,
			"bureau_own_active_tradelines": 15, "bureau_own_max_dpd_12m": 90, "bureau_own_written_off_36m": 1,
			"bureau_own_overdue_amount": 9000, "bureau_own_emi": 90_000, "requested_amount": 900_000,
			"bureau_ntc_index": 6,
		} {
			if rapid.Bool().Draw(t, "has "+name) {
				facts.Set(name, rule.Num(rule.Int(int64(rapid.IntRange(1, most).Draw(t, name)))))
			}
		}
		if rapid.Bool().Draw(t, "has foir") {
			facts.Set("foir", rule.Num(rule.Number(rapid.IntRange(0, 800_000).Draw(t, "foir"))))
		}
		for _, name := range []string{"bureau_is_ntc", "device_is_emulator", "bureau_own_suit_or_wilful"} {
			if rapid.Bool().Draw(t, "has "+name) {
				facts.Set(name, rule.Bool(rapid.Bool().Draw(t, name)))
			}
		}
		var d engine.Decision
		plan.Decide(facts, &d)
		seen := map[string]int{}
		for _, r := range d.Rules() {
			seen[r.ID]++
		}
		for _, n := range d.NotEvaluated() {
			seen[n.ID]++
			for _, name := range n.Missing {
				if facts.Get(name).Type() != rule.Absent {
					t.Fatalf("%s is said to miss %s, which is there", n.ID, name)
				}
			}
		}
		for _, k := range engine.DefaultPolicy().Knockouts {
			if seen[k.ID] != 1 {
				t.Fatalf("%s is accounted for %d times", k.ID, seen[k.ID])
			}
		}
		for _, r := range d.Reasons {
			detail := d.Detail(r)
			want := facts.Get(detail.Field)
			for _, derived := range d.Derived() {
				if derived.Name == detail.Field {
					want = derived.Value
				}
			}
			if detail.Value != want && detail.Field != field.FinalScore {
				t.Fatalf("%s speaks of %s = %s, but it is %s", r.Code, detail.Field, detail.Value, want)
			}
		}
		sameInBothForms(t, &d)
	})
}

// sameInBothForms compares the canonical form, which is hashed, with the response, member by
// member.
func sameInBothForms(t *rapid.T, d *engine.Decision) {
	var w wire.Writer
	d.Write(&w, &engine.Envelope{})
	shown, err := wire.Parse(w.Buf)
	if err != nil {
		t.Fatal(err)
	}
	hashed, err := wire.Parse(d.Canonical())
	if err != nil {
		t.Fatal(err)
	}
	lessonSame(t, "", hashed, shown)
}

// lessonSame checks that every hashed member is in the response with the same
// value. For conditions only the codes are hashed.
func lessonSame(t *rapid.T, path string, hashed, shown wire.Value) {
	if strings.HasPrefix(path, "/offer/conditions/") {
		shown = shown.Get("code")
	}
	if hashed.Kind() != shown.Kind() || hashed.Text() != shown.Text() || hashed.IsTrue() != shown.IsTrue() {
		t.Fatalf("%s is hashed as %s and shown as %s", path, appendLine(nil, hashed), appendLine(nil, shown))
	}
	for name, member := range hashed.Members() {
		lessonSame(t, path+"/"+name, member, shown.Get(name))
	}
	if hashed.Kind() == wire.Array && hashed.Len() != shown.Len() {
		t.Fatalf("%s has %d elements hashed and %d shown", path, hashed.Len(), shown.Len())
	}
	var elements []wire.Value
	for _, e := range shown.Elements() {
		elements = append(elements, e)
	}
	for i, e := range hashed.Elements() {
		lessonSame(t, fmt.Sprintf("%s/%d", path, i), e, elements[i])
	}
}

// TestLesson14NoClockInTheExplanation checks that a decision and its
// explanation contain no time, duration or work count: two runs with separately
// compiled plans give the same bytes.
func TestLesson14NoClockInTheExplanation(t *testing.T) {
	t.Parallel()
	for _, applicant := range lessonApplicants {
		var bodies [][]byte
		for range 2 {
			d := lessonDecide(t, engine.Compile(engine.DefaultPolicy(), field.Catalogue()), applicant)
			var w wire.Writer
			d.Write(&w, &engine.Envelope{})
			bodies = append(bodies, append(w.Buf, goldenMissing(d)...))
		}
		if !bytes.Equal(bodies[0], bodies[1]) {
			t.Errorf("two runs differ:\n%s\n%s", bodies[0], bodies[1])
		}
		for _, clock := range []string{"_at\"", "duration", "elapsed", "time", "_ms\""} {
			if bytes.Contains(bodies[0], []byte(clock)) {
				t.Errorf("the decision speaks of %s:\n%s", clock, bodies[0])
			}
		}
	}
}

// TestLesson15TimeIsAFact checks that the age of a report is a fact of the request. No operator reads the time.
// app.TestLayers checks the imports, so that the package cannot read a clock.
func TestLesson15TimeIsAFact(t *testing.T) {
	t.Parallel()
	plan := lessonPlan(t,
		`"knockouts":[`+lessonKnockout("KO_STALE", `{"op":"gt","field":"bureau_report_age_days","value":30}`)+`]`)
	for days, want := range map[string]engine.Status{"30": engine.Approved, "31": engine.Declined} {
		if got := lessonDecide(t, plan, `{"bureau_report_age_days":`+days+`}`).Status; got != want {
			t.Errorf("a report of %s days: %s, want %s", days, got, want)
		}
	}
}

// TestLesson18EqualityIsExact checks that comparisons are exact to the last
// decimal, without a tolerance, and that arithmetic is decimal: 0.1 + 0.2 + 0.3
// is 0.6.
func TestLesson18EqualityIsExact(t *testing.T) {
	t.Parallel()
	plan := lessonPlan(t, `"knockouts":[`+strings.Join([]string{
		lessonKnockout("GTE", `{"op":"gte","field":"foir","value":0.6}`),
		lessonKnockout("EQ", `{"op":"eq","field":"foir","value":0.6}`),
		lessonKnockout("SUM",
			`{"op":"eq","left":{"op":"add","args":[{"value":0.1},{"value":0.2},{"value":0.3}]},
				"right":{"field":"foir"}}`),
	}, ",")+
		`],"scorecard":{"base_points":700,`+
		`"factors":[{"factor":"foir","field":"foir","bins":[{"lt":0.6,"points":0},{"gte":0.6,"points":-1}]}]}`)
	for foir, want := range map[string]string{
		"0.599999": "pass pass pass 700", "0.6": "fail fail fail 699", "0.600001": "fail pass pass 699",
		"0.59999999": "fail fail fail 699",
	} {
		d := lessonDecide(t, plan, `{"foir":`+foir+`}`)
		var got []string
		for _, r := range d.Rules() {
			got = append(got, r.Result.String())
		}
		if diff := cmp.Diff(want, strings.Join(append(got, d.FinalScore.String()), " ")); diff != "" {
			t.Errorf("foir %s:\n%s", foir, diff)
		}
	}
}

// TestLesson19PointsUnderOneCodeAreSummed checks that points lost under one
// code are added before ranking. If two sums are equal, the code that is
// declared first ranks first.
func TestLesson19PointsUnderOneCodeAreSummed(t *testing.T) {
	t.Parallel()
	factor := func(name, fieldName, code string, points int) string {
		return fmt.Sprintf(
			`{"factor":%q,"field":%q,"reason_code":%q,"bins":[{"lt":1,"points":0},{"gte":1,"points":%d}]}`,
			name, fieldName, code, points)
	}
	decline := `"pricing_bands":[{"id":"D","grade":"F","min_score":-1000,"max_score":1000,"action":"decline"}]`
	facts := `{"enquiries_6m":2,"max_dpd_12m":2,"active_tradelines":2,"bureau_live_unsecured":2}`
	for _, c := range []struct{ factors, adjustments, want string }{
		{factor("a", "enquiries_6m", "ONE", -15) + "," + factor("b", "max_dpd_12m", "TWO", -20) + "," + factor("c",
			"active_tradelines", "ONE", -10), "", "ONE TWO"},
		{factor("a", "enquiries_6m", "ONE", -20) + "," + factor("b", "max_dpd_12m", "TWO", -20), "", "ONE TWO"},
		{factor("a", "enquiries_6m", "TWO", -20) + "," + factor("b", "max_dpd_12m", "ONE", -20), "", "TWO ONE"},
		{factor("a", "enquiries_6m", "ONE", -10) + "," + factor("b", "max_dpd_12m", "TWO", -20),
			`{"id":"A","delta":-11,"reason_code":"ONE","condition_ast":{"op":"true"}}`, "ONE TWO"},
		{factor("a", "enquiries_6m", "ONE", -1) + "," + factor("b", "max_dpd_12m", "TWO", -2) + "," + factor("c",
			"active_tradelines", "THREE", -3) + "," + factor("d", "bureau_live_unsecured", "FOUR", -4),
			`{"id":"A","delta":-5,"reason_code":"FIVE","condition_ast":{"op":"true"}}`, "FIVE FOUR THREE TWO"},
	} {
		d := lessonDecide(t, lessonPlan(t, `"adjustments":[`+c.adjustments+
			`],"scorecard":{"base_points":700,"factors":[`+c.factors+`]},`+decline), facts)
		var got []string
		for _, r := range d.Reasons {
			got = append(got, r.Code)
		}
		if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s:\n%s", c.factors, diff)
		}
	}
}

// TestLesson24EngineVersionIsInEveryDecision checks that every decision has the engine's version,
// and that the version is not part of the hash. TestCorpusHashes checks that a release does not
// change decisions.
func TestLesson24EngineVersionIsInEveryDecision(t *testing.T) {
	t.Parallel()
	plan := engine.Compile(engine.DefaultPolicy(), field.Catalogue())
	for _, applicant := range lessonApplicants {
		d := lessonDecide(t, plan, applicant)
		var w wire.Writer
		d.Write(&w, &engine.Envelope{})
		if want := `"engine_version":"` + engine.Version + `"`; !bytes.Contains(w.Buf, []byte(want)) {
			t.Errorf("the decision does not say %s", want)
		}
		if bytes.Contains(d.Canonical(), []byte(engine.Version)) {
			t.Error("the version is in the hash: an upgrade that changes nothing would change every hash")
		}
	}
}

// TestLesson25RulesOnMissingFactsAreNotIgnored checks that rules on missing
// facts are listed, in the eligibility result too, and that a response with
// missing facts says that it is not complete.
func TestLesson25RulesOnMissingFactsAreNotIgnored(t *testing.T) {
	t.Parallel()
	plan := engine.Compile(engine.DefaultPolicy(), field.Catalogue())
	var e engine.Eligibility
	plan.Eligible(goldenFacts(t, []byte(`{"age":34}`)), &e)
	if e.Complete() || !e.Eligible() {
		t.Errorf("complete %t, eligible %t", e.Complete(), e.Eligible())
	}
	var w wire.Writer
	e.Write(&w, &engine.Envelope{})
	answer, err := wire.Parse(w.Buf)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := answer.Get("fired_rules").Len()+answer.Get("not_evaluated").Len(),
		len(engine.DefaultPolicy().Knockouts); got != want {
		t.Errorf("%d rules are accounted for, want %d:\n%s", got, want, w.Buf)
	}
}

// TestLesson26ARuleIsABoolean checks that a policy is rejected if a rule is not
// a condition or compares different types.
func TestLesson26ARuleIsABoolean(t *testing.T) {
	t.Parallel()
	for _, condition := range []string{
		`true`, `1`, `"foir"`, `[]`, `{}`, `{"field":"device_is_emulator"}`, `{"value":true}`,
		`{"op":"div","args":[{"value":1},{"value":2}]}`, `{"op":"and","args":[{"op":"add","args":[{"value":1}]}]}`,
		`{"op":"not","arg":{"field":"device_is_emulator"}}`, `{"op":"lt","field":"device_is_emulator","value":true}`,
		`{"op":"eq","field":"foir","value":true}`, `{"op":"contains","field":"foir","value":"1"}`,
		`{"op":"eq","left":{"op":"abs","args":[{"field":"bureau"}]},"right":{"value":1}}`,
	} {
		got := policyFaults(t, []byte(`{"name":"x","knockouts":[`+lessonKnockout("KO",
			condition)+`],"scorecard":{"base_points":0,"factors":[]},"pricing_bands":[`+lessonBand+`]}`))
		if len(got) == 0 {
			t.Errorf("%s was taken for a rule", condition)
		}
		for _, it := range got {
			if !strings.HasPrefix(it.Pointer, "/knockouts/0/condition_ast") {
				t.Errorf("%s: %v", condition, it)
			}
		}
	}
}
