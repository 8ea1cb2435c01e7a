package console_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"verdict/internal/console"
	"verdict/internal/serving"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/study"
	"verdict/internal/tenant"
	"verdict/internal/training"
)

const fitPath = "/console/sandbox/scorecards/fit"

func sqlite(t *testing.T) *store.DB {
	t.Helper()
	return storetest.Open(t, storetest.MigratedSQLite(t), store.Options{})
}

// unavailable checks that the answer is the page that asks the user to try
// again in a second.
func (a *answer) unavailable(says string) {
	a.Helper()
	a.want(http.StatusServiceUnavailable).has("Not available right now", says)
	if got := a.header.Get("Retry-After"); got != "1" {
		a.Errorf("come back after %q seconds", got)
	}
}

// zeros returns a small gzip file that decompresses to at least size bytes. It
// compresses 1 MiB once and repeats the result as often as necessary.
func zeros(t *testing.T, size int) string {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(bytes.Repeat([]byte("0"), 1<<20)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return strings.Repeat(out.String(), (size+1<<20-1)>>20)
}

// TestUploadsTakeTheirMemoryFromTheBudget checks that a small file is refused
// if it decompresses to more than the memory budget of its owner, and that the
// memory it used is released.
func TestUploadsTakeTheirMemoryFromTheBudget(t *testing.T) {
	t.Parallel()
	const room = 70 << 20
	node := serving.NewNode(serving.Limits{MaxReading: room})
	memory := node.Memory
	b := houseWith(t, sqlite(t), console.Options{Node: node}).signUp()
	bomb := zeros(t, 64<<20)
	for range 3 {
		b.upload(fitPath, bomb, "target", "outcome").unavailable("large files")
	}
	b.upload(fitPath, visits(2000), "target", "outcome").want(http.StatusOK)

	held, left := map[string]int64{}, int64(room)
	for neighbour := 0; left > 8<<10; neighbour++ { // take all but the last few KiB
		owner := strconv.Itoa(neighbour)
		for memory.Take(owner, 1<<10) {
			held[owner] += 1 << 10
			left -= 1 << 10
		}
	}
	b.upload(fitPath, visits(2000), "target", "outcome").unavailable("large files")
	b.upload("/console/sandbox/backtests/file", rowsCSV).unavailable("large files")
	b.post("/console/sandbox/keys", "name", strings.Repeat("k", 5<<10)).unavailable("large files")
	b.get("/console/sandbox/decisions").want(http.StatusOK)
	for owner, bytes := range held {
		memory.Give(owner, bytes)
	}
	b.upload("/console/sandbox/backtests/file", rowsCSV, "outcome_column", "outcome").want(http.StatusSeeOther)
	if n := memory.InUse(); n > 0 {
		t.Errorf("%d bytes were not given back", n)
	}
}

// TestMemoryRefusalsAreCounted sends requests for which the node has no memory. Each must get a page that says so,
// and all must share one line in the log.
func TestMemoryRefusalsAreCounted(t *testing.T) {
	t.Parallel()
	var log lockedLog
	node := serving.NewNode(serving.Limits{MaxReading: 16 << 10})
	b := houseWith(t, sqlite(t), console.Options{
		Node: node, Logger: slog.New(slog.NewTextHandler(&log, nil)),
	}).newBrowser()
	for range 3 {
		b.post("/console/signin", "email", "asha@example.in", "password", "x").unavailable("large files")
		b.get("/console/signin").want(http.StatusOK)
	}
	got := log.String()
	if n := strings.Count(got, "page requests were refused: a capacity limit is reached"); n != 1 {
		t.Errorf("the log tells %d times that requests were refused: %s", n, got)
	}
	if strings.Count(got, "\n") != 1 {
		t.Errorf("refusals are logged as failures: %s", got)
	}
}

// lockedLog collects a log.
type lockedLog struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lockedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lockedLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// TestFilesAreTooLarge checks that the size limit of a file also applies if the
// budget has enough memory.
func TestFilesAreTooLarge(t *testing.T) {
	t.Parallel()
	b := houseWith(t, sqlite(t), console.Options{
		Node: serving.NewNode(serving.Limits{MaxReading: 1 << 30}),
	}).signUp()
	b.upload(fitPath, zeros(t, 65<<20), "target", "outcome").
		want(http.StatusUnprocessableEntity).has(`id="e-file"`, "64 MiB", `value="outcome"`)
}

// TestSlowUploadsKeepNobodyFromFitting checks that other scorecards can be
// fitted while a file is still being uploaded. While one scorecard is fitted,
// the next upload is refused before its file is read, and the form keeps its
// values.
func TestSlowUploadsKeepNobodyFromFitting(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	b := h.signUp()
	body, pipe := io.Pipe()
	form := multipart.NewWriter(pipe)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.url+fitPath, body)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", form.FormDataContentType())
	request.Header.Set("Origin", b.url)
	slow := b.aside(request)
	part, err := form.CreateFormFile("file", "rows.csv") // blocks until the server has read the header of the part
	if err == nil {
		_, err = io.WriteString(part, visits(10))
	}
	if err != nil {
		t.Fatal(err)
	}
	h.signUp().upload(fitPath, visits(2000), "target", "outcome").want(http.StatusOK)
	if err := form.Close(); err != nil {
		t.Fatal(err)
	}
	_ = pipe.Close()
	(<-slow).want(http.StatusUnprocessableEntity)

	bomb := zeros(t, 65<<20) // compressed before the fit starts, because compressing takes longer than fitting
	ctx, cancel := context.WithCancel(t.Context())
	fitted, who := make(chan struct{}), b.who(tenant.Sandbox)
	fit := study.FitRequest{Options: training.Defaults(), Rows: visits(100_000)}
	fit.Options.Target = "outcome"
	go func() {
		defer close(fitted)
		_, _ = h.service.Fitting.Fit(ctx, who, fit, nil) // runs until the test ends
	}()
	defer func() { cancel(); <-fitted }()
	h.eventually(func() bool { return h.service.Fitting.Free(who) != nil })
	b.upload(fitPath, bomb, "target", "outcome").
		want(http.StatusConflict).has("Another scorecard is being fitted", `value="outcome"`)
}

