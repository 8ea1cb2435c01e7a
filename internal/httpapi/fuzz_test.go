package httpapi_test

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"verdict/internal/httpapi"
	"verdict/internal/serving"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
	"verdict/internal/wire"
)

// marker represents personal data in the seeds. A refusal or a log line must
// never repeat it.
const marker = "Qx7-SECRET-Zz9"

// fuzzed is an API without a socket, with its own database and the key of a
// tenant.
type fuzzed struct {
	api *httpapi.API
	key string
	log *bytes.Buffer
}

func newFuzzed(f *testing.F) *fuzzed {
	f.Helper()
	plenty := tenant.Rate{Allowance: 1 << 30, Window: time.Second, Burst: 1 << 30}
	plans, err := tenant.DefaultPricePlans().WithQuotas("free=unmetered")
	if err != nil {
		f.Fatal(err)
	}
	plans = plans.WithRates(tenant.Rates{Decide: plenty, Write: plenty, Backtest: plenty})
	z := &fuzzed{log: new(bytes.Buffer)}
	logger := slog.New(slog.NewTextHandler(z.log, nil))
	service, err := usecase.New(storetest.Open(f, storetest.SQLite(f), store.Options{}), usecase.Options{
		Plans:        plans,
		PasswordCost: tenant.Cost{MemoryKiB: 64, Passes: 1, Lanes: 1},
		Logger:       logger,
		ChunkQueue:   &waiting{},
	})
	if err != nil {
		f.Fatal(err)
	}
	z.api, err = httpapi.New(service, httpapi.Options{
		Logger: logger, SignupRate: plenty, MaxBody: 1 << 20, MaxReport: 1 << 20,
		Node: serving.NewNode(serving.Limits{
			TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")},
		}),
	})
	if err != nil {
		f.Fatal(err)
	}
	answer := z.send(
		f, http.MethodPost, "/api/signup", "", nil,
		`{"email":"fuzz@example.in","org_name":"Fuzz","password":"correct horse"}`)
	signed, err := wire.Parse(answer.Body.Bytes())
	if err != nil {
		f.Fatal(err)
	}
	z.key = signed.Get("api_key").Text()
	return z
}

// send serves a request and checks the answer. The answer must not be a server error,
// and a refusal must be a problem document. Nothing may panic, and neither the refusal
// nor the log may repeat the marker.
func (z *fuzzed) send(
	tb testing.TB, method, path, query string, header http.Header, body string,
) *httptest.ResponseRecorder {
	tb.Helper()
	z.log.Reset()
	r := (&http.Request{
		Method: method, URL: &url.URL{
			Path:     path,
			RawQuery: query,
		}, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Host: "localhost",
		Header: http.Header{
			"Content-Type":  {"application/json"},
			"Authorization": {"Bearer " + z.key},
		}, RemoteAddr: "192.0.2.1:1234",
		Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
	}).WithContext(tb.Context())
	for name, values := range header {
		r.Header[name] = values
	}
	w := httptest.NewRecorder()
	z.api.ServeHTTP(w, r)
	if w.Code >= http.StatusInternalServerError || strings.Contains(z.log.String(), "panicked") {
		tb.Fatalf("%d %s\n%s", w.Code, w.Body, z.log)
	}
	if strings.Contains(z.log.String(), marker) {
		tb.Errorf("the log repeats what was sent: %s", z.log)
	}
	// The page for an unknown code is no problem document: it lists the known
	// codes.
	page := w.Code == http.StatusNotFound && strings.HasPrefix(path, "/docs/errors/")
	if w.Code >= http.StatusBadRequest && !page {
		problem, err := wire.Parse(w.Body.Bytes())
		if err != nil || w.Header().Get("Content-Type") != "application/problem+json" ||
			problem.Get("code").Text() == "" {
			tb.Errorf("%d is told as %s: %v", w.Code, w.Body, err)
		}
		if strings.Contains(w.Body.String(), marker) {
			tb.Errorf("the refusal repeats what was sent: %s", w.Body)
		}
	}
	return w
}

