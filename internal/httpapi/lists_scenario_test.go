package httpapi_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
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

// csv sends a list as a file.
func (m *member) csv(path, body string, headers ...string) answer {
	m.Helper()
	got, err := m.trySend("PUT", path, m.key, body, append([]string{"Content-Type: text/csv"}, headers...)...)
	if err != nil {
		m.Fatal(err)
	}
	checkContract(m.T, "PUT", path, "", got)
	m.clock.advance(time.Millisecond)
	return got
}

// textAt returns the text at a path with list positions.
func textAt(a answer, path ...any) string {
	text, _ := a.at(path...).(string)
	return text
}

// TestLists creates a list, changes it, reads it, decides with it and deletes it.
func TestLists(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		const at = "/v1/lists/bad_employers"
		m.get(at).refused(http.StatusNotFound, "not_found")
		made := m.put(at, `{"type":"text","entries":[{"value":"Acme Ltd"},{"value":" ACME  ltd"},
			{"value":"Globex","expires_at":"2020-11-14T00:00:00Z"}]}`).want(http.StatusOK)
		if made.header.Get("Etag") != `"1"` {
			s.Errorf("the ETag is %s", made.header.Get("Etag"))
		}
		made.is("version", 1.0).is("entries", 2.0).is("received", 3.0).is("repeated", 1.0).is("expired", 1.0)

		m.get(at+"/contains?value=acme%20LTD").want(http.StatusOK).is("contains", true)
		m.get(at+"/contains?value=globex").want(http.StatusOK).is("contains", false).
			is("expires_at", "2020-11-14T00:00:00.000Z")
		m.get(at+"/contains?value=other").want(http.StatusOK).is("contains", false)
		m.get(at+"/contains").refused(http.StatusUnprocessableEntity, "invalid_field")
		m.post(at+"/lookup", `{"value":"acme LTD"}`).want(http.StatusOK).is("contains", true).is("version", 1.0)
		m.post(at+"/lookup", `{"value":"other"}`).want(http.StatusOK).is("contains", false)
		for _, bad := range []string{`{}`, `{"value":""}`, `{"value":true}`, `{"value":null}`} {
			m.post(at+"/lookup", bad).refused(http.StatusUnprocessableEntity, "invalid_field")
		}
		m.post(at+"/lookup", `{"value":"a","x":1}`).refused(http.StatusUnprocessableEntity, "unknown_field")
		m.post("/v1/lists/none/lookup", `{"value":"a"}`).refused(http.StatusNotFound, "not_found")

		m.put(at, `{"entries":[]}`, `If-Match: "7"`).refused(http.StatusPreconditionFailed, "precondition_failed")
		s.send("PATCH", at, m.key, `{"add":[{"value":"Initech"},{"value":"globex"}],"remove":["acme ltd","nobody"]}`,
			`If-Match: "1"`).want(http.StatusOK).
			is("version", 2.0).is("entries", 2.0).is("added", 1.0).is("removed", 1.0).is("not_found", 1.0)
		s.send("PATCH", at, m.key, `{"add":[{"value":"Hooli"}]}`, `If-Match: "1"`).
			refused(http.StatusPreconditionFailed, "precondition_failed")
		page := m.get(at + "/entries?limit=1").want(http.StatusOK)
		rest := m.get(at + "/entries?limit=1&cursor=" + page.text("pagination", "next_cursor")).want(http.StatusOK)
		if both := textAt(page, "data", 0, "value") + textAt(rest, "data", 0, "value"); both != "Initechglobex" &&
			both != "globexInitech" || rest.at("pagination", "has_next") != false {
			s.Errorf("the entries are %s and %s", page.body, rest.body)
		}

		set := m.post("/v1/rule-sets", `{"name":"with a list","inputs":[{"name":"applicant.employer","type":"string"}],
			"patch":{"knockouts":{"set":[{"id":"KO_EMPLOYER","reason_code":"EMP_LISTED",
			"condition_ast":{"op":"in_list","field":"applicant.employer","list":"bad_employers"}}]}}}`).
			want(http.StatusCreated).text("id")
		m.post("/v1/rule-sets/"+set+"/activate", "").want(http.StatusOK)
		s.clock.advance(time.Second)
		employed := func(by string) string {
			return strings.Replace(sample, `"applicant":{`, `"applicant":{"employer":"`+by+`",`, 1)
		}
		declined := m.post("/v1/decisions", employed("INITECH")).want(http.StatusOK).is("status", "DECLINED")
		if textAt(declined, "lists", 0, "name") != "bad_employers" || declined.at("lists", 0, "version") != 2.0 ||
			strings.Contains(textAt(declined, "reasons", 0, "detail", "text"), "INITECH") {
			s.Errorf("the decision is %s", declined.body)
		}
		tried := m.post("/v1/decisions/preview", employed("Initech")).want(http.StatusOK).is("status", "DECLINED")
		if tried.at("lists", 0, "version") != 2.0 ||
			tried.at("facts", "list.bad_employers.applicant.employer") != true {
			s.Errorf("the preview is %s", tried.body)
		}
		m.post("/v1/eligibility", employed("Initech")).want(http.StatusOK).is("status", "DECLINED")
		m.post("/v1/decisions", employed("Acme")).want(http.StatusOK).is("status", "APPROVED")
		used := m.get(at).want(http.StatusOK)
		if used.at("used_by", 0, "rule_set_id") != set || used.at("used_by", 0, "status") != "active" ||
			used.at("used_by", 1) != nil {
			s.Errorf("used by %s", used.body)
		}
		s.send("DELETE", at, m.key, "").refused(http.StatusConflict, "list_in_use")

		m.put(at, `{"entries":[]}`).want(http.StatusOK).is("version", 3.0).is("entries", 0.0)
		s.clock.advance(time.Second)
		m.post("/v1/decisions", employed("Initech")).want(http.StatusOK).is("status", "APPROVED")
		again := m.get("/v1/decisions/" + declined.text("decision_id")).want(http.StatusOK)
		if again.at("re_explanation", "verified") != true {
			s.Errorf("the old decision is not verified: %s", again.body)
		}
	})
}

