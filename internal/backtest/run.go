package backtest

import (
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"strconv"

	"verdict/internal/application"
	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/rule"
)

// Run is a backtest that is ready for rows: columns, policies and everything
// that can be settled before the first one. It is immutable, and any number of
// workers may use it at once.
type Run struct {
	setup    Setup
	columns  *application.Columns // nil when facts are given and not rows
	ignored  []string
	at       places
	outcomes spellings

	champion   *side
	challenger *side // nil for none
	changes    []change
	numbering  uint64
}

// places are the columns that the backtest itself reads, -1 for none.
type places struct{ outcome, weight, status, protected, month, id int }

// side is one policy, with what is counted numbered.
type side struct {
	plan    *engine.Plan
	grid    grid
	grades  []string // as the bands name them, then the grade of no band
	gradeOf []int32  // the grade of each band
	codes   []string // reason codes
}

// noGrade is the grade of a row without a pricing band.
const noGrade = "NA"

// New settles a backtest; the challenger may be nil. What is wrong with the
// setup is refused with all its faults at once, as a *fault.Error.
func New(s Setup, champion, challenger *engine.Plan) (*Run, error) {
	var faults fault.List
	s.LGD, s.FundingRate = cmp.Or(s.LGD, DefaultLGD), cmp.Or(s.FundingRate, DefaultFundingRate)
	r := &Run{setup: s, champion: newSide(champion)}
	if challenger != nil {
		r.challenger = newSide(challenger)
	}
	r.places(&faults)
	r.outcomes = newSpellings(&s, &faults)
	inputs := r.inputs(&faults)
	if len(s.Header) > 0 {
		r.readHeader(inputs, &faults)
	}
	if err := faults.Err(); err != nil {
		return nil, err
	}
	if challenger != nil {
		r.changes = changesBetween(champion.Policy(), challenger.Policy())
	}
	r.numbering = r.number()
	return r, nil
}

// number condenses what the counts of a partial stand for: they are kept
// without names, and a later engine may number grades, reasons, rules or changes
// in another order.
func (r *Run) number() uint64 {
	h := fnv.New64a()
	name := func(text string) { _, _ = io.WriteString(h, text+"\x00") } // a hash takes everything
	for _, s := range []*side{r.champion, r.challenger} {
		if s == nil {
			continue
		}
		name("policy " + s.plan.Checksum())
		name(fmt.Sprint(s.grid))
		for _, text := range slices.Concat(s.grades, s.codes) {
			name(text)
		}
	}
	for i := range r.changes {
		name(fmt.Sprint(r.changes[i].PolicyChange))
	}
	return h.Sum64()
}

// Made reports whether a partial is of this run, so that it can be merged with
// others of it and reported. One of an earlier release may not be; its rows
// have to be run again.
func (r *Run) Made(p *Partial) bool { return p.numbering == r.numbering }

// Ignored lists the columns that nobody reads, in the order of the header.
func (r *Run) Ignored() []string { return r.ignored }

func newSide(plan *engine.Plan) *side {
	p := plan.Policy()
	s := &side{plan: plan, grid: newGrid(p.Scorecard), codes: plan.NewTracer().Codes()}
	for i := range p.Bands {
		grade := p.Bands[i].Grade
		at := slices.Index(s.grades, grade)
		if at < 0 {
			at = len(s.grades)
			s.grades = append(s.grades, grade)
		}
		s.gradeOf = append(s.gradeOf, int32(at))
	}
	if !slices.Contains(s.grades, noGrade) {
		s.grades = append(s.grades, noGrade)
	}
	return s
}

// none is the grade of a row without a band.
func (s *side) none() int32 { return int32(slices.Index(s.grades, noGrade)) }

// places finds the columns: those that are named, and those of the usual
// names.
func (r *Run) places(faults *fault.List) {
	s := &r.setup
	find := func(member string, name *string, usual ...string) int {
		if *name == "" {
			for _, u := range usual {
				if at := slices.Index(s.Header, u); at >= 0 {
					*name = u
					return at
				}
			}
			return -1
		}
		at := slices.Index(s.Header, *name)
		if at < 0 {
			hint := ""
			if near, ok := rule.Nearest(*name, s.Header); ok {
				hint = "; column " + strconv.Itoa(slices.Index(s.Header, near)+1) + " has a name like it"
			}
			faults.Add("/"+member, fault.CodeUnknownField, "is not a column of the file%s", hint)
		}
		return at
	}
	r.at = places{
		outcome:   find("outcome_column", &s.Outcome, "outcome", "bad"),
		weight:    find("weight_column", &s.Weight, "weight"),
		status:    find("status_column", &s.Status, "actual_status"),
		protected: find("protected_column", &s.Protected),
		month:     find("month_column", &s.Month),
		id:        find("id_column", &s.ID, "applicant_id", "applicant.id"),
	}
	if r.at.month >= 0 && r.at.outcome < 0 {
		faults.Add("/month_column", fault.CodeRequired, "needs an outcome column too: the month is that in which a loan went bad")
	}
}

// inputs are the fields that the policies declare themselves.
func (r *Run) inputs(faults *fault.List) map[string]rule.Type {
	inputs := map[string]rule.Type{}
	for _, in := range r.champion.plan.Policy().Inputs {
		inputs[in.Name] = in.Type
	}
	if r.challenger == nil {
		return inputs
	}
	for _, in := range r.challenger.plan.Policy().Inputs {
		if was, ok := inputs[in.Name]; ok && was != in.Type {
			faults.Add("/challenger_rule_set_id", fault.CodeConflictingInputs,
				"the two policies declare %s with different types", in.Name)
		}
		inputs[in.Name] = in.Type
	}
	return inputs
}

// readHeader settles which column gives which field.
func (r *Run) readHeader(inputs map[string]rule.Type, faults *fault.List) {
	reads, noScore := map[string]bool{}, true
	for _, s := range []*side{r.champion, r.challenger} {
		if s != nil {
			noScore = noScore && !s.plan.Policy().NeedsScore()
			for _, name := range s.plan.Fields() {
				reads[name] = true
			}
		}
	}
	columns, err := application.NewColumns(r.setup.Header, application.ColumnOptions{
		Map: r.setup.Map, Others: r.own(), Inputs: inputs,
		Reads: func(name string) bool { return reads[name] }, PercentFOIR: r.setup.PercentFOIR, NoScore: noScore,
	})
	if err != nil {
		refused, ok := errors.AsType[*fault.Error](err)
		if !ok || len(refused.Items) == 0 {
			faults.Add("/header", fault.CodeInvalidField, "%v", err)
			return
		}
		for _, item := range refused.Items {
			faults.Add(item.Pointer, item.Code, "%s", item.Detail)
		}
		return
	}
	r.columns, r.ignored = columns, columns.Ignored()
}

// own lists the columns that the backtest itself reads.
func (r *Run) own() []string {
	var names []string
	for _, at := range []int{r.at.outcome, r.at.weight, r.at.status, r.at.protected, r.at.month, r.at.id} {
		if at >= 0 {
			names = append(names, r.setup.Header[at])
		}
	}
	return names
}
