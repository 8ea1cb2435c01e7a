package engine

import (
	"verdict/internal/rule"
)

// Status is the outcome of a decision.
type Status uint8

// The statuses, better ones first. The worst status that applies wins.
const (
	Approved Status = iota
	Referred
	Declined
)

var statusNames = [...]string{Approved: "APPROVED", Referred: "REFERRED", Declined: "DECLINED"}

// String returns the status as the API spells it.
func (s Status) String() string { return statusNames[s] }

// Result is the result of one rule.
type Result uint8

// The results. Responses do not list a rule that passes because its condition is unknown.
const (
	ResultPass Result = iota
	ResultRefer
	ResultFail
	ResultApplied
)

var resultNames = [...]string{ResultPass: "pass", ResultRefer: "refer", ResultFail: "fail", ResultApplied: "applied"}

// String returns the result as the API spells it.
func (r Result) String() string { return resultNames[r] }

// FiredRule is one rule that was evaluated.
type FiredRule struct {
	ID     string
	Delta  rule.Number // points of an applied adjustment
	Result Result
}

// Applied reports whether the rule is an adjustment that was applied.
func (r FiredRule) Applied() bool { return r.Result == ResultApplied }

// Hit reports whether the rule is a knockout that declined or referred.
func (r FiredRule) Hit() bool { return r.Result == ResultFail || r.Result == ResultRefer }

// Hit is a knockout that failed or referred.
type Hit struct {
	Knockout int32 // index in the policy's knockouts
	Result   Result
	absent   bool // the result came from on_absent, not from the condition
}

// NoGrade is the grade of an application without a pricing band.
const NoGrade = "NA"

// Constraint says which bound determined the limit.
type Constraint uint8

// The constraints.
const (
	NoConstraint Constraint = iota
	FOIRCapacity
	RequestedAmount
	BandMaxLimit
	IncomeMultiple
	DefaultLimit
	ExposureCap
	LimitCapped
)

var constraintNames = [...]string{
	FOIRCapacity: "foir_capacity", RequestedAmount: "requested_amount", BandMaxLimit: "band_max_limit",
	IncomeMultiple: "income_multiple", DefaultLimit: "default_limit", ExposureCap: "exposure_cap",
	LimitCapped: "limit_cap",
}

// String returns the constraint as the API spells it.
func (c Constraint) String() string { return constraintNames[c] }

// Offer is a priced loan. Amounts are in paise.
type Offer struct {
	Made               bool // if false, nothing is offered and all other members are zero
	Indicative         bool // a person has to confirm the offer
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
	Charged            bool  // the policy has charges
	ChargesPaise       int64 // all charges with their tax
	NetPaise           int64
	InterestPaise      int64
	PayablePaise       int64
	APR                int64 // hundredths of a percent
	HasCapacity        bool
	CapacityPaise      int64
	HasPostFOIR        bool
	PostFOIR           int64 // ten-thousandths
	Binding            Constraint
	LimitCapID         string // id of the cap that determined the limit; "" if another constraint did
	BandID             string
	Terms              []*Term
	TenureNotAvailable bool // the band does not allow the requested tenure
}

// PostFOIRRatio returns PostFOIR as the ratio that conditions compare.
func (o *Offer) PostFOIRRatio() rule.Number { return rule.Number(o.PostFOIR) * (rule.One / 10_000) }

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
	at   int32 // index of the hit, of the unmet requirement or of the code, depending on kind
	code int32 // index in the plan's codes
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

// MaxReasons is the maximum number of principal reasons in a decision.
const MaxReasons = 4

// Decision is the outcome for one application. It may be reused: Decide
// overwrites all of it and then allocates nothing. The lists that are only for
// display are built on first use, because a backtest never needs them and
// building them took a fifth of the time of a decision.
type Decision struct {
	Status     Status
	Grade      string
	FinalScore rule.Number
	Offer      Offer
	Reasons    []Reason

	plan     *Plan
	frame    rule.Frame
	stage1   rule.Truths  // results of the Stage 1 knockouts
	stage2   rule.Truths  // results of the Stage 2 knockouts
	adjusted rule.Truths  // results of the adjustments
	bins     []int32      // index of each factor's outcome in the plan's outcomes
	sum      rule.Number  // the score before it is clamped
	lost     []lostPoints // points lost under each code
	missing  int32        // index of the first unmet requirement; -1 for none
	unknown  []int32      // knockouts that could not be evaluated
	hits     []Hit        // knockouts that hit, in order of evaluation
	band     *compiledBand
	segments rule.Truths // results of the conditions of the bands, if a band has one
	limit    limit
	quoted   quote   // the last quote; used unless KeepQuotes was called
	quotes   []quote // nil unless KeepQuotes was called

	rules         listed[FiredRule]
	contributions listed[Contribution]
	alternatives  listed[Alternative]
	canonical     []byte // buffer of Canonical, reused
	hash          string // "" until first use

	eligibility bool // only Stage 1 is evaluated, and no field is required
	othersScore bool // the co-applicant's bureau score counts, and the reasons must say so
}

// listed is a list that is built on first use.
type listed[T any] struct {
	list []T
	done bool
}

// Plan returns the plan that made the decision.
func (d *Decision) Plan() *Plan { return d.plan }
