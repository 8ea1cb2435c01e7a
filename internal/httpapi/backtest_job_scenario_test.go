package httpapi_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tenant"
)

func TestBacktestIsBilledByTheHundred(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{plans: quota(t, "free=7")}, func(s *stack) {
		m := s.signup()
		used := func(want int) {
			s.Helper()
			m.get("/v1/usage").want(http.StatusOK).is("used", want)
		}
		once := "Idempotency-Key: one"
		first := m.upload("", "text/csv", bookCSV(101), once).want(http.StatusOK)
		used(2)
		again := m.upload("", "text/csv", zipped(s.T, bookCSV(101)), once, "Content-Encoding: gzip").want(http.StatusOK)
		if again.header.Get("Idempotent-Replayed") != "true" || string(again.body) != string(first.body) {
			s.Error("the repetition is not answered as the first")
		}
		m.upload("", "text/csv", bookCSV(102), once).refused(http.StatusUnprocessableEntity, "idempotency_key_reused")
		m.upload("?foir_unit=ratio", "text/csv", bookCSV(101), once).
			refused(http.StatusUnprocessableEntity, "idempotency_key_reused")
		used(2)
		m.post("/v1/backtest", `{"rows":[]}`).refused(http.StatusUnprocessableEntity, "no_rows")
		m.get("/v1/credit/backtest?n=100").want(http.StatusOK)
		used(3)
		spread := &waiting{}
		job := m.on(s.node(stackOptions{plans: quota(s.T, "free=7"), backtests: tiny, spread: spread}))
		waits := job.upload("", "text/csv", bookCSV(250), "Idempotency-Key: job").want(http.StatusAccepted)
		replayed := job.upload("", "text/csv", bookCSV(250), "Idempotency-Key: job").want(http.StatusAccepted)
		if replayed.header.Get("Location") != waits.header.Get("Location") ||
			replayed.header.Get("Idempotent-Replayed") != "true" {
			s.Error("a repetition is another job")
		}
		used(3)
		chunks := spread.take()
		if err := spread.Enqueue(s.Context(), append(chunks, chunks...)); err != nil { // deliver each chunk twice
			s.Fatal(err)
		}
		job.finish(spread, waits).is("status", "succeeded", "report.rows_total", 250)
		used(6)
		job.upload("", "text/csv", bookCSV(101)).refused(http.StatusTooManyRequests, "quota_exceeded")
		short := job.upload("", "text/csv", bookCSV(90)).want(http.StatusAccepted)
		m.post("/v1/decisions", sample).want(http.StatusOK)
		used(7)
		job.finish(spread, short).is("status", "failed", "error.code", "quota_exceeded", "report", nil)
		used(7)
		want := []any{
			map[string]any{"endpoint": "GET /v1/credit/backtest", "count": 1.0, "billable": true},
			map[string]any{"endpoint": "POST /v1/backtest", "count": 5.0, "billable": true},
			map[string]any{"endpoint": "POST /v1/decisions", "count": 1.0, "billable": true},
		}
		if diff := cmp.Diff(want, m.get("/v1/usage").list("by_endpoint")); diff != "" {
			s.Errorf("by endpoint (-want +got):\n%s", diff)
		}
		if n := len(m.get("/v1/decisions").list("data")); n != 1 {
			s.Errorf("%d decisions are stored", n)
		}
	})
}

