package application_test

import (
	"slices"
	"strings"
	"testing"

	"verdict/internal/application"
	"verdict/internal/fault"
	"verdict/internal/wire"
)

// joint returns an evaluate request of a primary applicant and a co-applicant with further members.
func joint(top, primary, other string) string {
	return `{` + top + `"applicants":[{"role":"primary",` + primary + `"bureau":"cibil","report":{"cibil":` +
		`{"scoreData":{"score":742},"reportDate":"2026-11-10","accounts":[],"enquiries":[]}}},
		{"role":"co_applicant",` + other + `"bank_summary":{"income":20000}}]}`
}

// TestFraudOfOthers reads the identifiers of a co-applicant. They are not among the facts of the application.
func TestFraudOfOthers(t *testing.T) {
	t.Parallel()
	const identifiers = `"fraud":{"applicant_ref":"A-2","mobile":"+91 98200 12345","email":"w@example.in",
		"beneficiary_account":"00112233445566","ip":"203.0.113.7","pincode":"400001","device_id":"d-1"},`
	body := joint(`"fraud":{"applicant_ref":"A-1","mobile":"9820054321"},`, ``, `"applicant_ref":"A-2",`+identifiers)
	app, err := readBody(t, application.ReadEvaluate, body)
	if err != nil {
		t.Fatal(err)
	}
	if len(app.Others) != 1 || app.Others[0].Fraud == nil {
		t.Fatalf("others: %+v", app.Others)
	}
	for name, want := range map[string]string{
		"fraud.mobile": "+91 98200 12345", "fraud.email": "w@example.in", "fraud.beneficiary_account": "00112233445566",
		"fraud.ip": "203.0.113.7", "fraud.pincode": "400001", "device.device_id": "d-1",
	} {
		if got := app.Others[0].Fraud.Get(name).Text(); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if app.Facts.Get("fraud.mobile").Text() != "9820054321" || strings.Contains(factsOf(t, app), "98200 12345") ||
		strings.Contains(factsOf(t, app), "d-1") {
		t.Errorf("the facts of the application: %s", factsOf(t, app))
	}
	for _, w := range app.Warnings {
		if strings.Contains(w.Pointer, "fraud") {
			t.Errorf("warning %+v", w)
		}
	}
}

// TestNoFraudOfOthers reads requests without identifiers of others. A null fraud object must give the same
// result as an omitted one.
func TestNoFraudOfOthers(t *testing.T) {
	t.Parallel()
	without, err := readBody(t, application.ReadEvaluate, joint(``, ``, `"applicant_ref":"A-2",`))
	if err != nil {
		t.Fatal(err)
	}
	null, err := readBody(t, application.ReadEvaluate,
		joint(``, `"fraud":null,`, `"applicant_ref":"A-2","fraud":null,`))
	if err != nil {
		t.Fatal(err)
	}
	if factsOf(t, without) != factsOf(t, null) || null.Others[0].Fraud != nil ||
		!slices.EqualFunc(without.Warnings, null.Warnings, func(a, b fault.Item) bool { return a.Detail == b.Detail }) {
		t.Errorf("%s\n%s", factsOf(t, without), factsOf(t, null))
	}
	v, err := wire.Parse([]byte(joint(``, ``, ``)))
	if err != nil || application.EvaluateRequest(v).HasFraud() || application.EvaluateRequest(v).HasSignals() {
		t.Errorf("a request without identifiers has some, %v", err)
	}
}

// TestFraudOfOthersRefused checks the faults in the identifiers of others, each with its pointer and without the value.
func TestFraudOfOthersRefused(t *testing.T) {
	t.Parallel()
	const at = "/applicants/1/fraud"
	named := func(identifiers string) string {
		return joint(``, ``, `"applicant_ref":"A-2","fraud":`+identifiers+`,`)
	}
	for name, c := range map[string]struct{ body, pointer, code string }{
		"no reference": {
			joint(``, ``, `"fraud":{"mobile":"9820012345"},`), "/applicants/1/applicant_ref", fault.CodeRequired,
		},
		"a blank id": {
			joint(``, ``, `"id":" ","fraud":{"mobile":"9820012345"},`), "/applicants/1/applicant_ref",
			fault.CodeRequired,
		},
		"a placeholder as reference": {
			joint(``, ``, `"applicant_ref":"N/A","fraud":{"mobile":"9820012345"},`), "/applicants/1/applicant_ref",
			fault.CodeInvalidField,
		},
		"another reference":     {named(`{"applicant_ref":"A-3"}`), at + "/applicant_ref", fault.CodeInvalidField},
		"no object":             {named(`"9820012345"`), at, fault.CodeWrongType},
		"a number":              {named(`{"mobile":9820012345}`), at + "/mobile", fault.CodeWrongType},
		"a short mobile number": {named(`{"mobile":"98200-xyz-12"}`), at + "/mobile", fault.CodeInvalidField},
		"no e-mail address":     {named(`{"email":"xyz at home"}`), at + "/email", fault.CodeInvalidField},
		"a short account": {
			named(`{"beneficiary_account":"xyz"}`), at + "/beneficiary_account", fault.CodeInvalidField,
		},
		"no IP address": {named(`{"ip":"xyz.0.113.7"}`), at + "/ip", fault.CodeOutOfRange},
		"no pincode":    {named(`{"pincode":"xyz001"}`), at + "/pincode", fault.CodeOutOfRange},
		"the primary's, his entry": {
			joint(``, `"fraud":{"mobile":"9820012345"},`, ``), "/applicants/0/fraud", fault.CodeInvalidField,
		},
		"one person in two roles": {
			joint(`"fraud":{"applicant_ref":"A-2"},`, ``, `"applicant_ref":"A-2","fraud":{"mobile":"9820012345"},`),
			"/applicants/1/applicant_ref", fault.CodeDuplicate,
		},
	} {
		_, err := readBody(t, application.ReadEvaluate, c.body)
		if err == nil {
			t.Errorf("%s: accepted", name)
			continue
		}
		items := fault.Of(err).Items
		items = slices.DeleteFunc(items,
			func(i fault.Item) bool { return i.Code == fault.CodeUnknownField }) // only a hint
		if len(items) != 1 || items[0].Pointer != c.pointer || items[0].Code != c.code {
			t.Errorf("%s: %v, want %s at %s", name, items, c.code, c.pointer)
		}
		for _, item := range items {
			if strings.Contains(item.Detail, "xyz") || strings.Contains(item.Detail, "A-3") {
				t.Errorf("%s repeats the value: %s", name, item.Detail)
			}
		}
	}
	twice := named(`{"mobile":"9820012345","mobile":"9820012345"}`)
	if _, err := wire.Parse([]byte(twice)); err == nil {
		t.Error("an identifier that is stated twice was accepted")
	}
}

// TestFraudOfOthersWarned checks the warnings about identifiers of others that were not read or not counted.
func TestFraudOfOthersWarned(t *testing.T) {
	t.Parallel()
	app, err := readBody(t, application.ReadEvaluate, joint(``, ``, `"id":"A-2","fraud":{"mobile":"9999999999",
		"email":"na@na.com","ip":"10.0.0.1","agent_id":"AG-7","shoe_size":43},`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, w := range app.Warnings {
		if strings.Contains(w.Pointer, "fraud") {
			got = append(got, w.Code+"@"+w.Pointer)
		}
	}
	slices.Sort(got)
	want := []string{
		"applicant_ref_missing@/fraud", "identifier_not_counted@/applicants/1/fraud/email",
		"identifier_not_counted@/applicants/1/fraud/mobile", "not_derived@/applicants/1/fraud/ip",
		"not_read@/applicants/1/fraud/agent_id", "unknown_field@/applicants/1/fraud/shoe_size",
	}
	if !slices.Equal(got, want) {
		t.Errorf("warnings %v, want %v", got, want)
	}
	if app.Others[0].Ref != "A-2" || app.Others[0].Fraud == nil {
		t.Errorf("%+v", app.Others)
	}
}

// TestFraudOfOthersElsewhere checks that a decision request does not read identifiers of others, as it does not read
// those of the primary applicant.
func TestFraudOfOthersElsewhere(t *testing.T) {
	t.Parallel()
	app, err := readBody(t, application.ReadDecision, `{"applicants":[{"role":"primary","bureau_report":{"score":742}},
		{"role":"co_applicant","applicant_ref":"A-2","fraud":{"mobile":"9820012345"}}]}`)
	if err != nil {
		t.Fatal(err)
	}
	if app.Others[0].Fraud != nil || !slices.ContainsFunc(app.Warnings, func(w fault.Item) bool {
		return w.Code == fault.CodeUnknownField && strings.HasPrefix(w.Pointer, "/applicants/1/fraud")
	}) {
		t.Errorf("%+v, %v", app.Others, app.Warnings)
	}
}
