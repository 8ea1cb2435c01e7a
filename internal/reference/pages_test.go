package reference

import (
	"html"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/api"
	"verdict/internal/fault"
)

func muxOf(t *testing.T) *http.ServeMux {
	t.Helper()
	d, err := New(api.OpenAPI, "1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	d.Register(mux, func(_ http.ResponseWriter, err error) { t.Error(err) })
	return mux
}

func fetch(t *testing.T, mux *http.ServeMux, path string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
	return w
}

func bodyOf(t *testing.T, mux *http.ServeMux, path string) string {
	t.Helper()
	w := fetch(t, mux, path)
	if w.Code != http.StatusOK {
		t.Fatalf("GET %s: %d", path, w.Code)
	}
	return w.Body.String()
}

// TestDocsShowEveryOperation checks that the page shows every operation of the
// document.
func TestDocsShowEveryOperation(t *testing.T) {
	t.Parallel()
	page := bodyOf(t, muxOf(t), "/docs")
	doc, err := readTree(api.OpenAPI)
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, path := range doc.get("paths").members() {
		for _, method := range path.value.members() {
			count++
			id, summary := method.value.get("operationId").text(), method.value.get("summary").text()
			for _, want := range []string{
				`id="` + id + `"`, `href="#` + id + `"`, html.EscapeString(summary), "<code>" + path.name + "</code>",
			} {
				if !strings.Contains(page, want) {
					t.Errorf("%s %s: the page lacks %s", method.name, path.name, want)
				}
			}
		}
	}
	if count < 20 {
		t.Errorf("the document has only %d operations", count)
	}
	if !strings.Contains(page, "API 1.2.3") {
		t.Error("the page does not say which version serves it")
	}
}

func TestDocsShowEverySchema(t *testing.T) {
	t.Parallel()
	page := bodyOf(t, muxOf(t), "/docs")
	doc, err := readTree(api.OpenAPI)
	if err != nil {
		t.Fatal(err)
	}
	for _, schema := range doc.get("components", "schemas").members() {
		if !strings.Contains(page, `id="schema-`+schema.name+`"`) {
			t.Errorf("the page lacks the schema %s", schema.name)
		}
	}
}

// TestDocsLinksLead checks that every link within the page leads to an existing
// id, and every other link to a page that is served.
func TestDocsLinksLead(t *testing.T) {
	t.Parallel()
	mux := muxOf(t)
	href := regexp.MustCompile(`href="([^"]*)"`)
	id := regexp.MustCompile(`\sid="([^"]*)"`)
	pages := []string{"/docs"}
	for _, p := range slices.Concat(errorPages, itemPages) {
		pages = append(pages, "/docs/errors/"+p.Code)
	}
	ids := map[string]bool{}
	for _, m := range id.FindAllStringSubmatch(bodyOf(t, mux, "/docs"), -1) {
		if ids[m[1]] {
			t.Errorf("the id %s stands twice", m[1])
		}
		ids[m[1]] = true
	}
	checked := map[string]bool{}
	for _, path := range pages {
		for _, m := range href.FindAllStringSubmatch(bodyOf(t, mux, path), -1) {
			target, fragment, _ := strings.Cut(m[1], "#")
			switch {
			case checked[m[1]], m[1] == "data:,":
			case fragment != "" && (target == "" || target == "/docs"):
				if !ids[fragment] {
					t.Errorf("%s links to #%s, which is not there", path, fragment)
				}
			case fetch(t, mux, target).Code != http.StatusOK:
				t.Errorf("%s links to %s, which is not served", path, target)
			}
			checked[m[1]] = true
		}
	}
}

// TestDocsLoadNothing checks that the pages load nothing from other hosts and
// contain no scripts.
func TestDocsLoadNothing(t *testing.T) {
	t.Parallel()
	mux := muxOf(t)
	attribute := regexp.MustCompile(`(?i)\s(?:src|href|action|srcset|poster|data)\s*=\s*["']?\s*(?:https?:)?//`)
	for _, path := range []string{"/docs", "/docs/errors/invalid_field", "/docs/style.css"} {
		body := bodyOf(t, mux, path)
		for _, banned := range []string{"<script", "<iframe", "<img", "javascript:", " style=", "@import", "url("} {
			if strings.Contains(body, banned) {
				t.Errorf("%s has %s", path, banned)
			}
		}
		if found := attribute.FindString(body); found != "" {
			t.Errorf("%s loads from elsewhere: %s", path, found)
		}
	}
}

func TestDocsHeaders(t *testing.T) {
	t.Parallel()
	mux := muxOf(t)
	for path, contentType := range map[string]string{
		"/docs":                      "text/html; charset=utf-8",
		"/docs/errors/invalid_field": "text/html; charset=utf-8",
		"/docs/style.css":            "text/css; charset=utf-8",
		"/openapi.yaml":              "application/yaml",
	} {
		w := fetch(t, mux, path)
		got := map[string]string{}
		for _, name := range []string{
			"Content-Type", "X-Content-Type-Options", "Referrer-Policy", "Content-Security-Policy",
		} {
			got[name] = w.Header().Get(name)
		}
		want := map[string]string{
			"Content-Type": contentType, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
			"Content-Security-Policy": "",
		}
		if strings.HasPrefix(contentType, "text/html") {
			want["Content-Security-Policy"] = "default-src 'none'; style-src 'self'; img-src 'self' data:; " +
				"base-uri 'none'; " +
				"form-action 'none'; frame-ancestors 'none'"
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
		again := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
		again.Header.Set("If-None-Match", "W/"+w.Header().Get("ETag"))
		held := httptest.NewRecorder()
		mux.ServeHTTP(held, again)
		if held.Code != http.StatusNotModified || held.Body.Len() > 0 {
			t.Errorf("%s, held already: %d with %d bytes", path, held.Code, held.Body.Len())
		}
	}
	if diff := cmp.Diff(string(api.OpenAPI), bodyOf(t, mux, "/openapi.yaml")); diff != "" {
		t.Errorf("the document is not served as it is:\n%s", diff)
	}
}

// TestErrorPages checks that every code has a complete page and a link to it,
// and that an unknown code gets 404.
func TestErrorPages(t *testing.T) {
	t.Parallel()
	mux := muxOf(t)
	overview := bodyOf(t, mux, "/docs")
	seen := map[string]bool{}
	for _, p := range slices.Concat(errorPages, itemPages) {
		if seen[p.Code] {
			t.Errorf("%s stands twice", p.Code)
		}
		seen[p.Code] = true
		if p.Title == "" || p.Meaning == "" || p.Cause == "" || p.Fix == "" || http.StatusText(p.Status) == "" {
			t.Errorf("%s is incomplete", p.Code)
		}
		page := bodyOf(t, mux, "/docs/errors/"+p.Code)
		for _, want := range []string{
			p.Code, html.EscapeString(p.Title), "Why it happens", "How to fix it", "&#34;code&#34;: &#34;" + p.Code,
		} {
			if !strings.Contains(page, want) {
				t.Errorf("the page of %s lacks %q", p.Code, want)
			}
		}
		if !strings.Contains(overview, `href="/docs/errors/`+p.Code+`"`) {
			t.Errorf("/docs does not link to %s", p.Code)
		}
	}
	w := fetch(t, mux, "/docs/errors/nonsense")
	if w.Code != http.StatusNotFound || strings.Contains(w.Body.String(), "nonsense") {
		t.Errorf("an unknown code: %d\n%s", w.Code, w.Body)
	}
}

// TestErrorList checks that the address above the pages of the codes leads to the list of all codes.
func TestErrorList(t *testing.T) {
	t.Parallel()
	mux := muxOf(t)
	for _, path := range []string{"/docs/errors", "/docs/errors/"} {
		w := fetch(t, mux, path)
		if to := w.Header().Get("Location"); w.Code != http.StatusFound || to != "/docs#errors" {
			t.Errorf("%s: %d, to %q", path, w.Code, to)
		}
	}
	if !strings.Contains(bodyOf(t, mux, "/docs"), ` id="errors"`) {
		t.Error("/docs has no list of errors")
	}
}

// TestErrorCatalogueIsTheContract checks that the error pages and the example
// problems of the document have the same codes, titles and statuses.
func TestErrorCatalogueIsTheContract(t *testing.T) {
	t.Parallel()
	doc, err := readTree(api.OpenAPI)
	if err != nil {
		t.Fatal(err)
	}
	type problem struct{ Code, Title, Status string }
	var want, got []problem
	for _, r := range doc.get("components", "responses").members() {
		for _, e := range r.value.get("content", "application/problem+json", "examples").members() {
			v := e.value.get("value")
			want = append(want, problem{v.get("code").text(), v.get("title").text(), v.get("status").text()})
		}
	}
	for _, p := range errorPages {
		got = append(got, problem{p.Code, p.Title, statusText(p)})
		if Title(p.Code) != p.Title {
			t.Errorf("the title of %s is %q", p.Code, Title(p.Code))
		}
	}
	// The code of a single error can also be the code of a problem, such as a header with a repeated name.
	for _, p := range itemPages {
		if slices.ContainsFunc(want, func(w problem) bool { return w.Code == p.Code }) {
			got = append(got, problem{p.Code, p.Title, statusText(p)})
		}
	}
	byCode := func(a, b problem) int { return strings.Compare(a.Code, b.Code) }
	slices.SortFunc(want, byCode)
	slices.SortFunc(got, byCode)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-document +catalogue):\n%s", diff)
	}
	if Title("nonsense") != "Error" {
		t.Error("an unknown code has no title")
	}
}