// TestBadLists sends lists that cannot be stored. Each refusal points to the fault and repeats no value, and nothing
// changes.
func TestBadLists(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		const at = "/v1/lists/words"
		m.put(at, `{"type":"text","entries":[{"value":"kept"}]}`).want(http.StatusOK)
		long := strings.Repeat("x", 257)
		for name, c := range map[string]struct{ body, code, pointer string }{
			"blank":     {`{"entries":[{"value":"a"},{"value":" "}]}`, "invalid_field", "/entries/1/value"},
			"long":      {`{"entries":[{"value":"` + long + `"}]}`, "invalid_field", "/entries/0/value"},
			"a number":  {`{"entries":[{"value":5}]}`, "invalid_field", "/entries/0/value"},
			"an object": {`{"entries":[{"value":{}}]}`, "invalid_field", "/entries/0/value"},
			"no value":  {`{"entries":[{}]}`, "invalid_field", "/entries/0/value"},
			"no object": {`{"entries":["a"]}`, "invalid_field", "/entries/0"},
			"unknown":   {`{"entries":[{"value":"a","expiry":1}]}`, "unknown_field", "/entries/0/expiry"},
			"no time":   {`{"entries":[{"value":"a","expires_at":"soon"}]}`, "invalid_field", "/entries/0/expires_at"},
			"no date": {`{"entries":[{"value":"a","expires_at":"0001-01-01T00:00:00Z"}]}`, "invalid_field",
				"/entries/0/expires_at"},
			"the first date": {`{"entries":[{"value":"a","expires_at":"1970-01-01T00:00:00Z"}]}`, "invalid_field",
				"/entries/0/expires_at"},
			"another type":   {`{"type":"number","entries":[]}`, "invalid_field", "/type"},
			"no type":        {`{"type":"regex","entries":[]}`, "invalid_field", "/type"},
			"no entries":     {`{"type":"text"}`, "invalid_field", "/entries"},
			"unknown member": {`{"entries":[],"name":"x"}`, "unknown_field", "/name"},
		} {
			got := m.put(at, c.body).refused(http.StatusUnprocessableEntity, c.code)
			if textAt(got, "errors", 0, "pointer") != c.pointer || strings.Contains(string(got.body), long) {
				s.Errorf("%s: %s", name, got.body)
			}
		}
		m.put("/v1/lists/Words", `{"type":"text","entries":[]}`).
			refused(http.StatusUnprocessableEntity, "invalid_field")
		m.put("/v1/lists/new", `{"entries":[]}`).refused(http.StatusUnprocessableEntity, "invalid_field")
		s.send("PATCH", "/v1/lists/new", m.key, `{"add":[{"value":"a"}]}`).refused(http.StatusNotFound, "not_found")
		s.send("PATCH", at, m.key, `{}`).refused(http.StatusUnprocessableEntity, "invalid_field")
		s.send("PATCH", at, m.key, `{"add":[{"value":"A"}],"remove":["a"]}`).
			refused(http.StatusUnprocessableEntity, "invalid_field")
		m.put(at, `{"entries":[{"value":"a\u0000b"}]}`).refused(http.StatusBadRequest, "malformed_json")

		m.put("/v1/lists/hashes", `{"type":"hashed","entries":[{"value":"abc"}]}`).
			refused(http.StatusUnprocessableEntity, "invalid_field")
		m.put("/v1/lists/numbers", `{"type":"number","entries":[{"value":"400001"}]}`).
			refused(http.StatusUnprocessableEntity, "invalid_field")
		m.get(at).want(http.StatusOK).is("version", 1.0).is("entries", 1.0)
		m.get("/v1/lists").want(http.StatusOK)
	})
}

