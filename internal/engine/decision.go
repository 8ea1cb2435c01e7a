package engine

import (
	"verdict/internal/rule"
)

// Status is the outcome of a decision.
type Status uint8

// The statuses, better ones first; the worst that applies wins.
const (
	Approved Status = iota
	Referred
	Declined
)

var statusNames = [...]string{Approved: "APPROVED", Referred: "REFERRED", Declined: "DECLINED"}

// String is the status as the interface spells it.
func (s Status) String() string { return statusNames[s] }

// Result is what became of one rule.
type Result uint8

// The results. A rule whose condition is unknown has none and is not listed.
const (
	ResultPass Result = iota
	ResultRefer
	ResultFail
	ResultApplied
)

var resultNames = [...]string{ResultPass: "pass", ResultRefer: "refer", ResultFail: "fail", ResultApplied: "applied"}

// String is the result as the interface spells it.
func (r Result) String() string { return resultNames[r] }

// FiredRule is one rule that was evaluated.
type FiredRule struct {
	ID     string
	Delta  rule.Number // of an applied adjustment
	index  int32       // in the policy's knockouts or adjustments
	Result Result
	absent bool // the result came from on_absent, not from the condition
}

// noGrade is the grade of an application without a pricing band.
const noGrade = "NA"

// Constraint is the term that bound the limit.
type Constraint uint8

// The constraints.
const (
	NoConstraint Constraint = iota
	FOIRCapacity
	RequestedAmount
	BandMaxLimit
	IncomeMultiple
	DefaultLimit
)

var constraintNames = [...]string{
	FOIRCapacity: "foir_capacity", RequestedAmount: "requested_amount", BandMaxLimit: "band_max_limit",
	IncomeMultiple: "income_multiple", DefaultLimit: "default_limit",
}

// String is the constraint as the contract spells it.
func (c Constraint) String() string { return constraintNames[c] }

// Offer is a priced loan. Amounts are in paise.
type Offer struct {
	Made               bool // false: nothing is offered, and all else is zero
	Indicative         bool // a person has to confirm it
	LimitPaise         int64
	HasRequested       bool
	RequestedPaise     int64
	CounterOffer       bool
	RateBP             int64
	TenureMonths       int
	InstalmentPaise    int64
	LastPaise          int64
	FeePaise           int64
	GSTPaise           int64
	NetPaise           int64
	InterestPaise      int64
	PayablePaise       int64
	APR                int64 // hundredths of a percent
	HasCapacity        bool
	CapacityPaise      int64
	HasPostFOIR        bool
	PostFOIR           int64 // ten-thousandths
	Binding            Constraint
	BandID             string
	Terms              []*Term
	Alternatives       []Alternative
	TenureNotAvailable bool // the tenure asked for is not among the band's
}

// Alternative is the same limit over another allowed tenure.
type Alternative struct {
	TenureMonths    int
	InstalmentPaise int64
}

// Reason is one principal reason, ranked from 1.
type Reason struct {
	Code string
	Rank int
	kind reasonKind
	at   int32 // a rule in Rules, or a code in the plan's codes
}

type reasonKind uint8

const (
	byRequirement reasonKind = iota
	byRule
	byLimit
	byMinimum
	byBand
	byPoints
)

// MaxReasons is how many principal reasons are given; more are of no help to
// anybody.
const MaxReasons = 4

// Decision is the outcome for one application. It may be reused: Decide
// overwrites all of it, and then allocates nothing.
type Decision struct {
	Status        Status
	Grade         string
	FinalScore    rule.Number
	Offer         Offer
	Rules         []FiredRule    // stage 1, adjustments, stage 2, each in declared order
	Contributions []Contribution // base, factors in declared order, clamp
	Reasons       []Reason

	plan    *Plan
	frame   rule.Frame
	truths  []rule.Truth  // of the stage that is being evaluated
	bins    []int32       // the bin of each factor
	lost    []rule.Number // points lost under each code
	losing  []int32       // the codes under which points were lost, as they came up
	keys    []uint64      // of the losing codes, for ranking
	missing int32         // the first unmet requirement, -1 for none
	unknown []int32       // knockouts that could not be evaluated
	hits    []int32       // the rules that failed or refer, in Rules
	band    *compiledBand
	limit   limit

	canonical []byte // the memory of Canonical
	hash      string // "" until it is asked for

	eligibility bool // Stage 1 alone, with no field required
}

// Plan is the plan that decided.
func (d *Decision) Plan() *Plan { return d.plan }
