package httpapi_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
)

// limitTable is a table that gives a maximum ratio for an employment type and a range of income.
const limitTable = `{"keys":[{"field":"employment_type"},{"field":"monthly_income","match":"range"}],
	"columns":[{"name":"max_ltv","type":"number"},{"name":"segment","type":"text"}],
	"rows":[{"keys":["SALARIED",{"lt":50000}],"values":[0.7,"B"]},{"keys":["SALARIED",{"gte":50000}],"values":[0.8,
	"A"]}]}`

func lookupOf(keys string) string { return "/lookup?keys=" + url.QueryEscape(keys) }

// TestTables creates a table, replaces it, reads it, decides with it and deletes it.
func TestTables(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		const at = "/v1/tables/limits"
		m.get(at).refused(http.StatusNotFound, "not_found")
		m.put(at, limitTable, `If-Match: "1"`).refused(http.StatusPreconditionFailed, "precondition_failed")
		made := m.put(at, limitTable, "If-None-Match: *").want(http.StatusOK)
		if made.header.Get("Etag") != `"1"` {
			s.Errorf("the ETag is %s", made.header.Get("Etag"))
		}
		made.is("version", 1.0).is("rows", 2.0)
		m.put(at, limitTable, "If-None-Match: *").refused(http.StatusPreconditionFailed, "precondition_failed")
		m.put(at, limitTable, `If-None-Match: "1"`).refused(http.StatusUnprocessableEntity, "invalid_field")

		found := m.get(at+lookupOf(`["salaried",50000]`)).want(http.StatusOK).is("matched", true)
		if found.at("facts", "table.limits.max_ltv") != 0.8 || found.at("row", "keys", 1, "gte") != 50000.0 {
			s.Errorf("found %s", found.body)
		}
		none := m.get(at+lookupOf(`["RETIRED",50000]`)).want(http.StatusOK).is("matched", false)
		if facts, _ := none.at("facts").(map[string]any); len(facts) > 0 || none.at("row") != nil {
			s.Errorf("found %s", none.body)
		}
		long := strings.Repeat("x", 257)
		for _, bad := range []string{
			``, `{}`, `["SALARIED"]`, `["SALARIED","5"]`, `[5,5]`, `["SALARIED",null]`, `[[],5]`, `["` + long + `",5]`,
		} {
			m.get(at+lookupOf(bad)).refused(http.StatusUnprocessableEntity, "invalid_field")
		}
		sent := m.post(at+"/lookup", `{"keys":["salaried",50000]}`).want(http.StatusOK)
		if diff := cmp.Diff(string(found.body), string(sent.body)); diff != "" {
			s.Errorf("a lookup with a body (-query +body):\n%s", diff)
		}
		for _, bad := range []string{
			`{}`, `{"keys":["SALARIED"]}`, `{"keys":["SALARIED","5"]}`, `{"keys":[[],5]}`,
			`{"keys":["` + long + `",5]}`,
		} {
			m.post(at+"/lookup", bad).refused(http.StatusUnprocessableEntity, "invalid_field")
		}
		page := m.get(at + "/rows?limit=1").want(http.StatusOK)
		next := page.text("pagination", "next_cursor")
		rest := m.get(at + "/rows?limit=1&cursor=" + next).want(http.StatusOK)
		if page.at("data", 0, "values", 0) != 0.7 || rest.at("data", 0, "values", 0) != 0.8 ||
			rest.at("pagination", "has_next") != false {
			s.Errorf("the rows are %s and %s", page.body, rest.body)
		}
		m.put(at, limitTable, `If-Match: "1"`).want(http.StatusOK).is("version", 2.0)
		m.get(at+"/rows?limit=1&cursor="+next).refused(http.StatusBadRequest, "invalid_cursor")

		set := m.post("/v1/rule-sets", `{"name":"with a table","inputs":[{"name":"applicant.ltv","type":"number"}],
			"patch":{"knockouts":{"set":[{"id":"KO_LTV","reason_code":"LTV_HIGH",
			"message":"the ratio {applicant.ltv} is above {table.limits.max_ltv}","condition_ast":
			{"op":"gt","left":{"field":"applicant.ltv"},"right":{"op":"mul","args":[{"field":"table.limits.max_ltv"},
			{"value":1}]}}}]}}}`).want(http.StatusCreated)
		if set.at("tables", 0, "columns", 0, "name") != "max_ltv" || set.at("tables", 0, "columns", 1) != nil {
			s.Errorf("the rule set is %s", set.body)
		}
		m.post("/v1/rule-sets/"+set.text("id")+"/activate", "").want(http.StatusOK)
		s.clock.advance(time.Second)
		with := func(ltv string) string {
			own := `"applicant":{"employment_type":"SALARIED","ltv":` + ltv + `,`
			return strings.Replace(sample, `"applicant":{`, own, 1)
		}
		declined := m.post("/v1/decisions", with("0.9")).want(http.StatusOK).is("status", "DECLINED")
		if textAt(declined, "tables", 0, "name") != "limits" || declined.at("tables", 0, "version") != 2.0 ||
			textAt(declined, "reasons", 0, "detail", "text") != "the ratio 0.9 is above 0.8" {
			s.Errorf("the decision is %s", declined.body)
		}
		tried := m.post("/v1/decisions/preview", with("0.9")).want(http.StatusOK).is("status", "DECLINED")
		if tried.at("tables", 0, "version") != 2.0 || tried.at("facts", "table.limits.max_ltv") != 0.8 ||
			tried.at("facts", "table.limits.segment") != nil {
			s.Errorf("the preview is %s", tried.body)
		}
		m.post("/v1/eligibility", with("0.9")).want(http.StatusOK).is("status", "DECLINED")
		m.post("/v1/decisions", with("0.8")).want(http.StatusOK).is("status", "APPROVED")
		used := m.get(at).want(http.StatusOK)
		if used.at("used_by", 0, "rule_set_id") != set.text("id") || used.at("used_by", 1) != nil {
			s.Errorf("used by %s", used.body)
		}
		s.send("DELETE", at, m.key, "").refused(http.StatusConflict, "table_in_use")
		m.put(at, strings.Replace(limitTable, `"max_ltv","type":"number"`, `"max_ltv","type":"boolean"`, 1)).
			refused(http.StatusUnprocessableEntity, "invalid_field")
		m.put(at, strings.NewReplacer(`{"name":"max_ltv","type":"number"},`, "", "0.7,", "", "0.8,", "").
			Replace(limitTable)).
			refused(http.StatusConflict, "table_in_use")
		m.put(at, strings.Replace(limitTable, "0.8", "0.95", 1)).want(http.StatusOK).is("version", 3.0)
		s.clock.advance(time.Second)
		m.post("/v1/decisions", with("0.9")).want(http.StatusOK).is("status", "APPROVED")
		again := m.get("/v1/decisions/" + declined.text("decision_id")).want(http.StatusOK)
		if again.at("re_explanation", "verified") != true {
			s.Errorf("the old decision is not verified: %s", again.body)
		}
	})
}

