package httpapi

import (
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/serving"
	"verdict/internal/tenant"
)

// keyInQuery reports whether the query of a URL contains an API key. A key in a URL would
// end up in histories and logs.
func keyInQuery(raw string) bool {
	if tenant.LooksLikeKey(raw) {
		return true
	}
	// Each pair is decoded separately, so that a malformed pair does not hide the others.
	for pair := range strings.SplitSeq(raw, "&") {
		if plain, err := url.QueryUnescape(pair); err == nil && tenant.LooksLikeKey(plain) {
			return true
		}
	}
	return false
}

// errKeyInURL returns the refusal of a request with a key in its URL. The refusal
// does not depend on the Authorization header, and does not say whether the key
// is valid.
func errKeyInURL() error {
	return fault.New(fault.Unauthenticated, fault.CodeUnauthenticated,
		"the URL has a query parameter that looks like an API key, and URLs end up in logs: "+
			"send the key only in the header \"Authorization: Bearer <API_KEY>\", and replace the key that was in "+
			"the URL")
}

// bearerKey reads the API key from the Authorization header, and reports whether
// there is exactly one well-formed key.
func bearerKey(r *http.Request) (tenant.Key, bool) {
	headers := r.Header["Authorization"]
	if len(headers) != 1 {
		return tenant.Key{}, false
	}
	scheme, text, _ := strings.Cut(headers[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return tenant.Key{}, false
	}
	return tenant.ParseKey(strings.TrimLeft(text, " "))
}

// answersOther reads the Accept header. It reports whether the answer should be in the other format of the route, CSV
// or HTML. This is so if the route has another format, and the client names that format but not JSON. If the client
// also accepts "*/*", it gets JSON instead of CSV; it still gets HTML, because browsers send such a header.
// answersOther refuses a request that accepts none of the formats of the route.
func answersOther(r *http.Request, rt *route) (bool, error) {
	accept := r.Header["Accept"]
	if len(accept) == 0 {
		return false, nil
	}
	if rt.only != "" {
		return false, checkAccepts(strings.Join(accept, ","), rt.only)
	}
	json, anything, other := false, false, false
	for part := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		kind, params, err := mime.ParseMediaType(part)
		if err != nil || refusedByWeight(params) {
			continue
		}
		switch kind {
		case "*/*":
			anything = true
		case "application/*", "application/json", "application/problem+json":
			json = true
		case csvType:
			other = other || rt.csv
		case htmlType:
			other = other || rt.page
		case "text/*":
			other = other || rt.csv || rt.page
		case linesType, "application/ndjson", "application/jsonl":
			json = json || rt.lines
		case "text/plain":
			json = json || rt.public
		}
	}
	if !json && !anything && !other {
		return false, fault.New(serving.NotAcceptable, fault.CodeNotAcceptable,
			"the Accept header must allow application/json")
	}
	return other && !json && (rt.page || !anything), nil
}

// checkAccepts refuses a request whose Accept header excludes the only format of the
// answer.
func checkAccepts(accept, only string) error {
	family, _, _ := strings.Cut(only, "/")
	for part := range strings.SplitSeq(accept, ",") {
		kind, params, err := mime.ParseMediaType(part)
		if err == nil && !refusedByWeight(params) && (kind == "*/*" || kind == family+"/*" || kind == only) {
			return nil
		}
	}
	return fault.New(serving.NotAcceptable, fault.CodeNotAcceptable,
		"the answer is available only as %s; the Accept header must allow it", only)
}

// refusedByWeight reports whether the parameters of a media type have a weight of zero,
// which means that the client does not accept the media type.
func refusedByWeight(params map[string]string) bool {
	return params["q"] != "" && strings.Trim(params["q"], "0.") == ""
}

// maxIdempotencyKey is the maximum length of an Idempotency-Key, in bytes.
const maxIdempotencyKey = 255

// idempotencyKey reads the Idempotency-Key header, with or without the quotes of a
// structured header. It returns nil if the request has none.
func idempotencyKey(r *http.Request) (*operation.Idempotency, error) {
	given := r.Header["Idempotency-Key"]
	if len(given) == 0 {
		return nil, nil
	}
	key := given[0]
	if len(key) >= 2 && key[0] == '"' && key[len(key)-1] == '"' {
		key = key[1 : len(key)-1]
	}
	unprintable := strings.ContainsFunc(key, func(r rune) bool { return r < ' ' || r > '~' })
	if len(given) > 1 || key == "" || len(key) > maxIdempotencyKey || unprintable {
		return nil, fault.New(fault.Invalid, fault.CodeInvalidField,
			"the Idempotency-Key header must be given once, with 1 to %d printable ASCII characters", maxIdempotencyKey)
	}
	return &operation.Idempotency{Route: r.Method + " " + r.URL.Path, Key: key}, nil
}

