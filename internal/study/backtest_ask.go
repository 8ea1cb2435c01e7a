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

// BacktestRequest is a backtest that somebody asks for.
type BacktestRequest struct {
	// Options are the members of the request. Without CSV they also hold the
	// rows, or say where these are.
	Options wire.Value
	// CSV is the rows as they come in; they are read once and never held whole.
	CSV io.Reader
	// Async asks for a job however few the rows are.
	Async bool
}

// asked is a backtest that was asked for, read and checked.
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

// ruleSetIDs are the ids of both policies.
func (a *asked) ruleSetIDs() (champion, challenger string) {
	if a.challenger != nil {
		challenger = a.challenger.ID
	}
	return a.champion.ID, challenger
}

// BacktestMembers are those that the options of a CSV file may have.
func BacktestMembers() []string {
	return append([]string{"rule_set_id", "challenger_rule_set_id", "policy_key", "reference_backtest_id"}, backtest.SetupMembers...)
}

// readBacktest reads a request, notes all that is wrong with it, and finds its
// policies.
func (s *Service) readBacktest(ctx context.Context, p tenant.Principal, r BacktestRequest) (*asked, error) {
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
	return a, s.afford(ctx, p, a)
}

// readSource reads where the rows are: exactly one of four members says so. It
// fails on rows that are too many to go on with.
func (s *Service) readSource(a *asked, f *wire.Form, faults *fault.List) error {
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

// readBook reads the description of a synthetic book. How its columns are read
// is the book's own business; what a loss costs is the caller's.
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

// The size of a book when nothing is said, and the largest seed, which every
// program can hold exactly.
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

// findPolicies finds the two policies of a request: the named ones, drafts and
// retired ones too, or the active one.
func (s *Service) findPolicies(ctx context.Context, p tenant.Principal, a *asked, options wire.Value, faults *fault.List) error {
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

// namedPolicy is the policy that a member names. One that is not the caller's
// is not there, and the refusal says where it was looked for.
func (s *Service) namedPolicy(ctx context.Context, p tenant.Principal, named wire.Value) (*policydesk.Policy, error) {
	var found *policydesk.Policy
	err := operation.Missing("rule set")
	if tenant.Valid(tenant.KindPolicy, named.Text()) {
		found, err = s.desk.Policy(ctx, s.core.Scope(p), strings.Clone(named.Text()))
	}
	return found, missingAt(named, err)
}

// missingAt says of what was not found which member named it.
func missingAt(named wire.Value, err error) error {
	var refusal *fault.Error
	if !errors.As(err, &refusal) || refusal.Kind != fault.NotFound {
		return err
	}
	at := *refusal
	return refusedAt(named, &at)
}

// findReference takes the scores of an earlier run, which those of this one
// are held against.
func (s *Service) findReference(ctx context.Context, p tenant.Principal, a *asked, named wire.Value) error {
	if !named.Given() {
		return nil
	}
	scope := s.core.Scope(p)
	job, record, err := s.finished(ctx, p, scope, strings.Clone(named.Text()))
	if err != nil {
		return missingAt(named, err)
	}
	total, _, err := s.merged(ctx, scope, job, &record)
	if err != nil {
		return missingAt(named, err)
	}
	a.setup.Reference = job.run.Report(total).Distribution.Reference()
	return nil
}

// afford finds out what the plan has room for, so that nobody waits for a run
// that could not be billed. What counts is the bill at the end.
func (s *Service) afford(ctx context.Context, p tenant.Principal, a *asked) error {
	if a.plan = p.Plan; a.plan.Unmetered {
		return nil
	}
	used, err := s.core.Scope(p).Usage(ctx).Get(tenant.PeriodOf(s.core.Now()).Key())
	if err != nil {
		return err
	}
	a.used = used.Used
	return a.admit(1, s.options.Backtests.MaxRows)
}

// rowsPerUnit is how many rows are billed as one.
const rowsPerUnit = 100

// units is the bill for so many rows.
func units(rows int64) int64 { return (rows + rowsPerUnit - 1) / rowsPerUnit }

// admit refuses more rows than the quota or the service has room for.
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

// span says which stored decisions are decided anew.
type span struct {
	from, to          time.Time
	policyKey, status string
}

// readReplay reads a range of stored decisions. One that reaches into the
// future ends now: a run has a last row.
func (s *Service) readReplay(v wire.Value, faults *fault.List) span {
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

// wholeMillis is the first whole millisecond from a time on: as a bound it admits
// the same decisions, whose times are such, and it is what is stored of it.
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
