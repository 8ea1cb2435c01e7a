package engine

import (
	"cmp"

	"verdict/internal/exact"
	"verdict/internal/field"
	"verdict/internal/loan"
	"verdict/internal/rule"
)

// compiler compiles a policy to a plan. It also has the data that only the
// compilation needs.
type compiler struct {
	plan    *Plan
	codeAt  map[string]int32 // index in the plan's codes, by code
	generic GeneratedCodes
}

// Compile compiles a policy to a plan: it resolves all names, slots, bins, bands
// and annuities. A policy from ReadPolicy always compiles.
func Compile(p *Policy, catalogue *rule.Catalogue) *Plan {
	plan := &Plan{policy: p, catalogue: catalogue, checksum: p.Checksum(), step: p.LimitStepPaise}
	plan.steps = exact.NewDivisor(uint64(max(plan.step, 1))) // a policy that was not read may lack a step and a price
	plan.codes = []string{noCode: ""}
	plan.slots = rule.NewSlots(catalogue)
	plan.code = rule.NewCode(plan.slots)
	plan.stage1 = stage{
		tests: make([]rule.Test, 0, len(p.Knockouts)),
		rules: make([]compiledRule, 0, len(p.Knockouts)),
	}

	// The order matters: slots and codes are numbered in the order in which they first occur.
	c := compiler{plan: plan, codeAt: map[string]int32{}, generic: p.GeneratedCodes()}
	c.inputs()
	c.required()
	for i := range p.Knockouts {
		c.knockout(int32(i))
	}
	plan.scoring = compileScoring(p.Scorecard, plan.slots, plan.code, c.lostCode)
	for i := range p.Adjustments {
		c.adjustment(&p.Adjustments[i])
	}
	c.codes()
	c.labels()
	for i := range p.Terms {
		plan.terms = append(plan.terms, plan.code.Add(&p.Terms[i].Condition))
	}
	for i := range p.Bands {
		c.band(int32(i))
	}
	c.segments()
	c.limitCaps()
	c.results()
	c.affordability()
	c.people()
	c.exposure()
	plan.lookups = p.Lookups()
	for i := range p.Tables {
		for _, key := range p.Tables[i].Keys {
			plan.slots.Slot(key.Field) // so that the plan reads the fields by which a row is looked up
		}
	}
	plan.bands.sort(&plan.scoring)
	plan.ntcBands.sort(&plan.scoring)
	return plan
}

// required assigns the slots of the fields that the policy requires.
func (c *compiler) required() {
	p := c.plan
	for _, req := range p.policy.Required {
		slots := make([]int32, 0, len(req.Any))
		for _, ref := range req.Any {
			slots = append(slots, p.slots.Slot(ref))
		}
		p.required = append(p.required, slots)
	}
}

// adjustment compiles an adjustment of the score. Only an adjustment that takes
// points away has a reason code.
func (c *compiler) adjustment(a *Adjustment) {
	p := c.plan
	compiled := compiledAdjustment{id: a.ID, delta: a.Delta}
	if code := cmp.Or(a.ReasonCode, c.generic.Adjustments[a.ID]); a.Delta < 0 && code != "" {
		compiled.code = c.codeIndex(code)
	}
	p.adjustments = append(p.adjustments, compiled)
	p.adjusting = append(p.adjusting, p.code.Add(&a.Condition))
}

// inputs assigns the slots of the fields that the engine itself reads.
func (c *compiler) inputs() {
	p := c.plan
	slot := func(name string) int32 {
		ref, ok := p.ref(name)
		if !ok {
			return -1 // a test uses its own catalogue; the field is always absent
		}
		return p.slots.Slot(ref)
	}
	p.inputs = inputSlots{
		ntc:       slot(field.BureauIsNTC),
		income:    slot(field.MonthlyIncome),
		foir:      slot(field.FOIR),
		requested: slot(field.RequestedAmount),
		tenure:    slot(field.RequestedTenureMonths),
	}
}

// results finds the slots of the engine's results. The slot of a result that no condition and no message reads is -1.
func (c *compiler) results() {
	p := c.plan
	slot := func(name string) int32 {
		if ref, ok := p.ref(name); ok {
			if at, ok := p.slots.Find(ref); ok {
				return at
			}
		}
		return -1
	}
	p.results = resultSlots{
		score: slot(field.FinalScore),
		grade: slot(field.Grade),
		limit: slot(field.OfferLimit),
		emi:   slot(field.OfferEMI),
		apr:   slot(field.OfferAPR),
		foir:  slot(field.PostOfferFOIR),
	}
}