// expectedVersion reads the version in quotes from the If-Match header. It returns operation.AnyVersion if the header
// is missing or is "*". For "If-None-Match: *" it returns 0, which means that nothing is stored yet.
func expectedVersion(r *http.Request) (int64, error) {
	given := r.Header["If-Match"]
	if none := r.Header["If-None-Match"]; len(none) > 0 {
		if len(none) > 1 || len(given) > 0 || strings.TrimSpace(none[0]) != "*" {
			return 0, fault.New(fault.Invalid, fault.CodeInvalidField,
				`the If-None-Match header of a change must be * and have no If-Match beside it`)
		}
		return 0, nil
	}
	if len(given) == 0 || len(given) == 1 && strings.TrimSpace(given[0]) == "*" {
		return operation.AnyVersion, nil
	}
	text, quoted := strings.CutPrefix(strings.TrimSpace(given[0]), `"`)
	text, closed := strings.CutSuffix(text, `"`)
	version, err := strconv.ParseInt(text, 10, 64)
	if len(given) > 1 || !quoted || !closed || err != nil || version < 0 {
		return 0, fault.New(fault.Invalid, fault.CodeInvalidField,
			`the If-Match header must be one version in quotes, such as "4"`)
	}
	return version, nil
}

// prefers reports whether the client sent a preference (RFC 7240), such as
// "respond-async", or "handling" with the value "strict".
func prefers(r *http.Request, name, value string) bool {
	for _, header := range r.Header["Prefer"] {
		for preference := range strings.SplitSeq(header, ",") {
			preference, _, _ = strings.Cut(preference, ";") // drop parameters
			token, text, _ := strings.Cut(preference, "=")
			text = strings.Trim(strings.TrimSpace(text), `"`)
			if strings.EqualFold(strings.TrimSpace(token), name) && strings.EqualFold(text, value) {
				return true
			}
		}
	}
	return false
}

// prefersAsync reports whether the client wants to be answered before the work is done.
func prefersAsync(r *http.Request) bool { return prefers(r, "respond-async", "") }

// mediaType returns the Content-Type of the body and its parameters. It returns "" if the
// media type is missing or malformed.
func mediaType(r *http.Request) (kind string, params map[string]string) {
	kind, params, _ = mime.ParseMediaType(r.Header.Get("Content-Type"))
	return kind, params
}

// isFile reports whether the body is a CSV file or a form that contains one.
func isFile(r *http.Request) bool {
	kind, _ := mediaType(r)
	return kind == "text/csv" || kind == "multipart/form-data"
}

// checkLength refuses an HTTP/1.0 request without a Content-Length. net/http would read its body as empty, so no
// application in it would be decided.
func checkLength(r *http.Request) error {
	if !r.ProtoAtLeast(1, 1) && r.ContentLength == 0 && r.Header["Content-Length"] == nil {
		return fault.New(fault.Malformed, fault.CodeMalformedBody,
			"a body of HTTP/1.0 needs a Content-Length; use HTTP/1.1 to send lines of unknown length")
	}
	return nil
}

// checkLines refuses a stream that is compressed or not in UTF-8.
func checkLines(r *http.Request) error {
	if err := checkCharset(r); err != nil {
		return err
	}
	return checkNotCompressed(r)
}

// checkCharset refuses lines that are not in UTF-8.
func checkCharset(r *http.Request) error {
	if _, params := mediaType(r); params["charset"] != "" && !strings.EqualFold(params["charset"], "utf-8") {
		return fault.New(serving.UnsupportedMediaType, fault.CodeUnsupportedMediaType, "the lines must be in UTF-8")
	}
	return nil
}

// checkNotCompressed refuses a body with a Content-Encoding.
func checkNotCompressed(r *http.Request) error {
	if encoding := r.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return fault.New(serving.UnsupportedMediaType, fault.CodeUnsupportedMediaType,
			"send the body without a Content-Encoding")
	}
	return nil
}

// linesType is the media type of a body, or of an answer, with one JSON document in each line.
const linesType = "application/x-ndjson"

// isLines reports whether the body is a stream of JSON lines.
func isLines(r *http.Request) bool {
	kind, _ := mediaType(r)
	return kind == linesType || kind == "application/ndjson" || kind == "application/jsonl"
}

// checkMediaType refuses a body that is declared as something other than uncompressed
// JSON in UTF-8. checkMediaType accepts a body without a Content-Type; if that body is
// not JSON, it is refused later as malformed.
func checkMediaType(r *http.Request, rt *route) error {
	if err := checkNotCompressed(r); err != nil {
		return err
	}
	given := r.Header.Get("Content-Type")
	if given == "" || given == "application/json" {
		return nil
	}
	kind, params, err := mime.ParseMediaType(given)
	charset := params["charset"]
	if rt.stream && (err != nil || kind != "application/json") {
		return fault.New(serving.UnsupportedMediaType, fault.CodeUnsupportedMediaType,
			"the body must be application/json or text/csv; save a workbook as CSV, and set the Content-Type header")
	}
	if rt.lines && (err != nil || kind != "application/json") {
		return fault.New(serving.UnsupportedMediaType, fault.CodeUnsupportedMediaType,
			"the body must be application/json or "+linesType+"; set the Content-Type header")
	}
	if err != nil || kind != "application/json" || charset != "" && !strings.EqualFold(charset, "utf-8") {
		return fault.New(serving.UnsupportedMediaType, fault.CodeUnsupportedMediaType,
			"the body must be application/json in UTF-8; set the Content-Type header")
	}
	return nil
}
