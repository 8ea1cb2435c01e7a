package engine

import (
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// People says how the figures of several people of an application are combined.
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

// String describes whose score counts. A nil People means the primary applicant's score.
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

// scoreSlots has the slots of the fields that choose reads to find the bureau score that counts. active is false if
// the primary applicant's score always counts.
type scoreSlots struct {
	active, highest bool
	own, other, ntc int32

	// present is the slot of the fact that says whether there is a co-applicant. Stored facts that are older than
	// this fact do not contain it, so the reasons of their decisions do not change.
	present   int32
	otherCode int32 // the reason code for a detail of the co-applicant

	// The maps rules and adjusting are used to find out whether the score made the condition of a knockout or an
	// adjustment hold. They contain only conditions that name the score. The map caps contains the limit caps that
	// name the score.
	rules, adjusting map[int32]*codeNode
	caps             map[int32]bool
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
	s := &p.scores
	s.active, s.highest = true, p.policy.People.Score == HighestScore
	s.own, s.other, s.ntc, s.present = p.slots.Slot(own), p.slots.Slot(other), p.slots.Slot(ntc), -1
	if present, known := p.ref(field.HasCoApplicant); known {
		s.present = p.slots.Slot(present)
	}
}

// choose decides which of the two scores counts, stores it as the bureau score, and reports whether it is the
// co-applicant's. A lower score of the co-applicant counts only if the primary applicant has a score, because an
// applicant who is new to credit is judged as such. A higher score of the co-applicant always counts.
func (s *scoreSlots) choose(slots *rule.Slots, fr *rule.Frame) (others bool) {
	other, known := fr.Number(s.other)
	if !known {
		return false
	}
	own, rated := fr.Number(s.own)
	switch {
	case !s.highest && rated && other < own:
		slots.Put(fr, s.own, rule.Num(other))
		return true
	case s.highest && (!rated || other > own):
		slots.Put(fr, s.own, rule.Num(other))
		slots.Put(fr, s.ntc, rule.Bool(false))
		return true
	}
	return false
}

// CountedScore returns the bureau score that rules and factors read if the policy chooses between the scores of two
// people. chosen is false if there was nothing to choose.
func (d *Decision) CountedScore() (score rule.Number, chosen bool) {
	s := &d.plan.scores
	if !s.active || !d.frame.Given(s.other) {
		return 0, false
	}
	return d.frame.Number(s.own)
}

// compileReasons prepares rules, adjusting and caps, which find the reasons that are about the score.
func (s *scoreSlots) compileReasons(c *compiler) {
	policy := c.plan.policy
	s.rules, s.adjusting, s.caps = map[int32]*codeNode{}, map[int32]*codeNode{}, map[int32]bool{}
	named := func(condition *rule.Condition) (names bool) {
		condition.Fields(func(ref rule.Ref) { names = names || ref.Name == field.BureauScore })
		return names
	}
	node := func(condition *rule.Condition) *codeNode {
		if !named(condition) {
			return nil
		}
		n := c.codeNode(condition, func(leaf *rule.Condition, _ bool) int32 {
			if named(leaf) {
				return s.otherCode
			}
			return noCode
		})
		return &n
	}
	for i := range policy.Knockouts {
		s.rules[int32(i)] = node(&policy.Knockouts[i].Condition)
	}
	for i := range policy.Adjustments {
		s.adjusting[int32(i)] = node(&policy.Adjustments[i].Condition)
	}
	for i := range policy.LimitCaps {
		policy.LimitCaps[i].Of.Fields(func(ref rule.Ref) {
			s.caps[int32(i)] = s.caps[int32(i)] || ref.Name == field.BureauScore
		})
	}
}

// ofOther reports whether the condition that n was compiled from holds because of the co-applicant's score.
func (x reasoner) ofOther(n *codeNode) bool {
	if n == nil || !x.decision.othersScore {
		return false
	}
	truth, code := n.eval(x.plan, &x.decision.frame)
	return truth == rule.Holds && code != noCode
}

// ruleCode returns the reason code of a knockout that hit. If the co-applicant's score made the rule hit, it is the
// code for the co-applicant, because the rule's own code may be about the applicant.
func (x reasoner) ruleCode(h *Hit) int32 {
	if x.ofOther(x.plan.scores.rules[h.Knockout]) {
		return x.plan.scores.otherCode
	}
	return x.hitCode(h)
}

// factorCode returns the code under which the factor with the given index lost points.
func (x reasoner) factorCode(at int) int32 {
	p, d := x.plan, x.decision
	code := p.scoring.outcomes[d.bins[at]].code
	if d.othersScore && code != noCode && p.scoring.factors[at].slot == p.scores.own {
		return p.scores.otherCode
	}
	return code
}

// adjustmentCode returns the code under which the adjustment with the given index took points.
func (x reasoner) adjustmentCode(at int) int32 {
	p := x.plan
	if code := p.adjustments[at].code; code == noCode || !x.ofOther(p.scores.adjusting[int32(at)]) {
		return code
	}
	return p.scores.otherCode
}

// person has the slots of one person's sources of income and obligations.
type person struct {
	monthly, foir int32
	income        []int32 // slots in order of preference
	obligations   []int32 // slots in order of preference; declaredSlot for the declared obligations
}

// together adds the income and the obligations of the co-applicant to those of the primary applicant. If the
// obligations of the co-applicant are not known, nothing is added. If they are known, they count even if the
// co-applicant has no income.
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
		return total, rule.Value{} // the primary applicant's obligations are unknown, so the FOIR is too
	}
	return total, rule.Num(shareOf(capped(owed, burden), rule.One, total))
}

// addsUp reports whether the figures of a co-applicant count for an application.
func (a *affording) addsUp(fr *rule.Frame) bool {
	if a.partner == nil {
		return false
	}
	income, earns := a.incomeOf(fr, a.partner)
	_, known := a.owed(fr, a.partner, income, earns)
	return known
}

// LeavesOutIncome reports whether the co-applicant's income is given but does not count. This happens in a
// policy that adds up incomes, if the co-applicant's obligations are not known.
func (p *Plan) LeavesOutIncome(facts *rule.Facts) bool {
	if p.afford.partner == nil {
		return false
	}
	var fr rule.Frame
	p.slots.Load(facts, &fr)
	_, earns := p.afford.incomeOf(&fr, p.afford.partner)
	return earns && !p.afford.addsUp(&fr)
}

// capped returns the sum of two amounts, but at most rule.MaxNumber.
func capped(a, b rule.Number) rule.Number {
	if sum, ok := a.Plus(b); ok {
		return sum
	}
	return rule.MaxNumber
}

// owed returns the monthly obligations of a person: the amount of the source that counts. Declared obligations are a
// share of the declared monthly income. If the declared income is not known, they are a share of the income that
// counts.
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

// partner assigns the slots of the co-applicant's sources. It leaves out the source "own": instalments of the lender's
// own loans count only for the primary applicant.
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
