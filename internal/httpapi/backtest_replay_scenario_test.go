package httpapi_test

import (
	"bytes"
	"crypto/rand"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// replays returns a member with eleven decisions and a request to replay them.
// The member's node reads two decisions at a time, and each job splits off a
// single piece.
func (s *stack) replays() (m *member, spread *waiting, ask string) {
	s.Helper()
	limits := tiny
	limits.ReplayRows, limits.CutTime = 2, -time.Nanosecond // the negative time stops a job after one piece
	spread = &waiting{}
	m = s.signup().on(s.node(stackOptions{backtests: limits, spread: spread, plans: quota(s.T, "free=13")}))
	for _, score := range []string{"742", "781", "600", "-1", "812", "655", "699", "701", "720", "745", "767"} {
		m.clock.advance(time.Second)
		m.post("/v1/decisions", strings.Replace(sample, "742", score, 1)).want(http.StatusOK)
	}
	m.clock.advance(time.Second)
	s.clock.advance(time.Minute)
	return m, spread, `{"decisions":{"from":"2020-01-01T00:00:00Z","policy_key":"default"}}`
}

// TestReplayIsCutByJobs checks that a replay which a series of jobs splits into
// chunks has the same report as a synchronous run. Two nodes run the second job
// together, and the third job is lost.
func TestReplayIsCutByJobs(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m, spread, ask := s.replays()
		want := figures(s.T, m.on(s).post("/v1/backtest", ask).want(http.StatusOK).object())
		accepted := m.post("/v1/backtest", ask, "Idempotency-Key: one").
			want(http.StatusAccepted).is("status", "receiving", "progress.rows_done", 0)
		again := m.post("/v1/backtest", ask, "Idempotency-Key: one").want(http.StatusAccepted)
		if !bytes.Equal(accepted.body, again.body) || len(spread.chunks) != 1 {
			s.Errorf("a repetition is another run: %s", again.body)
		}
		path := "/v1/backtest/" + accepted.text("backtest_id")
		rounds := 0
		for ; m.get(path).text("status") == "receiving"; rounds++ {
			next := spread.take()
			if rounds == 2 { // this job is lost
				if err := m.service.Chunks.Resume(s.Context()); err != nil {
					s.Fatal(err)
				}
				next = spread.take()
			}
			if rounds == 1 { // two nodes run this job
				m.runTogether(next[0], 2)
			}
			m.run(next)
			if rounds > 20 {
				s.Fatal("it is cut for ever")
			}
		}
		if rounds < 3 {
			s.Errorf("it was cut by %d jobs", rounds)
		}
		m.get(path).is("status", "queued", "progress.rows_total", 11)
		done := m.finish(spread, accepted).is("status", "succeeded", "progress.rows_done", 11)
		if diff := cmp.Diff(want, figures(s.T, done.at("report"))); diff != "" {
			s.Errorf("(-at once +cut by jobs):\n%s", diff)
		}
		m.get("/v1/usage").is("used", 13)
	})
}

// runTogether runs a chunk several times concurrently.
func (m *member) runTogether(c operation.Chunk, times int) {
	m.Helper()
	var all sync.WaitGroup
	for range times {
		all.Go(func() {
			if err := m.service.Chunks.Run(m.Context(), c); err != nil {
				m.Error(err)
			}
		})
	}
	all.Wait()
}

// TestReplayThatEnds checks replays that end before they are split completely:
// cancelled, over quota, or without rows. A replay whose first piece has no
// rows must continue.
func TestReplayThatEnds(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m, spread, ask := s.replays()
		cancelled := m.post("/v1/backtest", ask).want(http.StatusAccepted)
		m.post("/v1/backtest/"+cancelled.text("backtest_id")+"/cancel", "").want(http.StatusOK)
		m.finish(spread, cancelled).is("status", "cancelled", "error", nil)

		id, empty := cancelled.text("backtest_id"), store.BacktestChunk{
			Number: 1,
			First:  1,
			Input:  []byte("  " + tenant.FirstID(tenant.KindDecision, time.Unix(1, 0))),
		}
		bare := m.copyReplay(id, "none")
		none := m.copyReplay(id, "none", empty)
		some := m.copyReplay(id, "default", empty)
		if err := m.service.Chunks.Resume(s.Context()); err != nil {
			s.Fatal(err)
		}
		m.finish(spread, cancelled)
		m.get("/v1/backtest/"+bare).want(http.StatusOK).is("status", "failed", "error.code", "no_rows")
		m.get("/v1/backtest/"+none).want(http.StatusOK).is("status", "failed", "error.code", "no_rows")
		m.get("/v1/backtest/"+some).
			want(http.StatusOK).is("status", "succeeded", "progress.rows_total", 11, "report.rows_evaluated", 11)

		m.get("/v1/usage").is("used", 12) // one unit is left, enough for 100 rows
		m.crowd(10)
		m.clock.advance(time.Second)
		dear := m.post("/v1/backtest", strings.Replace(ask, "default", "crowd", 1)).want(http.StatusAccepted)
		m.finish(spread, dear).is("status", "failed", "error.code", "quota_exceeded")
		if n := len(spread.take()); n != 0 {
			s.Errorf("%d chunks wait of a run that is over", n)
		}
	})
}

// copyReplay stores a copy of a replay for another policy key. The given chunks are stored as the chunks that were
// already split off.
func (m *member) copyReplay(id, policyKey string, chunks ...store.BacktestChunk) string {
	m.Helper()
	scope := m.db.Scope(m.tenantID, string(tenant.Sandbox))
	record, err := scope.Backtests(m.Context()).Get(id)
	if err != nil {
		m.Fatal(err)
	}
	record.ID, record.Status, record.FinishedMicros = tenant.NewIDs(rand.Reader).
		New(tenant.KindBacktest, m.clock.now()), store.BacktestReceiving, 0
	record.Request = bytes.Replace(record.Request, []byte(`"default"`), []byte(`"`+policyKey+`"`), 1)
	err = scope.Write(m.Context(), func(tx *store.Tx) error {
		if err := tx.Backtests().Insert(record); err != nil {
			return err
		}
		for _, c := range chunks {
			if err := tx.Backtests().InsertChunk(record.ID, c); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		m.Fatal(err)
	}
	return record.ID
}