func statusText(p errorPage) string {
	status, _, _ := strings.Cut(newErrorView(p, nil).StatusText, " ")
	return status
}

func TestDocsText(t *testing.T) {
	t.Parallel()
	got := readText("One `two`\nthree [four](#five) [six](http://seven) a[0] `open\n\n- eight\n- `nine`\n")
	want := []textBlock{
		{Spans: []textSpan{
			{Text: "One "},
			{Text: "two", Code: true},
			{Text: " three "},
			{Text: "four", Link: "#five"},
			{Text: " ["},
			{Text: "six](http://seven) a["},
			{Text: "0] `open"},
		}},
		{Items: [][]textSpan{{{Text: "eight"}}, {{Text: "nine", Code: true}}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestDocsCurl checks that a generated command is quoted so that a shell can
// run it unchanged.
func TestDocsCurl(t *testing.T) {
	t.Parallel()
	doc, err := readTree([]byte(`
parameters:
  - {name: id, in: path, example: '{draft_id}'}
  - {name: Idempotency-Key, in: header}
  - {name: from, in: query, example: '2026-01-01T00:00:00Z'}
  - {name: cursor, in: query}
body: {note: it's <so>, expected_active_id: '{rule_set_id}', list: [1, true, 2.50]}
`))
	if err != nil {
		t.Fatal(err)
	}
	got := curlCommand(http.MethodPost, "/v1/rule-sets/{id}/activate", doc, doc.get("body"))
	want := `curl "$VERDICT/v1/rule-sets/$DRAFT_ID/activate?from=2026-01-01T00%3A00%3A00Z" \
  -H "Authorization: Bearer $VERDICT_KEY" \
  -H "Idempotency-Key: $(uuidgen)" \
  -H 'Content-Type: application/json' \
  -d '{
  "note": "it'\''s <so>",
  "expected_active_id": "'$RULE_SET_ID'",
  "list": [1, true, 2.50]
}'`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestBrokenDocument checks that pages made from an invalid document write
// nothing and report the error.
func TestBrokenDocument(t *testing.T) {
	t.Parallel()
	for _, document := range []string{"", "- a list", "{unclosed"} {
		d, err := New([]byte(document), "1.2.3")
		if err != nil {
			t.Fatal(err)
		}
		mux := http.NewServeMux()
		var failure error
		d.Register(mux, func(w http.ResponseWriter, err error) {
			failure = err
			w.WriteHeader(http.StatusInternalServerError)
		})
		for _, path := range []string{"/docs", "/docs/errors/not_found"} {
			failure = nil
			w := fetch(t, mux, path)
			if w.Code != http.StatusInternalServerError || w.Body.Len() != 0 || failure == nil {
				t.Errorf("%q: GET %s is %d %q, %v", document, path, w.Code, w.Body, failure)
			}
		}
	}
}

// TestCodesOfTheAPIHavePages checks that every code of a refusal has a page, except those that only the console or the
// command line show.
func TestCodesOfTheAPIHavePages(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("../fault/code.go")
	if err != nil {
		t.Fatal(err)
	}
	without := map[string]bool{
		fault.CodeClientGone: true, fault.CodeCrossOrigin: true, fault.CodeDatabaseNotEmpty: true,
		fault.CodeIdentityTaken: true, fault.CodeInvalidCredentials: true, fault.CodeInvitationEnded: true,
		fault.CodeKeyNotActive: true, fault.CodeKeysMissing: true, fault.CodeLastAdmin: true,
		fault.CodeLoginThrottled: true, fault.CodeMalformedEdit: true, fault.CodeMalformedForm: true,
		fault.CodeNoReport: true, fault.CodeNothingToConfirm: true, fault.CodeRoleTooLow: true,
		fault.CodeSecondFactorRequired: true, fault.CodeSessionEnded: true, fault.CodeSessionInUse: true,
		fault.CodeSignOnFailed: true, fault.CodeSignOnRefused: true, fault.CodeSignOnUnavailable: true,
		fault.CodeTooManyKeys: true, fault.CodeTooManyPeople: true, fault.CodeWrongCode: true,
		fault.CodeWrongPassword: true,
	}
	codes := regexp.MustCompile(`(?m)^\tCode\w+\s*= "(\w+)"`).FindAllStringSubmatch(string(source), -1)
	if len(codes) < 100 {
		t.Fatalf("only %d codes were found", len(codes))
	}
	for _, found := range codes {
		if hasPage := slices.Contains(Codes(), found[1]); hasPage == without[found[1]] {
			t.Errorf("%s has a page: %t, is expected to be without: %t", found[1], hasPage, without[found[1]])
		}
	}
}