func TestBacktestIsCancelled(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		spread := &waiting{}
		m := s.signup().on(s.node(stackOptions{backtests: tiny, spread: spread}))
		job := m.upload("", "text/csv", bookCSV(200)).want(http.StatusAccepted)
		path := "/v1/backtest/" + job.text("backtest_id")
		chunks := spread.take()
		if err := m.service.Chunks.Run(m.Context(), chunks[0]); err != nil {
			s.Fatal(err)
		}
		m.get(path).want(http.StatusOK).is("status", "running", "report", nil, "error", nil)
		m.get(path+"/rows").refused(http.StatusConflict, "invalid_transition")
		m.get(path+"/report").refused(http.StatusConflict, "invalid_transition")
		m.post(path+"/cancel", "").want(http.StatusOK).is("status", "cancelled")
		m.post(path+"/cancel", "", "Idempotency-Key: again").want(http.StatusOK).is("status", "cancelled")
		for _, c := range chunks {
			if err := m.service.Chunks.Run(m.Context(), c); err != nil {
				s.Fatal(err)
			}
		}
		m.get(path).want(http.StatusOK).is("status", "cancelled", "report", nil)
		m.get("/v1/usage").is("used", 0)
		done := m.post("/v1/backtest", `{"rows":[{"score":742}]}`).want(http.StatusOK).text("backtest_id")
		m.post("/v1/backtest/"+done+"/cancel", "").refused(http.StatusConflict, "invalid_transition")
		if list := m.get("/v1/backtest?status=cancelled").list("data"); len(list) != 1 {
			s.Errorf("%d runs are cancelled", len(list))
		}
		if list := m.get("/v1/audit?action=backtest.cancelled").list("data"); len(list) != 1 {
			s.Errorf("%d entries say that a run was cancelled", len(list))
		}
	})
}

// TestBacktestSurvivesARestart checks that another node resumes the chunks that
// a stopped node left, and that the report is the same.
func TestBacktestSurvivesARestart(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		spread := &waiting{}
		m := s.signup()
		gone := m.on(s.node(stackOptions{backtests: tiny, spread: spread}))
		want := figures(s.T, m.upload("", "text/csv", bookCSV(200)).want(http.StatusOK).object())
		job := gone.upload("", "text/csv", bookCSV(200)).want(http.StatusAccepted)
		chunks := spread.take()
		for _, c := range chunks[:len(chunks)/2] {
			if err := gone.service.Chunks.Run(s.Context(), c); err != nil {
				s.Fatal(err)
			}
		}
		next := &waiting{}
		node := m.on(s.node(stackOptions{backtests: tiny, spread: next}))
		if err := node.service.Chunks.Resume(s.Context()); err != nil {
			s.Fatal(err)
		}
		if left := len(next.chunks); left != len(chunks)-len(chunks)/2 {
			s.Errorf("%d chunks of %d were spread again", left, len(chunks))
		}
		done := node.finish(next, job).is("status", "succeeded")
		if diff := cmp.Diff(want, figures(s.T, done.at("report"))); diff != "" {
			s.Errorf("after a restart (-at once +resumed):\n%s", diff)
		}
		m.get("/v1/usage").is("used", 4)
	})
}

// TestSmallBacktestAsAJob checks that a small backtest runs as a job if the
// request has the preference "respond-async".
func TestSmallBacktestAsAJob(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		spread := &waiting{}
		m := s.signup().on(s.node(stackOptions{spread: spread}))
		accepted := m.post("/v1/backtest", `{"rows":[{"score":742,"outcome":"good"},{"score":640,"outcome":"bad"}]}`,
			"Prefer: wait=5, respond-async")
		m.finish(spread, accepted).is("status", "succeeded", "report.rows_evaluated", 2)
	})
}

// TestBacktestScopes checks that the read scope cannot run backtests and that
// the decide scope cannot read them.
func TestBacktestScopes(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		reader := m.with(tenant.Sandbox, tenant.Read, m.userID)
		decider := m.with(tenant.Sandbox, tenant.Decide, m.userID)
		id := decider.post("/v1/backtest", `{"rows":[{"score":742}]}`).want(http.StatusOK).text("backtest_id")
		reader.post("/v1/backtest", `{"rows":[{"score":742}]}`).refused(http.StatusForbidden, "insufficient_scope")
		reader.upload("", "text/csv", bookCSV(3)).refused(http.StatusForbidden, "insufficient_scope")
		reader.get("/v1/credit/backtest").refused(http.StatusForbidden, "insufficient_scope")
		reader.post("/v1/backtest/"+id+"/cancel", "").refused(http.StatusForbidden, "insufficient_scope")
		decider.post("/v1/backtest", `{"decisions":{"from":"2020-01-01T00:00:00Z"}}`).
			refused(http.StatusForbidden, "insufficient_scope")
		for _, path := range []string{"", "/" + id, "/" + id + "/rows", "/" + id + "/report"} {
			decider.get("/v1/backtest"+path).refused(http.StatusForbidden, "insufficient_scope")
			reader.get("/v1/backtest" + path).want(http.StatusOK)
		}
	})
}

