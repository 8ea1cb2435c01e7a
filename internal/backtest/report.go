package backtest

// Report is what a run found. Every figure in it is worked out once, from
// merged whole numbers, so it does not depend on how the rows were cut.
//
// Counts are rows. Rates, averages, metrics and money are weighted where the
// rows carry weights: a weight says how many applicants a row stands for.
type Report struct {
	RowsTotal, RowsEvaluated, RowsFailed int64

	RowErrors       []RowError  // those with the lowest row numbers, MaxRowErrors at most
	RowErrorsByCode []CodeCount // all of them, by code
	ColumnsIgnored  []string    // columns that nobody reads, in the order of the header
	Warnings        []Warning   // what the rows may have meant otherwise, or lack

	Weighted    bool   // the rows carry weights
	TotalWeight Figure // of the evaluated rows

	Side // what the champion did

	Fairness   *Fairness   // nil without a protected column
	Vintage    *Vintage    // nil without a month column
	Actual     *Actual     // nil when no row says what was decided then
	PSI        *Shift      // nil without a reference
	Challenger *Challenger // nil without one
}

// RowError is a row that could not be evaluated. A text that the file itself
// holds is never repeated here: the row, the field and a stable code say it.
type RowError struct {
	Row   int64 // from 1, the header not counted
	Field string
	Code  string
}

// CodeCount is how often a code came up.
type CodeCount struct {
	Code  string
	Count int64
}

// Side is what one policy did to the book.
type Side struct {
	Summary      Summary
	Performance  Performance
	ByGrade      []Grade
	ScoreBands   []ScoreBand // by lowest score, ascending
	Calibration  []Decile    // by score, ascending; empty when nothing is labelled
	Distribution Distribution
	ROC          []ROCPoint // from (0,0) to (1,1); empty unless there are good and bad

	TopDeclineReasons []CodeCount   // the most frequent first, ten at most
	Reasons           []ReasonCount // every principal reason, the most frequent first
	SoleReasons       []SoleReason  // every knockout, in declared order
	Rules             []RuleCount   // every knockout, then every adjustment, in declared order
	Economics         Economics
}

// Summary is what became of the applications, and of those approved the
// price. Averages are over approved rows but for the score, which is over all.
type Summary struct {
	Approved, Referred, Declined            int64
	ApprovalRate, ReferralRate, DeclineRate Figure
	AvgLimit, TotalLimit                    Money
	AvgInterestRate, AvgAPR                 Figure // percent a year
	AvgScore                                Figure
	TotalLimitReferred                      Money // indicative: a person has to confirm it
}

// Share is a bad rate with what it rests on: the labelled rows, the bad ones
// among them, and the 95 % Wilson interval.
type Share struct {
	Labelled, Bad   int64
	Rate, Low, High Figure
}

// Performance is how the rows turned out that carry an outcome. Outcomes
// exist for booked loans only, so every rate has its own count.
type Performance struct {
	Labelled, Good, Bad               int64
	All, Approved, Referred, Declined Share

	AUC, Gini, KS Figure
	KSAt          Figure // the score at which the two distributions are farthest apart
	IV            Figure // information value of the score bands

	// HosmerLemeshow compares the PD that the scorecard claims with what was
	// observed, over the groups of Calibration; unknown without either.
	HosmerLemeshow Figure

	ExpectedLoss Money    // of approved limits: PD × LGD × limit
	PDSource     PDSource // where the PD came from
	LGD          Figure
}

// PDSource says where the probability of default of an expected loss is from.
type PDSource string

// The sources. Without either there is no expected loss.
const (
	PDNone      PDSource = ""
	PDScorecard PDSource = "scorecard"         // the scorecard ties points to odds
	PDByGrade   PDSource = "observed_by_grade" // the bad rate of the grade's approved rows
)

// Grade is what became of the rows of one grade.
type Grade struct {
	Grade                        string
	Count                        int64
	Share                        Figure // of all evaluated rows
	Approved, Referred, Declined int64
	ApprovalRate                 Figure
	BadRate                      Share // of all its labelled rows
	BadRateApproved              Share
	AvgRate                      Figure
	AvgLimit, TotalLimit         Money
}

// ScoreBand is a range of scores: a pricing band's, or what lies below, above
// or between them.
type ScoreBand struct {
	Place   Place
	Band    string // id of the pricing band; "" unless Place is InBand
	Grade   string // likewise
	HasMin  bool
	Min     int64 // both ends included; whole scores
	HasMax  bool
	Max     int64
	Count   int64
	Good    int64
	BadRate Share
	WOE, IV Figure
}

// Place says where a ScoreBand lies among the pricing bands.
type Place string

// The places.
const (
	InBand  Place = "band"
	Below   Place = "below"
	Above   Place = "above"
	Between Place = "gap"
)

// Decile is one of ten groups of about as many labelled rows, by score.
type Decile struct {
	Number             int // from 1, the lowest scores
	MinScore, MaxScore Figure
	Count              int64  // labelled rows
	Predicted          Figure // mean PD of the scorecard; unknown when it claims none
	Observed           Share
}

// Distribution is a histogram of final scores in cells of equal width. Only
// cells that hold rows are listed.
type Distribution struct {
	Width int64 // points; ten unless scores lie very far apart
	Cells []DistributionCell
}

// DistributionCell counts the rows with Min ≤ score < Min + width.
type DistributionCell struct {
	Min                   int64
	Good, Bad, Unlabelled int64
	Weight                int64 // of all three, in ten-thousandths
}