// knockout compiles the knockout at index i of the policy.
func (c *compiler) knockout(i int32) {
	p := c.plan
	k := &p.policy.Knockouts[i]
	compiled := compiledRule{id: k.ID, index: i, hit: ResultFail}
	if k.Action == Refer {
		compiled.hit = ResultRefer
	}
	switch k.OnAbsent {
	case ReferWhenAbsent:
		compiled.whenAbsent = ResultRefer
	case FailWhenAbsent:
		compiled.whenAbsent = ResultFail
	case PassWhenAbsent:
	}
	if k.OnAbsent != PassWhenAbsent {
		c.compared(i, &k.Condition)
	}
	// A message contains values from the frame, so their fields need slots too.
	for name := range templateNames(k.Message) {
		if ref, ok := p.ref(name); ok {
			p.slots.Slot(ref)
		}
	}
	s := &p.stage1
	if k.Stage == 2 {
		s = &p.stage2
	}
	s.tests = append(s.tests, p.code.Add(&k.Condition))
	s.rules = append(s.rules, compiled)
}

// compared records which fields the condition of a knockout compares. It skips the engine's own results, and fields
// that are only tested with exists or absent.
func (c *compiler) compared(knockout int32, condition *rule.Condition) {
	p := c.plan
	if p.compared == nil {
		p.compared = map[int32][]int32{}
	}
	condition.Walk(func(n *rule.Condition) {
		if n.Op == rule.Exists || n.Op == rule.IsAbsent {
			return
		}
		n.Operands(func(ref rule.Ref) {
			if ref.ID < 0 || p.catalogue.Field(ref.ID).Supply != rule.FromEngine {
				p.compared[knockout] = append(p.compared[knockout], p.slots.Slot(ref))
			}
		})
	})
}

// codes assigns indexes to the reason codes, except the codes of lost points, which have indexes already.
func (c *compiler) codes() {
	p := c.plan
	if p.policy.People != nil { // points can also be lost because of the co-applicant's score
		p.scores.otherCode = c.codeIndex(reasonCoApplicant)
		p.scores.compileReasons(c)
	}
	p.lostCodes = len(p.codes)
	for i := range p.policy.Knockouts {
		k := &p.policy.Knockouts[i]
		p.knockoutCodes = append(p.knockoutCodes, c.codeIndex(k.Code()))
		if k.ReasonCode != "" {
			continue
		}
		if p.codeNodes == nil {
			p.codeNodes = map[int32]*codeNode{}
		}
		n := c.codeNode(&k.Condition, c.predicateCode)
		p.codeNodes[int32(i)] = &n
	}
	for i, code := range ownReasons {
		p.own[i] = c.codeIndex(code)
	}
}

// lostCode returns the index of the code for points that a factor loses. code is the code of the bin, or "". It
// returns noCode if there is no code.
func (c *compiler) lostCode(f *Factor, code string) int32 {
	if code = cmp.Or(code, f.ReasonCode, c.generic.Factors[f.Name]); code == "" {
		return noCode
	}
	return c.codeIndex(code)
}

// codeIndex returns the index of a reason code and assigns one if the code is
// new.
func (c *compiler) codeIndex(code string) int32 {
	at, ok := c.codeAt[code]
	if !ok {
		at = int32(len(c.plan.codes))
		c.plan.codes = append(c.plan.codes, code)
		c.codeAt[code] = at
	}
	return at
}

// band compiles the band at index i of the policy.
func (c *compiler) band(i int32) {
	p := c.plan
	b := &p.policy.Bands[i]
	compiled := compiledBand{Band: b, index: i, tenures: make([]tenure, 0, len(b.Tenures))}
	for k, months := range b.Tenures {
		terms, err := loan.NewTerms(b.RateBP, months)
		if err != nil {
			continue // cannot happen: the reader of policies bounds rate and months
		}
		compiled.tenures = append(compiled.tenures, tenure{
			terms: terms, num: rule.Int(int64(months)), earlyPaise: earlyPaise(b.RateBP, months),
		})
		if months == b.TenureMonths {
			compiled.defaultAt = k
		}
	}
	l := &p.bands
	if b.NTC {
		l = &p.ntcBands
	}
	l.bands = append(l.bands, compiled)
	l.conditional = l.conditional || b.When != nil
}

// segments compiles the conditions of the bands, if any band has one.
func (c *compiler) segments() {
	for _, l := range [...]*ladder{&c.plan.bands, &c.plan.ntcBands} {
		for i := range l.bands {
			if l.conditional {
				l.whens = append(l.whens, c.optional(l.bands[i].When))
			}
		}
	}
}