// TestBadTables sends tables that cannot be stored. Each refusal points to the fault and repeats no value, and nothing
// changes.
func TestBadTables(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		const at = "/v1/tables/limits"
		m.put(at, limitTable).want(http.StatusOK)
		long := strings.Repeat("x", 257)
		change := func(from, to string) string {
			if !strings.Contains(limitTable, from) {
				s.Fatalf("the table has no %s", from)
			}
			return strings.Replace(limitTable, from, to, 1)
		}
		for name, c := range map[string]struct{ body, code, pointer string }{
			"overlap":        {change(`{"lt":50000}`, `{"lt":50000.000001}`), "invalid_field", "/rows/0/keys"},
			"same keys":      {change(`{"lt":50000}`, `{"gte":50000}`), "invalid_field", "/rows/0/keys"},
			"empty range":    {change(`{"lt":50000}`, `{"gte":5,"lt":5}`), "invalid_field", "/rows/0/keys/1"},
			"no range":       {change(`{"lt":50000}`, `50000`), "invalid_field", "/rows/0/keys/1"},
			"no value":       {change(`"SALARIED"`, `{"gte":5}`), "invalid_field", "/rows/0/keys/0"},
			"one key":        {change(`"SALARIED",{"lt":50000}`, `"SALARIED"`), "invalid_field", "/rows/0/keys"},
			"blank":          {change(`"SALARIED"`, `" "`), "invalid_field", "/rows/0/keys/0"},
			"long":           {change(`"SALARIED"`, `"`+long+`"`), "invalid_field", "/rows/0/keys/0"},
			"type of value":  {change(`0.7,"B"`, `"0.7","B"`), "invalid_field", "/rows/0/values/0"},
			"null":           {change(`0.7,"B"`, `null,"B"`), "invalid_field", "/rows/0/values/0"},
			"too few values": {change(`0.7,"B"`, `0.7`), "invalid_field", "/rows/0/values"},
			"decimals":       {change(`0.7,"B"`, `0.1234567,"B"`), "invalid_field", "/rows/0/values/0"},
			"default":        {change(`"rows"`, `"default":[1],"rows"`), "invalid_field", "/default"},
			"no field":       {change(`"employment_type"`, `"employment"`), "unknown_field", "/keys/0/field"},
			"late field":     {change(`"employment_type"`, `"final_score"`), "invalid_field", "/keys/0/field"},
			"custom field":   {change(`"employment_type"`, `"applicant.dealer"`), "invalid_field", "/keys/0/field"},
			"range of texts": {
				change(`"employment_type"`, `"employment_type","match":"range"`), "invalid_field", "/keys/0/field",
			},
			"twice a key":    {change(`"employment_type"`, `"monthly_income"`), "invalid_field", "/keys/1/field"},
			"twice a column": {change(`"segment"`, `"max_ltv"`), "invalid_field", "/columns/1/name"},
			"column name":    {change(`"segment"`, `"Segment"`), "invalid_field", "/columns/1/name"},
			"column type":    {change(`"type":"text"`, `"type":"string"`), "invalid_field", "/columns/1/type"},
			"unknown":        {change(`"rows"`, `"name":"x","rows"`), "unknown_field", "/name"},
			"no rows": {`{"keys":[{"field":"foir"}],"columns":[{"name":"a","type":"text"}]}`, "invalid_field",
				"/rows"},
			"no keys": {`{"keys":[],"columns":[{"name":"a","type":"text"}],"rows":[]}`, "invalid_field", "/keys"},
		} {
			got := m.put(at, c.body).refused(http.StatusUnprocessableEntity, c.code)
			if textAt(got, "errors", 0, "pointer") != c.pointer || strings.Contains(string(got.body), long) {
				s.Errorf("%s: %s", name, got.body)
			}
			if both := string(got.body); name == "overlap" && (textAt(got, "errors", 1, "pointer") != "/rows/1/keys" ||
				!strings.Contains(both, "same applications as /rows/1/keys")) {
				s.Errorf("%s: %s", name, both)
			}
		}
		m.put("/v1/tables/Limits", limitTable).refused(http.StatusUnprocessableEntity, "invalid_field")
		m.get(at).want(http.StatusOK).is("version", 1.0).is("rows", 2.0)
		m.get("/v1/tables").want(http.StatusOK)
	})
}

