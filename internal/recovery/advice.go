package recovery

import (
	"time"

	"verdict/internal/civil"
	"verdict/internal/fault"
	"verdict/internal/loan"
)

// Advice states which action to take on a case, and why.
type Advice struct {
	AsOf        time.Time // in the borrower's zone
	Arrears     Arrears
	Priority    Ranking
	Next        Entry // only Action is set if Action is Hold or None
	Plan        []Entry
	Promise     Record
	RollRisk    int64 // in ten-thousandths
	RollTable   string
	Settlement  Settlement
	Restructure Restructure
	Compliance  Compliance
	Mandate     string
	Held        Held
	Message     Message // Template is "" if there is no message
	NeedsHuman  bool
	Reasons     []string
	Warnings    []fault.Item
}

// Arrears holds the days past due of a loan and its classification at the end of
// the last whole day in India.
type Arrears struct {
	DPD     int
	Counted bool // DPD was not sent, so it was counted from the due date
	DayEnd  civil.Day
	Bucket  Bucket
	Class   loan.AssetClass
	// First is the due date that agrees with DPD. Days past due are counted from the
	// end of that day, and the classes begin 30, 60 and 90 days later.
	First    civil.Day
	HasFirst bool
}

// Ranking is the priority of a case. It is based on value × roll risk, or on
// value × probability of recovery if the strategy says so.
type Ranking struct {
	Band          string
	Score         int
	Basis         Basis
	ValuePaise    int64
	Probability   int64 // probability of recovery, in ten-thousandths
	ExpectedPaise int64 // value × probability
	AtRiskPaise   int64 // value × roll risk
}

// Entry is one planned action with the time window in which it may be taken.
type Entry struct {
	Day                 int // days after the day of the request, in the borrower's zone
	Action              Action
	Channel             Channel
	NotBefore, NotAfter time.Time
	Template            string
	Requires            string
	Place               string
}

// Record counts the promises to pay by outcome.
type Record struct {
	Kept, Broken, Open int
	// LastBroken reports whether the borrower broke the latest promise that is
	// not open.
	LastBroken bool
	openUntil  civil.Day // the latest date of the open promises
	last       Promise   // the latest promise that is not open
}

// Held states why every action is on hold. Reason is "" if there is no hold.
type Held struct {
	Reason string
	Detail string
	Until  time.Time // zero if only a person can end the hold
	Person bool
}

// Compliance states what the contact rules permit at the time of the request.
type Compliance struct {
	Allowed       bool // whether contact is allowed now
	Legal         Window
	Window        Window // the intersection of the legal, the strategy's and the borrower's hours
	Zone          string
	AttemptsToday int
	AttemptsWeek  int
	MaxPerDay     int
	MaxPerWeek    int
	Notes         []string
}

// Advise returns the advice on a case at the time asOf. It cannot fail: if the
// case is doubtful, it advises to hold and to involve a person.
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

// advisor holds the intermediate results for one case.
type advisor struct {
	Advice
	c     *Case
	s     *Strategy
	now   time.Time
	today civil.Day
	past  []Contact // the contacts that are not later than now
	paid  Payment   // the last payment, if it is not later than now
	// phoneLost reports whether the phone number belongs to somebody else. The latest contact by phone that reached
	// the borrower or a wrong number decides.
	phoneLost bool
	spent     []civil.Day // the days of past attempts and of planned actions, which the caps count
	resume    time.Time   // time at which a temporary hold ends
	dropped   bool        // a step was left out because the borrower cannot be reached
	noDay     bool        // whether no day within the horizon is permitted
}

func (a *advisor) warn(pointer, code, detail string) {
	a.Warnings = append(a.Warnings, fault.Item{Pointer: pointer, Code: code, Detail: detail})
}

func (a *advisor) reason(text string) { a.Reasons = append(a.Reasons, text) }