// TestListFiles sends lists as files: with a byte order mark, in other encodings, compressed, with formulas, and with
// faults.
func TestListFiles(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		const at = "/v1/lists/words"
		gzipped := func(text string) string {
			var b bytes.Buffer
			z := gzip.NewWriter(&b)
			_, _ = z.Write([]byte(text))
			_ = z.Close()
			return b.String()
		}
		m.csv(at+"?type=text",
			"\ufeffvalue,expires_at\r\nAcme,\r\n\"Smith, Jones\",2030-01-01T00:00:00Z\r\n\r\n=1+1,\r\n").
			want(http.StatusOK).is("version", 1.0).is("entries", 3.0)
		m.get(at+"/contains?value=smith,%20jones").want(http.StatusOK).is("contains", true)
		m.get(at+"/contains?value=%3D1%2B1").want(http.StatusOK).is("contains", true)
		m.csv(at, gzipped("value\na\nb\n"), "Content-Encoding: gzip").want(http.StatusOK).is("entries", 2.0)

		wide := "\xff\xfe"
		for _, u := range utf16.Encode([]rune("value\nacme\n")) {
			wide += string([]byte{byte(u), byte(u >> 8)})
		}
		for name, c := range map[string]struct {
			body   string
			status int
			header string
		}{
			"UTF-16":              {wide, http.StatusBadRequest, ""},
			"no header":           {"acme\nglobex\n", http.StatusUnprocessableEntity, ""},
			"another column":      {"value,reason\na,b\n", http.StatusUnprocessableEntity, ""},
			"empty":               {"", http.StatusUnprocessableEntity, ""},
			"bad UTF-8":           {"value\nok\nac\xffme\n", http.StatusUnprocessableEntity, ""},
			"cells":               {"value\na,b\n", http.StatusUnprocessableEntity, ""},
			"a quote":             {"value\n\"a\"b\n", http.StatusUnprocessableEntity, ""},
			"no time":             {"value,expires_at\na,31.12.2030\n", http.StatusUnprocessableEntity, ""},
			"a blank value":       {"value,expires_at\n ,2030-01-01T00:00:00Z\n", http.StatusUnprocessableEntity, ""},
			"not gzip":            {"value\na\n", http.StatusBadRequest, "Content-Encoding: gzip"},
			"another compression": {"value\na\n", http.StatusUnsupportedMediaType, "Content-Encoding: br"},
			"a form": {"value\na\n", http.StatusUnsupportedMediaType,
				"Content-Type: multipart/form-data; boundary=x"},
			"a bomb": {gzipped("value\n" + strings.Repeat("a\n", 33<<20)),
				http.StatusRequestEntityTooLarge, ""},
			"a bomb of blank rows": {gzipped("value\n" + strings.Repeat("\n", 70<<20)),
				http.StatusRequestEntityTooLarge, ""},
		} {
			headers := []string(nil)
			if c.header != "" {
				headers = append(headers, c.header)
			}
			got := m.csv(at, c.body, headers...)
			if got.status != c.status || len(got.body) > 20_000 {
				s.Errorf("%s: %d, want %d: %.500s", name, got.status, c.status, got.body)
			}
		}
		m.csv(at+"?type=number", "value\n1\n").refused(http.StatusUnprocessableEntity, "invalid_field")
		m.csv("/v1/lists/numbers?type=number", "value\n400001\n1e3\n").want(http.StatusOK).is("entries", 2.0)
		numbers := m.get("/v1/lists/numbers/entries").want(http.StatusOK)
		if a, b := numbers.at("data", 0, "value"), numbers.at("data", 1, "value"); a != 1000.0 && b != 1000.0 {
			s.Errorf("the numbers are %v and %v", a, b)
		}
		m.csv(at, "value\n").refused(http.StatusUnprocessableEntity, "no_rows")
		m.get(at).want(http.StatusOK).is("version", 2.0).is("entries", 2.0)
	})
}

