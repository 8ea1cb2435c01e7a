package recovery

import (
	"time"

	"verdict/internal/civil"
	"verdict/internal/fault"
	"verdict/internal/loan"
)

// Advice is what to do about a case, and why.
type Advice struct {
	AsOf        time.Time // in the borrower's zone
	Arrears     Arrears
	Priority    Ranking
	Next        Entry // of a hold or of nothing to do only the action is set
	Plan        []Entry
	Promise     Record
	RollRisk    int64 // ten-thousandths
	RollTable   string
	Settlement  Settlement
	Restructure Restructure
	Compliance  Compliance
	Mandate     string
	Held        Held
	Message     Message // its Template is "" when nothing is said
	NeedsHuman  bool
	Reasons     []string
	Warnings    []fault.Item
}

// Arrears is how far a loan is past due, and how it is classified at the end
// of the last whole day in India.
type Arrears struct {
	DPD     int
	Counted bool // from the due date, and not as sent
	DayEnd  civil.Day
	Bucket  Bucket
	Class   loan.AssetClass
	// First is the day at whose end the count begins, the due date; the
	// classes begin 30, 60 and 90 days later.
	First    civil.Day
	HasFirst bool
}

// Ranking is the place of a case among others: value × risk, or value × the
// probability of recovery where the strategy says so.
type Ranking struct {
	Band          string
	Score         int
	Basis         Basis
	ValuePaise    int64
	Probability   int64 // of recovery, in ten-thousandths
	ExpectedPaise int64 // value × probability
	AtRiskPaise   int64 // value × roll risk
}

// Entry is one action with the time in which it may be taken.
type Entry struct {
	Day                 int // from the day of the request, in the borrower's zone
	Action              Action
	Channel             Channel
	NotBefore, NotAfter time.Time
	Template            string
	Requires            string
	Place               string
}

// Record is what became of promises to pay.
type Record struct {
	Kept, Broken, Open int
	// LastBroken tells of the latest promise that is over.
	LastBroken bool
	openUntil  civil.Day // of the last open one
	last       Promise   // the latest that is over
}

// Held is why nothing is to be done for now; Reason is "" where something is.
type Held struct {
	Reason string
	Detail string
	Until  time.Time // zero when only a person can end it
	Person bool
}

// Compliance is what the rules of contact say at the moment.
type Compliance struct {
	Allowed       bool // contact now
	Legal         Window
	Window        Window // what the legal one, the strategy and the borrower leave
	Zone          string
	AttemptsToday int
	AttemptsWeek  int
	MaxPerDay     int
	MaxPerWeek    int
	Notes         []string
}

// Advise works out what to do about a case at a moment. It cannot fail: where
// the case leaves doubt, the advice is to hold and to ask a person.
func Advise(c *Case, s *Strategy, asOf time.Time) Advice {
	a := advisor{c: c, s: s, now: asOf.In(c.Borrower.Zone)}
	a.today = civil.LocalDay(a.now)
	a.AsOf, a.Mandate = a.now, c.Loan.Mandate
	a.Warnings = append(a.Warnings, c.Warnings...)
	a.arrears()
	a.history()
	a.promises()
	a.rank()
	a.offers()
	a.calendar()
	a.hold()
	a.plan()
	a.comply()
	a.message()
	return a.Advice
}

// advisor is the work on one case.
type advisor struct {
	Advice
	c     *Case
	s     *Strategy
	now   time.Time
	today civil.Day
	past  []Contact // not later than now
	paid  Payment   // likewise
	// phoneLost is set when the last word about the number is that it is not
	// the borrower's.
	phoneLost bool
	spent     []civil.Day // of attempts, those of the week and those planned
	resume    time.Time   // the end of a hold that ends by itself
	dropped   bool        // a step had no way to reach the borrower
	noDay     bool        // no day within the horizon is permitted
}

func (a *advisor) warn(pointer, code, detail string) {
	a.Warnings = append(a.Warnings, fault.Item{Pointer: pointer, Code: code, Detail: detail})
}

func (a *advisor) reason(text string) { a.Reasons = append(a.Reasons, text) }
