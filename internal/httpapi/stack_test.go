//nolint:thelper // what Each runs is the test itself: a failure belongs to its own line
package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"verdict/internal/account"
	"verdict/internal/admission"
	"verdict/internal/batchdesk"
	"verdict/internal/evidencedesk/evidencedesktest"
	"verdict/internal/httpapi"
	"verdict/internal/operation"
	"verdict/internal/serving"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/study"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// stack is the whole service on a real socket, over one database.
type stack struct {
	*testing.T
	db      *store.DB
	service *usecase.Set
	url     string
	api     *httpapi.API
	memory  *admission.Pool // for bodies
	clock   *clock
	log     *logged
}

// clock is a clock that only the test moves.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock { return &clock{at: time.Date(2026, time.November, 12, 6, 30, 0, 0, time.UTC)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) advance(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(by)
}

// stackOptions are the options of a stack that a test may change.
type stackOptions struct {
	plans  tenant.PricePlans
	signup tenant.Rate
	// backtests limits backtests. spread receives the chunks of large
	// backtests; if it is nil, the chunks stay queued.
	backtests study.BacktestLimits
	batches   batchdesk.Limits
	spread    operation.ChunkQueue
	// post sends events to webhooks; if it is nil, every receiver accepts them.
	post    func(ctx context.Context, url string, header map[string]string, body []byte) (status int, problem string)
	pace    time.Duration // time in which every 256 KiB of a file must arrive
	whole   time.Duration // time in which a whole file must arrive
	answers time.Duration // time in which the client of a stream must read answers
	// sendBuffer is the size of the buffer of the operating system for what the service sends, in bytes. With 0 the
	// operating system chooses it.
	sendBuffer int
	inFlight   int
	exports    int
	// processors replaces the default scheduler, and front wraps the API,
	// unless they are nil.
	processors *admission.Scheduler
	front      func(http.Handler) http.Handler

	caps usecase.Caps
	mode tenant.SignupMode
	aDay int // signups a day from one network
}

// each runs a test on the whole stack, once with each database.
func each(t *testing.T, o stackOptions, test func(s *stack)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, db *store.DB) { test(start(t, db, o)) })
}

// start starts a node on a database. Several nodes may share a database.
func start(t *testing.T, db *store.DB, o stackOptions) *stack {
	t.Helper()
	s := &stack{T: t, db: db, clock: newClock(), log: &logged{}}
	if o.spread == nil {
		o.spread = &waiting{}
	}
	if o.post == nil {
		o.post = func(context.Context, string, map[string]string, []byte) (int, string) { return http.StatusOK, "" }
	}
	var err error
	s.service, err = usecase.New(db, usecase.Options{
		Now: s.clock.now, Plans: o.plans, PasswordCost: tenant.Cost{MemoryKiB: 64, Passes: 1, Lanes: 1},
		Logger:    s.log.logger(),
		Backtests: o.backtests, Batches: o.batches, ChunkQueue: o.spread, SignupMode: o.mode,
		SignupsEachDay: o.aDay, Caps: o.caps,
		Log: evidencedesktest.Log(), Post: o.post, MasterKey: usecasetest.MasterKey,
	})
	if err != nil {
		t.Fatal(err)
	}
	rate := o.signup
	if rate == (tenant.Rate{}) {
		rate = tenant.Rate{Allowance: 10_000, Window: time.Second, Burst: 10_000}
	}
	node := serving.NewNode(serving.Limits{MaxExports: o.exports, Processors: o.processors})
	s.memory = node.Memory
	api, err := httpapi.New(s.service, httpapi.Options{
		Now: s.clock.now, Logger: s.log.logger(), SignupRate: rate, Version: "1.2.3", Commit: "abc1234",
		FilePace: o.pace, FileTimeout: o.whole, AnswerTimeout: o.answers, MaxInFlight: o.inFlight,
		RequestTimeout: raceTimeout,
		Node:           node,
	})
	if err != nil {
		t.Fatal(err)
	}
	s.api = api
	var handler http.Handler = api
	if o.front != nil {
		handler = o.front(api)
	}
	server := httptest.NewUnstartedServer(handler)
	server.Listener = &earlyListener{server.Listener, serving.NewEarly(api.RefuseEarly, time.Minute), o.sendBuffer}
	server.Start()
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

// earlyListener refuses requests before net/http reads them, as the service does.
type earlyListener struct {
	net.Listener
	early      *serving.Early
	sendBuffer int
}

func (l *earlyListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	if tcp, is := c.(*net.TCPConn); is && l.sendBuffer > 0 {
		if err := tcp.SetWriteBuffer(l.sendBuffer); err != nil {
			return nil, err
		}
	}
	return l.early.Wrap(c), nil
}

// node starts another node on the same database. The node has its own clock,
// which shows the same time.
func (s *stack) node(o stackOptions) *stack {
	s.Helper()
	other := start(s.T, s.db, o)
	other.begin(s.clock.now())
	return other
}

// member sends requests as a tenant, with an API key.
type member struct {
	*stack
	key       string
	signed    map[string]any
	tenantID  string
	userID    string
	ruleSetID string
}

var signups struct {
	sync.Mutex
	n int
}

// signup creates a new tenant.
func (s *stack) signup() *member {
	s.Helper()
	signups.Lock()
	signups.n++
	n := signups.n
	signups.Unlock()
	got := s.send("POST", "/api/signup", "", fmt.Sprintf(
		`{"email":"risk%d@example.in","org_name":"Lender %d","password":"correct horse battery"}`, n, n))
	got.want(http.StatusCreated)
	m := &member{stack: s, signed: got.object()}
	m.key = got.text("api_key")
	m.tenantID, m.userID = got.text("tenant", "id"), got.text("user", "id")
	m.ruleSetID = got.text("default_rule_set_id")
	return m
}

// with returns a member of the same tenant that uses a new key.
func (m *member) with(e tenant.Environment, scopes tenant.Scopes, userID string) *member {
	m.Helper()
	key, _, err := m.service.Operator.CreateKey(m.Context(), account.NewKey{
		TenantID: m.tenantID, UserID: userID, Environment: e, Name: "test", Scopes: scopes,
	})
	if err != nil {
		m.Fatal(err)
	}
	other := *m
	other.key = key.Reveal()
	return &other
}

func (m *member) get(path string, headers ...string) answer {
	m.Helper()
	return m.send("GET", path, m.key, "", headers...)
}
func (m *member) post(path, body string, headers ...string) answer {
	m.Helper()
	return m.send("POST", path, m.key, body, headers...)
}

// answer is a response of the service.
type answer struct {
	t      *testing.T
	status int
	header http.Header
	body   []byte
	sent   string
}

// send sends a request with headers of the form "Name: value", and checks every
// answer against the contract. Each call advances the stack's clock by a
// millisecond, so that later records have later times.
func (s *stack) send(method, path, key, body string, headers ...string) answer {
	s.Helper()
	if isEvidence(path) { // the service signs in the background
		if err := s.service.Evidence.Sign(s.Context()); err != nil {
			s.Fatal(err)
		}
	}
	got, err := s.trySend(method, path, key, body, headers...)
	if err != nil {
		s.Fatal(err)
	}
	if slices.Contains(headers, "Content-Type: application/x-ndjson") {
		body = "" // the contract describes lines only as a text
	}
	checkContract(s.T, method, path, body, got)
	s.clock.advance(time.Millisecond)
	return got
}

// isEvidence reports whether the answer to a path depends on the signed log.
func isEvidence(path string) bool {
	path, _, _ = strings.Cut(path, "?")
	return strings.HasPrefix(path, "/v1/log/") || strings.HasSuffix(path, "/proof") ||
		strings.HasSuffix(path, "/capsule")
}

// trySend sends a request like send, but returns an error and does not check
// the contract. Other goroutines may call trySend.
func (s *stack) trySend(method, path, key, body string, headers ...string) (answer, error) {
	request, err := http.NewRequestWithContext(s.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		request.Header.Set("Authorization", "Bearer "+key)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		request.Header.Set(name, value)
	}
	return s.do(request)
}

// do sends a prepared request.
func (s *stack) do(request *http.Request) (answer, error) {
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = response.Body.Close() }()
	data, err := io.ReadAll(response.Body)
	sent := request.Method + " " + strings.TrimPrefix(request.URL.String(), s.url)
	return answer{t: s.T, status: response.StatusCode, header: response.Header, body: data, sent: sent}, err
}

