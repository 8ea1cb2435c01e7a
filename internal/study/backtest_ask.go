package study

import (
	"context"
	"io"
	"time"

	"verdict/internal/backtest"
	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/tenant"
)

// Policies names the policies of a run. They may also be drafts or retired versions.
type Policies struct {
	RuleSetID    string // "": the active version of PolicyKey
	ChallengerID string // "": no challenger
	PolicyKey    string // "": field.DefaultPolicyKey
}

// check adds the faults of PolicyKey to faults.
func (p Policies) check(faults *fault.List) {
	if p.PolicyKey != "" && !field.IsPolicyKey(p.PolicyKey) {
		faults.Check("").Fail("policy_key", fault.CodeInvalidField, "%s", field.PolicyKeyText)
	}
}

// BacktestRequest is a request for a backtest. Exactly one of CSV, Book and Replay must
// be set: it is the source of the rows.
type BacktestRequest struct {
	Policies
	ReferenceID string         // an earlier run to compare the scores with; "" for none
	Setup       backtest.Setup // without its Header, which comes from the rows

	// CSV streams the rows. It is read once, and a file is never completely in memory.
	CSV      io.Reader
	FromRows bool // the CSV was made from rows in a request; it is not a file
	Book     *Book
	Replay   *Replay

	// Async requests a background job, even for few rows.
	Async bool

	// Streamed holds the options that were sent with a CSV that is still arriving. If
	// such a request has an Idempotency-Key, its hash covers these options and then the
	// rows. Streamed is nil if the hash of the whole request is known.
	Streamed []byte
}

// Require returns an error if the caller may not run the backtest.
func (r *BacktestRequest) Require(p tenant.Principal) error {
	if err := p.Require(tenant.Decide); err != nil || r.Replay == nil {
		return err
	}
	return p.Require(tenant.Read)
}

// Check adds the faults of the request to faults. maxRows limits the rows of a synthetic
// book.
func (r *BacktestRequest) Check(faults *fault.List, maxRows int64, now time.Time) {
	c := faults.Check("")
	sources := 0
	for _, given := range []bool{r.CSV != nil, r.Book != nil, r.Replay != nil} {
		if given {
			sources++
		}
	}
	if sources != 1 {
		c.Fail(sourceRows, fault.CodeRequired,
			`is required unless "csv", "synthetic" or "decisions" is sent; send exactly one of the four`)
	}
	if r.Book != nil && c.Ok(sourceSynthetic) {
		r.Book.check(faults, "/"+sourceSynthetic, maxRows)
	}
	if r.Replay != nil && c.Ok(sourceDecisions) {
		r.Replay.check(faults.Check("/"+sourceDecisions), now)
	}
	r.Policies.check(faults)
}

// source returns the name of the source of the rows.
func (r *BacktestRequest) source() string {
	switch {
	case r.Book != nil:
		return sourceSynthetic
	case r.Replay != nil:
		return sourceDecisions
	case r.FromRows:
		return sourceRows
	}
	return sourceCSV
}

// Replay selects stored decisions that are to be decided again.
type Replay struct {
	From, To          time.Time // a zero To means now
	PolicyKey, Status string    // "": all
}

// ReplayStatuses returns the statuses that a Replay may select.
func ReplayStatuses() []string { return []string{"APPROVED", "REFERRED", "DECLINED"} }

// Empty reports whether the range cannot contain any decision.
func (r Replay) Empty(now time.Time) bool {
	s := r.span(now)
	return !s.from.Before(s.to)
}

func (r Replay) check(c fault.Check, now time.Time) {
	c.Require("from", !r.From.IsZero(), "the time of the first decision, such as 2026-11-01T00:00:00Z")
	checkYear(c, "from", r.From)
	checkYear(c, "to", r.To)
	if c.Ok("from") && c.Ok("to") && r.Empty(now) {
		c.Fail("from", fault.CodeOutOfRange, "must be before \"to\", and in the past")
	}
	if r.PolicyKey != "" && !field.IsPolicyKey(r.PolicyKey) {
		c.Fail("policy_key", fault.CodeInvalidField, "%s", field.PolicyKeyText)
	}
	c.Choice("status", r.Status, ReplayStatuses()...)
}

// checkYear refuses times that ids and storage cannot express. It checks the year in the
// zone in which the time was written.
func checkYear(c fault.Check, name string, t time.Time) {
	if year := t.Year(); !t.IsZero() && (year < 1970 || year > 9999) {
		c.Fail(name, fault.CodeInvalidField, "must be a time in the years 1970 to 9999")
	}
}

// span returns the range as it is stored. A range that reaches into the future ends now,
// so that the set of rows is fixed.
func (r Replay) span(now time.Time) span {
	s := span{wholeMillis(r.From), wholeMillis(r.To), r.PolicyKey, r.Status}
	if s.to.IsZero() || s.to.After(now) {
		s.to = now
	}
	return s
}

// span is a range of stored decisions, with bounds in whole milliseconds.
type span struct {
	from, to          time.Time
	policyKey, status string
}

// wholeMillis rounds a time up to a whole millisecond. Decision times are whole
// milliseconds, so the rounded bound selects the same decisions. The rounded value is
// stored.
func wholeMillis(t time.Time) time.Time {
	return t.Add(time.Millisecond - 1).Truncate(time.Millisecond)
}

