package recovery

import "verdict/internal/civil"

// Strategy defines how a tenant collects in one environment: when, how often,
// which actions at which stage, and the tables for risk and offers. A strategy
// can be gentler than the rules of conduct, but never harsher.
type Strategy struct {
	Name string
	// LenderName and Contact identify the sender of messages. If one of them is
	// empty, messages leave it out.
	LenderName string
	Contact    string

	Window             Window
	MicrofinanceWindow Window
	ClosedWeekdays     [7]bool     // Sunday first
	Holidays           []civil.Day // sorted
	MaxPerDay          int
	MaxPerWeek         int // within any seven days
	PaymentHoldDays    int
	// MaxPromiseDays is the largest number of days that a promised date may be ahead.
	// If the date is later, a person must review the promise.
	MaxPromiseDays int
	PreDueDays     []int // how many days before the due date to send reminders, descending
	Stages         []Stage
	RollRisk       RollRisk
	Priority       Priority
	Restructure    RestructureTerms
	Settlement     SettlementTerms
}

// Stage lists the steps for loans that are at least FromDPD days past due and have
// not reached the next stage.
type Stage struct {
	FromDPD int
	Tone    Tone
	Steps   []Step // sorted by day
}

// Step is one action of a stage. Day is counted from the first day on which contact is permitted, which is day 0.
type Step struct {
	Day    int
	Action Action
}

// Tone is the tone in which a message closes.
type Tone uint8

// The tones. No tone threatens the borrower.
const (
	Gentle Tone = iota
	Neutral
	Firm
)

var toneNames = []string{Gentle: "gentle", Neutral: "neutral", Firm: "firm"}

// String returns the tone's name in documents.
func (t Tone) String() string { return toneNames[t] }

// share is a fraction in ten-thousandths.
type share = int64

const whole share = 10_000

// RollRisk is the probability, by bucket, that a loan rolls into the next bucket.
// For a borrower who keeps every promise it is lower by PromiseSwing, and for a
// borrower who breaks every promise it is higher by PromiseSwing.
type RollRisk struct {
	Table        string
	Buckets      [buckets]share
	PromiseSwing share
}

// Priority maps an amount to a score by linear interpolation between the points
// of Scale. The score is constant after the last point. The cut-offs separate the
// bands.
type Priority struct {
	Basis                  Basis
	Scale                  []ScalePoint
	Medium, High, Critical int
}

// Basis is the amount by which cases are ranked.
type Basis uint8

// The bases. ByRisk ranks by exposure × roll risk, which is the expected loss if
// nobody acts, so an older and riskier case comes first. ByRecovery ranks by
// exposure × probability of recovery, so an older case ranks lower. Strategies
// that were stored before the choice existed use ByRecovery.
const (
	ByRisk Basis = iota
	ByRecovery
)

var basisNames = []string{ByRisk: "risk", ByRecovery: "recovery"}

// String returns the name of the basis in documents.
func (b Basis) String() string { return basisNames[b] }

// ScalePoint is one point of the scale.
type ScalePoint struct {
	ExpectedPaise int64
	Score         int
}

// RestructureTerms states when a longer schedule may be offered. The schedule is
// the shortest of Tenures that reduces the instalment by MinReduction.
type RestructureTerms struct {
	FromDPD      int // the schedule is computed from this DPD on
	OfferFromDPD int // the offer may be the next best action from this DPD on
	Tenures      []int
	MinReduction share
	Requires     string
}

// SettlementTerms states which part of the debt settles the debt, by days past
// due.
type SettlementTerms struct {
	FromDPD       int
	MinPercent    []SettlementFloor // sorted by days past due
	MaxMonths     int
	CoolingMonths int
}

// SettlementFloor is the smallest part of the debt that settles the debt if the
// loan is at least FromDPD days past due and has not reached the next floor.
type SettlementFloor struct {
	FromDPD int
	Part    share
}