// TestListVersions checks that no two contents of a list have the same name and version, that "If-None-Match: *"
// creates a list only if there is none, and that changes of the list cause events.
func TestListVersions(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		const at, list = "/v1/lists/words", `{"type":"text","entries":[{"value":"a"}]}`
		m.put(at, list, "If-None-Match: *").want(http.StatusOK).is("version", 1.0)
		m.put(at, list, "If-None-Match: *").refused(http.StatusPreconditionFailed, "precondition_failed")
		m.put(at, list, `If-None-Match: "1"`).refused(http.StatusUnprocessableEntity, "invalid_field")
		m.put(at, list, "If-None-Match: *", `If-Match: "1"`).refused(http.StatusUnprocessableEntity, "invalid_field")
		m.put(at, list).want(http.StatusOK).is("version", 2.0)
		s.send("DELETE", at, m.key, "", `If-Match: "1"`).refused(http.StatusPreconditionFailed, "precondition_failed")
		s.send("DELETE", at, m.key, "", `If-Match: "2"`).want(http.StatusNoContent)
		m.put(at, list, "If-None-Match: *").want(http.StatusOK).is("version", 3.0)

		var seen []string
		for _, e := range m.get("/v1/events?limit=100").want(http.StatusOK).list("data") {
			event, _ := e.(map[string]any)
			if data, _ := event["data"].(map[string]any); data["list"] == "words" {
				seen = append(seen, fmt.Sprint(event["type"], " ", data["version"], " ", data["entries"]))
			}
		}
		want := []string{"list.created 1 1", "list.changed 2 1", "list.deleted 2 1", "list.created 3 1"}
		if diff := cmp.Diff(want, seen); diff != "" {
			s.Errorf("events (-want +got):\n%s", diff)
		}
	})
}