// TestTableFiles sends tables as files: with a byte order mark, in other encodings, with formulas, and with faults.
func TestTableFiles(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		const at = "/v1/tables/limits"
		const header = "employment_type,monthly_income.gte,monthly_income.lt,max_ltv,segment\n"
		m.csv(at, header).refused(http.StatusUnprocessableEntity, "invalid_field")
		m.csv(at+"?keys=employment_type,monthly_income:range&columns=max_ltv:number,segment:text",
			"\ufeff"+header+"SALARIED,,50000,0.7,B\r\n\r\n SALARIED ,50000,,1e-1,=1+1\r\n").
			want(http.StatusOK).is("version", 1.0).is("rows", 2.0)
		found := m.get(at + lookupOf(`["SALARIED",60000]`)).want(http.StatusOK)
		if found.at("row", "values", 1) != "=1+1" {
			s.Errorf("found %s", found.body)
		}
		m.csv(at, "segment,max_ltv,monthly_income.lt,employment_type\nC,0.5,10,RETIRED\n").want(http.StatusOK).
			is("version", 2.0).is("rows", 1.0)

		wide := "\xff\xfe"
		for _, u := range utf16.Encode([]rune(header)) {
			wide += string([]byte{byte(u), byte(u >> 8)})
		}
		for name, c := range map[string]struct {
			body    string
			status  int
			pointer string
		}{
			"UTF-16":         {wide, http.StatusBadRequest, ""},
			"no header":      {"SALARIED,,1,0.7,B\n", http.StatusUnprocessableEntity, ""},
			"another column": {"x," + header, http.StatusUnprocessableEntity, "/header/0"},
			"no bound":       {"employment_type,max_ltv,segment\n", http.StatusUnprocessableEntity, "/header"},
			"empty":          {"", http.StatusUnprocessableEntity, ""},
			"bad UTF-8":      {header + "SAL\xff,,1,0.7,B\n", http.StatusUnprocessableEntity, "/rows/0"},
			"cells":          {header + "SALARIED,,1,0.7\n", http.StatusUnprocessableEntity, "/rows/0"},
			"a blank key":    {header + " ,,1,0.7,B\n", http.StatusUnprocessableEntity, "/rows/0/keys/0"},
			"a blank value":  {header + "SALARIED,,1, ,B\n", http.StatusUnprocessableEntity, "/rows/0/values/0"},
			"a formula":      {header + "SALARIED,,1,=1+1,B\n", http.StatusUnprocessableEntity, "/rows/0/values/0"},
			"a bound":        {header + "SALARIED,x,1,0.7,B\n", http.StatusUnprocessableEntity, "/rows/0/keys/1/gte"},
			"no rows":        {header, http.StatusUnprocessableEntity, ""},
			"an overlap": {header + "A,,,1,B\nB,,,1,B\na,5,,1,B\n", http.StatusUnprocessableEntity,
				"/rows/0/keys"},
			"thousands marked": {header + "A,\"50,000\",,1,B\n", http.StatusUnprocessableEntity, "/rows/0/keys/1/gte"},
		} {
			got := m.csv(at, c.body)
			if got.status != c.status || c.pointer != "" && textAt(got, "errors", 0, "pointer") != c.pointer {
				s.Errorf("%s: %d, want %d at %s: %.500s", name, got.status, c.status, c.pointer, got.body)
			}
		}
		for _, query := range []string{"keys=employment_type", "columns=a:text", "keys=x&columns=a:text",
			"keys=foir:range&columns=a", "keys=foir:near&columns=a:text", "keys=foir:range&columns=A:text"} {
			m.csv("/v1/tables/other?"+query, "foir.gte,a\n1,b\n").want(http.StatusUnprocessableEntity)
		}
		m.get(at).want(http.StatusOK).is("version", 2.0).is("rows", 1.0)
		m.get("/v1/tables/other").refused(http.StatusNotFound, "not_found")
	})
}

