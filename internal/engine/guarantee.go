package engine

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// Guarantee is a statement about every decision of a policy. It has no effect on decisions and is not part of the
// checksum. Package prover proves or refutes it.
//
// There are two kinds of guarantees. A guarantee with Never means: if When holds for an applicant, Never does not hold
// for the outcome. The other kind has Monotone.
type Guarantee struct {
	ID, Text string
	When     *rule.Condition // nil means everybody
	Never    *rule.Condition // nil if Monotone is given
	Monotone *Monotone
}

// Monotone means that no figure in Of gets worse for an applicant if the field changes in the given direction and
// nothing else changes.
type Monotone struct {
	Field rule.Ref
	Down  bool // the field falls; otherwise it rises
	Of    []Figure
}

// Figure is a part of an outcome that can get worse.
type Figure uint8

// The figures. The grade, the rate and the limit are compared only if both applications get an offer.
const (
	FigureStatus Figure = iota
	FigureGrade
	FigureRate
	FigureLimit
)

var figureNames = [...]string{
	FigureStatus: OutcomeStatus, FigureGrade: field.Grade, FigureRate: OutcomeRate, FigureLimit: field.OfferLimit,
}

// String returns the figure's name in a policy.
func (f Figure) String() string { return figureNames[f] }

// The names that "never" may use in addition to those of Stage 2. They are not fields of the catalogue.
const (
	OutcomeStatus = "status"
	OutcomeRate   = "interest_rate"
	OutcomeAPR    = "apr"
)

// outcomes has the types of the names above.
var outcomes = map[string]rule.Type{
	OutcomeStatus: rule.StringType, OutcomeRate: rule.NumberType, OutcomeAPR: rule.NumberType,
}

const (
	sectionGuarantees = "guarantees"
	maxGuarantees     = 50
	towardsUp         = "up"
	towardsDown       = "down"
)

// guarantees reads the section "guarantees". It must run after all other sections are read, because a guarantee can
// name only the table columns that the rest of the policy names.
func (r *policyReader) guarantees(list wire.Value) {
	if r.faults.Len() == 0 {
		r.scope.Table = func(name string) (*rule.Table, bool) {
			at := slices.IndexFunc(r.policy.Tables, func(t rule.Table) bool { return t.Name == name })
			if at < 0 {
				return nil, false
			}
			return &r.policy.Tables[at], true
		}
	}
	seen := map[string]bool{}
	for _, v := range list.Elements() {
		if r.interrupted() {
			return
		}
		form := wire.NewForm(v, &r.faults)
		f := &form
		g := Guarantee{ID: r.id(f, seen)}
		f.Require("text", "the guarantee in words")
		if text, ok := f.Text("text", maxText); ok {
			g.Text = text
			if strings.TrimSpace(text) == "" {
				f.Fail("text", fault.CodeRequired, "must not be empty")
			}
		}
		switch monotone, never := f.Get("monotone"), f.Get("never"); {
		case monotone.Given() && (never.Given() || f.Get("when").Given()):
			f.Fail("monotone", fault.CodeInvalidField, `stands alone; leave out "when" and "never"`)
		case monotone.Given():
			g.Monotone = r.monotone(monotone)
		case f.Require("never", `the outcome that is excluded; or give "monotone"`):
			g.When = r.when(f)
			g.Never = r.never(never)
		}
		f.Known("when")
		f.Done()
		r.policy.Guarantees = append(r.policy.Guarantees, g)
	}
}

// never reads the member "never": the condition on the outcome.
func (r *policyReader) never(v wire.Value) *rule.Condition {
	scope := r.scope
	scope.Stage2 = true
	scope.Inputs = maps.Clone(r.scope.Inputs)
	maps.Copy(scope.Inputs, outcomes)
	before := r.faults.Len()
	c := rule.ReadCondition(v, &scope, &r.faults)
	if r.faults.Len() > before {
		return nil
	}
	c.Walk(func(n *rule.Condition) {
		if detail := misusesStatus(n); detail != "" && r.faults.Len() == before {
			r.faults.Add(v.Pointer(), fault.CodeInvalidCondition, "%s", detail)
		}
	})
	return &c
}

// misusesStatus returns what is wrong with a predicate on the status, or on another outcome that is not a fact. It
// returns "" if nothing is wrong.
func misusesStatus(n *rule.Condition) string {
	if n.IsLookup() && hasKey(outcomes, n.Left.Field.Name) {
		return n.Left.Field.Name + " is part of the outcome and cannot be looked up in a list"
	}
	status := false
	n.Operands(func(ref rule.Ref) { status = status || ref.Name == OutcomeStatus })
	if !status {
		return ""
	}
	constants := slices.Clone(n.Values)
	switch n.Op {
	case rule.Exists, rule.IsAbsent:
		return OutcomeStatus + " is always given; compare it with a status"
	case rule.Eq, rule.Ne:
		for _, o := range []rule.Operand{n.Left, n.Right} {
			if o.Kind == rule.ConstantOperand {
				constants = append(constants, o.Value)
			}
		}
		if len(constants) == 0 {
			return OutcomeStatus + " can be compared only with constants"
		}
	case rule.In, rule.NotIn:
	default:
		return OutcomeStatus + ` can be compared only by "eq", "ne", "in" and "not_in"`
	}
	for _, c := range constants {
		if !slices.Contains(statusNames[:], c.Text()) {
			return fmt.Sprintf("%s is never this value; it is one of %s", OutcomeStatus,
				strings.Join(statusNames[:], ", "))
		}
	}
	return ""
}