// asked is a request for a backtest with its policies loaded.
type asked struct {
	source               string
	champion, challenger *policydesk.Policy // challenger is nil if there is none
	setup                backtest.Setup
	csv                  io.Reader // for rows and CSV files
	book                 backtest.Book
	rows                 int64 // the number of rows of the book
	replay               span
	async                bool
	endpoint             string
	plan                 tenant.PricePlan // the plan that is billed
	used                 int64            // units of the plan that were used when the request arrived
}

// ruleSetIDs returns the ids of both policies.
func (a *asked) ruleSetIDs() (champion, challenger string) {
	if a.challenger != nil {
		challenger = a.challenger.ID
	}
	return a.champion.ID, challenger
}

// useBook makes the policies run over a synthetic book. The book defines how its columns
// are read, but the caller sets the loss given default and the funding rate.
func (a *asked) useBook(b Book) {
	setup := b.Setup()
	setup.LGD, setup.FundingRate = a.setup.LGD, a.setup.FundingRate
	a.rows, a.book, a.setup = b.Rows, b.Book, setup
}

// ask checks a request and the quota, and loads the policies and the reference run.
func (s *Backtests) ask(ctx context.Context, p tenant.Principal, r *BacktestRequest) (*asked, error) {
	now := s.core.Moment()
	var faults fault.List
	r.Check(&faults, s.options.Backtests.MaxRows, now)
	if err := faults.Err(); err != nil {
		return nil, err
	}
	a := &asked{source: r.source(), setup: r.Setup, csv: r.CSV, async: r.Async, endpoint: EndpointBacktest}
	switch {
	case r.Book != nil:
		a.useBook(*r.Book)
	case r.Replay != nil:
		a.replay = r.Replay.span(now)
		a.setup.Header = nil
	}
	if err := s.findPolicies(ctx, p, a, r.Policies); err != nil {
		return nil, err
	}
	if err := s.findReference(ctx, p, a, r.ReferenceID); err != nil {
		return nil, err
	}
	return a, s.runs.afford(ctx, p, a)
}

// findPolicies loads the policies of a request.
func (s *Backtests) findPolicies(ctx context.Context, p tenant.Principal, a *asked, named Policies) (err error) {
	switch {
	case named.RuleSetID != "":
		a.champion, err = s.namedPolicy(ctx, p, "/rule_set_id", named.RuleSetID)
	case named.PolicyKey != "":
		a.champion, err = s.desk.ActivePolicy(ctx, p, named.PolicyKey)
	default:
		a.champion, err = s.desk.ActivePolicy(ctx, p, field.DefaultPolicyKey)
	}
	if err == nil && named.ChallengerID != "" {
		a.challenger, err = s.namedPolicy(ctx, p, "/challenger_rule_set_id", named.ChallengerID)
	}
	for _, policy := range []*policydesk.Policy{a.champion, a.challenger} {
		if err == nil && policy != nil {
			err = s.lookups.check(ctx, operation.ScopeOf(p), policy)
		}
	}
	return err
}

// namedPolicy loads the policy with this id. If the policy does not exist or belongs to
// another tenant, the not-found error contains pointer, the JSON pointer of the member
// with the id.
func (s *Backtests) namedPolicy(
	ctx context.Context, p tenant.Principal, pointer, id string,
) (*policydesk.Policy, error) {
	var found *policydesk.Policy
	var err error = fault.Missing("rule set")
	if tenant.Valid(tenant.KindPolicy, id) {
		found, err = s.desk.Policy(ctx, s.core.Scope(p), id)
	}
	return found, MissingAt(pointer, err)
}

// MissingAt adds a pointer to a not-found error: the JSON pointer of the member that
// named the resource.
func MissingAt(pointer string, err error) error {
	refusal := fault.Of(err)
	if refusal == nil || refusal.Kind != fault.NotFound {
		return err
	}
	at := *refusal
	at.Items = []fault.Item{{Pointer: pointer, Code: at.Code, Detail: at.Detail}}
	return &at
}

// findReference loads the scores of an earlier run, with which this run is compared.
func (s *Backtests) findReference(ctx context.Context, p tenant.Principal, a *asked, id string) error {
	if id == "" {
		return nil
	}
	const pointer = "/reference_backtest_id"
	scope := s.core.Scope(p)
	job, record, err := s.finished(ctx, p, scope, id)
	if err != nil {
		return MissingAt(pointer, err)
	}
	total, _, err := job.merged(ctx, scope, &record)
	if err != nil {
		return MissingAt(pointer, err)
	}
	a.setup.Reference = job.run.Report(total).Distribution.Reference()
	return nil
}

// MaxRows returns the maximum number of rows of a backtest.
func (s *Backtests) MaxRows() int64 { return s.options.Backtests.MaxRows }

// rowsPerUnit is the number of rows that are billed as one unit.
const rowsPerUnit = 100

// units returns the billable units for a number of rows.
func units(rows int64) int64 { return (rows + rowsPerUnit - 1) / rowsPerUnit }

// admit refuses the run if its rows exceed the quota, or if it has more rows than the argument "most" allows.
func (a *asked) admit(rows, most int64) error {
	if !a.plan.Admits(a.used, units(rows)) {
		return fault.New(fault.Limited, fault.CodeQuotaExceeded,
			"this many rows exceed what is left of the plan's quota for this period")
	}
	if rows > most {
		return fault.New(fault.TooLarge, fault.CodeRequestTooLarge, "a backtest takes at most %d rows", most)
	}
	return nil
}