// TestFullConsole uses the only slot for requests in progress. Further requests
// are refused until the first request is answered.
func TestFullConsole(t *testing.T) {
	t.Parallel()
	db := sqlite(t)
	arrived := make(chan struct{}, 1)
	h := houseWith(t, db, console.Options{MaxInFlight: 1})
	h.behind(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/edit") {
			r.Body = noticed{r.Body, arrived} // the body is read after the check for a free place
		}
		h.console.ServeHTTP(w, r)
	})
	b := h.signUp()
	late, finish := lateEdit(h.newBrowser())
	<-arrived
	begun, end, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- db.Scope("ten_HOLD", "sandbox").Write(context.Background(), func(*store.Tx) error {
			close(begun)
			<-end
			return nil
		})
	}()
	<-begun
	inside := b.aside(b.form("/console/sandbox/keys", "name", "first", "scopes", "read"))
	h.eventually(func() bool { return db.Stats().Waiting > 0 })
	for range 5 {
		b.get("/console/sandbox").unavailable("in progress")
		b.post("/console/sandbox/keys", "name", "second", "scopes", "read").unavailable("in progress")
		h.newBrowser().get("/console/signin").unavailable("in progress")
	}
	finish()
	turned := <-late
	close(end)
	if err := <-done; err != nil {
		t.Error(err)
	}
	(<-inside).want(http.StatusOK)
	turned.unavailable("in progress")
	for range 3 { // every request frees its slot, whatever its status
		b.get("/console/sandbox").want(http.StatusOK)
		b.get("/console/sandbox/decisions/dec_nobody").want(http.StatusNotFound)
		b.get("/console/nowhere").want(http.StatusNotFound)
		b.post("/console/sandbox/keys", "name", "").want(http.StatusUnprocessableEntity)
		b.get("/console/sandbox/audit.csv").want(http.StatusOK)
	}
}

// noticed is a body that sends a signal when it is read.
type noticed struct {
	io.ReadCloser
	read chan<- struct{}
}

func (n noticed) Read(p []byte) (int, error) {
	select {
	case n.read <- struct{}{}:
	default:
	}
	return n.ReadCloser.Read(p)
}

// lateEdit begins to send an edit without a session. Calling finish ends the
// body, so that the server can send the answer.
func lateEdit(b *browser) (answered <-chan *answer, finish func()) {
	b.Helper()
	body, pipe := io.Pipe()
	request, err := http.NewRequestWithContext(b.Context(), http.MethodPost,
		b.url+"/console/sandbox/policies/pol_any/edit", body)
	if err != nil {
		b.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Origin", b.url)
	answered = b.aside(request)
	if _, err := io.WriteString(pipe, "document=%7B"); err != nil {
		b.Fatal(err)
	}
	return answered, func() { _ = pipe.Close() }
}

// TestExportsAreFew checks that the shared pool for file downloads limits
// exports, but not pages.
func TestExportsAreFew(t *testing.T) {
	t.Parallel()
	node := serving.NewNode(serving.Limits{MaxExports: 2})
	shares := node.Exports
	b := houseWith(t, sqlite(t), console.Options{Node: node}).signUp()
	made := b.upload("/console/sandbox/backtests/file", rowsCSV, "outcome_column", "outcome")
	rows := "/console/sandbox" + made.location() + "/rows.csv"
	if !shares.Take("ten_A", 1) || !shares.Take("ten_B", 1) {
		t.Fatal("there are no places")
	}
	b.get("/console/sandbox/audit.csv").unavailable("Too many downloads")
	b.get(rows).unavailable("Too many downloads")
	b.get("/console/sandbox/audit").want(http.StatusOK)
	shares.Give("ten_A", 1)
	for range 3 {
		b.get("/console/sandbox/audit.csv").want(http.StatusOK)
		b.get(rows).want(http.StatusOK)
		b.get(rows + "?swapped=1").want(http.StatusUnprocessableEntity)
	}
}

// TestFormsHaveARate checks that the rate limit for forms applies to each
// person separately.
func TestFormsHaveARate(t *testing.T) {
	t.Parallel()
	h := houseWith(t, sqlite(t), console.Options{PostRate: tenant.Rate{Allowance: 6, Window: time.Minute, Burst: 3}})
	b, other := h.signUp(), h.signUp()
	send := func(who *browser) *answer { return who.post("/console/sandbox/keys", "name", "") }
	for range 3 {
		send(b).want(http.StatusUnprocessableEntity)
	}
	again := send(b).want(http.StatusTooManyRequests).has("Too many requests")
	if got := again.header.Get("Retry-After"); got != "10" {
		t.Errorf("come back after %q seconds", got)
	}
	b.upload(fitPath, visits(10), "target", "outcome").want(http.StatusTooManyRequests)
	b.get("/console/sandbox/keys").want(http.StatusOK)
	send(other).want(http.StatusUnprocessableEntity)
	h.clock.advance(11 * time.Second)
	send(b).want(http.StatusUnprocessableEntity)
	b.post("/console/signout").want(http.StatusSeeOther)
}
