package application

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/fault"
	"verdict/internal/rule"
)

func TestUnknownTopLevelMembersAreWarned(t *testing.T) {
	t.Parallel()
	app := accept(t,
		`{"aplicant":{"foir":9},"device":{"is_emulator":true},"compare":true,"bureau_report":{"score":742}}`,
		Options{Members: []string{"compare"}})
	// The block "device" belongs to /v1/evaluate.
	if diff := cmp.Diff([]string{"/aplicant unknown_field", "/device unknown_field"}, lines(app.Warnings)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]string{"bureau_score": "742", "bureau_is_ntc": "false"},
		canonicalFacts(app)); diff != "" {
		t.Error(diff)
	}
}

func TestUnknownNestedFields(t *testing.T) {
	t.Parallel()
	body := decision(`"employer":{"category":"A","size":250,"listed":true,"sites":[1,2]},"a.b":1,"ünicode":1`,
		`"score":742,"extra":3`)
	app := accept(t, body, Options{})
	want := []string{
		"/applicant/employer/category unknown_field", "/applicant/employer/size unknown_field",
		"/applicant/employer/listed unknown_field", "/applicant/employer/sites unknown_field",
		"/applicant/a.b unknown_field", "/applicant/ünicode unknown_field", "/bureau_report/extra unknown_field",
	}
	if diff := cmp.Diff(want, lines(app.Warnings)); diff != "" {
		t.Error(diff)
	}
	// Only members that a policy could declare become facts.
	carried := map[string]string{}
	for _, nv := range app.Facts.Sorted() {
		if strings.HasPrefix(nv.Name, "applicant.") || nv.Name == "bureau_report.extra" {
			carried[nv.Name] = nv.Value.String()
		}
	}
	wantCarried := map[string]string{
		"applicant.employer.category": "A", "applicant.employer.size": "250", "applicant.employer.listed": "true",
	}
	if diff := cmp.Diff(wantCarried, carried); diff != "" {
		t.Error(diff)
	}
}

