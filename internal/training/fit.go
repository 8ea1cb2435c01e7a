package training

import (
	"fmt"
	"strings"

	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/rule"
)

// Result is a fitted scorecard and its report.
type Result struct {
	Card   *engine.Scorecard
	Inputs []engine.Input // inputs that a policy must declare to use the card
	Report *Report

	plan   *plan
	table  *table
	points *pointed
}

// Stage is a step of a fit, reported as progress.
type Stage string

// The stages of a fit, in order.
const (
	Surveying Stage = "looking at the columns"
	Encoding  Stage = "reading the rows"
	Tuning    Stage = "trying settings"
	Fitting   Stage = "fitting the scorecard"
)

// Fit fits a scorecard to rows. If the options or the rows are invalid, the error
// is a *fault.Error. Fit calls stage, which may be nil, at each stage. If stage
// returns an error, Fit stops and returns that error.
func Fit(open Source, o Options, stage func(Stage) error) (result *Result, err error) {
	defer recovered(&err)
	if stage == nil {
		stage = func(Stage) error { return nil }
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	if err := stage(Surveying); err != nil {
		return nil, err
	}
	pace := &pace{check: o.Check, workers: o.Workers}
	open = pace.source(open)
	probe, err := open.probe()
	if err != nil {
		return nil, err
	}
	open = open.decoded(probe.Encoding)
	header, err := open.header()
	if err != nil {
		return nil, err
	}
	p, err := newPlan(o, header)
	if err != nil {
		return nil, err
	}
	p.pace, p.notes = pace, encodingNotes(probe)
	s := newSurvey(p)
	malformed, err := open.scan(func(row int64, cells [][]byte) error {
		p.pace.pass(10 * len(cells))
		return s.look(row, cells)
	})
	if err == nil {
		err = s.enough()
	}
	if err != nil {
		return nil, err
	}
	columns := s.settle()
	if cells := int64(s.train.rows()+s.held.rows()) * int64(len(columns)+bytesOfAWeight); cells > maxCells {
		return nil, fault.New(fault.TooLarge, fault.CodeTooManyRows,
			"there are more than %d cells: leave columns out, or take a sample of the rows", maxCells)
	}
	if err := stage(Encoding); err != nil {
		return nil, err
	}
	t, err := p.encode(open, columns, s)
	if err != nil {
		return nil, err
	}
	for _, c := range columns {
		p.notes = append(p.notes, c.notes()...)
	}
	p.dropLeaks(t)
	r := &Report{
		RowsTotal:         s.rows + malformed,
		RowsMalformed:     malformed,
		RowsUnlabelled:    s.noOutcome,
		RowsIndeterminate: s.indeterminate,
	}
	return p.finish(t, r, stage)
}

// settle returns the columns that are made from the survey, and records which
// columns were dropped and why.
func (s *survey) settle() (columns []*column) {
	p := s.plan
	for _, seen := range s.columns {
		p.pace.pass(cellsBetweenChecks) // sorting the sample of a column takes some milliseconds
		c, dropped := seen.settle(&p.Options, int64(s.train.rows()))
		p.notes = append(p.notes, seen.notes(c)...)
		if dropped != nil {
			p.dropped = append(p.dropped, *dropped)
			continue
		}
		columns = append(columns, c)
	}
	if s.indeterminate > 0 {
		p.notes = append(p.notes,
			Note{p.Target, codeIndeterminate, "rows whose outcome is indeterminate were left out", s.indeterminate})
	}
	if s.withoutWeight > 0 {
		p.notes = append(p.notes, Note{p.Weight, codeZeroWeight, "rows of weight 0 were left out", s.withoutWeight})
	}
	if p.weight >= 0 {
		p.notes = append(p.notes, Note{p.Weight, codeWeighted,
			"bins, regression and measures count each row by its weight; numbers of rows are not weighted",
			int64(s.train.rows() + s.held.rows())})
	}
	return columns
}

func (p *plan) finish(t *table, r *Report, stage func(Stage) error) (*Result, error) {
	s, trials, err := t.tune(&p.Options, func() error { return stage(Tuning) })
	if err != nil {
		return nil, err
	}
	if err := stage(Fitting); err != nil {
		return nil, err
	}
	all := t.bin(s.rule, t.train)
	kept, dropped := t.screen(&p.Options, all, t.train)
	p.dropped = append(p.dropped, dropped...)
	chosen, err := t.choose(&p.Options, kept, t.train, s.hold > 0)
	if err != nil {
		return nil, err
	}
	e, err := t.effects(chosen, s, t.train)
	if err != nil {
		return nil, err
	}
	p.dropped = append(p.dropped, chosen.dropped...)
	if len(chosen.features) == 0 {
		return nil, p.nothingLearnt()
	}
	points := p.points(chosen, e)
	p.dropped = append(p.dropped, points.dropped...)
	card, err := points.card(&p.Options)
	if err != nil {
		return nil, err
	}
	out := &Result{Card: card, Inputs: points.inputs(), Report: r, plan: p, table: t, points: points}
	r.Trials, r.Setting = trials, s.words()
	out.report(chosen, all)
	return out, nil
}

// nothingLearnt returns the error for rows in which no column predicts the
// outcome.
func (p *plan) nothingLearnt() error {
	detail := "no column separates good from bad well enough to be in a scorecard"
	if len(p.leaks) > 0 {
		detail += "; some columns were left out, " +
			"because each of them alone separates good from bad almost as well as the outcome itself: " +
			strings.Join(p.leaks, ", ") + "; to use them, list them in \"include\""
	}
	return fault.New(fault.Invalid, fault.CodeNoPredictiveColumns, "%s", detail)
}

// words returns the name of the fitting method that the setting uses, for the report.
func (s setting) words() string {
	if s.hold == 0 {
		return "logistic regression on weights of evidence"
	}
	return "logistic regression on weights of evidence, bins refined together"
}

// enough returns an error if there are too few good or bad rows to fit a card.
func (s *survey) enough() error {
	var faults fault.List
	switch {
	case s.rows == 0:
		return fault.New(fault.Invalid, fault.CodeNoRows, "there are no rows after the header")
	case s.train.rows() == 0:
		faults.Add("/target", fault.CodeRequired, "no training row has an outcome")
	case s.train.good < minPerClass || s.train.bad < minPerClass:
		faults.Add("/target", fault.CodeTooFewRows,
			"there are %d goods and %d bads to learn from; at least %d of each are needed",
			int64(s.train.good), int64(s.train.bad), minPerClass)
	}
	return faults.Err()
}

// check returns an error if options are missing or out of range.
func (o *Options) check() error {
	var faults fault.List
	within := func(pointer string, n, least, most rule.Number) {
		if n < least || n > most {
			faults.Add(pointer, fault.CodeOutOfRange, "must lie between %s and %s", least, most)
		}
	}
	if o.Target == "" {
		faults.Add("/target", fault.CodeRequired, "is required: the column of outcomes")
	}
	if o.SplitColumn == "" && o.SplitValue != "" {
		faults.Add("/split_column", fault.CodeRequired, "must be given together with split_value")
	}
	within("/holdout_share", o.HoldOutShare, 0, rule.One*9/10)
	within("/max_bins", rule.Int(int64(o.MaxBins)), rule.Int(2), rule.Int(20))
	within("/min_share", o.MinShare, rule.One/1000, rule.One/2)
	within("/max_features", rule.Int(int64(o.MaxFeatures)), rule.One, rule.Int(100))
	within("/min_iv", o.MinIV, 0, rule.One)
	within("/max_correlation", o.MaxCorrelation, rule.One/10, rule.One)
	within("/pdo", o.PDO, rule.One, rule.Int(1000))
	within("/anchor_score", o.AnchorScore, rule.Int(-10_000), rule.Int(10_000))
	within("/anchor_odds", o.AnchorOdds, rule.One/100, rule.Int(10_000))
	within("/decimals", rule.Int(int64(o.Decimals)), 0, rule.Int(4))
	if len(o.Special) > maxSpecials {
		faults.Add("/special_values", fault.CodeTooMany, "has more than %d entries", maxSpecials)
	}
	return faults.Err()
}

// number rounds x to the given number of decimals, in the same way as fmt does.
func number(x float64, places int) rule.Number {
	n, _, _ := rule.ParseNumber(fmt.Sprintf("%.*f", places, x))
	return n
}
