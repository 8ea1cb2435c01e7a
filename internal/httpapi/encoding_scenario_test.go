package httpapi_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"

	"verdict/api"
	"verdict/internal/httpapi"
	"verdict/internal/usecase"
)

// TestAnswersAreCompressed checks that answers are compressed if the client accepts
// compression, and that decompression restores the same bytes. Small answers, answers
// with an ETag and answers to other clients are not compressed.
func TestAnswersAreCompressed(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		key := s.signup().key
		raw := func(method, path, body string, headers ...string) answer {
			s.Helper()
			got, err := s.trySend(method, path, key, body, headers...)
			if err != nil {
				s.Fatal(err)
			}
			return got
		}
		const body = `{
			"applicant":{"monthly_income":85000,"foir":0.32},
			"bureau_report":{"score":742,"enquiries_6m":2,"active_tradelines":4,"max_dpd_12m":0}
		}`
		decided := s.send("POST", "/v1/decisions", key, body, "Idempotency-Key: one")
		packed := raw("POST", "/v1/decisions", body, "Idempotency-Key: one", "Accept-Encoding: gzip")
		if packed.header.Get("Content-Encoding") != "gzip" || packed.header.Get("Vary") != "Accept-Encoding" {
			s.Fatalf("a decision is answered with %v", packed.header)
		}
		if len(packed.body) >= len(decided.body) {
			s.Errorf("%d bytes are compressed to %d", len(decided.body), len(packed.body))
		}
		if diff := cmp.Diff(string(decided.body), unpack(s.T, packed.body)); diff != "" {
			s.Errorf("unpacked it is another answer:\n%s", diff)
		}
		plain := raw("POST", "/v1/decisions", body, "Accept-Encoding: identity")
		if plain.header.Get("Content-Encoding") != "" || plain.header.Get("Vary") != "Accept-Encoding" {
			s.Errorf("nobody asked, and it is answered with %v", plain.header)
		}
		if small := raw("GET", "/v1/health", "", "Accept-Encoding: gzip"); small.header.Get("Content-Encoding") != "" {
			s.Errorf("a small answer has %v", small.header)
		}
		settings := raw("GET", "/v1/fraud/config", "", "Accept-Encoding: gzip")
		if settings.header.Get("Content-Encoding") != "" || settings.header.Get("Etag") == "" {
			s.Errorf("an answer with a validator has %v", settings.header)
		}
		whole := s.send("GET", "/v1/audit", key, "", "Accept: text/csv")
		file := raw("GET", "/v1/audit", "", "Accept: text/csv", "Accept-Encoding: gzip")
		if file.header.Get("Content-Encoding") != "gzip" || unpack(s.T, file.body) != string(whole.body) {
			s.Errorf("a file is answered with %v and %q", file.header, file.body)
		}
		head := raw("HEAD", "/v1/audit", "", "Accept: text/csv", "Accept-Encoding: gzip")
		if head.status != http.StatusOK || len(head.body) > 0 {
			s.Errorf("the head of a file: %d with %d bytes", head.status, len(head.body))
		}
	})
}

func unpack(t *testing.T, packed []byte) string {
	t.Helper()
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestDocumentAsJSON checks that /openapi.json has the same content as the YAML
// file.
func TestDocumentAsJSON(t *testing.T) {
	t.Parallel()
	w := getPage(t, "/openapi.json")
	if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "application/json" {
		t.Fatalf("%d %v", w.Code, w.Header())
	}
	var got any
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	var file any
	if err := yaml.Unmarshal(api.OpenAPI, &file); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	var want any
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the document differs as JSON (-file +served):\n%.2000s", diff)
	}
}

// TestFront checks that the root links to the docs and the console: as HTML for
// a browser, and as JSON for a program.
func TestFront(t *testing.T) {
	t.Parallel()
	for accept, kind := range map[string]string{
		"":    "application/json",
		"*/*": "application/json",
		"text/html,application/xhtml+xml,*/*;q=0.8": "text/html; charset=utf-8",
		"application/json":                          "application/json",
		"text/html;q=0, */*":                        "application/json",
	} {
		w := getPage(t, "/", "Accept: "+accept)
		if w.Code != http.StatusOK || w.Header().Get("Content-Type") != kind {
			t.Errorf("%q: %d %v", accept, w.Code, w.Header())
		}
		for _, want := range []string{`"/docs"`, `"/console"`, `"/openapi.json"`, "1.2.3"} {
			if !strings.Contains(w.Body.String(), want) {
				t.Errorf("%q: the answer lacks %s", accept, want)
			}
		}
		if vary := w.Header().Values("Vary"); !cmp.Equal(vary, []string{"Accept", "Accept-Encoding"}) {
			t.Errorf("%q: it varies by %v", accept, vary)
		}
	}
}

// TestPagesAreCompressed checks that a compressed page has an ETag of its own,
// and that a client may validate with either ETag.
func TestPagesAreCompressed(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/docs", "/openapi.yaml", "/openapi.json"} {
		plain, packed := getPage(t, path), getPage(t, path, "Accept-Encoding: gzip")
		if packed.Header().Get("Content-Encoding") != "gzip" || unpack(t, packed.Body.Bytes()) != plain.Body.String() {
			t.Errorf("%s is answered with %v", path, packed.Header())
		}
		if plain.Header().Get("ETag") == packed.Header().Get("ETag") {
			t.Errorf("%s has one validator for two bodies", path)
		}
		for _, tag := range []string{plain.Header().Get("ETag"), packed.Header().Get("ETag")} {
			held := getPage(t, path, "Accept-Encoding: gzip", "If-None-Match: "+tag)
			if held.Code != http.StatusNotModified {
				t.Errorf("%s, held as %s: %d", path, tag, held.Code)
			}
		}
	}
}

func getPage(t *testing.T, path string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	service, err := httpapi.New(&usecase.Set{}, httpapi.Options{Version: "1.2.3"})
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	service.ServeHTTP(w, r)
	return w
}
