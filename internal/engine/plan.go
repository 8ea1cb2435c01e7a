package engine

import (
	"cmp"
	"math"
	"slices"

	"verdict/internal/exact"
	"verdict/internal/loan"
	"verdict/internal/rule"
)

// Plan is a policy compiled for deciding. It is immutable: any number of
// goroutines may use it concurrently, and it stores no data of a request.
type Plan struct {
	policy    *Policy
	catalogue *rule.Catalogue
	checksum  string
	slots     *rule.Slots
	code      *rule.Code

	required    [][]int32 // at least one slot of each list must be given
	stage1      stage
	stage2      stage
	adjustments []compiledAdjustment
	adjusting   []rule.Test // parallel to adjustments
	scoring     scoring
	terms       []rule.Test
	caps        []compiledCap
	bands       ladder
	ntcBands    ladder
	compared    map[int32][]int32 // slots that a knockout compares, if its on_absent is not "pass"

	// codes has every reason code that a decision can give, in three groups:
	// noCode, the codes of points that can be lost, and the other codes.
	// lostCodes is the size of the first two groups together.
	codes         []string
	labels        map[string]string // the factor's label, by code, for codes that have the form of generated codes
	lostCodes     int
	knockoutCodes []int32                // code of each knockout
	codeNodes     map[int32]*codeNode    // finds the code of a knockout that names none
	own           [len(ownReasons)]int32 // codes of the engine's own reasons

	step      int64
	steps     exact.Divisor // divides by step
	inputs    inputSlots
	afford    affording
	scores    scoreSlots
	exposure  ownSlots
	reference int32 // slot that says whether the request names the applicant; valid only if usesOwn is set
	usesOwn   bool  // the policy reads facts about the lender's own decisions and loans
	results   resultSlots
	named     namedInputs
	lookups   []rule.NamedLookup

	predicates lazyPredicates
}

// inputSlots has the slots of the fields that the engine itself reads.
type inputSlots struct {
	ntc, income, foir, requested, tenure int32
}

// resultSlots has the slots of the fields in which the engine stores its results for Stage 2. A slot is -1 if no
// condition and no message reads the field.
type resultSlots struct {
	score, grade, limit, emi, apr, foir int32
}

// stage has the knockouts of one stage, in declared order.
type stage struct {
	tests []rule.Test
	rules []compiledRule // parallel to tests
}

type compiledRule struct {
	id         string
	index      int32 // index in the policy's knockouts
	hit        Result
	whenAbsent Result // the result if the condition is unknown
}

type compiledAdjustment struct {
	id    string
	delta rule.Number
	code  int32 // index in codes; noCode if the adjustment takes no points or has no code
}

// noCode is the index of the empty code. Lost points without a reason code have this index.
const noCode int32 = 0

// ladder has either the bands for applicants who are new to credit or the bands for all others. The bands are sorted
// by lowest score unless a band has a condition. The ranges of the bands are stored in one slice for fast lookup.
type ladder struct {
	bands  []compiledBand
	ranges []scoreRange

	// table[i] is the index of the band of the score least+i, plus one; it is 0 if the score has no band.
	// A table lookup avoids branches, which the processor would often mispredict. The table is empty if the card has
	// more than maxTable scores.
	least int64
	table []uint16

	// conditional is set if a band has a condition. Then the bands are in the order of the policy, ranges may overlap,
	// and there is no table.
	conditional bool
	whens       []rule.Test // parallel to bands; only if conditional is set
}

// maxTable is the largest number of scores for which a ladder has a table. Most
// cards have fewer scores.
const maxTable = 2_000

// scoreRange is the range of a band's scores, both ends included. For a band
// that takes all scores, the range is that of int64.
type scoreRange struct{ least, greatest int64 }

// sort sorts the bands and prepares the lookup for the scores that the card can
// give.
func (l *ladder) sort(card *scoring) {
	if !l.conditional {
		slices.SortStableFunc(l.bands, func(a, b compiledBand) int { return cmp.Compare(a.MinScore, b.MinScore) })
	}
	for i := range l.bands {
		b := &l.bands[i]
		r := scoreRange{b.MinScore, b.MaxScore}
		if !b.Ranged {
			r = scoreRange{math.MinInt64, math.MaxInt64}
		}
		l.ranges = append(l.ranges, r)
	}
	least, greatest := card.min.Floor(), card.max.Floor()
	if l.conditional || greatest-least >= maxTable {
		return
	}
	l.least = least
	for score := least; score <= greatest; score++ {
		l.table = append(l.table, uint16(l.search(score)+1))
	}
}

// find returns the band of a score, rounded down to a whole number, or nil if
// there is none.
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

// search returns the index of the band of a whole score, or -1 for none.
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
	index     int32
	tenures   []tenure // ascending
	defaultAt int      // index of TenureMonths in tenures
}

type tenure struct {
	terms      loan.Terms
	num        rule.Number // the months as a Number, to compare with the requested tenure
	earlyPaise int64       // result of the function earlyPaise
}

// earlyPaise returns an instalment in paise. The schedule charges any higher instalment unchanged, because rounding
// it to the rupee cannot repay the loan early. Each month rounding adds less than 51 paise: at most 50 from the
// instalment and less than one from the interest. The returned value exceeds the sum to which those amounts grow
// with interest. It only decides how often the schedule must be computed, so a high estimate is safe.
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

// Lookups lists the fields that must be looked up in lists before a decision.
func (p *Plan) Lookups() []rule.NamedLookup { return p.lookups }

// Tables lists the tables in which a row must be looked up before a decision.
func (p *Plan) Tables() []rule.Table { return p.policy.Tables }

// Policy returns the policy of the plan.
func (p *Plan) Policy() *Policy { return p.policy }

// Checksum returns the policy's checksum.
func (p *Plan) Checksum() string { return p.checksum }

// ref finds a name in the catalogue, among the policy's declared inputs or among
// the columns of its tables. It returns false if none has the name.
func (p *Plan) ref(name string) (rule.Ref, bool) {
	if id, ok := p.catalogue.Lookup(name); ok {
		return rule.Ref{Name: name, ID: id, Type: p.catalogue.Field(id).Type}, true
	}
	for _, in := range p.policy.Inputs {
		if in.Name == name {
			return rule.Ref{Name: name, ID: rule.Undeclared, Type: in.Type}, true
		}
	}
	if _, column, ok := rule.FindTable(p.policy.Tables, name); ok {
		return column.Ref(), true
	}
	return rule.Ref{}, false
}

// Fields lists every field that the plan reads, in name order. It leaves out fields that the engine derives from
// others before Stage 1, the answers of lists and the columns of tables.
func (p *Plan) Fields() []string {
	out := make([]string, 0, p.slots.Len())
	for i := range int32(p.slots.Len()) {
		name := p.slots.Ref(i).Name
		if _, _, answer := rule.ParseListFact(name); answer {
			continue
		}
		if _, _, column := rule.ParseTableFact(name); column {
			continue
		}
		if derived := p.afford.active && (i == p.afford.incomeOut || i == p.afford.foirOut); !derived {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// Reads reports whether the plan reads a field, so that a caller can compute
// only what is needed.
func (p *Plan) Reads(id rule.FieldID) bool {
	_, ok := p.slots.Find(rule.Ref{ID: id})
	return ok
}
