package console_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"sync"
	"testing"
	"time"

	"verdict/internal/civil"
	"verdict/internal/demo"
	"verdict/internal/frauddesk"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// past writes a year of a lender's work into a demonstration tenant, with the
// store's batched writes. Every decision is a copy of a decision that the
// service made, so it can be replayed. Each copy has a new id, which contains
// the copy's own time.
type past struct {
	db        *store.DB
	made      demo.Filled
	env       tenant.Environment
	decisions int

	actor string // the user who acts
	key   string // the API key that requests the decisions
	end   time.Time
	ids   *tenant.IDs

	by       map[string][]store.DecisionWrite // the decisions to copy, by status
	referred []string
}

// referredOf1000 and declinedOf1000 are the numbers of referred and declined
// decisions among 1000 copies. The constants that end in "For" are the number
// of decisions for each record of the other kinds; for example, there is one
// audit entry for every anEntryFor decisions.
const (
	referredOf1000 = 20
	declinedOf1000 = 400
	waitingReferrals,
	aRunFor, anEntryFor, anAlertFor, aBacktestFor = 3_000, 50, 20, 500, 4_000
	perApplicant, vectorFor, atOnce = 3, 100, 256
)

// fillPast writes the year of work that p describes.
func fillPast(t *testing.T, p *past) {
	t.Helper()
	p.actor, p.end, p.ids = p.made.People[1].ID, newClock().now(), tenant.NewIDs(rand.Reader)
	p.key = p.ids.New(tenant.KindKey, p.end)
	p.readCopies(t)
	p.writeDecisions(t)
	p.writeReviews(t)
	scope := p.scope()
	p.inBatches(t, p.decisions/anEntryFor, func(tx *store.Tx, i int) error { return tx.Audit().Add(p.entry(i)) })
	p.inBatches(t, p.decisions/anAlertFor, p.alert)
	p.writeRuns(t, scope)
	p.writeBacktests(t, scope)
	p.writeRuleStats(t)
	p.writeStatistics(t)
}

func (p *past) scope() *store.Scope { return p.db.Scope(p.made.TenantID, string(p.env)) }

// at returns the time of the i-th of n events, spread evenly over the year.
func (p *past) at(i, n int) time.Time {
	return p.end.AddDate(-1, 0, 0).Add(time.Duration(i) * (365 * 24 * time.Hour / time.Duration(n+1)))
}

// readCopies reads the decisions to copy.
func (p *past) readCopies(t *testing.T) {
	t.Helper()
	p.by = map[string][]store.DecisionWrite{}
	err := p.scope().Decisions(t.Context()).Walk(store.DecisionFilter{}, store.Page{}, func(d *store.Decision) error {
		write := store.DecisionWrite{Decision: *d}
		if features, err := p.scope().Decisions(t.Context()).Features(d.ID); err == nil {
			write.Features = &features
		}
		if len(p.by[d.Status]) < 200 {
			p.by[d.Status] = append(p.by[d.Status], write)
		}
		return nil
	})
	if err != nil || len(p.by) != 3 {
		t.Fatalf("%d outcomes to copy: %v", len(p.by), err)
	}
}

// writeDecisions stores the copies, many of them concurrently, as requests
// would.
func (p *past) writeDecisions(t *testing.T) {
	t.Helper()
	var wait sync.WaitGroup
	var once sync.Once
	var failed error
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	next := make(chan *store.DecisionWrite, atOnce)
	for range atOnce {
		wait.Go(func() {
			for w := range next {
				if err := p.scope().InsertDecision(ctx, w); err != nil {
					once.Do(func() { failed = err; cancel() })
				}
			}
		})
	}
	for i := range p.decisions {
		if ctx.Err() != nil {
			break
		}
		next <- p.copied(i)
	}
	close(next)
	wait.Wait()
	if failed != nil {
		t.Fatal(failed)
	}
}

