package application

import (
	"bytes"
	"fmt"
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

var defaultPlan = sync.OnceValue(func() *engine.Plan {
	return engine.Compile(engine.DefaultPolicy(), field.Catalogue())
})

// decideBody reads a body and decides it with plan.
func decideBody(tb testing.TB, plan *engine.Plan, body string) *engine.Decision {
	tb.Helper()
	var d engine.Decision
	plan.Decide(accept(tb, body, Options{}).Facts, &d)
	return &d
}

// TestPercentAndRatioAgree checks, for any number of decimals, that a percentage
// and the equivalent ratio give the same facts.
func TestPercentAndRatioAgree(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		digits := rapid.StringMatching(`[0-4][0-9]{2}[0-9]{0,9}`).Draw(t, "digits")
		percentage := strings.TrimLeft(digits[:2], "0") + digits[2:3] // keep at least one digit before the point
		if fraction := digits[3:]; fraction != "" {
			percentage += "." + fraction
		}
		ratio := digits[:1] + "." + digits[1:]
		evaluated := acceptRapid(t, evaluation(`,"incomeAssessment":{"foir":`+percentage+`}`, ""))
		decided := acceptRapid(t, decision(`"foir":`+ratio, `"score":742`))
		if diff := cmp.Diff(canonicalFacts(decided), canonicalFacts(evaluated)); diff != "" {
			t.Fatalf("%s %% and %s differ:\n%s", percentage, ratio, diff)
		}
	})
}

func acceptRapid(t *rapid.T, body string) *Application {
	v, err := wire.Parse([]byte(body))
	if err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	app, err := Read(v, Options{})
	if err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	return app
}

// optional returns the member or "", at random.
func optional(t *rapid.T, name, value string) string {
	if !rapid.Bool().Draw(t, "has "+name) {
		return ""
	}
	return fmt.Sprintf(`,%q:%s`, name, value)
}

func drawInt(t *rapid.T, name string, low, high int) string {
	return fmt.Sprint(rapid.IntRange(low, high).Draw(t, name))
}

// drawReport generates the report of an evaluate request.
func drawReport(t *rapid.T) string {
	score := rapid.OneOf(rapid.IntRange(300, 900), rapid.IntRange(-1, 6)).Draw(t, "score")
	return fmt.Sprintf(`{"scoreData":{"score":%d},"demographics":{"x":0%s%s},"incomeAssessment":{"x":0%s%s}%s}`, score,
		optional(t, "age", drawInt(t, "age", 18, 70)),
		optional(t, "employmentType",
			`"`+rapid.SampledFrom([]string{"salaried", "self employed", "student"}).Draw(t, "type")+`"`),
		optional(t, "monthlyIncome", drawInt(t, "income", 10_000, 300_000)),
		optional(t, "foir", drawInt(t, "foir", 0, 80)),
		optional(t, "requestedAmount", drawInt(t, "amount", 10_000, 2_000_000)))
}

// drawBlocks generates the blocks without the members that the default policy
// reads. These are the emulator flag and the pincode, from which the pincode risk
// is derived.
func drawBlocks(t *rapid.T) string {
	device := `{"model":"M"` + optional(t, "is_rooted", "true") + optional(t, "sim_age_days", "3") +
		optional(t, "loan_apps_installed_count", "40") + `}`
	location := `{"ip":"203.0.113.9"` + optional(t, "lat", "19.07") + optional(t, "permission_denied", "true") + `}`
	bank := `{"income":` + drawInt(t, "bank income", 0, 500_000) + optional(t, "bounces", "9") + optional(t, "balance",
		"-1") + `}`
	return optional(t, "device", device) + optional(t, "location", location) +
		optional(t, "fraud", `{"applicant_ref":"A","beneficiary_account":"1234567890","ip":"1.2.3.4"}`) +
		optional(t, "bank_summary", bank) + optional(t, "features", "true") + optional(t, "applicant_ref", `"A"`)
}

// drawPeople generates the entries of a co-applicant and a guarantor, of one of them, or of neither.
func drawPeople(t *rapid.T) (entries string) {
	for _, role := range []string{field.CoApplicant, field.Guarantor} {
		if rapid.Bool().Draw(t, "has a "+role) {
			entries += fmt.Sprintf(`,{"role":%q,"applicant_ref":%q,"bureau":"cibil","report":{"cibil":%s},
				"consent":{"id":"C-1","at":"2026-11-11T10:00:00Z"}}`, role, "B "+role, drawReport(t))
		}
	}
	return entries
}

