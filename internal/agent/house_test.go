package agent_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"verdict/internal/agent"
	"verdict/internal/decisioning"
	"verdict/internal/document"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
	"verdict/internal/wire"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// house holds the agents and the use cases of one tenant, for tests.
type house struct {
	testing.TB
	cases  *usecase.Set
	agents *agent.Service
	caller tenant.Principal
	later  *atomic.Int64 // days after the time "at"
}

// at is the time at which tests start.
var at = time.Date(2026, time.November, 15, 6, 0, 0, 0, time.UTC)

func open(tb testing.TB, db *store.DB, o agent.Options) *house {
	tb.Helper()
	later := new(atomic.Int64)
	cases, err := usecase.New(db, usecase.Options{
		PasswordCost: tenant.Cost{MemoryKiB: 64, Passes: 1, Lanes: 1},
		MasterKey:    usecasetest.MasterKey,
		Now:          func() time.Time { return at.AddDate(0, 0, int(later.Load())) },
	})
	if err != nil {
		tb.Fatal(err)
	}
	signed, err := cases.Operator.Signup(tb.Context(), tenant.Signup{
		Email: "asha@example.in", OrgName: "Asha Finance", Password: tenant.NewSecret("correct horse"),
	})
	if err != nil {
		tb.Fatal(err)
	}
	caller, err := cases.Access.Authenticate(tb.Context(), signed.Key)
	if err != nil {
		tb.Fatal(err)
	}
	return &house{
		TB:     tb,
		cases:  cases,
		agents: agent.New(cases.Decisions, cases.Agents, o),
		caller: caller,
		later:  later,
	}
}

func onSQLite(tb testing.TB, o agent.Options) *house {
	tb.Helper()
	return open(tb, storetest.Open(tb, storetest.MigratedSQLite(tb), store.Options{}), o)
}

func parse(tb testing.TB, text string) wire.Value {
	tb.Helper()
	v, err := wire.Parse([]byte(text))
	if err != nil {
		tb.Fatalf("%v in %s", err, text)
	}
	return v
}

// underwrite runs the underwriting agent and returns its answer.
func (h *house) underwrite(body string) []byte {
	h.Helper()
	var reply operation.Reply[decisioning.Underwritten]
	run, err := h.agents.Underwrite(h.Context(), h.caller, request(h, body), &reply)
	if err != nil {
		h.Fatalf("%v of %s", err, body)
	}
	return reply.Answer(run).Body
}

// request returns a request to the underwriting agent.
func request(tb testing.TB, body string) agent.Request {
	tb.Helper()
	return agent.NewRequest(parse(tb, body))
}

// fetched repeats a stored run and returns the document that the API answers.
func (h *house) fetched(id string) []byte {
	h.Helper()
	run, err := h.agents.Run(h.Context(), h.caller, id)
	if err != nil {
		h.Fatal(err)
	}
	var w wire.Writer
	document.WriteRun(&w, run)
	return w.Buf
}

// tree reads an answer as a tree of maps.
func tree(tb testing.TB, body []byte) map[string]any {
	tb.Helper()
	var out map[string]any
	d := json.NewDecoder(strings.NewReader(string(body)))
	d.UseNumber()
	if err := d.Decode(&out); err != nil {
		tb.Fatalf("%v in %s", err, body)
	}
	return out
}

// member returns the member at a path, or nil if there is none.
func member(v any, path string) any {
	for name := range strings.SplitSeq(path, ".") {
		m, _ := v.(map[string]any)
		v = m[name]
	}
	return v
}

func text(v any, path string) string {
	if m := member(v, path); m != nil {
		return fmt.Sprint(m)
	}
	return ""
}

// applicant returns a decision request.
func applicant(applicant, bureau, rest string) string {
	return fmt.Sprintf(`{
		"applicant":{"id":"A-1","age":34,"employment_type":"SALARIED",%s},
		"bureau_report":{"active_tradelines":4,"max_dpd_12m":0,%s}%s
	}`,
		applicant, bureau, rest)
}