// TestTableScopes checks which scopes the operations need.
func TestTableScopes(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		const at = "/v1/tables/limits"
		writer := m.with(tenant.Sandbox, tenant.PolicyWrite, m.userID)
		reader := m.with(tenant.Sandbox, tenant.Read|tenant.Decide, m.userID)
		writer.put(at, limitTable).want(http.StatusOK)
		writer.get(at + "/rows").want(http.StatusOK)
		writer.get(at).refused(http.StatusForbidden, "insufficient_scope")
		reader.get(at).want(http.StatusOK)
		reader.get(at + lookupOf(`["A",1]`)).want(http.StatusOK)
		reader.get(at+"/rows").refused(http.StatusForbidden, "insufficient_scope")
		reader.put(at, limitTable).refused(http.StatusForbidden, "insufficient_scope")
		reader.csv(at, "a\n").refused(http.StatusForbidden, "insufficient_scope")
		s.send("DELETE", at, reader.key, "").refused(http.StatusForbidden, "insufficient_scope")

		live := m.with(tenant.Live, tenant.Admin, m.userID)
		live.get(at).refused(http.StatusNotFound, "not_found")
		s.signup().get(at).refused(http.StatusNotFound, "not_found")
	})
}

// TestTableCaps checks the limits of an environment.
func TestTableCaps(t *testing.T) {
	t.Parallel()
	caps := usecase.Caps{Tables: store.TableCaps{Tables: 2, Rows: 3, Bytes: 100}}
	each(t, stackOptions{caps: caps}, func(s *stack) {
		m := s.signup()
		one := strings.Replace(limitTable, `{"keys":["SALARIED",{"lt":50000}],"values":[0.7,"B"]},`, "", 1)
		m.put("/v1/tables/a", limitTable).want(http.StatusOK)
		m.put("/v1/tables/b", limitTable).refused(http.StatusConflict, "cap_reached")
		m.put("/v1/tables/b", strings.Replace(one, `"A"`, `"`+strings.Repeat("x", 200)+`"`, 1)).
			refused(http.StatusConflict, "cap_reached")
		m.put("/v1/tables/b", one).want(http.StatusOK)
		m.put("/v1/tables/c", one).refused(http.StatusConflict, "cap_reached")
		s.send("DELETE", "/v1/tables/a", m.key, "").want(http.StatusNoContent)
		m.put("/v1/tables/c", one).want(http.StatusOK)
	})
}