// withPeople returns a request whose report is in a list of people. Its members are the blocks, of which the bank
// statement is in the entry of the primary applicant.
func withPeople(report, blocks, others string) string {
	bank := ""
	if at := strings.Index(blocks, `,"bank_summary":`); at >= 0 {
		end := at + strings.Index(blocks[at:], "}") + 1
		bank, blocks = blocks[at:end], blocks[:at]+blocks[end:]
	}
	return `{"applicants":[{"role":"primary","bureau":"cibil","report":{"cibil":` + report + `}` + bank + `}` + others +
		`]` + blocks + `}`
}

// TestBlocksThePolicyDoesNotNameChangeNothing checks that blocks and people whose
// facts the policy does not name do not change the bytes of the decision.
func TestBlocksThePolicyDoesNotNameChangeNothing(t *testing.T) {
	t.Parallel()
	plan := defaultPlan()
	rapid.Check(t, func(t *rapid.T) {
		report := drawReport(t)
		bare := `{"bureau":"cibil","report":{"cibil":` + report + `}`
		blocks := drawBlocks(t)
		var with, together, without engine.Decision
		plan.Decide(acceptRapid(t, bare+blocks+`}`).Facts, &with)
		plan.Decide(acceptRapid(t, withPeople(report, blocks, drawPeople(t))).Facts, &together)
		plan.Decide(acceptRapid(t, bare+`}`).Facts, &without)
		if !bytes.Equal(with.Canonical(), without.Canonical()) {
			t.Fatalf("the blocks changed the decision:\n%s\n%s", with.Canonical(), without.Canonical())
		}
		if !bytes.Equal(together.Canonical(), without.Canonical()) {
			t.Fatalf("the people changed the decision:\n%s\n%s", together.Canonical(), without.Canonical())
		}
	})
}

// TestRulesOfABlockLeftOutLeaveNoTrace checks that if a block is omitted, no rule
// that needs the block appears in the decision, however the rule is written. With
// the block, every rule appears.
func TestRulesOfABlockLeftOutLeaveNoTrace(t *testing.T) {
	t.Parallel()
	const emulator = `{"op":"eq","field":"device_is_emulator","value":true}`
	conditions := []string{
		emulator,
		`{"op":"not","arg":` + emulator + `}`,
		`{"op":"not","arg":{"op":"not","arg":` + emulator + `}}`,
		`{"op":"ne","field":"device_is_emulator","value":true}`,
		`{"op":"not","arg":{"op":"and","args":[` + emulator + `,{"op":"true"}]}}`,
		`{"op":"not","arg":{"op":"or","args":[{"op":"not","arg":` + emulator + `},{"op":"false"}]}}`,
		`{"op":"not_in","field":"device.model","values":["X"]}`,
		`{"op":"not","arg":{"op":"starts_with","field":"device.model","value":"X"}}`,
	}
	var rules []string
	for i, c := range conditions {
		rules = append(rules, fmt.Sprintf(`{"id":"KO_%d","reason_code":"FR_EMULATOR","condition_ast":%s}`, i, c))
	}
	policy, err := engine.ParsePolicy(
		[]byte(`{"name":"device","include_defaults":false,"knockouts":[`+strings.Join(rules, ",")+`],
		"scorecard":{"base_points":700,"factors":[]},
		"pricing_bands":[{"id":"P","grade":"A","min_score":300,"max_score":900,"interest_rate":12,"tenure_months":12,
			"min_limit":10000,"max_limit":100000,"default_limit":50000,"foir_cap":0.5}]}`),
		engine.Sources{Catalogue: field.Catalogue()})
	if err != nil {
		t.Fatal(err)
	}
	plan := engine.Compile(policy, field.Catalogue())
	without := decideBody(t, plan, evaluation("", ""))
	if len(without.Rules()) != 0 || without.Status != engine.Approved {
		t.Errorf("without the block: %s, %v", without.Status, without.Rules())
	}
	if got := len(without.NotEvaluated()); got != len(conditions) {
		t.Errorf("%d rules say what they miss, want %d", got, len(conditions))
	}
	with := decideBody(t, plan, evaluation("", `,"device":{"is_emulator":false,"model":"Y"}`))
	if len(with.Rules()) != len(conditions) {
		t.Errorf("with the block %d rules are listed, want %d", len(with.Rules()), len(conditions))
	}
}