// monotone reads a guarantee that no figure gets worse if a field changes.
func (r *policyReader) monotone(v wire.Value) *Monotone {
	form := wire.NewForm(v, &r.faults)
	f := &form
	m := &Monotone{}
	f.Require("field", "the field that changes")
	if name, ok := f.Text("field", 128); ok {
		ref, detail := r.scope.Resolve(name, r.faults.SkipHints())
		_, _, column := rule.ParseTableFact(name)
		switch {
		case detail != "":
			f.Fail("field", rule.UnknownCode(name), "%s", detail)
		case ref.Type != rule.NumberType || column || ref.ID < 0:
			f.Fail("field", fault.CodeInvalidField, "must be a number of the field catalogue")
		}
		m.Field = ref
	}
	f.Require("towards", "up or down, the direction in which nothing gets worse")
	m.Down = f.Choice("towards", 0, towardsUp, towardsDown) == 1
	f.Require("of", "what must not get worse: "+strings.Join(figureNames[:], ", "))
	list := f.Array("of", len(figureNames))
	for _, e := range list.Elements() {
		at := slices.Index(figureNames[:], e.Text())
		switch {
		case e.Kind() != wire.String || at < 0:
			r.faults.Add(e.Pointer(), fault.CodeInvalidField, "must be one of %s", strings.Join(figureNames[:], ", "))
		case slices.Contains(m.Of, Figure(at)):
			r.faults.Add(e.Pointer(), fault.CodeDuplicate, "is listed twice")
		default:
			m.Of = append(m.Of, Figure(at))
		}
	}
	if list.Given() && list.Len() == 0 {
		f.Fail("of", fault.CodeRequired, "must name at least one of %s", strings.Join(figureNames[:], ", "))
	}
	f.Done()
	return m
}

func (g *Guarantee) write(w *wire.Writer) {
	w.Object().Key("id").String(g.ID)
	if g.Monotone != nil {
		g.Monotone.write(w)
	}
	if g.Never != nil {
		w.Key("never")
		g.Never.Write(w)
	}
	w.Key("text").String(g.Text)
	if g.When != nil {
		w.Key("when")
		g.When.Write(w)
	}
	w.EndObject()
}

func (m *Monotone) write(w *wire.Writer) {
	towards := towardsUp
	if m.Down {
		towards = towardsDown
	}
	w.Key("monotone").Object().Key("field").String(m.Field.Name).Key("of").Array()
	for _, f := range m.Of {
		w.String(f.String())
	}
	w.EndArray().Key("towards").String(towards).EndObject()
}

// GuaranteesDocument returns the guarantees as JSON.
func (p *Policy) GuaranteesDocument() []byte {
	var w wire.Writer
	w.Array()
	for i := range p.Guarantees {
		p.Guarantees[i].write(&w)
	}
	return w.EndArray().Buf
}

// Rule returns the guarantee in the words of its conditions.
func (g *Guarantee) Rule() string {
	if m := g.Monotone; m != nil {
		change := "rises"
		if m.Down {
			change = "falls"
		}
		var list []string
		for _, f := range m.Of {
			list = append(list, f.String())
		}
		return fmt.Sprintf("if %s %s, none of these gets worse: %s", m.Field.Name, change, strings.Join(list, ", "))
	}
	if g.When == nil {
		return "never " + g.Never.Text()
	}
	return "if " + g.When.Text() + ", never " + g.Never.Text()
}

// Keeps reports whether the guarantee excludes at least everything that the guarantee "before" excludes. It recognises
// an unchanged guarantee, one that leaves out "when", and one about more figures.
func (g *Guarantee) Keeps(before *Guarantee) bool {
	same := func(a, b *rule.Condition) bool {
		if a == nil || b == nil {
			return a == b
		}
		var x, y wire.Writer
		a.Write(&x)
		b.Write(&y)
		return bytes.Equal(x.Buf, y.Buf)
	}
	if m, old := g.Monotone, before.Monotone; m != nil && old != nil {
		return m.Field.Name == old.Field.Name && m.Down == old.Down &&
			!slices.ContainsFunc(old.Of, func(f Figure) bool { return !slices.Contains(m.Of, f) })
	}
	if g.Never == nil || before.Never == nil {
		return false
	}
	return same(g.Never, before.Never) && (g.When == nil || same(g.When, before.When))
}
