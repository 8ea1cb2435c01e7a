package backtest

import (
	"cmp"
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

// Run is a backtest that is ready to decide rows: its columns are resolved and
// its policies compiled. It is immutable, so any number of workers may use it
// concurrently.
type Run struct {
	setup    Setup
	columns  *application.Columns // nil if the backtest decides facts instead of rows
	ignored  []string
	at       columnIndexes
	outcomes spellings

	champion   *side
	challenger *side // nil for none
	changes    []change
	numbering  uint64
	lookups    []rule.NamedLookup // of both policies
	own        bool               // one of the policies reads the lender's earlier decisions on the applicant
	tables     []rule.Table       // of both policies
}

// columnIndexes has the index of each column that the backtest itself reads, or -1
// if there is no such column.
type columnIndexes struct{ outcome, weight, status, protected, month, id int }

// side is one policy with the numbering of its grades and reason codes.
type side struct {
	plan    *engine.Plan
	grid    grid
	grades  []string // in the order of the bands, then noGrade
	gradeOf []int32  // the grade of each band
	codes   []string // reason codes
}

// noGrade is the grade of a row without a pricing band.
const noGrade = "NA"

// New prepares a backtest. The challenger may be nil. If the setup is invalid,
// the error is a *fault.Error with all faults.
func New(s Setup, champion, challenger *engine.Plan) (*Run, error) {
	var faults fault.List
	s.LGD, s.FundingRate = cmp.Or(s.LGD, DefaultLGD), cmp.Or(s.FundingRate, DefaultFundingRate)
	r := &Run{setup: s, champion: newSide(champion)}
	if challenger != nil {
		r.challenger = newSide(challenger)
	}
	r.findColumns(&faults)
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
	r.numbering, r.lookups, r.tables, r.own = r.number(), r.lookupsOf(), r.tablesOf(), r.usesOwn()
	return r, nil
}

// number returns a hash of everything that gives the counts of a partial their
// meaning. Partials store counts without names, and a later release may number
// grades, reasons, rules or changes in another order.
func (r *Run) number() uint64 {
	h := fnv.New64a()
	name := func(text string) { _, _ = io.WriteString(h, text+"\x00") } // writing to a hash cannot fail
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

// Made reports whether p was made by this run or by a run with the same numbering,
// so that p can be merged with the run's other partials. If Made returns false, for
// example for a partial of an earlier release, the rows must be decided again.
func (r *Run) Made(p *Partial) bool { return p.numbering == r.numbering }

// Ignored returns the columns that hold no known field, in the order of the header.
func (r *Run) Ignored() []string { return r.ignored }

// Meant returns the name of a field that was probably meant by the name of an ignored column, or "" if there is none.
func (r *Run) Meant(ignored string) string {
	if r.columns == nil {
		return ""
	}
	return r.columns.Meant(ignored)
}

// NoOutcome reports whether no column has the outcome of a loan.
func (r *Run) NoOutcome() bool { return r.columns != nil && r.at.outcome < 0 }

// Missing returns the fields of the applicant and the report that a policy names and that no column has, in name order.
func (r *Run) Missing() (names []string) {
	if r.columns == nil {
		return nil // the backtest decides facts, which have no columns
	}
	for _, s := range []*side{r.champion, r.challenger} {
		if s == nil {
			continue
		}
		for _, name := range s.plan.NamedInputs() {
			if !r.columns.Gives(name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

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

func (s *side) noGradeIndex() int32 { return int32(slices.Index(s.grades, noGrade)) }

// findColumns finds the columns that the backtest itself reads: those that the setup
// names, otherwise those with the default names.
func (r *Run) findColumns(faults *fault.List) {
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
			if near, ok := fault.Nearest(*name, slices.Values(s.Header)); ok {
				hint = "; column " + strconv.Itoa(slices.Index(s.Header, near)+1) + " has a similar name"
			}
			faults.Add("/"+member, fault.CodeUnknownField, "is not a column of the file%s", hint)
		}
		return at
	}
	r.at = columnIndexes{
		outcome:   find("outcome_column", &s.Outcome, "outcome", "bad"),
		weight:    find("weight_column", &s.Weight, "weight"),
		status:    find("status_column", &s.Status, "actual_status"),
		protected: find("protected_column", &s.Protected),
		month:     find("month_column", &s.Month),
		id:        find("id_column", &s.ID, "applicant_id", "applicant.id"),
	}
	if r.at.month >= 0 && r.at.outcome < 0 {
		faults.Add("/month_column", fault.CodeRequired,
			"needs an outcome column too: the month is that in which a loan went bad")
	}
}

// inputs returns the types of the inputs that the policies declare. It adds a fault
// for an input that the two policies declare with different types.
func (r *Run) inputs(faults *fault.List) map[string]rule.Type {
	inputs := r.champion.plan.Policy().InputTypes()
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

// readHeader determines which column provides each field.
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
		Map: r.setup.Map, Others: r.ownColumns(), Inputs: inputs,
		Reads: func(name string) bool { return reads[name] }, PercentFOIR: r.setup.PercentFOIR, NoScore: noScore,
	})
	if err != nil {
		refused := fault.Of(err)
		if refused == nil || len(refused.Items) == 0 {
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

// ownColumns returns the names of the columns that the backtest itself reads.
func (r *Run) ownColumns() []string {
	var names []string
	for _, at := range []int{r.at.outcome, r.at.weight, r.at.status, r.at.protected, r.at.month, r.at.id} {
		if at >= 0 {
			names = append(names, r.setup.Header[at])
		}
	}
	return names
}
