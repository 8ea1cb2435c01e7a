package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/study"
)

// TestBadFiles checks that each malformed file is refused with a specific code,
// is not billed and leaves only a failed run.
func TestBadFiles(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{backtests: study.BacktestLimits{MaxBytes: 4 << 20, MaxRows: 5_000}}, func(s *stack) {
		m := s.signup()
		for name, c := range map[string]struct {
			query, file string
			status      int
			code        string
			headers     []string
		}{
			"empty":                 {"", "", 422, "empty_csv", nil},
			"blank lines":           {"", "\r\n\n\r", 422, "empty_csv", nil},
			"a mark alone":          {"", "\ufeff", 422, "empty_csv", nil},
			"no rows":               {"", "score,foir\n\n", 422, "no_rows", nil},
			"no names":              {"", ",,\n1,2,3\n", 422, "no_column_names", nil},
			"two columns of a name": {"", "score,score\n1,2\n", 422, "invalid_field", nil},
			"no score":              {"", "foir,monthly_income\n0.3,50000\n", 422, "invalid_field", nil},
			"missing outcome": {
				"?outcome_column=defalted", "score,defaulted\n742,0\n", 422, "unknown_field", nil,
			},
			"unknown field in a map": {"?map=cibil%3Dscor", "cibil\n742\n", 422, "unknown_field", nil},
			"unknown option":         {"?outcome=bad", "score\n742\n", 422, "unknown_field", nil},
			"option twice":           {"?lgd=0.5&lgd=0.6", "score\n742\n", 422, "invalid_field", nil},
			"no number":              {"?lgd=high", "score\n742\n", 422, "invalid_field", nil},
			"no text":                {"", "\xff\xfes\x00c\x00\n", 400, "bad_utf8", nil},
			"a quote in the header":  {"", "sco\"re\n742\n", 400, "bad_quote", nil},
			"a long line": {
				"", "score\n742\n" + strings.Repeat("9", 2<<20) + "\n", 422, "line_too_long", nil,
			},
			"an endless quote": {
				"", "score,note\n742,\"" + strings.Repeat("x\n", 1<<20), 400, "bad_quote", nil,
			},
			"a quote that is never closed": {"", "score,note\n742,\"one\n612,two\n", 400, "bad_quote", nil},
			"a long header":                {"", strings.Repeat("a", 2<<20), 422, "line_too_long", nil},
			"too wide":                     {"", strings.Repeat("a,", 1000) + "score\n", 422, "too_many_columns", nil},
			"a bomb of one line": {
				"", zipped(s.T, "score\n"+strings.Repeat("0", 8<<20)), 422, "line_too_long",
				[]string{"Content-Encoding: gzip"},
			},
			"a bomb of rows": {
				"", zipped(s.T, "score\n"+strings.Repeat("742\n", 2<<20)), 413, "request_too_large",
				[]string{"Content-Encoding: gzip"},
			},
			"a bomb of blank lines": {
				"", zipped(s.T, "score\n"+strings.Repeat("\n", 8<<20)), 413, "request_too_large",
				[]string{"Content-Encoding: gzip"},
			},
			"not gzip": {"", "score\n742\n", 400, "malformed_body", []string{"Content-Encoding: gzip"}},
			"half a gzip": {
				"",
				zipped(s.T, bookCSV(50))[:400],
				400,
				"malformed_body",
				[]string{"Content-Encoding: gzip"},
			},
			"another encoding": {
				"", "score\n742\n", 415, "unsupported_media_type", []string{"Content-Encoding: br"},
			},
			"another character set": {
				"", "score\n742\n", 415, "unsupported_media_type", []string{"Content-Type: text/csv; charset=latin1"},
			},
			"another media type": {
				"", "score\n742\n", 415, "unsupported_media_type", []string{"Content-Type: application/xml"},
			},
			"a form without boundary": {
				"", "score\n742\n", 400, "malformed_body", []string{"Content-Type: multipart/form-data"},
			},
			"no form": {
				"", "score\n742\n", 422, "invalid_field", []string{"Content-Type: multipart/form-data; boundary=x"},
			},
		} {
			got := m.upload(c.query, "text/csv", c.file, c.headers...)
			if got.status != c.status || got.text("code") != c.code {
				s.Errorf("%s: %d %s, want %d %s: %s", name, got.status, got.text("code"), c.status, c.code, got.body)
			}
		}
		for _, run := range m.get("/v1/backtest").list("data") {
			if run, _ := run.(map[string]any); run["status"] != "failed" {
				s.Errorf("there is a run that is %v", run)
			}
		}
		m.get("/v1/usage").is("used", 0)
	})
}

