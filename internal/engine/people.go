package engine

import (
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// People says how the people of an application count together.
type People struct {
	Score PeopleScore
}

// PeopleScore says whose bureau score counts if there is a co-applicant.
type PeopleScore uint8

// The choices of people.score.
const (
	PrimaryScore PeopleScore = iota
	LowestScore
	HighestScore
)

var peopleScoreNames = [...]string{PrimaryScore: "primary", LowestScore: "lowest", HighestScore: "highest"}

// String returns the choice's name in a policy.
func (s PeopleScore) String() string { return peopleScoreNames[s] }

const sectionPeople = "people"

// String describes whose score counts. A nil People stands for the primary applicant's.
func (p *People) String() string {
	if p == nil {
		return PrimaryScore.String()
	}
	return p.Score.String()
}

func (p *People) write(w *wire.Writer) {
	w.Object().Key("score").String(p.Score.String()).EndObject()
}

// people reads the section "people". If the section is left out, the score of the primary applicant counts.
func (r *policyReader) people(f *wire.Form) {
	v := f.Get(sectionPeople)
	if !v.Given() {
		return
	}
	r.fromSemantics2(f, sectionPeople)
	form := wire.NewForm(v, &r.faults)
	if score := PeopleScore(form.Choice("score", int(PrimaryScore), peopleScoreNames[:]...)); score != PrimaryScore {
		r.policy.People = &People{Score: score}
	}
	form.Done()
}

// scoreSlots are the fields from which the bureau score that counts is chosen. active is false if the primary
// applicant's score counts.
type scoreSlots struct {
	active, highest bool
	own, other, ntc int32
}

// people assigns the slots of the scores.
func (c *compiler) people() {
	p := c.plan
	if p.policy.People == nil {
		return
	}
	own, ok := p.ref(field.BureauScore)
	other, known := p.ref(field.OfRole(field.CoApplicant, field.BureauScore))
	ntc, flagged := p.ref(field.BureauIsNTC)
	if !ok || !known || !flagged {
		return // a test uses its own catalogue
	}
	p.scores = scoreSlots{
		active: true, highest: p.policy.People.Score == HighestScore,
		own: p.slots.Slot(own), other: p.slots.Slot(other), ntc: p.slots.Slot(ntc),
	}
}

// choose stores the score that counts as the bureau score. A lower score of the co-applicant counts only if the primary
// applicant has a score, because somebody who is new to credit is judged as such. A higher one counts in any case.
func (s *scoreSlots) choose(slots *rule.Slots, fr *rule.Frame) {
	other, known := fr.Number(s.other)
	if !known {
		return
	}
	own, rated := fr.Number(s.own)
	switch {
	case !s.highest && rated && other < own:
		slots.Put(fr, s.own, rule.Num(other))
	case s.highest && (!rated || other > own):
		slots.Put(fr, s.own, rule.Num(other))
		slots.Put(fr, s.ntc, rule.Bool(false))
	}
}

// person has the slots of one person's sources of income and obligations.
type person struct {
	monthly, foir int32
	income        []int32 // in order of preference
	obligations   []int32 // in order of preference; declaredSlot for the declared obligations
}

// together adds the income and the obligations of the co-applicant to those of the primary applicant. A co-applicant
// whose obligations are not known adds no income. Obligations count even if there is no income.
func (a *affording) together(fr *rule.Frame, income rule.Number, foir rule.Value) (rule.Number, rule.Value) {
	extra, earns := a.incomeOf(fr, a.partner)
	burden, known := a.owed(fr, a.partner, extra, earns)
	if !known {
		return income, foir
	}
	total := income
	if earns {
		total = capped(income, extra)
	}
	owed, known := a.owed(fr, &a.person, income, true)
	if !known {
		return total, rule.Value{} // it is not known what the primary applicant owes
	}
	return total, rule.Num(shareOf(capped(owed, burden), rule.One, total))
}

// addsUp reports whether the figures of a co-applicant count in an application.
func (a *affording) addsUp(fr *rule.Frame) bool {
	if a.partner == nil {
		return false
	}
	income, earns := a.incomeOf(fr, a.partner)
	_, known := a.owed(fr, a.partner, income, earns)
	return known
}

// LeavesOutIncome reports whether the co-applicant of an application states an income that the policy would add, but
// that does not count because the obligations are not known.
func (p *Plan) LeavesOutIncome(facts *rule.Facts) bool {
	if p.afford.partner == nil {
		return false
	}
	var fr rule.Frame
	p.slots.Load(facts, &fr)
	_, earns := p.afford.incomeOf(&fr, p.afford.partner)
	return earns && !p.afford.addsUp(&fr)
}

// capped returns the sum of two amounts, at most the largest number.
func capped(a, b rule.Number) rule.Number {
	if sum, ok := a.Plus(b); ok {
		return sum
	}
	return rule.MaxNumber
}

// owed returns the monthly obligations of a person: the amount of the source that counts. Declared obligations are the
// share of the monthly income to which they refer or, if that is not known, of the income that counts.
func (a *affording) owed(fr *rule.Frame, p *person, income rule.Number, earns bool) (owed rule.Number, known bool) {
	for _, slot := range p.obligations {
		amount, ok := rule.Number(0), false
		if slot != declaredSlot {
			amount, ok = amountIn(fr, slot)
		} else if foir, stated := amountIn(fr, p.foir); stated {
			of, has := amountIn(fr, p.monthly)
			if !has {
				of, has = income, earns
			}
			if amount, ok = foir.Times(of); !ok {
				amount, ok = rule.MaxNumber, true
			}
			ok = ok && has
		}
		switch {
		case !ok:
		case !a.highest:
			return amount, true
		case !known || amount > owed:
			owed, known = amount, true
		}
	}
	return owed, known
}

// partner assigns the slots of the co-applicant's sources. The lender's own loans are known of the primary applicant
// only.
func (c *compiler) partner(names *Affordability) *person {
	p := c.plan
	slot := func(name string) int32 {
		if ref, ok := p.ref(field.OfRole(field.CoApplicant, name)); ok {
			return p.slots.Slot(ref)
		}
		return -1 // a test uses its own catalogue; the field is always absent
	}
	out := &person{monthly: slot(field.MonthlyIncome), foir: slot(field.FOIR)}
	for _, name := range names.Income.Of {
		out.income = append(out.income, slot(name))
	}
	for _, name := range names.Obligations.Of {
		switch name {
		case obligationsDeclared:
			out.obligations = append(out.obligations, declaredSlot)
		case obligationsOwn:
		default:
			out.obligations = append(out.obligations, slot(obligationFields[name]))
		}
	}
	return out
}
