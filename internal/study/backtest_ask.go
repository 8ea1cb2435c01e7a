package study

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"verdict/internal/backtest"
	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/rule"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// BacktestRequest is a request for a backtest.
type BacktestRequest struct {
	// Options are the members of the request. If there is no CSV, they also contain
	// the rows or name their source.
	Options wire.Value
	// CSV streams the rows. It is read once and never held in memory as a whole.
	CSV io.Reader
	// Async requests a background job, even for few rows.
	Async bool
}

// asked is a request for a backtest after it was read and checked.
type asked struct {
	source               string
	champion, challenger *policydesk.Policy // challenger nil: none
	setup                backtest.Setup
	csv                  io.Reader // of rows and csv
	book                 backtest.Book
	rows                 int64 // of the book
	replay               span
	async                bool
	endpoint             string
	plan                 tenant.Plan // that pays
	used                 int64       // units of it, when the request arrived
}

// ruleSetIDs returns the ids of both policies.
func (a *asked) ruleSetIDs() (champion, challenger string) {
	if a.challenger != nil {
		challenger = a.challenger.ID
	}
	return a.champion.ID, challenger
}

// BacktestMembers returns the members that the options of a CSV file may have.
func BacktestMembers() []string {
	return append([]string{"rule_set_id", "challenger_rule_set_id", "policy_key", "reference_backtest_id"}, backtest.SetupMembers...)
}

// read reads a request, collects all its faults, and loads its policies.
func (s *Backtests) read(ctx context.Context, p tenant.Principal, r BacktestRequest) (*asked, error) {
	a := &asked{csv: r.CSV, async: r.Async, endpoint: EndpointBacktest}
	var faults fault.List
	f := wire.NewForm(r.Options, &faults)
	f.Known(BacktestMembers()...)
	a.setup = backtest.ReadSetup(r.Options, &faults)
	if r.CSV != nil {
		a.source = sourceCSV
	} else if err := s.readSource(a, &f, &faults); err != nil {
		return nil, err
	}
	f.Done()
	if a.source == sourceDecisions {
		if err := p.Require(tenant.Read); err != nil {
			return nil, err
		}
	}
	if err := s.findPolicies(ctx, p, a, r.Options, &faults); err != nil {
		return nil, err
	}
	if err := s.findReference(ctx, p, a, r.Options.Get("reference_backtest_id")); err != nil {
		return nil, err
	}
	return a, s.runs.afford(ctx, p, a)
}

// readSource reads the source of the rows, which exactly one of four members names.
// It fails if there are too many rows.
func (s *Backtests) readSource(a *asked, f *wire.Form, faults *fault.List) error {
	for _, name := range []string{sourceRows, sourceCSV, sourceSynthetic, sourceDecisions} {
		v := f.Get(name)
		if !v.Given() {
			continue
		}
		if a.source != "" {
			f.Fail(name, fault.CodeInvalidField, "give one of rows, csv, synthetic and decisions")
			return nil
		}
		switch a.source = name; name {
		case sourceRows:
			csv, err := rowsAsCSV(v, faults)
			if err != nil {
				return err
			}
			a.csv = strings.NewReader(csv)
		case sourceCSV:
			if v.Kind() != wire.String {
				f.Fail(name, fault.CodeWrongType, "must be the text of a CSV file")
			}
			a.csv = strings.NewReader(v.Text())
		case sourceSynthetic:
			book := wire.NewForm(v, faults)
			a.readBook(&book, s.options.Backtests.MaxRows, faults)
			book.Done()
		case sourceDecisions:
			a.replay = s.readReplay(v, faults)
			a.setup.Header = nil
		}
	}
	if a.source == "" {
		f.Fail(sourceRows, fault.CodeRequired, "is required, or csv, synthetic or decisions: what to run the policy over")
	}
	return nil
}

// readBook reads the description of a synthetic book. The book defines how its
// columns are read; the caller sets the cost of a loss.
func (a *asked) readBook(f *wire.Form, most int64, faults *fault.List) {
	n, ok := f.Decimal("n", 0, 1, most)
	if !ok {
		n = defaultBookRows
	}
	seed, ok := f.Decimal("seed", 0, 0, maxSeed)
	if !ok {
		seed = backtest.DefaultSeed
	}
	months, _ := f.Decimal("months", 0, backtest.MinMonths, backtest.MaxMonths)
	rate, _ := f.Decimal("bad_rate", rule.Places, int64(backtest.MinBadRate), int64(backtest.MaxBadRate))
	a.rows = n
	a.useBook(backtest.Book{Seed: uint64(seed), Months: int(months), BadRate: rule.Number(rate)}, f.Value().Pointer(), faults)
}

// The default size of a book, and the largest seed. A float64 holds every such seed
// exactly, and so does every JSON reader.
const (
	defaultBookRows = 1_000
	maxSeed         = 1e15
)

func (a *asked) useBook(book backtest.Book, at string, faults *fault.List) {
	book.Check(at, faults)
	setup := book.Setup()
	setup.LGD, setup.FundingRate = a.setup.LGD, a.setup.FundingRate
	a.book, a.setup = book, setup
}

