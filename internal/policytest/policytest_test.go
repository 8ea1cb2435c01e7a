package policytest

import (
	"encoding/xml"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/engine"
	"verdict/internal/wire"
)

const young = `Somebody of 20 is one year too young.
-- application.json --
{"applicant": {"age": 20, "monthly_income": 85000}, "bureau_report": {"score": 780}}
-- expect.json --
{"status": "DECLINED", "reasons": ["AGE_RANGE"], "hits": {"KO_AGE_RANGE": "fail"}, "limit": 0.0, "rate": null}
`

func runAll(t *testing.T, text string) Report {
	t.Helper()
	cases, err := Read([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var r Report
	subject := NewSubject(engine.DefaultPolicy())
	for i := range cases {
		r.Results = append(r.Results, subject.Run("cases/a.txtar", &cases[i]))
	}
	return r
}

func TestRun(t *testing.T) {
	t.Parallel()
	const several = `-- a/application.json --
{"applicant": {"monthly_income": 85000, "foir": 0.32, "requested_amount": 600000},
 "bureau_report": {"score": 742, "enquiries_6m": 2, "active_tradelines": 4, "max_dpd_12m": 0}}
-- a/as_of.txt --
2026-11-16T09:30:00+05:30
-- a/expect.json --
{"status": "APPROVED", "grade": "B", "score": 712.0, "limit": 5e5, "rate": 16, "offer.emi": 14170,
 "explanation.score_contributions.foir.points": 8, "explanation.fired_rules.ADJ_RECENT_ENQUIRIES.delta": -5,
 "reasons": ["AMT_BAND_CAP"], "hits": {"ADJ_RECENT_ENQUIRIES": -5}, "conditions": ["ECONOMIC_PROFILE"],
 "offer.valid_until": "2026-11-19T18:29:59Z", "reasons.0.rank": 1, "explanation.fired_rules.KO_DEVICE_EMULATOR": null}
-- b/application.json --
{"bureau_report": {"score": 742}}
-- b/expect.json --
{"grade": "A+"}
`
	for name, text := range map[string]string{
		"txtar":  young,
		"JSON":   `{"application": {"bureau_report": {"score": 600}}, "expect": {"status": "DECLINED"}}`,
		"array":  `[{"name": "low", "application": {"bureau_report": {"score": 600}}, "expect": {"grade": "F"}}]`,
		"folder": several[:strings.Index(several, "-- b/")],
	} {
		r := runAll(t, text)
		if r.Failed() != 0 || len(r.Results) != 1 {
			t.Errorf("%s: %s", name, r.Text(true))
		}
	}
	if r := runAll(t, several); len(r.Results) != 2 || r.Failed() != 1 || r.Results[1].Case.Name != "b" {
		t.Errorf("%s", r.Text(true))
	}
}

// TestText checks the report of differences and of a refused application.
func TestText(t *testing.T) {
	t.Parallel()
	r := runAll(t, `Grades.
-- a/application.json --
{"bureau_report": {"score": 742}}
-- a/expect.json --
{"status": "APPROVED", "grade": "A+", "reasons": ["X"], "offer.emi": null}
-- b/application.json --
{"bureau_report": {"score": 5000}}
-- b/expect.json --
{"status": "APPROVED"}
-- c/application.json --
{"bureau_report": {"score": 600}}
-- c/expect.json --
{"status": "DECLINED"}
`)
	const score = "must be a whole number, 300 to 900, or a new-to-credit code (-1, 0, 1 to 6)"
	const want = `FAIL cases/a.txtar: a
  Grades.
  path       expected  got
  grade      "A+"      "C"
  reasons    ["X"]     []
  offer.emi  (absent)  1100
FAIL cases/a.txtar: b
  Grades.
  the application is refused: invalid_field: /bureau_report/score ` + score + `
    /bureau_report/score: out_of_range: ` + score + `
ok   cases/a.txtar: c
3 cases, 2 failed
`
	if diff := cmp.Diff(want, string(r.Text(true))); diff != "" {
		t.Error(diff)
	}
	if quiet := string(r.Text(false)); strings.Contains(quiet, "ok ") || !strings.Contains(quiet, "3 cases, 2 failed") {
		t.Error(quiet)
	}
	document, err := r.JUnit()
	if err != nil {
		t.Fatal(err)
	}
	var suites junitSuites
	if err := xml.Unmarshal(document, &suites); err != nil {
		t.Fatal(err)
	}
	if suites.Tests != 3 || suites.Failures != 2 || len(suites.Suites) != 1 || suites.Suites[0].Failures != 2 {
		t.Errorf("%s", document)
	}
	first := suites.Suites[0].Cases[0]
	if first.Name != "a" || !strings.Contains(first.Failure.Message, `grade: expected "A+", got "C"`) {
		t.Errorf("%s", document)
	}
	if suites.Suites[0].Cases[2].Failure != nil {
		t.Error("a case that passes has a failure")
	}
}

// TestReadRefuses checks that a case with a mistake is refused, and that the error says where the mistake is.
func TestReadRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                       "no line",
		"only a comment":         "no line",
		"-- expect.json --\n{}":  "expect.json: ",
		"-- other.json --\n{}":   "other.json: is not a section of a case",
		"-- as_of.txt --\nnoon":  "as_of.txt: must be an RFC 3339 time",
		"-- a/expect.json --\n1": "must be an object",
		"-- expect.json --\n{\"status\": \"APPROVED\"}": "the section application.json is missing",
		young + "-- expect.json --\n{}":                 "the section expect.json occurs twice",
		"-- application.json --\n{":                     "application.json: ",
		"[]":                                            "1 to 10000 cases",
		`{"application": {}}`:                           "/expect: required",
		`{"expect": {"status": "APPROVED"}}`:            "/application: required",
		`{"application": {}, "expect": {"stat": 1}}`:    "/expect/stat: unknown_field",
		`{"application": {}, "expect": {"statuss": 1}}`: "is not a part of a decision; did you mean status? " +
			"The parts are status, ",
		`{"application": {}, "expect": {"ofer.emi": 1}}`: "did you mean offer.emi?",
		`{"application": {}, "expect": {"Grade": 1}}`:    "did you mean grade?",
		`{"application": {}, "facts": {"fraud_blocklistd": true}, "expect": {"status": "X"}}`: "did you mean " +
			"fraud_blocklisted?",
		"-- expct.json --\n{}": "expct.json: is not a section of a case; did you mean expect.json?",
		`{"application": {}, "expect": {"offer.emi": 1}, "as_of": "noon"}`: "/as_of: invalid_field",
		`{"application": {}, "expect": {"status": "X"}, "expected": {}}`:   "/expected: unknown_field",
	} {
		_, err := Read([]byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// TestArchive checks that an archive that was written is read back unchanged.
func TestArchive(t *testing.T) {
	t.Parallel()
	a := ParseArchive([]byte(young))
	if got := string(a.Format()); got != young {
		t.Errorf("got %q", got)
	}
	windows := ParseArchive([]byte(strings.ReplaceAll(young, "\n", "\r\n")))
	if len(windows.Sections) != 2 || windows.Sections[0].Name != ApplicationSection {
		t.Errorf("with carriage returns: %v", windows)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(young))
	f.Add([]byte(`[{"application": {"bureau_report": {"score": 600}}, "expect": {"grade": "F", "hits": {}}}]`))
	subject := NewSubject(engine.DefaultPolicy())
	f.Fuzz(func(t *testing.T, data []byte) {
		cases, err := Read(data)
		if err != nil {
			return
		}
		for i := range cases {
			r := subject.Run("file", &cases[i])
			if r.Passed() && len(cases[i].Expect) == 0 {
				t.Error("a case that compares nothing passes")
			}
			if _, err := (&Report{Results: []Result{r}}).JUnit(); err != nil {
				t.Error(err)
			}
		}
	})
}

// TestExpectWithoutTheFirstPart checks that Expect returns an object even if the decision lacks the first of the
// given parts.
func TestExpectWithoutTheFirstPart(t *testing.T) {
	t.Parallel()
	decision, err := wire.Parse([]byte(`{"decision":{"status":"DECLINED"}}`))
	if err != nil {
		t.Fatal(err)
	}
	got := Expect(decision.Get("decision"), []string{"offer.limit", "status"})
	if v, err := wire.Parse(got); err != nil || v.Get("status").Text() != "DECLINED" {
		t.Errorf("%v:\n%s", err, got)
	}
}

// TestMisspeltMember runs cases whose application has a misspelt member. They must fail and name the member that was
// meant, even if the decision is as expected. A member that resembles no other is allowed.
func TestMisspeltMember(t *testing.T) {
	t.Parallel()
	const report = `{"bureau_report": {"score": 600, "enquires_6m": 2, "colour_of_file": "green"}}`
	const expect = `{"status": "DECLINED"}`
	for text, want := range map[string]string{
		"-- application.json --\n" + report + "\n-- expect.json --\n" + expect: "FAIL cases/a.txtar\n" +
			"  application.json: /bureau_report/enquires_6m is not a member of a request; " +
			"did you mean enquiries_6m?\n1 case, 1 failed\n",
		`{"application": ` + report + `, "expect": ` + expect + `}`: "FAIL cases/a.txtar\n" +
			"  /application/bureau_report/enquires_6m is not a member of a request; " +
			"did you mean enquiries_6m?\n1 case, 1 failed\n",
	} {
		r := runAll(t, text)
		if got := string(r.Text(false)); got != want {
			t.Errorf("got\n%swant\n%s", got, want)
		}
	}
}
