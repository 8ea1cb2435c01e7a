package engine

import (
	"cmp"
	"math"
	"slices"

	"verdict/internal/field"
	"verdict/internal/loan"
	"verdict/internal/rule"
)

// Plan is a policy compiled for deciding. It is immutable: any number of
// goroutines may decide with it at once, and nothing of a request ever enters
// it.
type Plan struct {
	policy    *Policy
	catalogue *rule.Catalogue
	checksum  string
	slots     *rule.Slots
	code      *rule.Code

	required    [][]int32 // slots, one of each list must be given
	stage1      stage
	stage2      stage
	adjustments []compiledAdjustment
	adjusting   []rule.Test // beside the adjustments
	scoring     scoring
	terms       []rule.Test
	bands       ladder
	ntcBands    ladder
	compared    map[int32][]int32 // of knockouts with an on_absent: the request's slots they compare

	// codes are all reason codes that a decision can give: noCode, then those
	// of points that can be lost, lostCodes of them with noCode, then the others.
	codes         []string
	codeAt        map[string]int32
	generic       genericCodes
	labels        map[string]string // what people call the factors behind generic codes
	lostCodes     int
	knockoutCodes []int32                // of each knockout
	codeNodes     map[int32]*codeNode    // of the knockouts whose code depends on what hit
	own           [len(ownReasons)]int32 // of the reasons that the engine itself gives

	step    int64
	inputs  inputSlots
	afford  affording
	results resultSlots
	named   namedInputs

	predicates lazyPredicates
}

// inputSlots are the fields the engine reads by itself.
type inputSlots struct {
	ntc, income, foir, requested, tenure int32
}

// resultSlots are the fields the engine gives to Stage 2; -1 when no rule
// names them, so that nothing is computed for nobody.
type resultSlots struct {
	score, grade, limit, emi, apr, foir int32
}

// stage is the knockouts that run together, in declared order.
type stage struct {
	tests []rule.Test
	rules []compiledRule // beside the tests
}

type compiledRule struct {
	id         string
	index      int32 // in the policy's knockouts
	hit        Result
	whenAbsent Result // pass leaves no trace
}

type compiledAdjustment struct {
	id    string
	delta rule.Number
	code  int32 // in codes, noCode when nothing is lost
}

// noCode is the code of points that nobody is told about.
const noCode int32 = 0

// ladder is the bands that are open to one kind of applicant, by lowest score,
// and their ranges close together for looking one up.
type ladder struct {
	bands  []compiledBand
	ranges []scoreRange

	// table has one more than the band of each whole score from least on, 0 for
	// none; it is empty for a card whose scores are too many. Which band a score
	// falls into is what no branch predictor guesses.
	least int64
	table []uint16
}

// maxTable is how many scores a ladder has a table for: all of most cards.
const maxTable = 2_000

// scoreRange is a band's scores, both ends included, without end for a band
// that takes them all.
type scoreRange struct{ least, greatest int64 }

// sort puts the bands in order and prepares looking them up by the scores that
// the card gives.
func (l *ladder) sort(card *scoring) {
	slices.SortStableFunc(l.bands, func(a, b compiledBand) int { return cmp.Compare(a.MinScore, b.MinScore) })
	for i := range l.bands {
		b := &l.bands[i]
		r := scoreRange{b.MinScore, b.MaxScore}
		if !b.Ranged {
			r = scoreRange{math.MinInt64, math.MaxInt64}
		}
		l.ranges = append(l.ranges, r)
	}
	least, greatest := card.min.Floor(), card.max.Floor()
	if greatest-least >= maxTable {
		return
	}
	l.least = least
	for score := least; score <= greatest; score++ {
		l.table = append(l.table, uint16(l.search(score)+1))
	}
}

// find finds the band of a score, which is matched as a whole number.
func (l *ladder) find(score rule.Number) *compiledBand {
	whole := score.Floor()
	var at int
	if i := uint64(whole - l.least); i < uint64(len(l.table)) {
		at = int(l.table[i]) - 1
	} else {
		at = l.search(whole)
	}
	if at < 0 {
		return nil
	}
	return &l.bands[at]
}

// search is the band of a whole score, -1 for none.
func (l *ladder) search(whole int64) int {
	for i, r := range l.ranges {
		if r.least <= whole && whole <= r.greatest {
			return i
		}
	}
	return -1
}

