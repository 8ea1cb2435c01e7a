package console_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"verdict/api"
	"verdict/internal/console"
	"verdict/internal/console/consoletest"
	"verdict/internal/reference"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
	"verdict/internal/wire"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// house serves the console on a real socket.
type house struct {
	*testing.T
	service *usecase.Set
	console *console.Console
	url     string
	clock   *clock
	// receiver answers the requests of webhooks.
	receiver *receiver
}

// clock is a clock that only the test advances.
type clock struct {
	mu   sync.Mutex
	at   time.Time
	each time.Duration // by how much every reading advances the clock
}

func newClock() *clock { return &clock{at: time.Date(2026, time.November, 15, 6, 30, 0, 0, time.UTC)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(c.each)
	return c.at
}

// pass makes the clock advance by the given duration whenever it is read.
func (c *clock) pass(each time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.each = each
}

func (c *clock) advance(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(by)
}

func newHouse(t *testing.T) *house {
	t.Helper()
	return houseOver(t, storetest.Open(t, storetest.MigratedSQLite(t), store.Options{}))
}

// newHouseWith returns a house with the signup mode and the password rules.
func newHouseWith(t *testing.T, mode tenant.SignupMode, passwords tenant.PasswordRules) *house {
	t.Helper()
	db := storetest.Open(t, storetest.MigratedSQLite(t), store.Options{})
	return houseOf(t, db, console.Options{}, usecase.Options{SignupMode: mode, Passwords: passwords})
}

// houseOver returns a house on the database db.
func houseOver(t *testing.T, db *store.DB) *house {
	t.Helper()
	return houseWith(t, db, console.Options{})
}

// houseWith returns a house with the options o. If o sets no rate limit for
// forms, the limit is high, because tests send forms faster than people do.
func houseWith(t *testing.T, db *store.DB, o console.Options) *house {
	t.Helper()
	return houseOf(t, db, o, usecase.Options{})
}

func houseOf(t *testing.T, db *store.DB, o console.Options, settings usecase.Options) *house {
	t.Helper()
	h := &house{T: t, clock: newClock(), receiver: &receiver{}}
	h.receiver.status.Store(http.StatusOK)
	o.Now, o.Version = h.clock.now, "1.2.3"
	o.Reference = func(anchor string) (console.ReferencePart, bool, error) {
		part, found, err := documentation().Part(anchor)
		return console.ReferencePart(part), found, err
	}
	if o.PostRate == (tenant.Rate{}) {
		o.PostRate = tenant.Rate{Allowance: 100_000, Window: time.Second, Burst: 100_000}
	}
	settings.Now, settings.Post = h.clock.now, h.receiver.post
	settings.PasswordCost = tenant.Cost{MemoryKiB: 64, Passes: 1, Lanes: 1}
	settings.MasterKey, settings.ChunkQueue = usecasetest.MasterKey, consoletest.Queue{}
	var err error
	h.service, err = usecase.New(db, settings)
	if err != nil {
		t.Fatal(err)
	}
	if h.console, err = console.New(h.service, o); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(h.console)
	t.Cleanup(server.Close)
	h.url = server.URL
	return h
}

// documentation is the API reference. All tests share it, because rendering takes long.
var documentation = sync.OnceValue(func() *reference.Pages {
	pages, err := reference.New(api.OpenAPI, "1.2.3")
	if err != nil {
		panic(err)
	}
	return pages
})

// behind serves the console behind a handler that changes requests or answers.
func (h *house) behind(front http.HandlerFunc) {
	h.Helper()
	server := httptest.NewServer(front)
	h.Cleanup(server.Close)
	h.url = server.URL
}

// browser is a user's browser. It keeps cookies and does not follow redirects,
// so that a test sees each redirect.
type browser struct {
	*house
	client   http.Client
	email    string
	password string
	key      string // the first API key, if this browser signed up
}

func (h *house) newBrowser() *browser {
	h.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		h.Fatal(err)
	}
	return &browser{house: h, client: http.Client{
		Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

var signups atomic.Int64

// signUp returns a browser in which somebody has signed up as the admin of a
// new tenant.
func (h *house) signUp() *browser {
	h.Helper()
	b := h.newBrowser()
	b.email, b.password = fmt.Sprintf("asha%d@example.in", signups.Add(1)), "correct horse battery"
	shown := b.post("/console/signup", "org_name", "Asha Finance", "email", b.email, "password", b.password).
		want(http.StatusOK)
	_, rest, found := strings.Cut(shown.body, "<code>vk_sandbox_")
	if !found {
		h.Fatalf("no key is shown:\n%s", shown.body)
	}
	key, _, _ := strings.Cut(rest, "<")
	b.key = "vk_sandbox_" + key
	return b
}

// colleague returns the browser of a user whom b has invited and who has
// joined.
func (b *browser) colleague(role tenant.Role) *browser {
	b.Helper()
	other := b.newBrowser()
	other.email, other.password = fmt.Sprintf("%s%d@example.in", role, signups.Add(1)), "another long password"
	shown := b.post("/console/users/invite", "email", other.email, "role", string(role)).want(http.StatusOK)
	_, rest, found := strings.Cut(shown.body, "/console/invite/")
	if !found {
		b.Fatalf("no link is shown:\n%s", shown.body)
	}
	token, _, _ := strings.Cut(rest, "<")
	other.post("/console/invite/"+token, "password", other.password).want(http.StatusSeeOther)
	return other
}

// who returns the principal signed in with this browser, for tests that call
// use cases directly.
func (b *browser) who(env tenant.Environment) tenant.Principal {
	b.Helper()
	token, ok := tenant.ParseToken(b.token())
	if !ok {
		b.Fatal("nobody is signed in")
	}
	session, err := b.service.Access.SessionOf(b.Context(), token)
	if err != nil {
		b.Fatal(err)
	}
	return session.Principal(env)
}

// token returns the session token of this browser, or "".
func (b *browser) token() string {
	b.Helper()
	at, err := url.Parse(b.url)
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range b.client.Jar.Cookies(at) {
		if c.Name == "verdict" {
			return c.Value
		}
	}
	return ""
}

// setToken puts a token into this browser, like somebody who has stolen the
// token.
func (b *browser) setToken(token string) {
	b.Helper()
	at, err := url.Parse(b.url)
	if err != nil {
		b.Fatal(err)
	}
	b.client.Jar.SetCookies(at, []*http.Cookie{{Name: "verdict", Value: token, Path: "/"}})
}

// between returns a part of a page. The part begins behind the first occurrence of the parameter "before", and ends
// at the next occurrence of the parameter "after".
func (b *browser) between(path, before, after string) string {
	b.Helper()
	page := b.get(path).want(http.StatusOK)
	_, rest, found := strings.Cut(page.body, before)
	text, _, ended := strings.Cut(rest, after)
	if !found || !ended {
		b.Fatalf("%s does not show %s\n%s", path, before, page.body)
	}
	return text
}

// answer is the response to a request.
type answer struct {
	*testing.T
	status int
	header http.Header
	body   string
	sent   int // the length of the body as it was sent, which may be compressed
}

// do sends a request and advances the clock by a millisecond, so that data
// stored later has a later time.
func (b *browser) do(request *http.Request) *answer {
	b.Helper()
	got, err := b.try(request)
	if err != nil {
		b.Fatal(err)
	}
	b.clock.advance(time.Millisecond)
	return got
}

// try sends a request and can be called from other goroutines.
func (b *browser) try(request *http.Request) (*answer, error) {
	if request.Header.Get("Accept-Encoding") == "" { // the transport would hide the compressed size
		request.Header.Set("Accept-Encoding", "gzip")
	}
	response, err := b.client.Do(request)
	if err != nil {
		return &answer{T: b.T}, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	got := &answer{b.T, response.StatusCode, response.Header, string(body), len(body)}
	if err != nil || response.Header.Get("Content-Encoding") == "" {
		return got, err
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return got, err
	}
	body, err = io.ReadAll(unpacked)
	got.body = string(body)
	return got, err
}

// aside sends a request in the background. The channel receives the answer.
func (b *browser) aside(request *http.Request) <-chan *answer {
	answered := make(chan *answer, 1)
	go func() {
		got, err := b.try(request)
		if err != nil {
			b.Error(err)
		}
		answered <- got
	}()
	return answered
}

// eventually waits until the condition holds. It fails the test after 2 minutes.
func (h *house) eventually(is func() bool) {
	h.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for begun := time.Now(); !is(); <-tick.C {
		if time.Since(begun) > 2*time.Minute {
			h.Fatal("not after 2 minutes")
		}
	}
}

func (b *browser) get(path string) *answer {
	b.Helper()
	request, err := http.NewRequestWithContext(b.Context(), http.MethodGet, b.url+path, nil)
	if err != nil {
		b.Fatal(err)
	}
	return b.do(request)
}

// post sends a form. The pairs are alternating names and values; a name may
// occur several times.
func (b *browser) post(path string, pairs ...string) *answer {
	b.Helper()
	return b.do(b.form(path, pairs...))
}

func (b *browser) form(path string, pairs ...string) *http.Request {
	b.Helper()
	values := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		values.Add(pairs[i], pairs[i+1])
	}
	request, err := http.NewRequestWithContext(b.Context(), http.MethodPost, b.url+path,
		bytes.NewBufferString(values.Encode()))
	if err != nil {
		b.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Origin", b.url)
	return request
}

// want fails the test unless the answer has the status.
func (a *answer) want(status int) *answer {
	a.Helper()
	if a.status != status {
		a.Fatalf("status %d, want %d\n%s", a.status, status, a.body)
	}
	return a
}

// has fails the test unless the page shows all of the texts.
func (a *answer) has(texts ...string) *answer {
	a.Helper()
	for _, text := range texts {
		if !strings.Contains(a.body, text) {
			a.Errorf("the page does not show %q\n%s", text, a.body)
		}
	}
	return a
}

// hasNot fails the test if the page shows any of the texts.
func (a *answer) hasNot(texts ...string) *answer {
	a.Helper()
	for _, text := range texts {
		if strings.Contains(a.body, text) {
			a.Errorf("the page shows %q\n%s", text, a.body)
		}
	}
	return a
}

// to fails the test unless the answer is a redirect to location.
func (a *answer) to(location string) *answer {
	a.Helper()
	if got := a.header.Get("Location"); a.status != http.StatusSeeOther || got != location {
		a.Errorf("status %d to %q, want 303 to %q\n%s", a.status, got, location, a.body)
	}
	return a
}

// parse reads JSON, for tests that call use cases directly.
func parse(t *testing.T, text string) wire.Value {
	t.Helper()
	v, err := wire.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// decide stores a decision for an applicant and returns its id.
func (b *browser) decide(env tenant.Environment, applicant string) string {
	b.Helper()
	var w wire.Writer
	w.Object().Key("applicant").Object().Key("id").String(applicant).Key("monthly_income").Int(85_000)
	w.Key("foir").Decimal(32, 2).Key("requested_amount").Int(600_000).EndObject()
	w.Key("bureau_report").Object().Key("score").Int(742).Key("enquiries_6m").Int(2).Key("active_tradelines").Int(4)
	w.Key("max_dpd_12m").Int(0).EndObject().EndObject()
	return b.apply(env, string(w.Buf))
}
