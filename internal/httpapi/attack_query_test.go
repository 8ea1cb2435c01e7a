package httpapi_test

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// queryTexts are unexpected values for query parameters.
var queryTexts = []string{
	"", " ", plantedText, "'; DROP TABLE decisions; --" + plantedText, "' OR '1'='1", "%", "_", "%25", "*", "\\",
	"\"", "0", "-1", "1e9", "99999999999999999999", "NaN", "null", "true", "[]", "{}",
	"<script>" + plantedText + "</script>", "\x00", "\xff\xfe", "\u202e" + plantedText,
	"a\r\nSet-Cookie: " + plantedText, "9999-12-31T23:59:59Z", "0000-01-01T00:00:00Z", "2026-11-15T00:00:00+99:99",
	"../../etc/passwd", strings.Repeat("x", 10_000), "{{7*7}}", "${7*7}",
}

// attackQueries sends each of queryTexts in every query parameter of every
// operation, once and twice. It also sends unknown parameters, and tampers with
// cursors and ids.
func attackQueries(r *raid) {
	for _, request := range r.firstOfEach() {
		if public(request.operation) {
			continue
		}
		path, _, _ := strings.Cut(r.ids.fill(request.path), "?")
		body := r.ids.fill(request.body)
		for _, p := range request.operation.Parameters {
			if p.Value.In != openapi3.ParameterInQuery {
				continue
			}
			for _, text := range queryTexts {
				if !r.some(10) {
					continue
				}
				query := p.Value.Name + "=" + url.QueryEscape(text)
				got := r.try(request.method, path+"?"+query, r.owner.key, body)
				list, isList := got.listed()
				if isList && len(list) > 0 && (text == "%" || text == "_" || text == "*") {
					r.Errorf("%s?%s is taken for a pattern: %s", path, query, got.body)
				}
				r.try(request.method, path+"?"+query+"&"+query, r.owner.key, body).want(http.StatusUnprocessableEntity)
			}
			if p.Value.Name == "cursor" {
				r.tamper(path)
			}
		}
		for _, query := range []string{
			plantedText + "=1", "%zz=1", "a=%zz", "&;&;", "__proto__=1", strings.Repeat("a=1&", 2_000), "%00=%00",
			plantedText,
		} {
			got := r.try(request.method, path+"?"+query, r.owner.key, body)
			if got.status < http.StatusBadRequest {
				r.Errorf("%s: %d, want a refusal", got.sent, got.status)
			}
		}
		r.otherIDs(request, body)
	}
	r.stillServes()
}

// listed returns the items of an answer and whether the answer is a list.
func (a answer) listed() (list []any, is bool) {
	a.t.Helper()
	if a.status != http.StatusOK || a.header.Get("Content-Type") != "application/json" {
		return nil, false
	}
	list, is = a.at("data").([]any)
	return list, is
}

// tamper changes a cursor at each of its characters; every changed cursor must
// be refused.
func (r *raid) tamper(path string) {
	r.Helper()
	cursor := r.owner.get(path+"?limit=1").want(http.StatusOK).text("pagination", "next_cursor")
	if cursor == "" {
		return // the list has a single page
	}
	refuse := func(text string) {
		got := r.try("GET", path+"?limit=1&cursor="+url.QueryEscape(text), r.owner.key, "")
		if got.status != http.StatusBadRequest && got.status != http.StatusUnprocessableEntity {
			r.Errorf("%s with a cursor %q that was changed to %q: %d: %s", path, cursor, text, got.status, got.body)
		}
	}
	for i := range cursor {
		if r.some(8) {
			other := byte('A')
			if cursor[i] == other {
				other = 'Q'
			}
			refuse(cursor[:i] + string(other) + cursor[i+1:])
			refuse(cursor[:i])
			refuse(cursor[:i] + "=" + cursor[i:])
			refuse(cursor[:i] + "\n" + cursor[i:])
		}
	}
	for _, text := range []string{
		cursor + "A", cursor + "=", cursor + cursor, " " + cursor, cursor + strings.Repeat("A", 5_000),
		strings.ToUpper(cursor),
	} {
		refuse(text)
	}
	r.owner.get(path + "?limit=1&cursor=" + url.QueryEscape(cursor)).want(http.StatusOK)
}

// otherIDs requests malformed ids and other spellings of the right id.
func (r *raid) otherIDs(request exampleRequest, body string) {
	r.Helper()
	template, _, _ := strings.Cut(request.path, "?")
	at, end := strings.Index(template, "{"), strings.Index(template, "}")
	if at < 0 {
		return
	}
	id := r.ids[template[at:end+1]]
	for _, text := range []string{
		"x", plantedText, "0", "-1", "null", "*", "%25", "_", "'%20OR%201=1--", strings.ToLower(id), id[:len(id)-1],
		id + "0", id + "%20", id + "%0a", "%20" + id,
		strings.Replace(id, "_", "%5f", 1), strings.Replace(id, "_", "-", 1), "usr_" + id[strings.Index(id, "_")+1:],
		strings.Repeat("x", 8_000), id + "," + id,
		"00000000-0000-0000-0000-000000000000", "%ff%fe", id + "%00", "%E2%80%AE" + id,
	} {
		if text != id && r.some(6) { // strings.ToLower may leave an applicant's reference or a list's name unchanged
			got := r.try(request.method, template[:at]+text+template[end+1:], r.owner.key, body)
			if got.status != http.StatusNotFound &&
				(request.status < http.StatusBadRequest || got.status < http.StatusBadRequest) {
				r.Errorf("%.300s: %d, want 404: %s", got.sent, got.status, got.body)
			}
		}
	}
}