type compiledBand struct {
	*Band
	index   int32
	tenures []tenure // ascending
	usual   int      // TenureMonths among them
}

type tenure struct {
	terms      loan.Terms
	num        rule.Number // months as a fact holds them
	earlyPaise int64       // see earlyPaise
}

// earlyPaise is an instalment above which rounding to the rupee cannot repay a
// loan early, so that the schedule charges it as it is: more than what 51 paise
// a month, 50 of the instalment and less than one of the interest, grow to.
// Only how often the schedule is asked depends on it, so it may be generous.
func earlyPaise(rateBP int64, months int) int64 {
	growth, factor := 1.0, 1+float64(rateBP)/120_000
	for n := months + 1; n > 0; n >>= 1 {
		if n&1 == 1 {
			growth *= factor
		}
		factor *= factor
	}
	return int64(min(52*float64(months+1)*growth, maxAmountPaise))
}

// Compile settles names, slots, bins, bands and annuities once and for all.
// A policy from ReadPolicy always compiles.
func Compile(p *Policy, catalogue *rule.Catalogue) *Plan {
	plan := &Plan{policy: p, catalogue: catalogue, checksum: p.Checksum(), step: p.LimitStepPaise}
	plan.codes, plan.codeAt = []string{noCode: ""}, map[string]int32{}
	plan.slots = rule.NewSlots(catalogue)
	plan.code = rule.NewCode(plan.slots)
	plan.stage1 = stage{tests: make([]rule.Test, 0, len(p.Knockouts)), rules: make([]compiledRule, 0, len(p.Knockouts))}
	plan.compileInputs()
	for _, req := range p.Required {
		slots := make([]int32, 0, len(req.Any))
		for _, ref := range req.Any {
			slots = append(slots, plan.slots.Slot(ref))
		}
		plan.required = append(plan.required, slots)
	}
	for i := range p.Knockouts {
		plan.compileKnockout(int32(i))
	}
	plan.generic = compileGenericCodes(p)
	plan.scoring = compileScoring(p.Scorecard, plan.slots, plan.code, plan.lostCode)
	for i := range p.Adjustments {
		a := &p.Adjustments[i]
		c := compiledAdjustment{id: a.ID, delta: a.Delta}
		if code := cmp.Or(a.ReasonCode, plan.generic.adjustments[a.ID]); a.Delta < 0 && code != "" {
			c.code = plan.codeIndex(code)
		}
		plan.adjustments = append(plan.adjustments, c)
		plan.adjusting = append(plan.adjusting, plan.code.Add(&a.Condition))
	}
	plan.compileCodes()
	plan.compileLabels()
	for i := range p.Terms {
		plan.terms = append(plan.terms, plan.code.Add(&p.Terms[i].Condition))
	}
	for i := range p.Bands {
		plan.compileBand(int32(i))
	}
	plan.compileResults()
	plan.compileAffordability()
	plan.bands.sort(&plan.scoring)
	plan.ntcBands.sort(&plan.scoring)
	return plan
}

func (p *Plan) compileInputs() {
	slot := func(name string) int32 {
		ref, ok := p.ref(name)
		if !ok {
			return -1 // a catalogue of a test's own; the field is always absent
		}
		return p.slots.Slot(ref)
	}
	p.inputs = inputSlots{
		ntc: slot(field.BureauIsNTC), income: slot(field.MonthlyIncome), foir: slot(field.FOIR),
		requested: slot(field.RequestedAmount), tenure: slot(field.RequestedTenureMonths),
	}
}

// compileResults finds out which of its own results Stage 2 asks for, in a
// condition or in a message.
func (p *Plan) compileResults() {
	slot := func(name string) int32 {
		if ref, ok := p.ref(name); ok {
			if at, ok := p.slots.Find(ref); ok {
				return at
			}
		}
		return -1
	}
	p.results = resultSlots{
		score: slot(field.FinalScore), grade: slot(field.Grade), limit: slot(field.OfferLimit),
		emi: slot(field.OfferEMI), apr: slot(field.OfferAPR), foir: slot(field.PostOfferFOIR),
	}
}