// TestRacingTables lets several callers replace one table at the same time. With If-Match exactly one of them succeeds;
// without it all do, one after the other.
func TestRacingTables(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		const at, callers = "/v1/tables/limits", 8
		race := func(headers ...string) (succeeded int) {
			var all sync.WaitGroup
			statuses := make([]int, callers)
			for i := range callers {
				all.Go(func() {
					body := strings.Replace(limitTable, "0.7", fmt.Sprintf("0.0%d", i), 1)
					got, err := s.trySend("PUT", at, m.key, body, headers...)
					if err != nil {
						s.Error(err)
					}
					statuses[i] = got.status
				})
			}
			all.Wait()
			for _, status := range statuses {
				switch status {
				case http.StatusOK:
					succeeded++
				case http.StatusPreconditionFailed:
				default:
					s.Errorf("an answer with %d", status)
				}
			}
			return succeeded
		}
		if n := race("If-None-Match: *"); n != 1 {
			s.Errorf("%d of %d callers created the table", n, callers)
		}
		if n := race(`If-Match: "1"`); n != 1 {
			s.Errorf("%d of %d replacements of version 1 succeeded", n, callers)
		}
		m.get(at).want(http.StatusOK).is("version", 2.0)
		if n := race(); n != callers {
			s.Errorf("%d of %d replacements succeeded", n, callers)
		}
		m.get(at).want(http.StatusOK).is("version", 2.0+callers).is("rows", 2.0)
		if found := m.get(at + lookupOf(`["SALARIED",1]`)).want(http.StatusOK); found.at("version") != 2.0+callers {
			s.Errorf("found %s", found.body)
		}
	})
}