// TestBrokenUpload checks that an upload that is aborted after its first chunks
// leaves a failed run.
func TestBrokenUpload(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup().on(s.node(stackOptions{backtests: tiny, spread: &waiting{}}))
		cut := zipped(s.T, bookCSV(2000))
		m.upload("", "text/csv", cut[:len(cut)-20], "Content-Encoding: gzip").
			refused(http.StatusBadRequest, "malformed_body")
		broken := m.get("/v1/backtest").want(http.StatusOK)
		if broken.at("data", 0, "status") != "failed" || broken.at("data", 0, "error", "code") != "malformed_body" {
			s.Errorf("a file that broke off leaves %s", broken.body)
		}

		// The client disconnects in the middle of the file.
		reader, writer := io.Pipe()
		request, err := http.NewRequestWithContext(s.Context(), http.MethodPost, m.url+"/v1/backtest", reader)
		if err != nil {
			s.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+m.key)
		request.Header.Set("Content-Type", "text/csv")
		go func() {
			_, _ = io.Copy(writer, strings.NewReader(bookCSV(500)))
			_ = writer.CloseWithError(io.ErrUnexpectedEOF)
		}()
		if got, err := m.do(request); err == nil && got.status < http.StatusBadRequest {
			s.Errorf("half a file was taken: %s", got.body)
		}
		m.post("/v1/backtest", `{"rows":[{"score":742}]}`).want(http.StatusOK)
	})
}

// TestCancelledUpload checks that no further chunks are stored after a run is
// cancelled during its upload, and that the upload is answered with the reason.
func TestCancelledUpload(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup().on(s.node(stackOptions{backtests: tiny, spread: &waiting{}}))
		scope := s.db.Scope(m.tenantID, string(tenant.Sandbox))
		kept := func(id string) int {
			s.Helper()
			chunks, err := scope.Backtests(s.Context()).PendingChunks(id)
			if err != nil {
				s.Fatal(err)
			}
			return len(chunks)
		}
		reader, writer := io.Pipe()
		request, err := http.NewRequestWithContext(s.Context(), http.MethodPost, m.url+"/v1/backtest", reader)
		if err != nil {
			s.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+m.key)
		request.Header.Set("Content-Type", "text/csv")
		file, cancelled := bookCSV(1500), make(chan struct{})
		go func() {
			_, _ = io.WriteString(writer, file[:len(file)/3])
			<-cancelled
			_, _ = io.WriteString(writer, file[len(file)/3:])
			_ = writer.Close()
		}()
		answered := make(chan answer, 1)
		go func() {
			got, err := m.do(request)
			if err != nil {
				s.Error(err)
			}
			answered <- got
		}()
		var id string
		for began := time.Now(); id == "" || kept(id) == 0; <-time.After(5 * time.Millisecond) {
			if list := m.get("/v1/backtest?status=receiving").list("data"); len(list) == 1 {
				id, _ = list[0].(map[string]any)["backtest_id"].(string)
			}
			if time.Since(began) > 2*time.Minute {
				s.Fatal("the run does not begin")
			}
		}
		m.post("/v1/backtest/"+id+"/cancel", "").want(http.StatusOK).is("status", "cancelled")
		close(cancelled)
		got := <-answered
		got.refused(http.StatusConflict, "invalid_transition")
		checkContract(s.T, http.MethodPost, "/v1/backtest", "", got)
		if n := kept(id); n > 0 {
			s.Errorf("%d chunks of the cancelled run are stored", n)
		}
		m.get("/v1/backtest/"+id).want(http.StatusOK).is("status", "cancelled", "error", nil)
	})
}