// ROCPoint is the share of goods and of bads that score at or below Score.
type ROCPoint struct {
	Score     Figure // unknown at (0,0)
	Good, Bad Figure
}

// ReasonCount is how often a code was among the principal reasons.
type ReasonCount struct {
	Code                         string
	Count, First                 int64 // First: it ranked first
	Declined, Referred, Approved int64 // an approved row has one when it got less than it asked for
}

// SoleReason is what one knockout does that nothing else would have done.
// Without the knockout, a sole decline would not be DECLINED, and a sole
// referral would be APPROVED.
type SoleReason struct {
	Rule, ReasonCode string
	Action           string
	Hits             int64 // it declined or referred
	Declines         int64 // it declined
	SoleDeclines     int64
	SoleReferrals    int64
	First            int64 // of the knockouts that hit a row it was the first
	Overlap          int64 // another knockout hit the same row
	BadRateSole      Share // of those that it alone kept out
}

// RuleCount is how often a rule did something.
type RuleCount struct {
	Rule      string
	Kind      string // "knockout" or "adjustment"
	Evaluated int64  // rows in which its condition had a result
	Hit       int64
	Unknown   int64 // its condition had no result
	HitRate   Figure
	BadRate   Share // of the rows it hit
}

// Economics is what the approved loans earn if they run as scheduled, less
// what they are expected to lose. Fees are without tax.
type Economics struct {
	InterestIncome, FeeIncome Money
	FundingCost               Money
	ExpectedLoss              Money
	NetMargin                 Money
	NetMarginPct              Figure // percent of the approved limits
	FundingRate               Figure
}

// Fairness compares approval rates between the groups of the protected
// column. It shows a difference; whether it is justified it cannot know.
type Fairness struct {
	Column     string
	Groups     []Group // the largest first, MaxGroups at most; then "(others)" if there are more
	FourFifths bool    // no listed group of 30 rows or more is below four fifths of the best
}

// Group is one group of the protected column.
type Group struct {
	Name            string // "(blank)" where the cell was, "(others)" for the rest
	Count           int64
	Approved        int64
	ApprovalRate    Figure
	Ratio           Figure // to the best approval rate of a listed group of 30 rows or more
	FourFifths      bool   // the ratio is at least four fifths
	BadRateApproved Share
}

// Vintage is how approved loans went bad as they aged.
type Vintage struct {
	Approved int64 // labelled approved rows: what the shares are of
	NoMonth  int64 // bad ones among them that do not say when
	ByMonth  []VintageMonth
}

// VintageMonth is the share of approved loans that had gone bad by a month
// on book.
type VintageMonth struct {
	Month int // on book, from 1
	Bad   int64
	Share Figure // cumulative
}

// Actual compares with what was decided then: Matrix[then][now].
type Actual struct {
	Count         int64
	Matrix        Matrix
	AgreementRate Figure
}

// Matrix counts rows by two statuses, each in the order APPROVED, REFERRED,
// DECLINED.
type Matrix [3][3]int64

// Shift is how far a score distribution has moved from another one, in groups
// that each hold about a tenth of the other.
type Shift struct {
	PSI    Figure
	Groups []ShiftGroup
}

// ShiftGroup is one group of scores.
type ShiftGroup struct {
	HasMin           bool
	Min              int64 // Min ≤ score; without end for the first
	Expected, Actual Figure
}

// Challenger is what the other policy did to the same rows, and what differs.
type Challenger struct {
	RuleSetID string // for whoever knows it to fill in; written when it is there
	Side
	Matrix  Matrix // [champion][challenger]
	SwapSet SwapSet
	Shift   Change // of limit and price where both approve
	PSI     Shift  // of the challenger's scores against the champion's

	Changes []PolicyChange
	SwapIn  Attribution
	SwapOut Attribution
}

// SwapSet compares the approvals of both; "decline" is everything that is not
// approved.
type SwapSet struct {
	BothApprove, ChampionOnly, ChallengerOnly, BothDecline int64
	SwapIn, SwapOut, Both                                  Share // bad rates: challenger only, champion only, both approve
}

// Change is how limit and price move on the rows that both approve.
type Change struct {
	Count                              int64
	LimitHigher, LimitLower, LimitSame int64
	RateHigher, RateLower, RateSame    int64
	AvgLimitChange, TotalLimitChange   Money
	AvgRateChange, AvgAPRChange        Figure
}

// PolicyChange is one difference between the two policies that can change a
// status, a limit or a price.
type PolicyChange struct {
	Section string // knockouts, adjustments, factors, base_points, score_range, pricing_bands, required_fields, limit_step
	ID      string // of the rule, the factor or the band; "" when the section is one change
	What    string // "added", "removed" or "changed"
	Before  string // for people; "" where there is none
	After   string
}

// Attribution says which of the changes moved the rows of a swap.
type Attribution struct {
	Count     int64
	Explained int64         // rows that at least one change moves by itself
	Together  int64         // rows that no change moves by itself
	ByChange  []ChangeCount // beside Challenger.Changes
}

// ChangeCount is what one change did to the rows of a swap.
type ChangeCount struct {
	Alone   int64 // the champion with this change alone decides as the challenger does
	Needed  int64 // the challenger without this change decides as the champion does
	BadRate Share // of the rows it moves alone
}

// MaxRowErrors is how many row errors are listed.
const MaxRowErrors = 100

// MaxGroups is how many groups of a protected column are listed.
const MaxGroups = 50
