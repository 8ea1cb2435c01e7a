package httpapi_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/store"
	"verdict/internal/tenant"
)

// TestOneReportWhicheverWay checks that the report does not depend on how the
// rows are sent or split into chunks.
func TestOneReportWhicheverWay(t *testing.T) {
	t.Parallel()
	file := bookCSV(240)
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		draft := m.stricter()
		options := `"challenger_rule_set_id":"` + draft + `","month_column":"bad_month",
			"protected_column":"employment_type"`
		query := "?challenger_rule_set_id=" + draft + "&month_column=bad_month&protected_column=employment_type"
		rows := m.post("/v1/backtest", `{`+options+`,"rows":`+asRows(s.T, file)+`}`).want(http.StatusOK)
		want := figures(s.T, rows.object())
		if want["rows_evaluated"] != 240.0 || rows.at("challenger", "rule_set_id") != draft {
			s.Fatalf("not all rows were evaluated: %s", rows.body)
		}
		body, kind := form(s.T, file, "challenger_rule_set_id", draft, "month_column", "bad_month",
			"protected_column", "employment_type")
		packed, packedKind := form(s.T, zipped(s.T, file), "challenger_rule_set_id", draft, "month_column", "bad_month",
			"protected_column", "employment_type")
		crlf := "\ufeff" + strings.ReplaceAll(file, "\n", "\r\n")
		same := func(way string, got answer) {
			s.Helper()
			if diff := cmp.Diff(want, figures(s.T, got.want(http.StatusOK).object())); diff != "" {
				s.Errorf("%s (-rows +%s):\n%s", way, way, diff)
			}
		}
		same("csv", m.post("/v1/backtest", `{`+options+`,"csv":`+encoded(s.T, file)+`}`))
		same("csv with options in the query", m.post("/v1/backtest"+query, `{"csv":`+encoded(s.T, file)+`}`))
		same("text/csv", m.upload(query, "text/csv", file))
		same("mark and carriage returns", m.upload(query, "text/csv; charset=utf-8", crlf))
		same("gzip", m.upload(query, "text/csv", zipped(s.T, file), "Content-Encoding: gzip"))
		same("form", m.upload("", kind, body))
		same("packed form", m.upload("", packedKind, packed))

		spread := &waiting{}
		node := s.node(stackOptions{backtests: tiny, spread: spread})
		job := m.on(node)
		for way, send := range map[string]func() answer{
			"text/csv": func() answer { return job.upload(query, "text/csv", file) },
			"rows":     func() answer { return job.post("/v1/backtest", `{`+options+`,"rows":`+asRows(s.T, file)+`}`) },
		} {
			accepted := send()
			if accepted.header.Get("Location") != "/v1/backtest/"+accepted.text("backtest_id") {
				s.Errorf("%s: the job is at %q", way, accepted.header.Get("Location"))
			}
			if n := len(spread.chunks); n < 5 {
				s.Errorf("%s: the job has only %d chunks", way, n)
			}
			done := job.finish(spread, accepted).
				is("status", "succeeded", "progress.rows_done", 240, "progress.rows_total", 240)
			if diff := cmp.Diff(want, figures(s.T, done.at("report"))); diff != "" {
				s.Errorf("a job of %s (-rows +job):\n%s", way, diff)
			}
			s.sameRows(m, rows.text("backtest_id"), accepted.text("backtest_id"))
		}
	})
}

// sameRows checks that two runs have the same row-level results.
func (s *stack) sameRows(m *member, one, other string) {
	s.Helper()
	for _, query := range []string{"", "?swapped=1"} {
		a := m.get("/v1/backtest/" + one + "/rows" + query).want(http.StatusOK)
		b := m.get("/v1/backtest/" + other + "/rows" + query).want(http.StatusOK)
		if diff := cmp.Diff(string(a.body), string(b.body)); diff != "" {
			s.Errorf("rows%s:\n%s", query, diff)
		}
		lines := strings.Count(string(a.body), "\n")
		if query == "" && lines != 241 || query != "" && (lines < 5 || lines > 200) {
			s.Errorf("rows%s has %d lines", query, lines)
		}
	}
	m.get("/v1/backtest/"+one+"/rows?swapped=yes").refused(http.StatusUnprocessableEntity, "invalid_field")
	m.get("/v1/backtest/"+one+"/rows", "Accept: application/json").refused(http.StatusNotAcceptable, "not_acceptable")
	page := m.get("/v1/backtest/" + other + "/report").want(http.StatusOK)
	if !strings.Contains(string(page.body), "<svg") ||
		strings.Contains(string(page.body), "http://") && !strings.Contains(string(page.body), "www.w3.org") {
		s.Error("the page has no picture, or loads something")
	}
}