// copied returns the i-th decision.
func (p *past) copied(i int) *store.DecisionWrite {
	status := "APPROVED"
	switch n := i * 617 % 1000; {
	case n < referredOf1000:
		status = "REFERRED"
	case n < referredOf1000+declinedOf1000:
		status = "DECLINED"
	}
	from := p.by[status][i*31%len(p.by[status])]
	w := &store.DecisionWrite{Decision: from.Decision}
	d := &w.Decision
	d.ID = p.ids.New(tenant.KindDecision, p.at(i, p.decisions))
	made, _ := tenant.Time(d.ID)
	d.CreatedMicros, d.Actor = made.UnixMicro(), p.key
	d.ApplicantRef = fmt.Sprintf("Y-%07d", i/perApplicant)
	d.Response = bytes.Replace(d.Response, []byte(from.Decision.ID), []byte(d.ID), 1)
	if from.Features != nil && i%vectorFor == 0 {
		w.Features = from.Features
	}
	w.Meter = store.Meter{
		Period: tenant.PeriodOf(made).Key(), Day: tenant.BusinessDay(made), Endpoint: d.Endpoint, Units: 1,
		Billable: true, Quota: store.Unmetered,
	}
	if status == "REFERRED" {
		p.referred = append(p.referred, d.ID)
	}
	return w
}

