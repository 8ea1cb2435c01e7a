package engine

import (
	"cmp"
	"slices"
	"sync"

	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// Severity says how much a finding matters.
type Severity uint8

// The severities, milder ones first. An error is a policy that does something
// nobody can want; a warning is probably a mistake; an info is worth knowing.
const (
	SeverityInfo Severity = iota
	SeverityWarning
	SeverityError
)

var severityNames = [...]string{SeverityInfo: "info", SeverityWarning: "warning", SeverityError: "error"}

// String returns the severity's name.
func (s Severity) String() string { return severityNames[s] }

// Finding is one result of the analysis of a policy.
type Finding struct {
	Severity Severity
	Code     string            // stable, snake_case
	Pointer  string            // into the policy's document
	Key      string            // code@pointer with ids instead of positions, so that it is stable when rules move
	Origin   Origin            // whether the base has it too; unknown until Against sets it
	Detail   string            // a sentence for a risk officer
	IDs      []string          // the rules, factors or bands it is about, if there are several
	Fields   []string          // the fields it is about
	Witness  []rule.NamedValue // facts of an applicant who shows it; empty if there is none
}

// Origin says whether a finding is new in a version or inherited from its base.
type Origin uint8

// The origins. They are unknown for a policy that was not compared with a base.
const (
	OriginUnknown Origin = iota
	OriginNew
	OriginInherited
)

var originNames = [...]string{OriginUnknown: "", OriginNew: "new", OriginInherited: "inherited"}

// String returns the origin's name, or "" for an unknown one.
func (o Origin) String() string { return originNames[o] }

// Write writes the finding as JSON.
func (f Finding) Write(w *wire.Writer) {
	w.Object().Key("severity").String(f.Severity.String()).Key("code").String(f.Code)
	w.Key("pointer").String(f.Pointer).Key("key").String(f.Key)
	optional(w, "origin", f.Origin.String())
	w.Key("detail").String(f.Detail)
	if len(f.IDs) > 0 {
		w.Key("ids")
		writeStrings(w, f.IDs)
	}
	if len(f.Fields) > 0 {
		w.Key("fields")
		writeStrings(w, f.Fields)
	}
	w.Key("witness").Object()
	for _, nv := range f.Witness {
		w.Key(nv.Name)
		nv.Value.Write(w)
	}
	w.EndObject().EndObject()
}

// Analyse lists the likely mistakes in a policy from ReadPolicy. Every finding
// is true for all applicants within the domains of the catalogue; what cannot
// be proved is not reported. Errors come first, then warnings, then infos;
// those of one severity are in document order, then by code. The result is
// deterministic.
//
// The work is bounded for every policy. Checks that give errors read the
// conditions directly and use no budget. The comparison of rules with each
// other is the most expensive part and comes last.
func Analyse(p *Policy, catalogue *rule.Catalogue) []Finding {
	found, _ := AnalyseUntil(p, catalogue, nil) // it cannot fail without a check
	return found
}

// AnalyseUntil is Analyse with a function check that it calls many times in a
// millisecond. An error of check ends the analysis and is the only error
// returned. If check is nil, the analysis runs to its end.
func AnalyseUntil(p *Policy, catalogue *rule.Catalogue, check func() error) ([]Finding, error) {
	a, kept := analyses.Get().(*analysis)
	if !kept {
		a = newAnalysis()
	}
	a.begin(p, catalogue)
	a.check = check
	a.clauses()
	a.units()
	a.percents()
	a.silence()
	a.scorecard()
	a.reachability()
	a.bands()
	a.lending()
	a.messages()
	a.untrueReasons()
	a.semantics()
	a.redundancy()
	a.truncation()
	slices.SortStableFunc(a.found, func(x, y found) int {
		return cmp.Or(cmp.Compare(y.Severity, x.Severity), x.at.compare(y.at), cmp.Compare(x.Code, y.Code))
	})
	out := make([]Finding, len(a.found))
	for i := range a.found {
		out[i] = a.found[i].Finding
	}
	err := a.err
	a.release()
	if err != nil {
		return nil, err
	}
	return out, nil
}

// release clears the working memory and returns it to the pool. It leaves
// memory that grew large for a huge policy to the garbage collector.
func (a *analysis) release() {
	const most = 1 << 12
	if len(a.texts) > most || cap(a.knockouts) > most || cap(a.fields) > most {
		return
	}
	clear(a.found)
	clear(a.unknown)
	clear(a.byName)
	clear(a.texts)
	clear(a.textOf)
	for _, list := range [][]clause{a.knockouts, a.adjustments, a.whens, a.terms} {
		clear(list)
	}
	a.policy, a.other, a.check = nil, "", nil
	analyses.Put(a)
}

// The limits of one analysis: steps in total, steps to compare two rules, and
// pairs of rules compared. They are far beyond a policy that people maintain,
// and they bound the work for the largest one.
const (
	maxSteps       = 1_000_000
	maxPairSteps   = 2_000
	maxComparisons = 50_000
)

// analysis is the working memory of one call of Analyse.
type analysis struct {
	policy    *Policy
	catalogue *rule.Catalogue
	found     []found

	fields []domain
	byID   []uint16 // catalogue id to index+1
	byName map[string]int32
	texts  map[string]int64 // codes of the texts of open string fields
	textOf []string
	other  string // a text that no condition names; "" until first use
	ntc    int32  // the field bureau_is_ntc, -1 if the catalogue has none
	scored []int32

	memory
	reads  []int32 // backing array of the reads of all clauses
	path   []int   // path to the part of a condition that is being checked
	opaque bool    // a predicate was found that sets cannot express

	knockouts   []clause
	adjustments []clause
	whens       []clause // the when conditions of factors
	terms       []clause
	unknown     []string // names of the conditions that are too large to analyse

	steps, pairSteps, comparisons int
	truncated                     bool

	check      func() error // nil: never interrupted
	err        error        // the error of check; if set, the findings are discarded
	sinceCheck int          // steps since the last check
}

// memory is the arena from which sets, boxes and regions are allocated.
// Restoring an earlier value frees everything allocated since.
type memory struct {
	sets        sets
	constraints []constraint
	boxes       []box
}

// analyses pools the working memory between calls. Nothing that Analyse returns
// refers to it.
var analyses sync.Pool

func newAnalysis() *analysis {
	return &analysis{
		byName: map[string]int32{},
		texts:  map[string]int64{},
		fields: make([]domain, 0, 32),
		found:  make([]found, 0, 16),
		reads:  make([]int32, 0, 64),
		memory: memory{
			sets:        sets{make([]span, 0, 512)},
			constraints: make([]constraint, 0, 512),
			boxes:       make([]box, 0, 256),
		},
	}
}

// begin resets the working memory for a policy.
func (a *analysis) begin(p *Policy, catalogue *rule.Catalogue) {
	byID := a.byID
	if cap(byID) < catalogue.Len() {
		byID = make([]uint16, catalogue.Len())
	}
	byID = byID[:catalogue.Len()]
	clear(byID)
	*a = analysis{
		policy: p, catalogue: catalogue, ntc: -1,
		byID: byID, byName: a.byName, texts: a.texts,
		fields:    a.fields[:0],
		found:     a.found[:0],
		reads:     a.reads[:0],
		textOf:    a.textOf[:0],
		scored:    a.scored[:0],
		path:      a.path[:0],
		memory:    memory{sets: sets{a.sets.block[:0]}, constraints: a.constraints[:0], boxes: a.boxes[:0]},
		knockouts: a.knockouts[:0], adjustments: a.adjustments[:0], whens: a.whens[:0], terms: a.terms[:0],
		unknown: a.unknown[:0],
	}
	if id, ok := catalogue.Lookup(field.BureauIsNTC); ok {
		a.ntc = a.place(rule.Ref{Name: field.BureauIsNTC, ID: id, Type: catalogue.Field(id).Type})
	}
}

// spend uses n+1 steps of the budget and reports whether the analysis may
// continue.
func (a *analysis) spend(n int) bool {
	if a.truncated = a.truncated || a.steps > maxSteps; a.truncated {
		return false
	}
	a.steps += n + 1
	a.checkpoint(n + 1)
	return a.err == nil
}

// stepsBetweenChecks is the number of steps between two calls of check, some
// hundred microseconds of analysis.
const stepsBetweenChecks = 500

// checkpoint counts steps without using the budget. It calls check from time to
// time, so that the caller can end the analysis.
func (a *analysis) checkpoint(steps int) {
	if a.check == nil || a.err != nil {
		return
	}
	if a.sinceCheck += steps; a.sinceCheck < stepsBetweenChecks {
		return
	}
	a.sinceCheck = 0
	if a.err = a.check(); a.err != nil {
		a.truncated = true // ends the analysis
	}
}