// TestBadForms checks that forms with unknown or repeated fields, with a field
// after the file, or cut short are refused.
func TestBadForms(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		body, kind := form(s.T, "score\n742\n", "outcome", "bad")
		m.upload("", kind, body).refused(http.StatusUnprocessableEntity, "unknown_field")
		body, kind = form(s.T, "score\n742\n", "lgd", "0.5", "lgd", "0.6")
		m.upload("", kind, body).refused(http.StatusUnprocessableEntity, "invalid_field")
		body, kind = form(s.T, "score\n742\n")
		boundary := kind[strings.Index(kind, "=")+1:]
		late := strings.TrimSuffix(body, "--"+boundary+"--\r\n") +
			fmt.Sprintf("--%s\r\nContent-Disposition: form-data; name=\"lgd\"\r\n\r\n0.5\r\n--%s--\r\n", boundary,
				boundary)
		m.upload("", kind, late).refused(http.StatusUnprocessableEntity, "invalid_field")
		m.upload("", kind, body[:len(body)-12]).refused(http.StatusBadRequest, "malformed_body")
		m.upload("", kind, body).want(http.StatusOK).is("rows_evaluated", 1)
	})
}

// TestBadRows checks that a bad row is reported by its number and does not stop
// the run, and that cells which could be formulas are escaped in the export.
func TestBadRows(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		file := "\ufeffapplicant_id,score,foir,note,outcome\r\n" +
			"=HYPERLINK(1),742,0.3,\"a \"\"quoted\"\" cell, with\na line\",good\n" + // 1: valid
			"A-2,742,7,,good\r" + // 2: out of range
			"A-3,742,0.3,\n\n" + // 3: too few cells; then a blank line
			"A-4,,0.3,,bad\n" + // 4: no score
			"A-5,742,0.3,b\"c,bad\r\n" + // 5: a quote out of place
			"A-6,742,0.3,\xff,bad\n" + // 6: not UTF-8
			"A-7,742,0.3,,perhaps\n" + // 7: an unknown outcome
			"+A-8,650,0.3,," // 8: no outcome, and no line end
		got := m.upload("", "text/csv", file).
			want(http.StatusOK).is("rows_total", 8, "rows_evaluated", 2, "rows_failed", 6, "performance.labelled", 1)
		for i, want := range []string{
			"2 foir out_of_range", "3 <nil> wrong_number_of_cells", "4 score required", "5 <nil> bad_quote",
			"6 <nil> bad_utf8", "7 outcome unknown_outcome",
		} {
			have := fmt.Sprint(got.at("row_errors", i, "row"), " ", got.at("row_errors", i, "field"), " ",
				got.at("row_errors", i, "code"))
			if have != want {
				s.Errorf("error %d is %s, want %s", i, have, want)
			}
		}
		rows := string(m.get("/v1/backtest/" + got.text("backtest_id") + "/rows").want(http.StatusOK).body)
		if !strings.Contains(rows, "\n1,'=HYPERLINK(1),") || !strings.Contains(rows, "\n8,'+A-8,") ||
			strings.Contains(rows, ",=HYPER") {
			s.Errorf("a formula gets out:\n%s", rows)
		}
		if strings.Count(rows, "FAILED") != 6 {
			s.Errorf("not every failed row is there:\n%s", rows)
		}
	})
}