// drawSecret generates a value that occurs in none of our own texts.
func drawSecret(t *rapid.T, label string) string {
	return rapid.SampledFrom([]string{
		fmt.Sprintf("%q", "ABCPE"+fmt.Sprint(rapid.IntRange(1000, 9999).Draw(t, label))+"F"),
		fmt.Sprint(rapid.Int64Range(770_000_000_000_000, 779_999_999_999_999).Draw(t, label)),
		fmt.Sprintf("-%d.%d", rapid.IntRange(80_000, 89_999).Draw(t, label),
			rapid.IntRange(10_000, 99_999).Draw(t, label)),
	}).Draw(t, label)
}

// TestFaultsNameFieldsAndRepeatNoValue checks that bad values are rejected, and
// that the rejection repeats none of them, because a value may be a PAN or an
// account number.
func TestFaultsNameFieldsAndRepeatNoValue(t *testing.T) {
	t.Parallel()
	var paths []string
	c := field.Catalogue()
	for id := range rule.FieldID(c.Len()) {
		if name := c.Field(id).Name; strings.Contains(name, ".") && c.Field(id).Type != rule.StringType {
			paths = append(paths, name)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		body := map[string]any{}
		var secrets, chosen []string
		evaluate := rapid.Bool().Draw(t, "evaluate")
		for _, path := range rapid.SliceOfNDistinct(rapid.SampledFrom(paths), 1, 6, rapid.ID[string]).Draw(t, "paths") {
			root, _, _ := strings.Cut(path, ".")
			if evaluate == (root == "applicant" || root == "bureau_report") {
				continue
			}
			secret := drawSecret(t, path)
			// The number 77·10^13 exceeds every range, and a PAN is not a
			// number.
			putAt(body, strings.Split(path, "."), secret)
			secrets = append(secrets, strings.Trim(secret, `"-`))
			chosen = append(chosen, path)
		}
		if len(chosen) == 0 {
			return
		}
		document := requestOf(body, evaluate)
		v, err := wire.Parse([]byte(document))
		if err != nil {
			t.Fatalf("%v in %s", err, document)
		}
		_, err = Read(v, Options{})
		if err == nil {
			// Only numbers without a lower bound may be negative.
			for _, path := range chosen {
				id, _ := c.Lookup(path)
				if c.Field(id).Type != rule.NumberType || c.Field(id).BoundedBelow {
					t.Fatalf("%s was taken in %s", path, document)
				}
			}
			return
		}
		for _, secret := range secrets {
			if strings.Contains(err.Error(), secret) {
				t.Fatalf("%s is repeated by %v", secret, err)
			}
		}
	})
}

// putAt stores a literal at a path of nested objects.
func putAt(body map[string]any, path []string, literal string) {
	for _, segment := range path[:len(path)-1] {
		inner, _ := body[segment].(map[string]any)
		if inner == nil {
			inner = map[string]any{}
			body[segment] = inner
		}
		body = inner
	}
	body[path[len(path)-1]] = literal
}

// requestOf returns a request with the values of body. For an evaluate request
// it adds the bureau.
func requestOf(body map[string]any, evaluate bool) string {
	if evaluate {
		body["bureau"] = `"cibil"`
		body["report"] = map[string]any{"cibil": body["report"]}
	}
	return render(body)
}

func render(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case map[string]any:
		var members []string
		for name, member := range v {
			members = append(members, fmt.Sprintf("%q:%s", name, render(member)))
		}
		return "{" + strings.Join(members, ",") + "}"
	default:
		return "{}"
	}
}

// TestEveryKnownFieldIsChecked checks that all invalid fields of a request are
// reported together, each with its own pointer.
func TestEveryKnownFieldIsChecked(t *testing.T) {
	t.Parallel()
	c := field.Catalogue()
	wrong := map[rule.Type]string{rule.NumberType: `"x"`, rule.StringType: "7", rule.BoolType: "7"}
	for _, evaluate := range []bool{false, true} {
		body := map[string]any{}
		want := map[string]bool{}
		for id := range rule.FieldID(c.Len()) {
			f := c.Field(id)
			root, _, nested := strings.Cut(f.Name, ".")
			if !nested || field.IsOfRole(f.Name) || evaluate == (root == "applicant" || root == "bureau_report") {
				continue
			}
			putAt(body, strings.Split(f.Name, "."), wrong[f.Type])
			pointer := "/" + strings.ReplaceAll(f.Name, ".", "/")
			if root == "report" {
				pointer = "/report/cibil" + strings.TrimPrefix(pointer, "/report")
			}
			want[pointer+" wrong_type"] = true
		}
		got := map[string]bool{}
		for _, line := range refuse(t, requestOf(body, evaluate), Options{}) {
			got[line] = true
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("evaluate %v:\n%s", evaluate, diff)
		}
	}
}