// TestSyntheticBook checks that the same seed gives the same report,
// synchronously and as a job.
func TestSyntheticBook(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		first := m.get("/v1/credit/backtest?n=300&seed=9&months=18&bad_rate=0.08").want(http.StatusOK).
			is("synthetic", true, "seed", 9, "book.n", 300, "source", "synthetic", "rows_total", 300)
		again := m.get("/v1/credit/backtest?bad_rate=0.08&n=300&months=18&seed=9").want(http.StatusOK)
		want := figures(s.T, first.object())
		if diff := cmp.Diff(want, figures(s.T, again.object())); diff != "" {
			s.Errorf("another book for the same seed:\n%s", diff)
		}
		if len(first.list("vintage")) < 6 || first.at("economics", "interest_income") == nil ||
			first.at("book", "share_ntc") == nil {
			s.Errorf("there is no vintage, or no economics: %s", first.body)
		}
		spread := &waiting{}
		job := m.on(s.node(stackOptions{backtests: tiny, spread: spread}))
		done := job.finish(spread, job.post("/v1/backtest", `{
			"synthetic":{"n":300,"seed":9,"months":18,"bad_rate":0.08}
		}`))
		if diff := cmp.Diff(want, figures(s.T, done.at("report"))); diff != "" {
			s.Errorf("a job (-at once +job):\n%s", diff)
		}
		m.get("/v1/credit/backtest?n=20001").refused(http.StatusUnprocessableEntity, "invalid_field")
		m.get("/v1/credit/backtest?n=0&seed=x&months=3&bad_rate=0.9").
			refused(http.StatusUnprocessableEntity, "invalid_field").
			points("?n", "?seed", "?months", "?bad_rate")
		m.get("/v1/credit/backtest?colour=red").refused(http.StatusUnprocessableEntity, "unknown_field")
		m.get("/v1/credit/backtest?rule_set_id="+nobody["{rule_set_id}"]).
			refused(http.StatusNotFound, "not_found").points("?rule_set_id")
	})
}

// TestReplay checks that a backtest decides stored decisions again from their
// facts.
func TestReplay(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		for _, score := range []string{"742", "781", "600", "-1", "812", "655", "699", "701", "720", "745", "767"} {
			m.post("/v1/decisions", strings.Replace(sample, "742", score, 1)).want(http.StatusOK)
		}
		draft := m.stricter()
		ask := `{"challenger_rule_set_id":"` + draft + `","decisions":{"from":"2020-01-01T00:00:00Z"}}`
		got := m.post("/v1/backtest", ask).want(http.StatusOK).
			is("rows_evaluated", 11, "rows_failed", 0, "actual.agreement_rate", 1, "source", "decisions")
		spread := &waiting{}
		limits := tiny
		limits.ReplayRows = 4
		job := m.on(s.node(stackOptions{backtests: limits, spread: spread}))
		done := job.finish(spread, job.post("/v1/backtest", ask))
		if diff := cmp.Diff(figures(s.T, got.object()), figures(s.T, done.at("report"))); diff != "" {
			s.Errorf("a job (-at once +job):\n%s", diff)
		}
		rows := m.get("/v1/backtest/" + done.text("backtest_id") + "/rows").want(http.StatusOK)
		if n := strings.Count(string(rows.body), "\n"); n != 12 {
			s.Errorf("%d lines of rows", n)
		}
		approved := got.at("summary", "approved")
		m.post("/v1/backtest", `{
			"decisions":{"from":"2020-01-01T00:00:00Z","status":"APPROVED","policy_key":"default"}
		}`).want(http.StatusOK).is("rows_evaluated", approved)
		m.post("/v1/backtest", `{"decisions":{"from":"2020-01-01T00:00:00Z","policy_key":"other"}}`).
			refused(http.StatusUnprocessableEntity, "no_rows")
		m.post("/v1/backtest", `{"decisions":{"to":"2020-01-01T00:00:00Z"}}`).
			refused(http.StatusUnprocessableEntity, "invalid_field")
		m.post("/v1/backtest", `{"decisions":{"from":"2999-01-01T00:00:00Z"}}`).
			refused(http.StatusUnprocessableEntity, "invalid_field")
		if n := len(m.get("/v1/decisions").list("data")); n != 11 {
			s.Errorf("a backtest has stored decisions: there are %d", n)
		}
	})
}

