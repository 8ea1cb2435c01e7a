package study

import (
	"context"
	"errors"
	"io"
	"time"

	"verdict/internal/backtest"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/tenant"
)

// Effect says what a draft would have changed for recent applications, compared with the rule set that it is based
// on.
type Effect struct {
	Report   *backtest.Report // report of the base, with the draft as the challenger
	Days     int              // the number of days that were looked at
	Complete bool             // whether all applications of these days were decided again
}

// The limits of Effect. It decides the latest applications again, a day at a time, the latest day first.
const (
	EffectRows = 5_000
	effectDays = 30
	effectTime = 3 * time.Second
)

// Effect decides the latest applications of a policy again, with a rule set and with a draft that is based on it; see
// policydesk.Service.DraftPolicies. It stores and bills nothing. It stops when its caller is gone, after EffectRows
// applications, or when its time is over.
func (s *Comparisons) Effect(
	ctx context.Context, p tenant.Principal, base, changed *policydesk.Policy,
) (Effect, error) {
	if err := p.Require(tenant.Read); err != nil {
		return Effect{}, err
	}
	if !s.trying.Take(p.TenantID, 1) {
		return Effect{}, fault.New(fault.Unavailable, fault.CodeUnavailable,
			"too many backtests and comparisons are running on this node; try again in a moment")
	}
	defer s.trying.Give(p.TenantID, 1)
	a := &asked{source: sourceDecisions, champion: base, challenger: changed}
	for _, policy := range []*policydesk.Policy{base, changed} {
		if err := s.lookups.check(ctx, operation.ScopeOf(p), policy); err != nil {
			return Effect{}, err
		}
	}

	run, err := a.run()
	if err != nil {
		return Effect{}, err
	}
	now := s.core.Moment()
	job := &backtestRun{run: run, features: a.replayFeatures(), keys: s.core.Keys, lookups: s.lookups}
	job.record.Source, job.record.CreatedMicros = a.source, now.UnixMicro()
	c := &counting{Comparisons: s, scope: s.core.Scope(p), until: s.core.Now().Add(effectTime)}
	worker := run.NewWorker()
	e, err := c.recent(ctx, job, worker, Replay{PolicyKey: base.Key}, now)
	if err != nil {
		return Effect{}, err
	}
	e.Report = run.Report(worker.Take())
	return e, nil
}

// recent decides the applications of the latest days again.
func (c *counting) recent(
	ctx context.Context, j *backtestRun, w *backtest.Worker, r Replay, now time.Time,
) (Effect, error) {
	e := Effect{Complete: true}
	for done := int64(0); e.Days < effectDays && done < EffectRows; e.Days++ {
		r.From, r.To = now.Add(-24*time.Hour*time.Duration(e.Days+1)), now.Add(-24*time.Hour*time.Duration(e.Days))
		if e.Days == 0 {
			r.To = time.Time{} // until now, inclusive
		}
		j.replay = r.span(now)
		day := &replayFeed{scope: c.scope, which: j.replay, each: countingPiece}
		for done < EffectRows {
			if c.late(ctx) {
				e.Complete = false
				return e, ctx.Err()
			}
			rows, err := c.piece(ctx, j, w, day)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return e, err
			}
			done += rows
		}
	}
	return e, nil
}

// piece decides the next applications of a day.
func (c *counting) piece(ctx context.Context, j *backtestRun, w *backtest.Worker, day *replayFeed) (int64, error) {
	p, err := day.next(ctx, false)
	if err != nil {
		return 0, err
	}
	return p.rows, j.perform(ctx, c.scope, p, w, &bookTally{})
}
