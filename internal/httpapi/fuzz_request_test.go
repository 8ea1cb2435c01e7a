package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
)

// lists contains paths that together accept every kind of query parameter.
var lists = []string{
	"/v1/decisions", "/v1/rule-sets", "/v1/policies", "/v1/fraud/alerts", "/v1/fraud/pincode-risk",
	"/v1/fraud/blocklist", "/v1/audit", "/v1/agents/runs", "/v1/backtest", "/v1/scorecards", "/v1/usage",
	"/v1/credit/backtest", "/v1/decisions/dec_1/features", "/v1/backtest/bt_1/rows",
}

// FuzzQuery requests lists with arbitrary queries and checks that no answer
// exceeds 4 MiB.
func FuzzQuery(f *testing.F) {
	z := newFuzzed(f)
	for i, query := range []string{
		"limit=2&cursor=AAAA&order=asc", "status=active&limit=" + marker, "from=2026-11-15T00:00:00Z&to=" + marker,
		"limit=0&limit=1", "%zz", "cursor=%00", "risk=HIGH&prefix=560", "kind=ip&key=" + marker,
		"window=7d&from=0000-01-01T00:00:00Z", "to=9999-12-31T23:59:59.999999999%2B23:59", "order=" + marker,
		"n=10&seed=1",
	} {
		f.Add(uint8(i), query)
		f.Add(uint8(0), query)
	}
	f.Fuzz(func(t *testing.T, which uint8, query string) {
		path := lists[int(which)%len(lists)]
		if answer := z.send(t, http.MethodGet, path, query, nil, ""); answer.Body.Len() > 4<<20 {
			t.Errorf("%s?%s is answered with %d bytes", path, query, answer.Body.Len())
		}
	})
}

// FuzzHeaders sends a decision request twice with the same arbitrary headers.
// The second answer must have the same status as the first and, on success, the
// same body.
func FuzzHeaders(f *testing.F) {
	z := newFuzzed(f)
	const body = `{"applicant":{"id":"A","foir":0.3,"monthly_income":50000},"bureau_report":{"score":742}}`
	f.Add("k-1", "application/json", "application/json; charset=utf-8", "identity", "respond-async")
	f.Add(`"k-2"`, "*/*;q=0.1", "", "", "")
	f.Add("\x7f"+marker, "text/html", "text/"+marker, marker, marker)
	f.Add(strings.Repeat("k", 300), ";;;", "application/json;charset=\"", "gzip", "\x00")
	f.Fuzz(func(t *testing.T, key, accept, kind, encoding, prefer string) {
		for _, value := range []string{key, accept, kind, encoding, prefer} {
			if strings.ContainsAny(value, "\r\n\x00") {
				return // no server accepts these characters in a header
			}
		}
		header := http.Header{
			"Idempotency-Key":  {key},
			"Accept":           {accept},
			"Content-Type":     {kind},
			"Content-Encoding": {encoding},
			"Prefer":           {prefer},
		}
		first := z.send(t, http.MethodPost, "/v1/decisions", "", header, body)
		second := z.send(t, http.MethodPost, "/v1/decisions", "", header, body)
		if first.Code != second.Code || first.Code < 300 && first.Body.String() != second.Body.String() {
			t.Errorf("%d %s\nand then\n%d %s", first.Code, first.Body, second.Code, second.Body)
		}
	})
}

// FuzzUpload uploads arbitrary files to a backtest: plain, compressed or in a
// form.
func FuzzUpload(f *testing.F) {
	z := newFuzzed(f)
	f.Add("text/csv", "", "bad_values=1", "score,foir,bad\n742,0.3,0\n600,0.7,1\n")
	f.Add("text/csv; charset=utf-8", "gzip", "", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x04\xff")
	f.Add("text/csv", "", "map=a=score,b="+marker+"&lgd=x", "a,b\n\"7\n")
	f.Add("multipart/form-data; boundary=b", "", "",
		"--b\r\nContent-Disposition: form-data; name=\"lgd\"\r\n\r\n0.4\r\n"+
			"--b\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nscore,foir\n742,0.3\n\r\n--b--\r\n")
	f.Add("multipart/form-data; boundary="+strings.Repeat("b", 71), "", "", "--b")
	f.Add("multipart/form-data", "", "", "--b\r\nContent-Disposition: form-data; name=\""+marker+"\"\r\n\r\nx")
	f.Fuzz(func(t *testing.T, kind, encoding, query, body string) {
		if strings.ContainsAny(kind+encoding, "\r\n\x00") {
			return
		}
		z.send(
			t, http.MethodPost, "/v1/backtest", query,
			http.Header{"Content-Type": {kind}, "Content-Encoding": {encoding}}, body)
	})
}

// FuzzPath requests arbitrary paths with arbitrary methods. Without a key the
// answer must not reveal which paths exist.
func FuzzPath(f *testing.F) {
	z := newFuzzed(f)
	for _, path := range []string{
		"/v1/decisions/dec_1", "/v1//decisions", "/v1/decisions/", "/docs/../v1/x", "/v1/%2e%2e", "/", "/v1",
		"/docs/errors/rate_limited", "/v1/decisions/" + marker,
	} {
		f.Add(http.MethodGet, path)
	}
	f.Add("BREW", "/v1/decisions")
	f.Add(http.MethodDelete, "/v1/fraud/blocklist")
	f.Fuzz(func(t *testing.T, method, path string) {
		if !strings.HasPrefix(path, "/") {
			return
		}
		z.send(t, method, path, "", nil, "{}")
		answer := z.send(t, method, path, "", http.Header{"Authorization": nil}, "{}")
		if strings.HasPrefix(path, "/v1/") && answer.Code != http.StatusUnauthorized {
			t.Errorf("%s %s is answered with %d to nobody", method, path, answer.Code)
		}
	})
}
