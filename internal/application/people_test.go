package application_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"verdict/internal/application"
	"verdict/internal/civil"
	"verdict/internal/fault"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

const (
	couple = `{"applicant_ref":"A-1","applicants":[
		{"role":"primary","id":"x1","monthly_income":40000,"foir":0.1,"requested_amount":300000,
		 "bureau_report":{"score":742,"enquiries_6m":1}},
		{"role":"co_applicant","applicant_ref":"A-2","monthly_income":30000,"foir":0.2,
		 "consent":{"id":"C-9","at":"2026-11-17T10:00:00+05:30"},"bureau_report":{"score":-1,"own_emi":3000}},
		{"role":"guarantor","id":"x3","age":51,"consent":{"id":"C-10","at":"2026-11-17T10:00:00Z"},
		 "bureau_report":{"score":801}}]}`
	alone = `{"applicant_ref":"A-1","applicant":{"id":"x1","monthly_income":40000,"foir":0.1,"requested_amount":300000},
		"bureau_report":{"score":742,"enquiries_6m":1}}`
)

func factsOf(t *testing.T, app *application.Application) string {
	t.Helper()
	var w wire.Writer
	app.Facts.Write(&w)
	return string(w.Buf)
}

func readBody(t *testing.T, read func(wire.Value, application.Options) (*application.Application, error), body string,
) (*application.Application, error) {
	t.Helper()
	v, err := wire.Parse([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return read(v, application.Options{Today: civil.DayOf(2026, 11, 17)})
}

// TestPeopleOfADecision checks the facts of three people.
func TestPeopleOfADecision(t *testing.T) {
	t.Parallel()
	app, err := readBody(t, application.ReadDecision, couple)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"bureau_score": "742", "monthly_income": "40000", "requested_amount": "300000", "applicant.id": "x1",
		"co_applicant.bureau_is_ntc": "true", "co_applicant.monthly_income": "30000", "co_applicant.foir": "0.2",
		"co_applicant.bureau_own_emi": "3000", "co_applicant.consent_id": "C-9",
		"guarantor.bureau_score": "801", "guarantor.age": "51", "guarantor.bureau_is_ntc": "false",
	} {
		if got := app.Facts.Get(name).String(); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	if v := app.Facts.Get("co_applicant.bureau_score"); v.Type() != rule.Absent {
		t.Errorf("a new-to-credit co-applicant has the score %s", v)
	}
	if app.ApplicantRef != "A-1" || app.ApplicantID != "x1" || !app.HasOthers || len(app.Warnings) > 0 {
		t.Errorf("%q %q %v", app.ApplicantRef, app.ApplicantID, app.Warnings)
	}
}

// TestOneOfThePeople checks that a list with the primary applicant alone gives the same facts as a request without the
// list, and that the others add facts and change none.
func TestOneOfThePeople(t *testing.T) {
	t.Parallel()
	single, err := readBody(t, application.ReadDecision, alone)
	if err != nil {
		t.Fatal(err)
	}
	listed, err := readBody(t, application.ReadDecision, couple[:strings.Index(couple, ",\n\t\t{\"role\":\"co_")]+"]}")
	if err != nil {
		t.Fatal(err)
	}
	if a, b := factsOf(t, single), factsOf(t, listed); a != b {
		t.Errorf("without the list\n%s\nwith it\n%s", a, b)
	}
	all, err := readBody(t, application.ReadDecision, couple)
	if err != nil {
		t.Fatal(err)
	}
	before, after := factLines(factsOf(t, single)), factLines(factsOf(t, all))
	after = slices.DeleteFunc(after, func(line string) bool {
		return strings.HasPrefix(line, `"co_applicant.`) || strings.HasPrefix(line, `"guarantor.`) ||
			line == `"has_co_applicant":true`
	})
	if !slices.Equal(before, after) {
		t.Errorf("alone\n%v\nwith others\n%v", before, after)
	}
}

func factLines(facts string) []string {
	lines := strings.Split(strings.Trim(facts, "{}"), ",")
	slices.Sort(lines)
	return lines
}

// TestPeopleOfAnEvaluation checks that the facts of a report are derived for each person.
func TestPeopleOfAnEvaluation(t *testing.T) {
	t.Parallel()
	person := func(role, score, income string) string {
		return `{"role":"` + role + `","consent":{"id":"C","at":"2026-11-17T10:00:00Z"},"bureau":"cibil",
			"report":{"cibil":{"scoreData":{"score":` + score + `},
			"incomeAssessment":{"monthlyIncome":` + income + `,"foir":20},"reportDate":"2026-11-10",
			"accounts":[{"accountType":"Personal Loan","status":"ACTIVE","ownership":"INDIVIDUAL","balance":50000,
			"emi":2500,"openDate":"2025-01-01"}],"enquiries":[]}},
			"bank_summary":{"income":` + income + `}}`
	}
	app, err := readBody(t, application.Read,
		`{"applicants":[`+person("co_applicant", "655", "20000")+`,`+person("primary", "742", "40000")+`]}`)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"bureau_score": "742", "foir": "0.2", "bureau_own_emi": "2500", "bank_income": "40000",
		"co_applicant.bureau_score": "655", "co_applicant.foir": "0.2", "co_applicant.bureau_own_emi": "2500",
		"co_applicant.bank_income": "20000", "co_applicant.active_tradelines": "1",
	} {
		if got := app.Facts.Get(name).String(); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

// TestBadPeople checks what is refused, and where.
func TestBadPeople(t *testing.T) {
	t.Parallel()
	primary := `{"role":"primary","bureau_report":{"score":742}}`
	for name, c := range map[string]struct{ body, pointer, code string }{
		"two primaries": {`{"applicants":[` + primary + `,` + primary + `]}`, "/applicants/1/role", "duplicate"},
		"two co-applicants": {
			`{"applicants":[` + primary + `,{"role":"co_applicant"},{"role":"co_applicant"}]}`,
			"/applicants/2/role", "duplicate",
		},
		"no primary":   {`{"applicants":[{"role":"co_applicant"}]}`, "/applicants", "required"},
		"nobody":       {`{"applicants":[]}`, "/applicants", "required"},
		"no list":      {`{"applicants":{}}`, "/applicants", "wrong_type"},
		"no object":    {`{"applicants":[7]}`, "/applicants/0", "wrong_type"},
		"no role":      {`{"applicants":[{"bureau_report":{"score":742}}]}`, "/applicants/0/role", "required"},
		"unknown role": {`{"applicants":[` + primary + `,{"role":"spouse"}]}`, "/applicants/1/role", "invalid_field"},
		"too many":     {`{"applicants":[` + primary + `,{},{},{}]}`, "/applicants", "too_many"},
		"no report":    {`{"applicants":[{"role":"primary"}]}`, "/applicants/0/bureau_report/score", "required"},
		"guarantor, no report": {
			`{"applicants":[` + primary + `,{"role":"guarantor"}]}`, "/applicants/1/bureau_report", "required",
		},
		"same reference": {
			`{"applicant_ref":"A","applicants":[` + primary + `,{"role":"co_applicant","applicant_ref":"A"}]}`,
			"/applicants/1/applicant_ref", "duplicate",
		},
		"same id": {
			`{"applicants":[{"role":"primary","id":"I","bureau_report":{"score":742}},
				{"role":"co_applicant","id":"I"}]}`,
			"/applicants/1/id", "duplicate",
		},
		"two references": {
			`{"applicant_ref":"A","applicants":[{"role":"primary","applicant_ref":"B","bureau_report":{"score":742}}]}`,
			"/applicants/0/applicant_ref", "invalid_field",
		},
		"beside": {
			`{"applicant":{"age":30},"applicants":[` + primary + `]}`, "/applicant", "invalid_field",
		},
		"wrong type": {
			`{"applicants":[` + primary + `,{"role":"co_applicant","monthly_income":"a lot"}]}`,
			"/applicants/1/monthly_income", "wrong_type",
		},
		"score": {
			`{"applicants":[` + primary + `,{"role":"co_applicant","bureau_report":{"score":250}}]}`,
			"/applicants/1/bureau_report/score", "out_of_range",
		},
		"other endpoint": {
			`{"applicants":[` + primary + `,{"role":"co_applicant","bureau":"cibil","report":{"cibil":{}}}]}`,
			"/applicants/1/report", "wrong_endpoint",
		},
		"consent": {
			`{"applicants":[` + primary + `,{"role":"co_applicant","consent":{"id":"C","at":"yesterday"}}]}`,
			"/applicants/1/consent/at", "invalid_field",
		},
	} {
		_, err := readBody(t, application.ReadDecision, c.body)
		items := fault.Of(err).Items
		if !slices.ContainsFunc(items, func(i fault.Item) bool { return i.Pointer == c.pointer && i.Code == c.code }) {
			t.Errorf("%s: %v, want %s at %s", name, items, c.code, c.pointer)
		}
		for _, item := range items {
			if strings.Contains(item.Detail, "a lot") || strings.Contains(item.Detail, "yesterday") {
				t.Errorf("%s repeats a value: %s", name, item.Detail)
			}
		}
	}
}

// TestOnePersonIsNotTwo checks that one person cannot have two roles through different members of the request,
// because the income would count twice.
func TestOnePersonIsNotTwo(t *testing.T) {
	t.Parallel()
	decision := func(top, primary, other string) string {
		return `{` + top + `"applicants":[{"role":"primary",` + primary + `"bureau_report":{"score":742}},
			{"role":"co_applicant",` + other + `"monthly_income":30000}]}`
	}
	evaluate := func(top, primary, other string) string {
		return `{` + top + `"applicants":[{"role":"primary",` + primary + `"bureau":"cibil",
			"report":{"cibil":{"scoreData":{"score":742},"reportDate":"2026-11-10","accounts":[],"enquiries":[]}}},
			{"role":"co_applicant",` + other + `"bank_summary":{"income":20000}}]}`
	}
	const ref, id = "/applicants/1/applicant_ref", "/applicants/1/id"
	for name, c := range map[string]struct{ body, pointer string }{
		"id and reference":     {decision(``, `"id":"A-2",`, `"applicant_ref":"A-2",`), ref},
		"reference and id":     {decision(``, `"applicant_ref":"A-2",`, `"id":"A-2",`), id},
		"top level and id":     {decision(`"applicant_ref":"A-2",`, ``, `"id":"A-2",`), id},
		"a space after an id":  {decision(``, `"id":"A-2 ",`, `"id":"A-2",`), id},
		"a space before an id": {decision(``, `"id":"A-2",`, `"id":" A-2",`), id},
		"ids beside references": {
			decision(`"applicant_ref":"A-1",`, `"id":"7",`, `"applicant_ref":"A-2","id":"7 ",`), id,
		},
		"fraud block and reference": {evaluate(`"fraud":{"applicant_ref":" A-2"},`, ``, `"applicant_ref":"A-2",`), ref},
		"fraud block and id":        {evaluate(`"fraud":{"applicant_ref":"A-2"},`, ``, `"id":"A-2",`), id},
		"fraud block beside a reference": {
			evaluate(`"applicant_ref":"A-1","fraud":{"applicant_ref":"A-2"},`, ``, `"applicant_ref":"A-2",`), ref,
		},
		"id beside the fraud block": {
			evaluate(`"fraud":{"applicant_ref":"A-1"},`, `"id":"A-2",`, `"applicant_ref":"A-2",`), ref,
		},
		"the primary applicant last": {
			`{"applicants":[{"role":"co_applicant","applicant_ref":"A-2"},
				{"role":"primary","id":"A-2","bureau_report":{"score":742}}]}`, id,
		},
		"nobody twice": {decision(`"applicant_ref":"A-1",`, `"applicant_ref":"A-1","id":"A-1",`, `"id":"A-2",`), ""},
		"one person under both members": {
			evaluate(`"applicant_ref":"A-1","fraud":{"applicant_ref":"A-1"},`, `"id":"A-1",`, `"applicant_ref":"A-2",`),
			"",
		},
		"no references": {decision(``, `"id":"",`, `"id":" ",`), ""},
	} {
		read := application.ReadDecision
		if strings.Contains(c.body, `"report"`) {
			read = application.ReadEvaluate
		}
		_, err := readBody(t, read, c.body)
		if c.pointer == "" || err == nil {
			if (err == nil) != (c.pointer == "") {
				t.Errorf("%s: %v, want a fault at %q", name, err, c.pointer)
			}
			continue
		}
		items := fault.Of(err).Items
		if len(items) != 1 || items[0].Pointer != c.pointer || items[0].Code != fault.CodeDuplicate {
			t.Errorf("%s: %v, want one duplicate at %s", name, items, c.pointer)
		}
	}
}

// TestLaterConsent checks the warning about a consent that is dated after the day of the request.
func TestLaterConsent(t *testing.T) {
	t.Parallel()
	for at, later := range map[string]bool{
		"2026-11-17T23:59:59+05:30": false, "2026-11-17T18:29:59Z": false,
		"2026-11-17T18:30:00Z": true, "2036-11-17T10:00:00+05:30": true,
	} {
		app, err := readBody(t, application.ReadDecision, `{"applicants":[
			{"role":"primary","consent":{"id":"C-1","at":"`+at+`"},"bureau_report":{"score":742}},
			{"role":"guarantor","consent":{"id":"C-2","at":"`+at+`"},"bureau_report":{"score":742}}]}`)
		if err != nil {
			t.Fatal(err)
		}
		var pointers []string
		for _, w := range app.Warnings {
			if w.Code == fault.CodeLaterEvent {
				pointers = append(pointers, w.Pointer)
			}
		}
		var want []string
		if later {
			want = []string{"/applicants/0/consent/at", "/applicants/1/consent/at"}
		}
		if !slices.Equal(pointers, want) {
			t.Errorf("%s: warnings at %v, want %v", at, pointers, want)
		}
	}
}

// TestConsentOfOthers checks the warning about a second person's report without consent, and the warnings about
// members that are not read.
func TestConsentOfOthers(t *testing.T) {
	t.Parallel()
	app, err := readBody(t, application.ReadDecision, `{"applicants":[{"role":"primary","bureau_report":{"score":742}},
		{"role":"co_applicant","requested_amount":5000,"shoe_size":43,"bureau_report":{"score":700}}]}`)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	for _, w := range app.Warnings {
		b.WriteString(w.Code + "@" + w.Pointer + " ")
	}
	for _, want := range []string{
		"consent_not_stated@/applicants/1 ", "not_read@/applicants/1 ", "unknown_field@/applicants/1/shoe_size ",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no warning %s among %s", want, b.String())
		}
	}
	if v := app.Facts.Get("requested_amount"); v.Type() != rule.Absent {
		t.Errorf("the co-applicant asks for %s", v)
	}
}