// FuzzPreview previews arbitrary bodies as decision or evaluate requests. Equal
// requests must get equal answers, and no request may cause a server error.
func FuzzPreview(f *testing.F) {
	z := newFuzzed(f)
	f.Add([]byte(`{
		"applicant":{"id":"A","foir":0.3,"monthly_income":50000,"employment_type":"` + marker + `"},
		"bureau_report":{"score":742}
	}`))
	f.Add([]byte(`{"bureau":"cibil","report":{"cibil":{"scoreData":{"score":790},
		"incomeAssessment":{"monthlyIncome":85000,"foir":20}}},"features":true,
		"device":{"is_rooted":true},"location":{"lat":12.97,"lng":77.59,"ip":"` + marker + `",
		"declared_pincode":"560001"},
		"fraud":{"applicant_ref":"A-1","beneficiary_account":"000111222333","ip":"103.21.58.1"},
		"bank_summary":{"income":40000,"emi":30000,
		"transactions":[{"txn_id":"T1","date":"2026-09-01","type":"CREDIT","mode":"FT","amount":62000,
			"balance":71250.40,"narration":"NEFT SALARY"}]},
		"overrides":{"report.incomeAssessment.foir":30},"compare":true}`))
	f.Add([]byte(`{"applicant":{"id":"` + marker + `"},"bureau_report":{"score":6,"x":{"y":["` + marker + `"]}},
		"overrides":{"applicant.foir":"` + marker + `"}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		if v, err := wire.Parse(body); err == nil && namesMarker(v) {
			return // refusals may name members as the places of faults
		}
		first := z.send(t, http.MethodPost, "/v1/decisions/preview", "", nil, string(body))
		second := z.send(t, http.MethodPost, "/v1/decisions/preview", "", nil, string(body))
		if first.Code != second.Code ||
			first.Code == http.StatusOK && !bytes.Equal(first.Body.Bytes(), second.Body.Bytes()) {
			t.Errorf("%s\nand then\n%s", first.Body, second.Body)
		}
	})
}

// namesMarker reports whether any member at any depth has the marker in its
// name.
func namesMarker(v wire.Value) bool {
	for name, member := range v.Members() {
		if strings.Contains(name, marker) || namesMarker(member) {
			return true
		}
	}
	for _, e := range v.Elements() {
		if namesMarker(e) {
			return true
		}
	}
	return false
}

// FuzzAgents sends arbitrary bodies to the agents. The replay of every
// successful run must be verified.
func FuzzAgents(f *testing.F) {
	z := newFuzzed(f)
	f.Add(false, []byte(`{"applicant":{"id":"A","foir":0.48,"monthly_income":40000,"requested_amount":200000},
		"bureau_report":{"score":742},
		"purpose":"a wedding","explore":{"tenures":[12,24],"min_amount":20000},"max_steps":9,"as_of":"2026-11-01"}`))
	f.Add(true, []byte(`{"loan":{"id":"L","outstanding":50000,"emi":2500,"due_date":"2026-10-05"},
		"borrower":{"timezone":"Asia/Kolkata"},"as_of":"2026-11-15T10:00:00+05:30"}`))
	f.Add(true, []byte(`{"loan":"`+marker+`","borrower":{"timezone":"`+marker+`"}}`))
	f.Fuzz(func(t *testing.T, collections bool, body []byte) {
		if v, err := wire.Parse(body); err == nil && namesMarker(v) {
			return
		}
		path := map[bool]string{true: "/v1/agents/collections", false: "/v1/agents/underwrite"}[collections]
		answer := z.send(t, http.MethodPost, path, "", nil, string(body))
		if answer.Code != http.StatusOK {
			return
		}
		run, err := wire.Parse(answer.Body.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		again := z.send(t, http.MethodGet, "/v1/agents/runs/"+run.Get("run_id").Text(), "", nil, "")
		if stored, err := wire.Parse(again.Body.Bytes()); err != nil || !stored.Get("replay").Get("verified").IsTrue() {
			t.Errorf("the run does not repeat: %s", again.Body)
		}
	})
}