// inBatches calls the function do n times, with up to atOnce calls in one transaction.
func (p *past) inBatches(t *testing.T, n int, do func(tx *store.Tx, i int) error) {
	t.Helper()
	for from := 0; from < n; from += atOnce {
		err := p.scope().Write(t.Context(), func(tx *store.Tx) error {
			for i := from; i < min(from+atOnce, n); i++ {
				if err := do(tx, i); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// writeReviews reviews all referred decisions except the newest waitingReferrals.
func (p *past) writeReviews(t *testing.T) {
	t.Helper()
	settled := p.referred[:max(0, len(p.referred)-waitingReferrals)]
	p.inBatches(t, len(settled), func(tx *store.Tx, i int) error {
		made, _ := tenant.Time(settled[i])
		return tx.Decisions().AddReview(store.Review{
			ID:            p.ids.New(tenant.KindReview, made.Add(time.Hour)),
			DecisionID:    settled[i],
			CreatedMicros: made.Add(time.Hour).UnixMicro(),
			Actor:         p.actor,
			Outcome:       "upheld",
			ReasonCode:    "BUR_ENQ",
			Note:          "Seen.",
		})
	})
}

// entry returns the i-th audit entry.
func (p *past) entry(i int) store.AuditEntry {
	id := p.ids.New(tenant.KindAudit, p.at(i, p.decisions/anEntryFor))
	made, _ := tenant.Time(id)
	action := []string{"session.created", "decision.reviewed", "alert.moved"}[i%3]
	return store.AuditEntry{
		ID:            id,
		CreatedMicros: made.UnixMicro(),
		Actor:         p.actor,
		Action:        action,
		Object:        fmt.Sprintf("obj_%d", i%500),
	}
}

// alert raises the i-th alert. Every alert is about a different account.
func (p *past) alert(tx *store.Tx, i int) error {
	made := p.at(i, p.decisions/anAlertFor)
	kinds := frauddesk.AlertTypes()
	_, _, err := tx.Alerts().Raise(store.AlertWant{
		ID: p.ids.New(tenant.KindAlert, made), Type: kinds[i%len(kinds)],
		Severity: []string{"low", "medium", "high"}[i%3],
		Entity: store.ObservedEntity{
			Kind:    "beneficiary_account",
			Key:     fmt.Sprintf("past-%d", i),
			Display: "50100…" + fmt.Sprint(i),
		},
		Value: 3, Threshold: 3, WindowHours: 72, Member: fmt.Sprintf("Y-%07d", i), NowMicros: made.UnixMicro(),
		Actor: p.actor,
	})
	return err
}

// writeRuns stores copies of the agents' runs.
func (p *past) writeRuns(t *testing.T, scope *store.Scope) {
	t.Helper()
	runs, _, err := scope.Runs(t.Context()).List(store.RunFilter{}, store.Page{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range runs {
		if runs[i], err = scope.Runs(t.Context()).Get(runs[i].ID); err != nil {
			t.Fatal(err)
		}
	}
	n := p.decisions / aRunFor
	p.inBatches(t, n, func(tx *store.Tx, i int) error {
		run := runs[i%len(runs)]
		run.ID, run.CreatedMicros = p.ids.New(tenant.KindRun, p.at(i, n)), p.at(i, n).UnixMicro()
		return tx.Runs().Insert(run, 0)
	})
}

// writeBacktests stores copies of the succeeded backtests, without their rows.
func (p *past) writeBacktests(t *testing.T, scope *store.Scope) {
	t.Helper()
	var runs []store.Backtest
	err := scope.Read(t.Context(), func(tx *store.Tx) error {
		found, _, err := tx.Backtests().List(store.BacktestFilter{Status: store.BacktestSucceeded}, store.Page{})
		for _, b := range found {
			whole, err := tx.Backtests().Get(b.ID)
			if err != nil {
				return err
			}
			whole.Chunks, whole.ChunksDone, whole.Purged = 0, 0, true
			runs = append(runs, whole)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	n := p.decisions / aBacktestFor
	p.inBatches(t, n, func(tx *store.Tx, i int) error {
		run := runs[i%len(runs)]
		made := p.at(i, n)
		run.ID, run.CreatedMicros = p.ids.New(tenant.KindBacktest, made), made.UnixMicro()
		run.StartedMicros, run.FinishedMicros = made.UnixMicro(), made.UnixMicro()+1
		return tx.Backtests().Insert(run)
	})
}

// writeRuleStats stores counts for 40 rules of every version, for up to 365
// days depending on the number of decisions.
func (p *past) writeRuleStats(t *testing.T) {
	t.Helper()
	sets, _, err := p.scope().RuleSets(t.Context()).List(store.RuleSetFilter{}, store.Page{})
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range sets {
		var stats []store.RuleStat
		for rule := range 40 {
			for day := range min(365, 2+p.decisions/1000) {
				stats = append(stats, store.RuleStat{
					TenantID: p.made.TenantID, Environment: string(p.env), RuleSetID: set.ID,
					RuleID: fmt.Sprintf("KO_%02d", rule),
					Day:    tenant.BusinessDay(p.end.AddDate(0, 0, -day)), Evaluated: 1000, Hit: 10, Unknown: 5,
				})
			}
		}
		if err := p.db.System().AddRuleStats(t.Context(), stats); err != nil {
			t.Fatal(err)
		}
	}
}

// writeStatistics stores the counts of a year by day, and those of two days by hour, with as many reasons, durations
// and errors as a lender can have.
func (p *past) writeStatistics(t *testing.T) {
	t.Helper()
	names := map[string][]string{
		"status":  {"APPROVED", "REFERRED", "DECLINED"},
		"offer":   {"limit", "rate"},
		"latency": {"0001ms", "0002ms", "0005ms", "0010ms", "0020ms", "0050ms", "0100ms", "0200ms", "0500ms", "longer"},
		"error":   {"validation_failed", "quota_exceeded", "rate_limited", "overloaded", "internal_error"},
	}
	for i := range 40 {
		names["reason"] = append(names["reason"], fmt.Sprintf("REASON_%02d", i))
	}
	var stats []store.DecisionStat
	add := func(span, at string) {
		for kind, list := range names {
			for i, name := range list {
				stats = append(stats, store.DecisionStat{
					TenantID: p.made.TenantID, Environment: string(p.env), Span: span, Kind: kind, At: at, Name: name,
					Count: int64(100 - i), Total: 10_000_000,
				})
			}
		}
	}
	for day := range min(365, 2+p.decisions/1000) {
		add(store.StatDay, tenant.BusinessDay(p.end.AddDate(0, 0, -day)))
	}
	for hour := range min(48, 2+p.decisions/1000) {
		at := p.end.Add(-time.Duration(hour) * time.Hour).In(civil.India)
		add(store.StatHour, at.Format("2006-01-02T15"))
	}
	if err := p.db.System().AddDecisionStats(t.Context(), stats); err != nil {
		t.Fatal(err)
	}
}