// TestListScopes checks which scopes the operations need.
func TestListScopes(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		const at, list = "/v1/lists/words", `{"type":"text","entries":[{"value":"a"}]}`
		writer := m.with(tenant.Sandbox, tenant.PolicyWrite, m.userID)
		reader := m.with(tenant.Sandbox, tenant.Read|tenant.Decide, m.userID)
		writer.put(at, list).want(http.StatusOK)
		writer.get(at + "/entries").want(http.StatusOK)
		writer.get(at).refused(http.StatusForbidden, "insufficient_scope")
		reader.get(at).want(http.StatusOK)
		reader.get(at + "/contains?value=a").want(http.StatusOK)
		reader.post(at+"/lookup", `{"value":"a"}`).want(http.StatusOK)
		reader.get(at+"/entries").refused(http.StatusForbidden, "insufficient_scope")
		reader.put(at, list).refused(http.StatusForbidden, "insufficient_scope")
		reader.csv(at, "value\na\n").refused(http.StatusForbidden, "insufficient_scope")
		s.send("PATCH", at, reader.key, `{"add":[{"value":"b"}]}`).refused(http.StatusForbidden, "insufficient_scope")
		s.send("DELETE", at, reader.key, "").refused(http.StatusForbidden, "insufficient_scope")

		live := m.with(tenant.Live, tenant.Admin, m.userID)
		live.get(at).refused(http.StatusNotFound, "not_found")
		s.signup().get(at).refused(http.StatusNotFound, "not_found")
	})
}

// TestListCaps checks the limits of an environment.
func TestListCaps(t *testing.T) {
	t.Parallel()
	caps := usecase.Caps{Lists: store.ListCaps{Lists: 2, Entries: 5, Bytes: 40}}
	each(t, stackOptions{caps: caps}, func(s *stack) {
		m := s.signup()
		m.put("/v1/lists/a", `{"type":"text","entries":[{"value":"1"},{"value":"2"},{"value":"3"}]}`).
			want(http.StatusOK)
		m.put("/v1/lists/b", `{"type":"text","entries":[{"value":"1"},{"value":"2"},{"value":"3"}]}`).
			refused(http.StatusConflict, "cap_reached")
		m.put("/v1/lists/b", `{"type":"text","entries":[{"value":"1"}]}`).want(http.StatusOK)
		m.put("/v1/lists/c", `{"type":"text","entries":[]}`).refused(http.StatusConflict, "cap_reached")
		s.send("PATCH", "/v1/lists/b", m.key, `{"add":[{"value":"4"},{"value":"5"}]}`).
			refused(http.StatusConflict, "cap_reached")
		m.put("/v1/lists/b", `{"entries":[{"value":"`+strings.Repeat("x", 38)+`"}]}`).
			refused(http.StatusConflict, "cap_reached")
		m.put("/v1/lists/a", `{"entries":[]}`).want(http.StatusOK)
		m.put("/v1/lists/b", `{"entries":[{"value":"`+strings.Repeat("x", 38)+`"}]}`).want(http.StatusOK)
	})
}

// TestRacingLists lets several callers change one list at the same time. With If-Match exactly one of them succeeds;
// without it every change is kept.
func TestRacingLists(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		const at, callers = "/v1/lists/words", 8
		m.put(at, `{"type":"text","entries":[]}`).want(http.StatusOK)
		race := func(send func(i int) (answer, error)) (succeeded int) {
			var all sync.WaitGroup
			statuses := make([]int, callers)
			for i := range callers {
				all.Go(func() {
					got, err := send(i)
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
		if n := race(func(i int) (answer, error) {
			return s.trySend("PUT", at, m.key, fmt.Sprintf(`{"entries":[{"value":"only %d"}]}`, i), `If-Match: "1"`)
		}); n != 1 {
			s.Errorf("%d of %d replacements of version 1 succeeded", n, callers)
		}
		m.get(at).want(http.StatusOK).is("version", 2.0).is("entries", 1.0)
		if n := race(func(i int) (answer, error) {
			return s.trySend("PATCH", at, m.key, fmt.Sprintf(`{"add":[{"value":"word %d"}]}`, i))
		}); n != callers {
			s.Errorf("%d of %d additions succeeded", n, callers)
		}
		m.get(at).want(http.StatusOK).is("version", 2.0+callers).is("entries", 1.0+callers)
	})
}