func (p *Plan) compileKnockout(i int32) {
	k := &p.policy.Knockouts[i]
	c := compiledRule{id: k.ID, index: i, hit: ResultFail}
	if k.Action == Refer {
		c.hit = ResultRefer
	}
	switch k.OnAbsent {
	case ReferWhenAbsent:
		c.whenAbsent = ResultRefer
	case FailWhenAbsent:
		c.whenAbsent = ResultFail
	case PassWhenAbsent:
	}
	if k.OnAbsent != PassWhenAbsent {
		p.compileCompared(i, &k.Condition)
	}
	// A message's values are read from the frame, so they need slots too.
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
	s.rules = append(s.rules, c)
}

// compileCompared notes the request fields that a condition compares. The
// engine's own results are none, and exists and absent do not compare.
func (p *Plan) compileCompared(knockout int32, c *rule.Condition) {
	if p.compared == nil {
		p.compared = map[int32][]int32{}
	}
	c.Walk(func(n *rule.Condition) {
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

// ref finds a name in the catalogue or among the policy's declared inputs.
func (p *Plan) ref(name string) (rule.Ref, bool) {
	if id, ok := p.catalogue.Lookup(name); ok {
		return rule.Ref{Name: name, ID: id, Type: p.catalogue.Field(id).Type}, true
	}
	for _, in := range p.policy.Inputs {
		if in.Name == name {
			return rule.Ref{Name: name, ID: rule.Undeclared, Type: in.Type}, true
		}
	}
	return rule.Ref{}, false
}

// compileCodes numbers the reason codes besides those of lost points.
func (p *Plan) compileCodes() {
	p.lostCodes = len(p.codes)
	for i := range p.policy.Knockouts {
		k := &p.policy.Knockouts[i]
		p.knockoutCodes = append(p.knockoutCodes, p.codeIndex(k.Code()))
		if k.ReasonCode != "" {
			continue
		}
		if p.codeNodes == nil {
			p.codeNodes = map[int32]*codeNode{}
		}
		n := p.compileCodeNode(&k.Condition)
		p.codeNodes[int32(i)] = &n
	}
	for i, code := range ownReasons {
		p.own[i] = p.codeIndex(code)
	}
}

// lostCode numbers the code of points that a factor lost: noCode for none.
func (p *Plan) lostCode(f *Factor, code string) int32 {
	if code = cmp.Or(code, f.ReasonCode, p.generic.factors[f.Name]); code == "" {
		return noCode
	}
	return p.codeIndex(code)
}

// codeIndex numbers the reason codes.
func (p *Plan) codeIndex(code string) int32 {
	at, ok := p.codeAt[code]
	if !ok {
		at = int32(len(p.codes))
		p.codes = append(p.codes, code)
		p.codeAt[code] = at
	}
	return at
}

func (p *Plan) compileBand(i int32) {
	b := &p.policy.Bands[i]
	c := compiledBand{Band: b, index: i, tenures: make([]tenure, 0, len(b.Tenures))}
	for k, months := range b.Tenures {
		terms, err := loan.NewTerms(b.RateBP, months)
		if err != nil {
			continue // cannot be: the reader bounds rate and months
		}
		c.tenures = append(c.tenures, tenure{
			terms: terms, num: rule.Int(int64(months)), earlyPaise: earlyPaise(b.RateBP, months),
		})
		if months == b.TenureMonths {
			c.usual = k
		}
	}
	l := &p.bands
	if b.NTC {
		l = &p.ntcBands
	}
	l.bands = append(l.bands, c)
}

// Policy is the policy behind the plan.
func (p *Plan) Policy() *Policy { return p.policy }

// Checksum is the policy's checksum.
func (p *Plan) Checksum() string { return p.checksum }

// Fields lists every field the plan reads, by name. What the engine derives
// from others before Stage 1 is not among them.
func (p *Plan) Fields() []string {
	out := make([]string, 0, p.slots.Len())
	for i := range int32(p.slots.Len()) {
		if derived := p.afford.active && (i == p.afford.incomeOut || i == p.afford.foirOut); !derived {
			out = append(out, p.slots.Ref(i).Name)
		}
	}
	slices.Sort(out)
	return out
}

// Reads reports whether the plan reads a field, so that a caller computes and
// merges only what matters.
func (p *Plan) Reads(id rule.FieldID) bool {
	_, ok := p.slots.Find(rule.Ref{ID: id})
	return ok
}