// findPolicies loads the policies of a request: the named ones, which may be drafts
// or retired, or the active one.
func (s *Backtests) findPolicies(
	ctx context.Context, p tenant.Principal, a *asked, options wire.Value, faults *fault.List,
) error {
	named, against := options.Get("rule_set_id"), options.Get("challenger_rule_set_id")
	key, ok := policydesk.KeyOf(options)
	if !ok {
		faults.Add("/policy_key", fault.CodeInvalidField, "%s", field.PolicyKeyText)
	}
	for _, v := range []wire.Value{named, against, options.Get("reference_backtest_id")} {
		if v.Given() && v.Kind() != wire.String {
			faults.Add(v.Pointer(), fault.CodeWrongType, "must be an id")
		}
	}
	if err := faults.Err(); err != nil {
		return err
	}
	var err error
	if named.Given() {
		a.champion, err = s.namedPolicy(ctx, p, named)
	} else {
		a.champion, err = s.desk.ActivePolicy(ctx, p, key)
	}
	if err == nil && against.Given() {
		a.challenger, err = s.namedPolicy(ctx, p, against)
	}
	return err
}

// namedPolicy loads the policy that a member names. The policy of another tenant
// counts as not found. The error names the member.
func (s *Backtests) namedPolicy(ctx context.Context, p tenant.Principal, named wire.Value) (*policydesk.Policy, error) {
	var found *policydesk.Policy
	err := operation.Missing("rule set")
	if tenant.Valid(tenant.KindPolicy, named.Text()) {
		found, err = s.desk.Policy(ctx, s.core.Scope(p), strings.Clone(named.Text()))
	}
	return found, missingAt(named, err)
}

// missingAt adds to a not-found error the member that named the resource.
func missingAt(named wire.Value, err error) error {
	var refusal *fault.Error
	if !errors.As(err, &refusal) || refusal.Kind != fault.NotFound {
		return err
	}
	at := *refusal
	return refusedAt(named, &at)
}

// findReference loads the scores of an earlier run, to compare this run with them.
func (s *Backtests) findReference(ctx context.Context, p tenant.Principal, a *asked, named wire.Value) error {
	if !named.Given() {
		return nil
	}
	scope := s.core.Scope(p)
	job, record, err := s.finished(ctx, p, scope, strings.Clone(named.Text()))
	if err != nil {
		return missingAt(named, err)
	}
	total, _, err := job.merged(ctx, scope, &record)
	if err != nil {
		return missingAt(named, err)
	}
	a.setup.Reference = job.run.Report(total).Distribution.Reference()
	return nil
}

// rowsPerUnit is the number of rows that are billed as one unit.
const rowsPerUnit = 100

// units returns the billable units for a number of rows.
func units(rows int64) int64 { return (rows + rowsPerUnit - 1) / rowsPerUnit }

// admit refuses more rows than the quota or the limit most allows.
func (a *asked) admit(rows, most int64) error {
	if !a.plan.Admits(a.used, units(rows)) {
		return fault.New(fault.Limited, fault.CodeQuotaExceeded,
			"the plan's quota for this period has no room for this many rows")
	}
	if rows > most {
		return fault.New(fault.TooLarge, fault.CodeRequestTooLarge, "a backtest takes at most %d rows", most)
	}
	return nil
}

// span selects the stored decisions that are decided again.
type span struct {
	from, to          time.Time
	policyKey, status string
}

// readReplay reads a range of stored decisions. A range that reaches into the future
// ends now, so that the run has a last row.
func (s *Backtests) readReplay(v wire.Value, faults *fault.List) span {
	f := wire.NewForm(v, faults)
	now := s.core.Moment()
	r := span{from: wholeMillis(readTime(&f, "from")), to: wholeMillis(readTime(&f, "to"))}
	f.Require("from", "the time of the first decision, such as 2026-11-01T00:00:00Z")
	if r.to.IsZero() || r.to.After(now) {
		r.to = now
	}
	if !r.from.IsZero() && !r.from.Before(r.to) {
		f.Fail("from", fault.CodeOutOfRange, "must be before to, and in the past")
	}
	if text, ok := f.Text("policy_key", operation.MaxNote); ok {
		if r.policyKey = strings.Clone(text); !field.IsPolicyKey(text) {
			f.Fail("policy_key", fault.CodeInvalidField, "%s", field.PolicyKeyText)
		}
	}
	statuses := []string{"APPROVED", "REFERRED", "DECLINED"}
	if i := f.Choice("status", -1, statuses...); i >= 0 {
		r.status = statuses[i]
	}
	f.Done()
	return r
}

// wholeMillis rounds a time up to a whole millisecond. Decision times are whole
// milliseconds, so the rounded bound selects the same decisions. The rounded value is
// stored.
func wholeMillis(t time.Time) time.Time {
	return t.Add(time.Millisecond - 1).Truncate(time.Millisecond)
}

func readTime(f *wire.Form, name string) time.Time {
	text, ok := f.Text(name, operation.MaxNote)
	if !ok {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil || t.Year() < 1970 || t.Year() > 9999 {
		f.Fail(name, fault.CodeInvalidField, "must be an RFC 3339 time such as 2026-11-15T00:00:00Z")
		return time.Time{}
	}
	return t.UTC()
}
