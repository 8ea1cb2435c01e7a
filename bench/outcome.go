package main

import (
	"verdict/internal/engine"
)

// The size of the policy. It is constant because the results of the hand-written
// program and of the peers are arrays of this size.
const (
	ruleCount       = 25
	factorCount     = 12
	adjustmentCount = 3
	termCount       = 3
)

// Outcome is the whole decision of every contestant except our engine. A contestant
// uses one Outcome for all its decisions. All fields are given, so every rule and every
// factor has an entry in every decision. So the names are written only once, and each
// decision overwrites everything else.
type Outcome struct {
	Status  engine.Status
	Grade   string
	Score   int // final score in whole points
	Clamp   int
	Rules   [ruleCount]RuleResult
	Adjust  [adjustmentCount]AdjustmentResult
	Points  [factorCount]FactorPoints
	Reasons []string // codes in the order of their rank
	Offer   Offer
}

// RuleResult is the result of one knockout.
type RuleResult struct {
	ID     string
	Result engine.Result
}

// AdjustmentResult states whether an adjustment applied.
type AdjustmentResult struct {
	ID      string
	Applied bool
}

// FactorPoints holds the points of one factor.
type FactorPoints struct {
	Factor string
	Points int
}

// Offer is the priced loan, in paise. If Made is false, there is no offer and the
// other fields have no meaning.
type Offer struct {
	Made           bool
	Indicative     bool
	CounterOffer   bool
	NotAvailable   bool // whether the band lacks the requested tenure
	Binding        engine.Constraint
	BandID         string
	RateBP         int64
	TenureMonths   int
	LimitPaise     int64
	RequestedPaise int64
	EMIPaise       int64
	LastPaise      int64
	InterestPaise  int64
	PayablePaise   int64
	FeePaise       int64
	GSTPaise       int64
	NetPaise       int64
	APR            int64 // hundredths of a percent
	CapacityPaise  int64
	PostFOIR       int64 // ten-thousandths
	Terms          []string
	Alternatives   []engine.Alternative
}

func newOutcome() *Outcome {
	o := &Outcome{
		Reasons: make([]string, 0, engine.MaxReasons),
		Offer:   Offer{Terms: make([]string, 0, termCount), Alternatives: make([]engine.Alternative, 0, 4)},
	}
	for i, id := range ruleIDs {
		o.Rules[i].ID = id
	}
	for i, id := range adjustmentIDs {
		o.Adjust[i].ID = id
	}
	for i, name := range factorNames {
		o.Points[i].Factor = name
	}
	return o
}

var (
	ruleIDs = [ruleCount]string{
		"KO_MIN_SCORE", "KO_AGE", "KO_EMPLOYMENT", "KO_MIN_INCOME", "KO_MAX_FOIR", "KO_DPD", "KO_ENQUIRIES",
		"KO_WRITTEN_OFF", "KO_SUIT", "KO_LEVERAGE", "KO_CARDS", "KO_THIN_FILE", "KO_BOUNCES", "KO_BANK_MISMATCH",
		"KO_PINCODE", "KO_COUNTRY", "KO_DEVICE_EMULATOR", "KO_FRAUD_MULE_ACCOUNT", "KO_FRAUD_SCORE", "KO_ROOTED",
		"RF_DPD", "RF_ENQUIRIES", "RF_LOAN_APPS", "RF_SALARY", "RF_BIG_TICKET",
	}
	// ruleReasons lists the reason code of each rule.
	ruleReasons = [ruleCount]string{
		"BUR_SCORE", "AGE_RANGE", "EMP_TYPE", "INC_LOW", "FOIR_HIGH", "BUR_DPD", "BUR_ENQ",
		"BUR_WRITEOFF", "BUR_SUIT", "FOIR_HIGH", "FOIR_HIGH", "BUR_THIN_FILE", "BANK_BOUNCE", "BANK_MISMATCH",
		"LOC_PINCODE", "LOC_MISMATCH", "FR_EMULATOR", "FR_MULE", "FR_RING", "DEV_ROOTED",
		"BUR_DPD", "BUR_ENQ", "FR_RING", "INC_LOW", "AMT_BAND_CAP",
	}
	// firstReferral is the index of the first knockout that refers. The knockouts
	// before it decline.
	firstReferral = 20

	adjustmentIDs = [adjustmentCount]string{"ADJ_RECENT_ENQUIRIES", "ADJ_STRETCHED_AND_SEEKING", "ADJ_CLEAN_PRIME"}
	deltas        = [adjustmentCount]int{-5, -15, 10}

	factorNames = [factorCount]string{
		"bureau_score", "foir", "income", "enquiries", "dpd", "tradelines",
		"vintage", "utilisation", "balance", "bounces", "pincode", "employment",
	}
	// bestPoints holds the maximum points of each factor.
	bestPoints = [factorCount]int{70, 20, 22, 14, 16, 12, 18, 14, 14, 10, 10, 14}

	termCodes = [termCount]string{"NACH_MANDATE", "INCOME_PROOF", "CARD_PAYDOWN"}
)

const basePoints, minScore, maxScore = 560, 300, 900

// lostCodes lists the reason codes to which lost points are assigned.
var lostCodes = [...]string{
	"BUR_SCORE", "FOIR_HIGH", "INC_LOW", "BUR_ENQ", "BUR_DPD", "BUR_TRADELINES",
	"BUR_THIN_FILE", "BANK_ABB", "BANK_BOUNCE", "LOC_PINCODE", "EMP_TYPE",
}

// factorCode and adjustmentCode hold, for each factor and each adjustment, the index
// of its reason in lostCodes. The index is -1 for an adjustment that adds points.
var (
	factorCode     = [factorCount]int{0, 1, 2, 3, 4, 5, 6, 1, 7, 8, 9, 10}
	adjustmentCode = [adjustmentCount]int{3, 1, -1}
)
