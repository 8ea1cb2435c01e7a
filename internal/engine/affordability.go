package engine

import (
	"slices"
	"strings"

	"verdict/internal/exact"
	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// Affordability names the sources from which a policy takes income and
// obligations.
type Affordability struct {
	Income      Source
	Obligations Source
	// AllPeople adds the income and the obligations of the co-applicant to those of the primary applicant.
	AllPeople bool
}

// Source is a list of sources in order of preference, with the rule that selects one of those that are given.
type Source struct {
	Of   []string
	Take Take
}

// Take says which of several given sources counts.
type Take uint8

// The possible values of Take. Income uses TakeFirst or TakeLowest; obligations use TakeHighest or TakeFirst.
const (
	TakeFirst Take = iota
	TakeLowest
	TakeHighest
)

var takeNames = [...]string{TakeFirst: "first", TakeLowest: "lowest", TakeHighest: "highest"}

// String returns the choice's name in a policy.
func (t Take) String() string { return takeNames[t] }

// The sources of obligations, as a policy names them.
const (
	obligationsDeclared = "declared" // foir × monthly_income
	obligationsBureau   = "bureau"   // instalments of the live own and joint accounts
	obligationsBank     = "bank"     // instalments currently due according to the bank statement
	obligationsOwn      = "own"      // instalments of the loans that the lender has reported as exposures
)

var (
	incomeSources     = []string{field.MonthlyIncome, field.BankIncome, field.BankDetectedIncome}
	obligationSources = []string{obligationsDeclared, obligationsBureau, obligationsBank, obligationsOwn}
)

// obligationFields has the field with the monthly amount of each source of
// obligations. Declared obligations are computed from the FOIR and have no field.
var obligationFields = map[string]string{
	obligationsBureau: field.BureauOwnEMI,
	obligationsBank:   field.BankDueEMI,
	obligationsOwn:    field.OwnEMI,
}

// declaredAlone returns the affordability of a policy that names no sources: only
// declared income and declared obligations count.
func declaredAlone() Affordability {
	return Affordability{
		Income:      Source{Of: []string{field.MonthlyIncome}, Take: TakeFirst},
		Obligations: Source{Of: []string{obligationsDeclared}, Take: TakeHighest},
	}
}

// CountedSources returns the sources of income and obligations that the policy
// counts: those that it names, or the declared figures if it names none.
func (p *Policy) CountedSources() Affordability {
	if p.Affordability == nil {
		return declaredAlone()
	}
	return *p.Affordability
}

// CountsDeclared reports whether declared obligations, which the applicant states as a FOIR, are among the sources
// that count.
func (a *Affordability) CountsDeclared() bool {
	return slices.Contains(a.Obligations.Of, obligationsDeclared)
}

// isDeclaredAlone reports whether only declared figures count. If so, each list has
// one source, and take has no effect.
func (a *Affordability) isDeclaredAlone() bool {
	alone := declaredAlone()
	return !a.AllPeople &&
		slices.Equal(a.Income.Of, alone.Income.Of) && slices.Equal(a.Obligations.Of, alone.Obligations.Of)
}

// String describes which figures count. A nil Affordability means the declared figures.
func (a *Affordability) String() string {
	if a == nil {
		alone := declaredAlone()
		a = &alone
	}
	words := func(s *Source) string {
		if len(s.Of) == 1 {
			return s.Of[0]
		}
		return s.Take.String() + " of " + strings.Join(s.Of, ", ")
	}
	text := "income: " + words(&a.Income) + "; obligations: " + words(&a.Obligations)
	if a.AllPeople {
		text += "; people: all"
	}
	return text
}

func (a *Affordability) write(w *wire.Writer) {
	source := func(key string, s *Source) {
		w.Key(key).Object().Key("of")
		w.Strings(s.Of)
		w.Key("take").String(s.Take.String()).EndObject()
	}
	w.Object()
	source("income", &a.Income)
	source("obligations", &a.Obligations)
	if a.AllPeople {
		w.Key("people").String("all")
	}
	w.EndObject()
}

// affordability reads the section "affordability". If the section is left out, only
// declared figures count.
func (r *policyReader) affordability(f *wire.Form) {
	v := f.Get("affordability")
	if !v.Given() {
		return
	}
	if r.policy.Semantics < 2 {
		f.Fail("affordability", fault.CodeInvalidField,
			`is available from semantics 2 on: set "semantics":2 in the policy`)
	}
	form := wire.NewForm(v, &r.faults)
	a := declaredAlone()
	r.source(&form, "income", &a.Income, incomeSources, TakeFirst, TakeLowest)
	r.source(&form, "obligations", &a.Obligations, obligationSources, TakeHighest, TakeFirst)
	a.AllPeople = form.Choice("people", 0, "primary", "all") == 1
	form.Done()
	if !a.isDeclaredAlone() {
		r.policy.Affordability = &a
	}
}

// source reads one list of sources. takes lists the allowed values of "take"; the
// first one is the default.
func (r *policyReader) source(f *wire.Form, name string, into *Source, known []string, takes ...Take) {
	v := f.Get(name)
	if !v.Given() {
		return
	}
	form := wire.NewForm(v, &r.faults)
	s := &form
	if s.Require("of", "the sources, in order of preference") {
		into.Of = nil
	}
	list := s.Array("of", len(known))
	for _, e := range list.Elements() {
		switch {
		case e.Kind() != wire.String || !slices.Contains(known, e.Text()):
			r.faults.Add(e.Pointer(), fault.CodeInvalidField, "must be one of %s", strings.Join(known, ", "))
		case slices.Contains(into.Of, e.Text()):
			r.faults.Add(e.Pointer(), fault.CodeDuplicate, "is named twice")
		default:
			into.Of = append(into.Of, e.Text())
		}
	}
	if list.Kind() == wire.Array && list.Len() == 0 {
		s.Fail("of", fault.CodeRequired, "must name at least one source")
	}
	names := make([]string, len(takes))
	for i, t := range takes {
		names[i] = t.String()
	}
	into.Take = takes[s.Choice("take", 0, names...)]
	s.Done()
}

// affording is an Affordability compiled to a plan's slots.
type affording struct {
	active             bool // the policy reads a derived field or names sources
	person                  // the primary applicant
	lowest             bool // the lowest income counts, not the first
	highest            bool // the highest obligations count, not the first ones
	incomeOut, foirOut int32
	partner            *person // the co-applicant; nil unless the policy adds up the figures of all people
}

// declaredSlot represents the declared obligations in a list of slots. They have no
// slot because they are computed.
const declaredSlot int32 = -2

// affordability assigns the slots of the sources. If the policy names sources,
// the price reads the derived income and FOIR instead of the declared ones.
func (c *compiler) affordability() {
	p := c.plan
	names := p.policy.Affordability
	income, hasIncome := p.ref(field.IncomeEffective)
	foir, hasFOIR := p.ref(field.FOIREffective)
	if !hasIncome || !hasFOIR {
		return // a test uses its own catalogue
	}
	_, readsIncome := p.slots.Find(income)
	_, readsFOIR := p.slots.Find(foir)
	if p.afford.active = names != nil || readsIncome || readsFOIR; !p.afford.active {
		return
	}
	p.afford.incomeOut, p.afford.foirOut = p.slots.Slot(income), p.slots.Slot(foir)
	p.afford.monthly, p.afford.foir = p.inputs.income, p.inputs.foir
	alone := declaredAlone()
	if names == nil {
		names = &alone
	} else {
		p.inputs.income, p.inputs.foir = p.afford.incomeOut, p.afford.foirOut
	}
	p.afford.lowest = names.Income.Take == TakeLowest
	for _, name := range names.Income.Of {
		if ref, ok := p.ref(name); ok {
			p.afford.income = append(p.afford.income, p.slots.Slot(ref))
		}
	}
	p.afford.highest = names.Obligations.Take == TakeHighest
	if names.AllPeople {
		p.afford.partner = c.partner(names)
	}
	for _, name := range names.Obligations.Of {
		if name == obligationsDeclared {
			p.afford.obligations = append(p.afford.obligations, declaredSlot)
		} else if ref, ok := p.ref(obligationFields[name]); ok {
			p.afford.obligations = append(p.afford.obligations, p.slots.Slot(ref))
		}
	}
}

// counted returns the field that the price reads instead of the declared field: the
// derived field if the policy names sources, otherwise the declared field itself.
func (p *Policy) counted(declared string) string {
	switch {
	case p.Affordability == nil:
		return declared
	case declared == field.FOIR:
		return field.FOIREffective
	default:
		return field.IncomeEffective
	}
}

// derive computes income_effective and foir_effective and stores them in the frame.
// If one of them cannot be derived, derive stores it as absent.
func (a *affording) derive(slots *rule.Slots, fr *rule.Frame) {
	income, hasIncome := a.incomeOf(fr, &a.person)
	foir, hasFOIR := a.effectiveFOIR(fr, income, hasIncome)
	var incomeValue, foirValue rule.Value
	if hasFOIR {
		foirValue = rule.Num(foir)
	}
	if hasIncome {
		if a.partner != nil {
			income, foirValue = a.together(fr, income, foirValue)
		}
		incomeValue = rule.Num(income)
	}
	slots.Put(fr, a.incomeOut, incomeValue)
	slots.Put(fr, a.foirOut, foirValue)
}

// amountIn returns the amount in a slot. It returns false if the amount is absent
// or negative.
func amountIn(fr *rule.Frame, slot int32) (rule.Number, bool) {
	if slot < 0 {
		return 0, false
	}
	n, ok := fr.Number(slot)
	return n, ok && n >= 0
}

// incomeOf returns the income of a person from the source that counts.
func (a *affording) incomeOf(fr *rule.Frame, p *person) (income rule.Number, known bool) {
	for _, slot := range p.income {
		n, ok := amountIn(fr, slot)
		switch {
		case !ok:
		case !a.lowest:
			return n, true
		case !known || n < income:
			income, known = n, true
		}
	}
	return income, known
}

// effectiveFOIR returns the share of income that the obligations take. It converts each source to a share before it
// selects one of them. If the income is unknown, only the declared ratio counts, and it is returned unchanged.
func (a *affording) effectiveFOIR(fr *rule.Frame, income rule.Number, hasIncome bool) (foir rule.Number, known bool) {
	for _, slot := range a.obligations {
		share, ok := a.share(fr, slot, income, hasIncome)
		switch {
		case !ok:
		case !a.highest:
			return share, true
		case !known || share > foir:
			foir, known = share, true
		}
	}
	return foir, known
}

func (a *affording) share(fr *rule.Frame, slot int32, income rule.Number, hasIncome bool) (rule.Number, bool) {
	if slot != declaredSlot {
		amount, ok := amountIn(fr, slot)
		if !ok || !hasIncome {
			return 0, false
		}
		return shareOf(amount, rule.One, income), true
	}
	foir, ok := amountIn(fr, a.foir)
	if !ok {
		return 0, false
	}
	monthly, ok := amountIn(fr, a.monthly)
	if !ok || !hasIncome || monthly == income {
		return foir, true
	}
	return shareOf(monthly, foir, income), true
}

// maxShare caps a share at the largest ratio that a request may declare.
// Obligations without any income have this share.
const maxShare = 5 * rule.One

// shareOf returns amount × ratio ÷ income, rounded half up to the millionth and
// capped at maxShare.
func shareOf(amount, ratio, income rule.Number) rule.Number {
	if amount == 0 || ratio == 0 {
		return 0 // even for an income of 0, which otherwise gives maxShare
	}
	q, ok := exact.MulDivHalfUp(uint64(amount), uint64(ratio), uint64(income))
	if !ok {
		return maxShare
	}
	return rule.Number(min(q, uint64(maxShare)))
}

// absentFacts returns a list of missing fields. In place of each derived field, the list has those sources of the
// field that were not given. If all sources of the obligations were given, foir_effective is replaced with the
// missing sources of the income. Other fields stay unchanged.
func (d *Decision) absentFacts(names []string) []string {
	a := &d.plan.afford
	if !a.active {
		return names
	}
	var out []string
	add := func(slots ...int32) {
		for _, slot := range slots {
			if slot == declaredSlot {
				slot = a.foir
			}
			if name := d.plan.slots.Ref(slot).Name; !d.frame.Given(slot) && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	for _, name := range names {
		switch before := len(out); name {
		case field.IncomeEffective:
			add(a.income...)
		case field.FOIREffective:
			if add(a.obligations...); len(out) == before {
				add(a.income...) // all amounts are given, so the income must be missing
			}
		default:
			out = append(out, name)
		}
	}
	return out
}
