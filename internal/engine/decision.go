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
	Result Result
}

// Hit is a knockout that failed or referred.
type Hit struct {
	Knockout int32 // in the policy's knockouts
	Result   Result
	absent   bool // the result came from on_absent, not from the condition
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
	at   int32 // a hit, an unmet requirement, or the code
	code int32 // in the plan's codes
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
// overwrites all of it, and then allocates nothing. The lists that only people
// read are put together when they are asked for: a backtest asks for none of
// them, and they took a fifth of the time of a decision.
type Decision struct {
	Status     Status
	Grade      string
	FinalScore rule.Number
	Offer      Offer
	Reasons    []Reason

	plan     *Plan
	frame    rule.Frame
	stage1   rule.Truths // of the knockouts
	stage2   rule.Truths
	adjusted rule.Truths  // of the adjustments
	bins     []int32      // the outcome of each factor
	sum      rule.Number  // the score before it is clamped
	lost     []lostPoints // under each code
	missing  int32        // the first unmet requirement, -1 for none
	unknown  []int32      // knockouts that could not be evaluated
	hits     []Hit        // as they were evaluated
	band     *compiledBand
	limit    limit
	quoted   quote   // unless quotes are kept
	quotes   []quote // nil unless they are

	rules         listed[FiredRule]
	contributions listed[Contribution]
	alternatives  listed[Alternative]
	canonical     []byte // the memory of Canonical
	hash          string // "" until it is asked for

	eligibility bool // Stage 1 alone, with no field required
}

// listed is a list that is put together when it is first asked for.
type listed[T any] struct {
	list []T
	done bool
}

// Plan is the plan that decided.
func (d *Decision) Plan() *Plan { return d.plan }