// TestBadBacktestBodies checks that a body with a fault is refused and that the
// fault has its pointer.
func TestBadBacktestBodies(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		for body, want := range map[string]string{
			`{}`:                                 "invalid_field /rows",
			`{"rows":[{"score":742}],"csv":"x"}`: "invalid_field /csv",
			`{"rows":{"score":742}}`:             "invalid_field /rows",
			`{"rows":[{"score":742},7]}`:         "invalid_field /rows/1",
			`{"rows":[{"score":[742]}]}`:         "invalid_field /rows/0/score",
			`{"rows":[{"applicant":{"foir":0.3},"applicant.foir":0.4,` +
				`"score":742}]}`: "invalid_field /rows/0/applicant.foir",
			`{"rows":[{"foir":0.4}]}`:                                   "invalid_field /header",
			`{"rows":[{"score":742}],"colour":"red"}`:                   "unknown_field /colour",
			`{"rows":[{"score":742}],"rule_set_id":7}`:                  "invalid_field /rule_set_id",
			`{"rows":[{"score":742}],"outcome_column":"sxore"}`:         "unknown_field /outcome_column",
			`{"synthetic":{"n":0,"seed":-1,"months":3,"bad_rate":0.7}}`: "invalid_field /synthetic/n",
			`{"synthetic":{"n":100000001}}`:                             "invalid_field /synthetic/n",
			`{"rows":[{"score":742}],"policy_key":"NOT A KEY"}`:         "invalid_field /policy_key",
			`{"csv":7}`:                        "invalid_field /csv",
			`{"rows":[{"score":742}],"lgd":0}`: "invalid_field /lgd",
		} {
			got := m.post("/v1/backtest", body).want(http.StatusUnprocessableEntity)
			if have := got.text("code") + " " + fmt.Sprint(got.at("errors", 0, "pointer")); have != want {
				s.Errorf("%s: %s, want %s: %s", body, have, want, got.body)
			}
		}
		m.post("/v1/backtest", `{"rows":[{}]}`).refused(http.StatusUnprocessableEntity, "no_rows")
		m.post("/v1/backtest", `[]`).want(http.StatusUnprocessableEntity)
		m.post("/v1/backtest?rule_set_id=x", `{"rows":[{"score":742}],"rule_set_id":"y"}`).
			want(http.StatusUnprocessableEntity)
		m.post("/v1/backtest", `{"rows":[{"score":742}],"policy_key":"other"}`).
			refused(http.StatusConflict, "no_active_policy")
	})
}

// TestRowsOfTooManyColumns checks that the table built from JSON rows is
// bounded, however many columns the rows name or leave out. The same sparse
// table is accepted as a file.
func TestRowsOfTooManyColumns(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		members := func(n int) string {
			b := &strings.Builder{}
			for i := range n {
				fmt.Fprintf(b, `"c%d":1,`, i)
			}
			return b.String() + `"score":742`
		}
		for _, c := range []struct {
			rows   string
			status int
			want   string
		}{
			{
				`[{"score":742},{` + members(1000) + `}]`,
				http.StatusUnprocessableEntity,
				"too_many_columns /rows/1/c999",
			},
			{
				`[{` + members(999) + `}` + strings.Repeat(`,{"score":742}`, 8100) + `]`,
				http.StatusRequestEntityTooLarge,
				"request_too_large /rows",
			},
			{
				`[{"` + strings.Repeat("n", 200) + `":{"` + strings.Repeat("m", 60) + `":1}}]`,
				http.StatusUnprocessableEntity,
				"invalid_field /rows/0/" + strings.Repeat("n", 128) + "…/" + strings.Repeat("m", 60),
			},
		} {
			for _, path := range []string{"/v1/backtest", "/v1/scorecards/fit"} {
				body := `{"rows":` + c.rows + `}`
				if path == "/v1/scorecards/fit" {
					body = `{"target":"score","rows":` + c.rows + `}`
				}
				got := m.post(path, body).want(c.status)
				if have := got.text("code") + " " + fmt.Sprint(got.at("errors", 0, "pointer")); have != c.want {
					s.Errorf("%s: %s, want %s", path, have, c.want)
				}
			}
		}
		m.get("/v1/usage").is("used", 0)
		header := strings.NewReplacer(`"`, "", ":1", "", ":742", "").Replace(members(999))
		file := header + "\n" + strings.Repeat(strings.Repeat(",", 999)+"742\n", 8100)
		m.upload("", "text/csv", file).want(http.StatusOK).is("rows_evaluated", 8100)
		m.post("/v1/backtest", `{"rows":[{`+members(999)+`}`+strings.Repeat(`,{"score":742}`, 900)+`]}`).
			want(http.StatusOK).is("rows_evaluated", 901)
	})
}