// TestReplayOfFewAmongMany checks that a replay finds the same decisions of a
// policy, with the same figures, whether or not many other decisions lie
// between them.
func TestReplayOfFewAmongMany(t *testing.T) {
	t.Parallel()
	const between = 700 // so that some pieces have one decision of the policy, some several and some none
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		for _, score := range []string{"742", "781", "600", "-1", "812", "655", "699"} {
			s.clock.advance(time.Minute)
			m.post("/v1/decisions", strings.Replace(sample, "742", score, 1)).want(http.StatusOK)
		}
		s.clock.advance(time.Minute)
		spread, limits := &waiting{}, tiny
		limits.ReplayRows = 3
		node := s.node(stackOptions{backtests: limits, spread: spread})
		node.clock.advance(time.Hour)
		job := m.on(node)
		ask := `{
			"challenger_rule_set_id":"` + m.stricter() + `",
			"decisions":{"from":"2020-01-01T00:00:00Z","policy_key":"default"}
		}`
		alone := m.post("/v1/backtest", ask).want(http.StatusOK).is("rows_evaluated", 7)
		want := figures(s.T, alone.object())
		rows := m.get("/v1/backtest/" + alone.text("backtest_id") + "/rows").want(http.StatusOK)

		m.crowd(between)
		same := func(way string, report any, id string) {
			s.Helper()
			if diff := cmp.Diff(want, figures(s.T, report)); diff != "" {
				s.Errorf("%s (-alone +among others):\n%s", way, diff)
			}
			again := m.get("/v1/backtest/" + id + "/rows").want(http.StatusOK)
			if diff := cmp.Diff(string(rows.body), string(again.body)); diff != "" {
				s.Errorf("%s (-alone +among others):\n%s", way, diff)
			}
		}
		once := m.post("/v1/backtest", ask).want(http.StatusOK)
		same("at once", once.object(), once.text("backtest_id"))
		accepted := job.post("/v1/backtest", ask).is("status", "receiving")
		done := job.finish(spread, accepted).is("status", "succeeded", "progress.rows_total", 7)
		same("a job", done.at("report"), done.text("backtest_id"))
		m.post("/v1/backtest", strings.Replace(ask, "default", "none", 1)).
			refused(http.StatusUnprocessableEntity, "no_rows")
	})
}

// TestReplayToAFraction checks that a bound with a fraction of a millisecond
// selects the same decisions for the report and for its rows.
func TestReplayToAFraction(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		decided := m.post("/v1/decisions", sample).want(http.StatusOK).text("created_at")
		s.clock.advance(time.Second)
		m.post("/v1/decisions", sample).want(http.StatusOK)
		s.clock.advance(time.Second)
		fraction := strings.Replace(decided, "Z", "5Z", 1)
		for span, want := range map[string]int{
			`"from":"2020-01-01T00:00:00Z","to":"` + fraction + `"`: 1,
			`"from":"` + fraction + `"`:                             1,
			`"from":"` + decided + `"`:                              2,
		} {
			run := m.post("/v1/backtest", `{"decisions":{`+span+`}}`).want(http.StatusOK).is("rows_evaluated", want)
			rows := m.get("/v1/backtest/" + run.text("backtest_id") + "/rows").want(http.StatusOK)
			if n := strings.Count(string(rows.body), "\n"); n != want+1 {
				s.Errorf("%s: %d lines of rows", span, n)
			}
		}
	})
}

// crowd stores decisions of another policy before every existing decision. The
// parameter each is the number of new decisions before each existing decision.
func (m *member) crowd(each int) {
	m.Helper()
	scope := m.db.Scope(m.tenantID, string(tenant.Sandbox))
	var crowd []store.DecisionWrite
	err := scope.Decisions(m.Context()).Walk(store.DecisionFilter{}, store.Page{}, func(d *store.Decision) error {
		for i := range each {
			w := store.DecisionWrite{
				Decision: *d,
				Meter:    store.Meter{Period: "2026-11", Day: "2026-11-15", Endpoint: "none", Quota: store.Unmetered},
			}
			at := time.UnixMicro(d.CreatedMicros).Add(time.Duration(i-each-1) * time.Millisecond)
			w.Decision.ID, w.Decision.CreatedMicros, w.Decision.PolicyKey = tenant.FirstID(tenant.KindDecision,
				at), at.UnixMicro(), "crowd"
			crowd = append(crowd, w)
		}
		return nil
	})
	if err != nil {
		m.Fatal(err)
	}
	var all sync.WaitGroup
	const hands = 64 // number of concurrent writers, whose writes share a commit
	for hand := range hands {
		all.Go(func() {
			for i := hand; i < len(crowd); i += hands {
				if err := scope.InsertDecision(m.Context(), &crowd[i]); err != nil {
					m.Error(err)
				}
			}
		})
	}
	all.Wait()
}

// TestReference checks that a backtest compares its score distribution with
// that of an earlier run.
func TestReference(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		earlier := m.get("/v1/credit/backtest?n=400").want(http.StatusOK).text("backtest_id")
		m.post("/v1/backtest", `{"synthetic":{"n":400},"reference_backtest_id":"`+earlier+`"}`).
			want(http.StatusOK).is("psi", 0)
		m.post("/v1/backtest", `{"synthetic":{"n":400},"reference_backtest_id":"`+nobody["{backtest_id}"]+`"}`).
			refused(http.StatusNotFound, "not_found").points("/reference_backtest_id")
	})
}
