// Package engine turns facts and a policy into a graded, priced and explained
// decision.
//
// A policy is read and checked once and compiled to an immutable Plan. The plan
// then decides any number of applications, from any number of goroutines, in
// declared order and without errors. The same facts and the same policy always
// give the same bytes on every machine.
//
// The package does no I/O and depends on neither a clock nor a tenant. Package
// analysis looks for mistakes in a policy before it is activated.
package engine

import (
	"verdict/internal/rule"
)

// Version is the version of the engine's behaviour. It changes whenever any
// decision could change.
const Version = "2026.11.2"

// The published semantics. A policy keeps the semantics for which it was
// written, so that later releases reproduce its past decisions.
const (
	// FirstSemantics is the semantics of a document that names none.
	FirstSemantics = 1
	// NewestSemantics is the semantics of a draft that has no base and names none.
	NewestSemantics = 2
)

// Action is the effect of a rule or a pricing band on an application: approve,
// refer or decline.
type Action uint8

// The actions. Approve is the default only for bands; the default of a knockout
// is Decline.
const (
	Approve Action = iota
	Refer
	Decline
)

var actionNames = [...]string{Approve: "approve", Refer: "refer", Decline: "decline"}

// String returns the action's name in a policy.
func (a Action) String() string { return actionNames[a] }

// OnAbsent is the result of a rule whose condition is unknown.
type OnAbsent uint8

// The choices of on_absent. A rule that passes because of PassWhenAbsent is not
// listed in a response.
const (
	PassWhenAbsent OnAbsent = iota
	ReferWhenAbsent
	FailWhenAbsent
)

var onAbsentNames = [...]string{PassWhenAbsent: "pass", ReferWhenAbsent: "refer", FailWhenAbsent: "fail"}

// String returns the choice's name in a policy.
func (o OnAbsent) String() string { return onAbsentNames[o] }

// Policy is a checked policy document with every default filled in. It is
// immutable once read.
type Policy struct {
	Key               string
	Name              string
	Semantics         int  // FirstSemantics to NewestSemantics
	FeaturesAuto      bool // features are computed even if the request does not ask for them
	Inputs            []Input
	Tables            []rule.Table // the tables and columns that the policy names, in name order
	Required          []Requirement
	Knockouts         []Knockout
	Adjustments       []Adjustment
	Affordability     *Affordability // nil means that only declared income and declared obligations count
	People            *People        // nil means that the score of the primary applicant counts
	Exposure          *Exposure      // nil means that the total amount for one person is not limited
	Scorecard         *Scorecard
	ScorecardID       string // id of the stored scorecard that Scorecard was copied from
	Bands             []Band
	LimitCaps         []LimitCap
	Charges           []Charge // charges on every loan, in addition to the fees of the bands
	Terms             []Term
	LimitStepPaise    int64
	OfferValidityDays int
	Actionable        []string
	Guarantees        []Guarantee // guarantees have no effect on decisions
	AllowGaps         bool
	IncludeDefaults   bool
}

// Input declares a request path that is not in the catalogue.
type Input struct {
	Name    string
	Type    rule.Type
	Meaning string
}

// Requirement is one entry of required_fields: at least one of the fields
// must be given.
type Requirement struct {
	Text string // as written, such as "a|b"
	Any  []rule.Ref
}

// Knockout is a rule that declines or refers when its condition holds.
type Knockout struct {
	ID               string
	Stage            int
	Action           Action
	OnAbsent         OnAbsent
	ReasonCode       string
	Message          string // for the lender, with fields and {threshold} in braces
	ApplicantMessage string // replaces the catalogue's applicant-safe text
	Condition        rule.Condition
	System           bool // merged by include_defaults
}

// Adjustment adds its delta to the score when its condition holds.
type Adjustment struct {
	ID         string
	Delta      rule.Number
	ReasonCode string
	Condition  rule.Condition
}

// Term is a condition of an offer: something that the applicant must still
// provide. It is attached to an offer if its Condition holds.
type Term struct {
	Code      string
	Text      string
	Condition rule.Condition
}

// Band is the price for a range of scores. Both ends are inclusive whole numbers. If several bands contain a score,
// the first one whose condition holds applies.
type Band struct {
	ID, Grade          string
	NTC                bool
	Ranged             bool // false only for a new-to-credit band that takes any score
	MinScore, MaxScore int64
	Action             Action
	When               *rule.Condition // nil means that the band takes everybody with its scores

	// The price. A declining band may leave it out; Priced says whether it is
	// given.
	Priced            bool
	RateBP            int64 // annual percent × 100
	TenureMonths      int
	Tenures           []int // ascending, TenureMonths among them
	MinLimitPaise     int64
	MaxLimitPaise     int64
	DefaultLimitPaise int64
	HasIncomeMultiple bool
	IncomeMultiple    rule.Number
	FOIRCap           rule.Number
	FeePct            rule.Number
	FeeMinPaise       int64
	GSTPct            rule.Number
}

// Scorecard is a base and a list of factors whose points add up to the score.
type Scorecard struct {
	Name     string
	Base     rule.Number
	MinScore rule.Number
	MaxScore rule.Number
	Scaling  *Scaling // nil if the scorecard says nothing about odds
	Factors  []Factor
}

// Factor gives points for one field.
type Factor struct {
	Name       string
	Label      string // the factor's name for people; "" if the card has none
	Field      rule.Ref
	Typed      bool // the factor states the type of a field that is not in the catalogue
	ReasonCode string
	When       *rule.Condition
	Bins       []Bin
	HasMissing bool
	Missing    rule.Number // points when the field is absent
	Weight     rule.Number
}

// Ranges returns the bins of a number field that are ranges. Bins of special
// values come after them.
func (f *Factor) Ranges() []Bin {
	n := len(f.Bins)
	for n > 0 && len(f.Bins[n-1].Special) > 0 {
		n--
	}
	return f.Bins[:n]
}

// Bin is one of four kinds: a half-open range of a number field, single numbers
// with a special meaning, a set of values of another field, or the bin for all
// other values.
type Bin struct {
	HasMin, HasMax bool
	Min, Max       rule.Number   // gte and lt
	Special        []rule.Number // ascending; this bin takes these numbers even if a range contains them
	In             []rule.Value
	Else           bool
	Points         rule.Number
	ReasonCode     string
	HasWOE         bool
	WOE            rule.Number // weight of evidence; not used in decisions
}