// TestDoubtfulRows checks that a doubt about the whole file, such as the unit
// of FOIR, causes a single warning.
func TestDoubtfulRows(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		codes := func(a answer) (list []string) {
			for i := range a.list("warnings") {
				list = append(list, fmt.Sprint(a.at("warnings", i, "code")))
			}
			return list
		}
		run := func(query, file string, want ...string) answer {
			got := m.upload(query, "text/csv", file).want(http.StatusOK)
			if diff := cmp.Diff(want, codes(got)); diff != "" {
				s.Errorf("%q %s (-want +got):\n%s", file, got.body, diff)
			}
			return got
		}
		const header = "applicant_id,score,foir,employment_type\n"
		run("", header+"A-1,742,0.3,salaried\n")
		run("?foir_unit=percent", header+"A-1,742,30,salaried\nA-2,742,0.9,salaried\n")
		run("?foir_unit=percent", header+"A-1,742,0.3,salaried\nA-2,742,0.45,salaried\n", "foir_looks_like_ratio")
		run("", header+"A-1,742,30,salaried\n", "foir_looks_like_percent").is("rows_failed", 1)
		run("", "applicant_id,score,foir,employ\u00e9\n"+"Ren\u00e9,742,0.3,x\n").is("rows_evaluated", 1)
		read := run("", "applicant_id,score,foir,note\nRen\xe9,742,0.3,\x93quoted\x94\nA-2,742,0.3,\n", "encoding").
			is("rows_evaluated", 2, "rows_failed", 0)
		rows := string(m.get("/v1/backtest/" + read.text("backtest_id") + "/rows").want(http.StatusOK).body)
		if !strings.Contains(rows, "\n1,Ren\u00e9,") {
			s.Errorf("the rows are %s", rows)
		}
		run("", "\ufeff"+header+"A-1,742,0.3,\xff\n", "unreadable_text").is("rows_failed", 1)

		m.arm(`"patch":{"knockouts":{"set":[{"id":"KO_MANY","on_absent":"refer",
			"condition_ast":{"op":"gte","field":"enquiry__all__180d__count","value":4}}]}}`)
		s.clock.advance(stale)
		absent := run("", header+"A-1,742,0.3,salaried\nA-2,742,0.3,salaried\n", "features_absent")
		if name := absent.at("warnings", 0, "fields", 0); name != "enquiry__all__180d__count" {
			s.Errorf("absent is %v", name)
		}
		for i := range absent.list("rules") {
			if absent.at("rules", i, "id") == "KO_MANY" &&
				(absent.at("rules", i, "evaluated") != 0.0 || absent.at("rules", i, "unknown") != 2.0) {
				s.Errorf("the rule: %v", absent.at("rules", i))
			}
		}
		run("", "applicant_id,score,foir,enquiry__all__180d__count\nA-1,742,0.3,5\n")
	})
}