func TestDeclaredInputs(t *testing.T) {
	t.Parallel()
	opt := Options{Inputs: map[string]rule.Type{
		"applicant.employer.category": rule.StringType,
		"applicant.employer.size":     rule.NumberType,
		"applicant.employer.listed":   rule.BoolType,
	}}
	app := accept(t, decision(`"employer":{"category":"A","size":250,"listed":false}`, `"score":742`), opt)
	if len(app.Warnings) > 0 {
		t.Errorf("warnings %v", app.Warnings)
	}
	for name, want := range map[string]string{"category": "A", "size": "250", "listed": "false"} {
		if got := app.Facts.Get("applicant.employer." + name).String(); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	// A declared input is checked as strictly as a known field.
	got := refuse(t, decision(`"employer":{"category":7,"size":{"value":250},"listed":[true]}`, `"score":742`), opt)
	want := []string{
		"/applicant/employer/category wrong_type",
		"/applicant/employer/size wrong_type", "/applicant/employer/listed wrong_type",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	got = refuse(t, decision(`"employer":{"category":"`+strings.Repeat("A", 257)+`","size":1e14}`, `"score":742`), opt)
	want = []string{"/applicant/employer/category out_of_range", "/applicant/employer/size out_of_range"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	// A dot in a name does not make it a path.
	app = accept(t, decision(`"employer.size":9`, `"score":742`), opt)
	if got := app.Facts.Get("applicant.employer.size"); got.Type() != rule.Absent {
		t.Errorf("a name with a dot was taken for a path: %s", got)
	}
}

// TestDottedNamesAreNotPaths checks that a name with a dot is not read as the
// path of a known field.
func TestDottedNamesAreNotPaths(t *testing.T) {
	t.Parallel()
	body := `{
		"bureau":"cibil",
		"report":{"cibil":{"scoreData":{"score":742},"scoreData.score":900,"demographics.age":30}}
	}`
	app := accept(t, body, Options{})
	if got := app.Facts.Get("report.scoreData.score").String(); got != "742" {
		t.Errorf("the score is %s", got)
	}
	if got := app.Facts.Get("age"); got.Type() != rule.Absent {
		t.Errorf("age is %s", got)
	}
	if len(app.Warnings) != 2 {
		t.Errorf("warnings %v", app.Warnings)
	}
}

func TestBankAliases(t *testing.T) {
	t.Parallel()
	app := accept(t, evaluation("", `,"bank_summary":{"monthly_income":62000,"avg_balance":-38.5,"bounce_count":1}`),
		Options{})
	for name, want := range map[string]string{"income": "62000", "balance": "-38.5", "bounces": "1"} {
		if got := app.Facts.Get("bank_summary." + name).String(); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	if len(app.Warnings) > 0 {
		t.Errorf("warnings %v", app.Warnings)
	}
	// The canonical name has priority over the alias, in any order.
	for _, block := range []string{`"income":1,"monthly_income":2`, `"monthly_income":2,"income":1`} {
		app := accept(t, evaluation("", `,"bank_summary":{`+block+`}`), Options{})
		if got := app.Facts.Get("bank_summary.income").String(); got != "1" {
			t.Errorf("%s: income is %s", block, got)
		}
		if diff := cmp.Diff([]string{"/bank_summary/monthly_income " + fault.CodeNotRead},
			lines(app.Warnings)); diff != "" {
			t.Errorf("%s:\n%s", block, diff)
		}
	}
	// An invalid value is reported under the name that was sent.
	if diff := cmp.Diff([]string{"/bank_summary/bounce_count out_of_range"},
		refuse(t, evaluation("", `,"bank_summary":{"bounce_count":-1}`), Options{})); diff != "" {
		t.Error(diff)
	}
}

// TestFlagsAreAbsentUnlessSent checks that a flag of a block is absent, not
// false, if it was not sent.
func TestFlagsAreAbsentUnlessSent(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ block, fact, want string }{
		{`,"device":{"is_emulator":true}`, "device_is_emulator", "true"},
		{`,"device":{"is_emulator":false}`, "device_is_emulator", "false"},
		{`,"device":{"model":"X"}`, "device_is_emulator", "absent"},
		{`,"device":{}`, "device_is_emulator", "absent"},
		{``, "device_is_emulator", "absent"},
		{`,"device":{"is_rooted":true}`, "device_is_rooted", "true"},
		{`,"device":{"is_emulator":true}`, "device_is_rooted", "absent"},
		{`,"location":{"permission_denied":true}`, "location_permission_denied", "true"},
		{`,"location":{"lat":19.07,"lng":72.88}`, "location_permission_denied", "absent"},
	} {
		if got := accept(t, evaluation("", c.block), Options{}).Facts.Get(c.fact).String(); got != c.want {
			t.Errorf("%s: %s is %s, want %s", c.block, c.fact, got, c.want)
		}
	}
}

// TestStrangeBodies checks that for a large or unusual body the work, the
// stored facts and the response stay bounded.
func TestStrangeBodies(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100)
	long := strings.Repeat("n", 1<<20)
	var many strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&many, `,"m%d":%d`, i, i)
	}
	leaves := strings.TrimPrefix(many.String(), ",")
	for name, body := range map[string]string{
		"deep":                    decision(`"own":`+deep, `"score":742`),
		"long name":               decision(`"`+long+`":1`, `"score":742`),
		"long value":              decision(`"own":"`+long+`"`, `"score":742`),
		"leaves under long name":  decision(`"`+long+`":{`+leaves+`}`, `"score":742`),
		"many members":            decision(leaves, `"score":742`+many.String()),
		"many top-level members":  `{"bureau_report":{"score":742}` + many.String() + `}`,
		"many in a block":         evaluation(many.String(), `,"device":{`+leaves+`}`),
		"empty name":              decision(`"":1`, `"score":742`),
		"name of control bytes":   decision(`"\u0001\u001f":1`, `"score":742`),
		"name with pointer signs": decision(`"a/b~c":1`, `"score":742`),
		"digits without end":      decision(`"own":0.`+strings.Repeat("3", 1<<20), `"score":742`),
		"tiny exponent":           decision(`"monthly_income":1e-999999999`, `"score":742`),
	} {
		app := accept(t, body, Options{})
		if n := app.Facts.Len(); n > maxCarried+20 {
			t.Errorf("%s: %d facts were kept", name, n)
		}
		if n := len(app.Warnings); n > fault.MaxItems+1 {
			t.Errorf("%s: %d warnings", name, n)
		}
		for _, nv := range app.Facts.Sorted() {
			if len(nv.Name) > maxPath || len(nv.Value.Text()) > maxText {
				t.Errorf("%s: a fact of %d and %d bytes was kept", name, len(nv.Name), len(nv.Value.Text()))
			}
		}
	}
	app := accept(t, decision(leaves, `"score":742`), Options{})
	last := app.Warnings[len(app.Warnings)-1]
	if last.Code != fault.CodeMoreWarnings || last.Detail != "49900 more warnings are not listed" {
		t.Errorf("the last warning is %v", last)
	}
}