// DefaultStrategy returns the strategy of a new tenant. It follows common
// practice: reminders and one gentle call in the first month, calls and a visit
// by day 45 in the second month, and a restructuring offer in the third month.
// Settlement and legal notice come after that.
func DefaultStrategy() Strategy {
	return Strategy{
		Name:   "default",
		Window: legalWindow, MicrofinanceWindow: legalMicrofinance,
		MaxPerDay: 3, MaxPerWeek: 10, PaymentHoldDays: minPaymentHoldDays, MaxPromiseDays: 30,
		PreDueDays: []int{7, 3, 1},
		Stages:     defaultStages(),
		RollRisk: RollRisk{
			Table: "default-1", Buckets: [buckets]share{500, 2_000, 3_000, 6_000, 8_000}, PromiseSwing: 800,
		},
		Priority: Priority{
			Basis: ByRisk,
			Scale: []ScalePoint{
				{0, 0}, {3_000_00, 20}, {15_000_00, 40}, {60_000_00, 70}, {3_00_000_00, 90}, {12_00_000_00, 100},
			},
			Medium: 30, High: 60, Critical: 85,
		},
		Restructure: RestructureTerms{
			FromDPD: 31, OfferFromDPD: 61, Tenures: []int{12, 24, 36, 48, 60, 72, 84}, MinReduction: 3_000,
			Requires: "credit_committee",
		},
		Settlement: SettlementTerms{
			FromDPD: settleFromDPD, MinPercent: []SettlementFloor{{90, 7_500}, {180, 6_000}, {365, 5_000}},
			MaxMonths: maxSettleMonths, CoolingMonths: minCoolingMonths,
		},
	}
}

// FirstStrategy returns the default strategy from the time before cases were
// ranked by risk, to repeat runs of that time.
func FirstStrategy() Strategy {
	s := DefaultStrategy()
	s.Priority.Basis = ByRecovery
	s.Priority.Scale = []ScalePoint{
		{0, 0}, {5_000_00, 20}, {25_000_00, 40}, {1_00_000_00, 70}, {5_00_000_00, 90}, {20_00_000_00, 100},
	}
	return s
}

func defaultStages() []Stage {
	return []Stage{
		{1, Gentle, []Step{{0, RemindSMS}, {1, RepresentNACH}, {2, SendPaymentLink}, {4, Call}}},
		{3, Gentle, []Step{{0, SendPaymentLink}, {1, RepresentNACH}, {2, Call}}},
		{4, Gentle, []Step{{0, SendPaymentLink}, {0, Call}, {2, RepresentNACH}}},
		{6, Gentle, []Step{{0, SendPaymentLink}, {2, RepresentNACH}, {5, Call}}},
		{31, Neutral, []Step{{0, SendPaymentLink}, {0, Call}, {2, Call}, {5, Call}}},
		{40, Neutral, []Step{{0, SendPaymentLink}, {0, Call}, {2, FieldVisit}, {4, Call}}},
		{61, Neutral, []Step{{0, SendPaymentLink}, {0, Call}, {2, FieldVisit}, {4, OfferRestructure}}},
		{75, Firm, []Step{{0, SendPaymentLink}, {0, OfferRestructure}, {2, FieldVisit}, {5, Call}}},
		{91, Firm, []Step{{0, Call}, {1, OfferSettlement}, {4, FieldVisit}, {7, LegalNotice}}},
		{120, Firm, []Step{{0, OfferSettlement}, {2, FieldVisit}, {7, LegalNotice}}},
		{180, Firm, []Step{{0, LegalNotice}, {3, OfferSettlement}}},
	}
}

// stage returns the stage for a number of days past due, or nil if the loan is
// not at the first stage yet.
func (s *Strategy) stage(dpd int) *Stage {
	var found *Stage
	for i := range s.Stages {
		if s.Stages[i].FromDPD <= dpd {
			found = &s.Stages[i]
		}
	}
	return found
}