// TestSlowUpload checks that an upload that stalls times out and leaves a
// failed run. On a busy machine the timeout may expire before the upload has
// started a run; the test then tries again with a longer timeout.
func TestSlowUpload(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m, failed := s.signup(), 0
		for pace := 300 * time.Millisecond; failed == 0 && pace < 2*time.Minute; pace *= 4 {
			m = m.on(s.node(stackOptions{backtests: tiny, pace: pace}))
			m.uploadHalf().refused(http.StatusRequestTimeout, "request_timeout")
			failed = len(m.get("/v1/backtest?status=failed").list("data"))
		}
		if failed != 1 {
			s.Errorf("%d runs have failed", failed)
		}
	})
}

// uploadHalf sends the beginning of a file and then stalls.
func (m *member) uploadHalf() answer {
	m.Helper()
	reader, writer := io.Pipe()
	defer func() { _ = writer.Close() }()
	request, err := http.NewRequestWithContext(m.Context(), http.MethodPost, m.url+"/v1/backtest", reader)
	if err != nil {
		m.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+m.key)
	request.Header.Set("Content-Type", "text/csv")
	go func() { _, _ = io.WriteString(writer, bookCSV(500)) }()
	got, err := m.do(request)
	if err != nil {
		m.Fatal(err)
	}
	return got
}

// TestResultsOfAnotherRelease checks that chunks are run again if their stored results cannot be read, and that the
// report stays the same. The results of another release may have a format that this release cannot read.
func TestResultsOfAnotherRelease(t *testing.T) {
	t.Parallel()
	for name, databaseURL := range map[string]func(testing.TB) string{
		"sqlite":   storetest.SQLite,
		"postgres": storetest.Postgres,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := databaseURL(t)
			spread := &waiting{}
			m := start(t, storetest.Open(t, at, store.Options{}), stackOptions{backtests: tiny, spread: spread}).
				signup()
			const book = `{"synthetic":{"n":300,"seed":9}}`
			done := m.finish(spread, m.post("/v1/backtest", book))
			page := m.get("/v1/backtest/" + done.text("backtest_id") + "/report").want(http.StatusOK)

			half := m.post("/v1/backtest", book).want(http.StatusAccepted).text("backtest_id")
			chunks := spread.take()
			last := len(chunks) - 1
			m.run(chunks[:last])
			spoil(t, at, name == "postgres")
			again := m.get("/v1/backtest/" + done.text("backtest_id") + "/report").want(http.StatusOK)
			if !bytes.Equal(page.body, again.body) {
				t.Error("the report is another one when the rows are run again")
			}
			m.run(chunks[last:])
			finished := m.get("/v1/backtest/" + half).want(http.StatusOK)
			if diff := cmp.Diff(figures(t, done.at("report")), figures(t, finished.at("report"))); diff != "" {
				t.Errorf("(-before +after):\n%s", diff)
			}
		})
	}
}

// spoil makes the stored result of every chunk unreadable.
func spoil(t *testing.T, databaseURL string, walled bool) {
	t.Helper()
	raw, err := storetest.Raw(t, databaseURL).Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = raw.Close() }()
	if walled {
		if _, err := raw.ExecContext(t.Context(), "SELECT set_config('verdict.role', 'system', false)"); err != nil {
			t.Fatal(err)
		}
	}
	result, err := raw.ExecContext(t.Context(), "UPDATE backtest_chunks SET result = $1", []byte{0})
	if err != nil {
		t.Fatal(err)
	}
	if n, err := result.RowsAffected(); err != nil || n < 4 {
		t.Fatalf("%d results spoilt, %v", n, err)
	}
}
