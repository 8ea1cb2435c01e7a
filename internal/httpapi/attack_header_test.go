package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"
)

// claims are headers that claim another identity, address or location. None of
// them may have an effect.
var claims = []string{
	"X-Forwarded-For: 203.0.113.9", "X-Forwarded-Host: evil.example", "X-Forwarded-Proto: https",
	"Forwarded: for=203.0.113.9;host=evil.example", "X-Real-IP: 203.0.113.9", "X-Original-URL: /evil.example",
	"X-Rewrite-URL: /evil.example", "X-Tenant-Id: ten_01KA2W4Q8N5T7XJ3RZB6MCDVHE", "X-Environment: live",
	"X-User: admin", "X-Admin: true", "X-Api-Key: evil.example", "Cookie: verdict=evil.example",
	"Origin: https://evil.example", "Referer: https://evil.example/", "X-Request-Id: evil.example",
	"Traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "Expect: 100-continue",
	"Upgrade: websocket", "Range: bytes=0-1", "If-None-Match: *", "If-Match: evil.example", "Max-Forwards: 0",
	"Host: evil.example", "User-Agent: " + plantedText + "\t[31m", "Accept-Language: ../../evil.example",
	"Accept-Encoding: gzip;q=0, evil.example",
}

// otherKinds are content types and encodings that the API does not accept for
// JSON bodies.
var otherKinds = []string{
	"Content-Type: text/plain", "Content-Type: application/x-www-form-urlencoded", "Content-Type: application/xml",
	"Content-Type: application/jsonp", "Content-Type: application/json, text/plain",
	"Content-Type: application/json; charset=utf-7", "Content-Type: application/json;charset=utf-16",
	"Content-Type: */*", "Content-Type: " + plantedText, "Content-Type: ;", "Content-Type: application/json; charset",
	"Content-Type: application/vnd.api+json", "Content-Encoding: gzip", "Content-Encoding: br",
	"Content-Encoding: deflate", "Content-Encoding: gzip, gzip", "Content-Encoding: " + plantedText,
}

// otherAccepts are Accept headers that no representation satisfies.
var otherAccepts = []string{
	"Accept: " + plantedText, "Accept: image/png", "Accept: ;;;,,,q=", "Accept: application/json;q=0",
	"Accept: " + strings.Repeat("a/b,", 2_000), "Accept: text/html;q=0.000", "Accept: */" + plantedText,
}

// attackHeaders sends every example with false, malformed and repeated headers.
func attackHeaders(r *raid) {
	for _, request := range r.requests {
		if public(request.operation) {
			continue
		}
		path, body := r.ids.fill(request.path), r.ids.fill(request.body)
		if request.method == http.MethodGet {
			r.claim(request, path)
		}
		for _, header := range otherKinds {
			if body != "" && r.some(10) {
				r.try(request.method, path, r.owner.key, body, header).
					refused(http.StatusUnsupportedMediaType, "unsupported_media_type")
			}
		}
		for _, header := range otherAccepts {
			if r.some(10) {
				r.try(request.method, path, r.owner.key, body, header).
					refused(http.StatusNotAcceptable, "not_acceptable")
			}
		}
		r.twice(request, path, body)
	}
	r.stillServes()
}

// claim checks that no claim changes the answer to a GET.
func (r *raid) claim(request exampleRequest, path string) {
	r.Helper()
	get := func(header ...string) answer {
		return r.try(request.method, path, r.owner.key, "", append(header, request.headers...)...)
	}
	plain := get()
	for _, header := range claims {
		if !r.some(12) {
			continue
		}
		got := get(header)
		if got.status != plain.status {
			r.Errorf("%s with %q: %d, want %d", request.name, header, got.status, plain.status)
		}
		shown := string(got.body) + fmt.Sprint(got.header)
		if strings.Contains(shown, "evil.example") || strings.Contains(shown, "203.0.113.9") {
			r.Errorf("%s with %q: the answer has it: %s", request.name, header, shown)
		}
		if got.header.Get("Content-Type") != "application/json" || !repeatable(request.operation) {
			continue
		}
		if diff := cmp.Diff(timeless(r.T, plain.body), timeless(r.T, got.body)); diff != "" {
			r.Errorf("%s with %q gets another answer:\n%s", request.name, header, diff)
		}
	}
}

// repeatable reports whether two equal requests get equal answers.
func repeatable(operation *openapi3.Operation) bool {
	return operation.OperationID != "getHealth" && operation.OperationID != "runSyntheticBacktest"
}

// twice checks that repeated or malformed Idempotency-Key headers are refused.
func (r *raid) twice(request exampleRequest, path, body string) {
	r.Helper()
	once := false
	for _, p := range request.operation.Parameters {
		once = once || p.Value.In == openapi3.ParameterInHeader && p.Value.Name == "Idempotency-Key"
	}
	if !once {
		return
	}
	for _, values := range [][]string{
		{"a", "b"}, {"a", "a"}, {""}, {`""`}, {plantedText + strings.Repeat("k", 255)}, {"a\tb"}, {"\xff\xfe"},
		{"ключ"}, {"a\x01"},
	} {
		if !r.some(5) {
			continue
		}
		request, err := http.NewRequestWithContext(r.Context(), request.method, r.url+path, strings.NewReader(body))
		if err != nil {
			r.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+r.owner.key)
		request.Header.Set("Content-Type", "application/json")
		request.Header["Idempotency-Key"] = values
		got, err := r.do(request)
		if err != nil {
			if strings.Contains(err.Error(), "invalid header field value") {
				continue // the HTTP client refuses to send the value
			}
			r.Fatal(err)
		}
		r.judge(got)
		got.refused(http.StatusUnprocessableEntity, "invalid_field")
	}
}