// want fails the test unless the answer has this status.
func (a answer) want(status int) answer {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("%s: %d, want %d: %s", a.sent, a.status, status, a.body)
	}
	return a
}

// refused fails unless the answer is a problem with this status and code.
func (a answer) refused(status int, code string) answer {
	a.t.Helper()
	a.want(status)
	if got := a.text("code"); got != code {
		a.t.Fatalf("%s: code %q, want %q: %s", a.sent, got, code, a.body)
	}
	if got := a.header.Get("Content-Type"); got != "application/problem+json" {
		a.t.Errorf("%s: a problem of type %q", a.sent, got)
	}
	if a.text("request_id") != a.header.Get("X-Request-Id") {
		a.t.Errorf("%s: the problem names another request id than the header", a.sent)
	}
	return a
}

func (a answer) object() map[string]any {
	a.t.Helper()
	var out map[string]any
	if err := json.Unmarshal(a.body, &out); err != nil {
		a.t.Fatalf("%s: %v in %s", a.sent, err, a.body)
	}
	return out
}

// at returns the value at a path of member names and list positions, or nil if
// there is none.
func (a answer) at(path ...any) any {
	a.t.Helper()
	var v any = a.object()
	for _, step := range path {
		switch at := step.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[at]
		case int:
			l, _ := v.([]any)
			if at >= len(l) {
				return nil
			}
			v = l[at]
		}
	}
	return v
}

func (a answer) text(path ...string) string {
	a.t.Helper()
	steps := make([]any, len(path))
	for i, p := range path {
		steps[i] = p
	}
	s, _ := a.at(steps...).(string)
	return s
}

// list returns the array at a path, or nil.
func (a answer) list(path ...any) []any {
	a.t.Helper()
	l, _ := a.at(path...).([]any)
	return l
}

// logged collects the log, so that tests can search it for secrets.
type logged struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *logged) logger() *slog.Logger {
	return slog.New(slog.NewJSONHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// sample is an application that the default policy approves.
const sample = `{"applicant":{"id":"A-1","monthly_income":85000,"foir":0.32,"requested_amount":600000},
	"bureau_report":{"score":742,"enquiries_6m":2,"active_tradelines":4,"max_dpd_12m":0}}`
