package httpapi_test

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
)

// bombs returns request bodies by name. They are very large, or expensive to
// parse for their size.
func bombs() map[string]string {
	many := func(n int, one string) string { return strings.TrimSuffix(strings.Repeat(one, n), ",") }
	distinct, named := &strings.Builder{}, &strings.Builder{}
	for i := range 50_000 {
		fmt.Fprintf(distinct, `"k%d":%d,`, i, i)
		fmt.Fprintf(named, `{"k%d":1},`, i)
	}
	thousand, _, _ := strings.Cut(distinct.String(), `"k1000":`)
	return map[string]string{
		"arrays, 10,000 deep":  strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000),
		"objects, 10,000 deep": strings.Repeat(`{"a":`, 10_000) + "1" + strings.Repeat("}", 10_000),
		"a deep member": `{"applicant":` + strings.Repeat(`[{"a":`, 5_000) + "1" +
			strings.Repeat("}]", 5_000) + `}`,
		"150,000 members of one name":    `{` + many(150_000, `"a":1,`) + `}`,
		"a million members of one name":  `{` + many(1_000_000, `"a":1,`) + `}`,
		"a number of a million digits":   `{"applicant":{"monthly_income":1` + strings.Repeat("0", 1_000_000) + `}}`,
		"a fraction of a million digits": `{"applicant":{"foir":0.` + strings.Repeat("3", 1_000_000) + `}}`,
		"an exponent of 100,000 digits":  `{"applicant":{"foir":1e` + strings.Repeat("9", 100_000) + `}}`,
		"50,000 members nobody knows":    `{` + strings.TrimSuffix(distinct.String(), ",") + `}`,
		"a name of 500 KB":               `{"` + strings.Repeat("k", 500_000) + `":1}`,
		"a name of 500 KB, nested":       `{"applicant":{"` + strings.Repeat("k", 500_000) + `":{"a":1}}}`,
		"a column's name of 500 KB":      `{"rows":[{"score":742,"` + strings.Repeat("k", 500_000) + `":1}]}`,
		"50,000 columns, one in a row":   `{"rows":[` + strings.TrimSuffix(named.String(), ",") + `]}`,
		"1,000 columns, then 80,000 rows": `{"rows":[{` + thousand + `"k":null}` +
			strings.Repeat(`,{"k999":1}`, 80_000) + `]}`,
		"1,000 columns inside of 500 KB": `{"rows":[{"` + strings.Repeat("k", 500_000) + `":{` +
			thousand + `"k":null}}]}`,
		"500,000 numbers": `{"rows":[` + many(500_000, "0,") + `]}`,
		"100,000 empty objects": `{"rows":[` + many(100_000, "{},") + `],` +
			`"entries":[` + many(100_000, "{},") + `]}`,
		"100,000 empty objects, as a list": `[` + many(100_000, "{},") + `]`,
		"150,000 escapes":                  `{"applicant":{"id":"` + strings.Repeat(`\u0041`, 150_000) + `"}}`,
		"a text of 900 KB": `{"name":"` + strings.Repeat("x", 900_000) + `",` +
			`"note":"` + strings.Repeat("y", 100_000) + `"}`,
		"a megabyte of spaces": strings.Repeat(" ", 1_000_000),
		"11 MB":                `{"name":"` + strings.Repeat("x", 11<<20) + `"}`,
	}
}

// attackBombs sends each bomb to every operation that takes a body. The answer
// must be small, however large the request was.
func attackBombs(r *raid) {
	all := bombs()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		bomb := all[name]
		for _, request := range r.firstOfEach() {
			if request.body == "" || !r.some(12) {
				continue
			}
			key := r.owner.key
			if public(request.operation) {
				key = ""
			}
			r.what = name
			got := r.try(request.method, r.ids.fill(request.path), key, bomb, request.headers...)
			got.sent = name + " to " + request.name
			if len(got.body) > 256<<10 {
				r.Errorf("%s: an answer of %d bytes", got.sent, len(got.body))
			}
			deep := strings.Contains(name, "deep") ||
				strings.Contains(name, "of one name") || strings.Contains(name, "spaces")
			if deep && got.status != http.StatusBadRequest && got.status != http.StatusRequestEntityTooLarge {
				r.Errorf("%s: %d, want 400 or 413: %.500s", got.sent, got.status, got.body)
			}
		}
	}
	r.oversize()
	r.stillServes()
}

// oversize sends every operation a body beyond its limit. The service must read
// at most one byte more than the limit, and nothing at all if Content-Length
// announces the size.
func (r *raid) oversize() {
	r.Helper()
	handler := r.handler()
	const most = 65 << 20 // larger than the limit of any body
	body := bytes.Repeat([]byte(" "), most)
	for _, request := range r.firstOfEach() {
		if request.body == "" {
			continue
		}
		for _, told := range []bool{true, false} {
			sent := &measured{Reader: bytes.NewReader(body)}
			asked := httptest.NewRequestWithContext(r.Context(), request.method, r.ids.fill(request.path), sent)
			if asked.ContentLength = -1; told {
				asked.ContentLength = most
			}
			if !public(request.operation) {
				asked.Header.Set("Authorization", "Bearer "+r.owner.key)
			}
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, asked)
			got := answer{
				t:      r.T,
				status: w.Code,
				header: w.Header(),
				body:   w.Body.Bytes(),
				sent:   "an endless body to " + request.name,
			}
			checkContract(r.T, request.method, r.ids.fill(request.path), "", got)
			r.judge(got)
			got.refused(http.StatusRequestEntityTooLarge, "request_too_large")
			limit := int64(0)
			if !told {
				limit = bodyLimit(request) + 1
			}
			if sent.read > limit {
				r.Errorf("%s: %d bytes were read, want at most %d", got.sent, sent.read, limit)
			}
		}
	}
}

// bodyLimit returns the documented size limit of an operation's body in bytes.
func bodyLimit(request exampleRequest) int64 {
	switch request.operation.OperationID {
	case "fitScorecard":
		return 64 << 20
	case "evaluateReport", "previewDecision", "checkEligibility", "underwrite", "runBacktest", "replaceList",
		"replaceTable", "createDecisions", "evaluateReports":
		return 8 << 20
	}
	return 1 << 20
}

// firstOfEach returns the first example of each operation.
func (r *raid) firstOfEach() (list []exampleRequest) {
	for _, request := range r.requests {
		if !slices.ContainsFunc(list, func(other exampleRequest) bool { return other.operation == request.operation }) {
			list = append(list, request)
		}
	}
	return list
}
