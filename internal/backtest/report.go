package backtest

// Report is the result of a run. Every figure is computed once from the merged
// counts, so it does not depend on how the rows were divided into blocks.
//
// Counts are rows. Rates, averages, metrics and money are weighted if the rows
// carry weights: a weight is the number of applicants that a row stands for.
type Report struct {
	RowsTotal, RowsEvaluated, RowsFailed int64

	RowErrors       []RowError  // those with the lowest row numbers, at most MaxRowErrors
	RowErrorsByCode []CodeCount // counts of all errors, by code
	ColumnsIgnored  []string    // columns that no policy reads, in the order of the header
	Warnings        []Warning   // input that was possibly misread or is missing

	Weighted    bool   // the rows carry weights
	TotalWeight Figure // of the evaluated rows

	Side // what the champion did

	Fairness   *Fairness   // nil without a protected column
	Vintage    *Vintage    // nil without a month column
	Actual     *Actual     // nil if no row has the decision made at the time
	PSI        *Shift      // nil without a reference
	Challenger *Challenger // nil without a challenger
}

// RowError is a row that could not be evaluated. It names the row, the field and
// a stable code, and never repeats the text of a cell.
type RowError struct {
	Row   int64 // from 1, the header not counted
	Field string
	Code  string
}

// CodeCount is a code and how often it occurred.
type CodeCount struct {
	Code  string
	Count int64
}

// Side is the report of one policy.
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

// Summary counts the applications by status and averages the offers. Averages are
// over approved rows, except AvgScore, which is over all rows.
type Summary struct {
	Approved, Referred, Declined            int64
	ApprovalRate, ReferralRate, DeclineRate Figure
	AvgLimit, TotalLimit                    Money
	AvgInterestRate, AvgAPR                 Figure // percent a year
	AvgScore                                Figure
	TotalLimitReferred                      Money // indicative: a person has to confirm it
}

// Share is a bad rate with the labelled rows it is computed from, the bad ones
// among them, and its 95 % Wilson interval.
type Share struct {
	Labelled, Bad   int64
	Rate, Low, High Figure
}

// Performance holds the metrics of the rows that have an outcome. Only booked
// loans have one, so every rate comes with its own count.
type Performance struct {
	Labelled, Good, Bad               int64
	All, Approved, Referred, Declined Share

	AUC, Gini, KS Figure
	KSAt          Figure // the score at which the two distributions are farthest apart
	IV            Figure // information value of the score bands

	// HosmerLemeshow compares the PD that the scorecard claims with the observed bad
	// rate, over the groups of Calibration. It is unknown if the scorecard has no
	// scaling, and so no PD, or if no row is labelled.
	HosmerLemeshow Figure

	ExpectedLoss Money    // of approved limits: PD × LGD × limit
	PDSource     PDSource // where the PD came from
	LGD          Figure
}

// PDSource is the source of the probability of default in an expected loss.
type PDSource string

// The sources. Without either there is no expected loss.
const (
	PDNone      PDSource = ""
	PDScorecard PDSource = "scorecard"         // the scorecard ties points to odds
	PDByGrade   PDSource = "observed_by_grade" // the bad rate of the grade's approved rows
)

// Grade holds the results of the rows of one grade.
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

// ScoreBand is a range of scores: that of a pricing band, or one below, above or
// between the pricing bands.
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

// Decile is one of ten groups of labelled rows by score, of about equal weight.
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

// ReasonCount is a reason code and how often it was a principal reason.
type ReasonCount struct {
	Code                         string
	Count, First                 int64 // First counts the rows in which it ranked first
	Declined, Referred, Approved int64 // an approved row has a reason if it got less than requested
}

// SoleReason counts the rows that one knockout alone kept from approval.
// Without the knockout, a sole decline would not be DECLINED, and a sole
// referral would be APPROVED.
type SoleReason struct {
	Rule, ReasonCode string
	Action           string
	Hits             int64 // it declined or referred
	Declines         int64 // it declined
	SoleDeclines     int64
	SoleReferrals    int64
	First            int64 // it was the first knockout that hit the row
	Overlap          int64 // another knockout hit the same row
	BadRateSole      Share // of the rows that it alone kept out
}

// RuleCount is how often a rule hit.
type RuleCount struct {
	Rule      string
	Kind      string // "knockout" or "adjustment"
	Evaluated int64  // rows in which its condition had a result
	Hit       int64
	Unknown   int64 // its condition had no result
	HitRate   Figure
	BadRate   Share // of the rows it hit
}

// Economics holds the income of the approved loans if they are repaid as
// scheduled, less funding cost and expected loss. Fees exclude tax.
type Economics struct {
	InterestIncome, FeeIncome Money
	FundingCost               Money
	ExpectedLoss              Money
	NetMargin                 Money
	NetMarginPct              Figure // percent of the approved limits
	FundingRate               Figure
}

// Fairness compares approval rates between the groups of the protected column. It
// shows differences; it cannot tell whether they are justified.
type Fairness struct {
	Column     string
	Groups     []Group // the largest first, MaxGroups at most; then "(others)" if there are more
	FourFifths bool    // no listed group of 30 rows or more is below four fifths of the best
}

// Group is one group of the protected column.
type Group struct {
	Name            string // "(blank)" for blank cells, "(others)" for the groups not listed
	Count           int64
	Approved        int64
	ApprovalRate    Figure
	Ratio           Figure // to the best approval rate of a listed group of 30 rows or more
	FourFifths      bool   // the ratio is at least four fifths
	BadRateApproved Share
}

// Vintage shows how approved loans went bad with age.
type Vintage struct {
	Approved int64 // labelled approved rows, the base of the shares
	NoMonth  int64 // bad ones among them whose month is blank
	ByMonth  []VintageMonth
}

// VintageMonth is the share of approved loans that had gone bad by a month
// on book.
type VintageMonth struct {
	Month int // on book, from 1
	Bad   int64
	Share Figure // cumulative
}

// Actual compares the decisions made at the time with those of the champion:
// Matrix[then][now].
type Actual struct {
	Count         int64
	Matrix        Matrix
	AgreementRate Figure
}

// Matrix counts rows by two statuses, each in the order APPROVED, REFERRED,
// DECLINED.
type Matrix [3][3]int64

// Shift measures how far a score distribution has moved from an expected one, in
// groups that each hold about a tenth of the expected distribution.
type Shift struct {
	PSI    Figure
	Groups []ShiftGroup
}

// ShiftGroup is one group of scores.
type ShiftGroup struct {
	HasMin           bool
	Min              int64 // Min ≤ score; HasMin is false for the first group
	Expected, Actual Figure
}

// Challenger is the report of the other policy on the same rows, and its
// differences from the champion's.
type Challenger struct {
	RuleSetID string // set by the caller; not written if it is ""
	Side
	Matrix  Matrix // [champion][challenger]
	SwapSet SwapSet
	Shift   Change // of limit and price on the rows that both approve
	PSI     Shift  // of the challenger's scores against the champion's

	Changes []PolicyChange
	SwapIn  Attribution
	SwapOut Attribution
}

// SwapSet compares the approvals of both policies. "Decline" means any status
// other than approved.
type SwapSet struct {
	BothApprove, ChampionOnly, ChallengerOnly, BothDecline int64
	// bad rates: challenger only, champion only, both approve
	SwapIn, SwapOut, Both Share
}

// Change is how limit and price differ on the rows that both policies approve.
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
	// knockouts, adjustments, factors, base_points, score_range, pricing_bands, required_fields, limit_step
	Section string
	ID      string // of the rule, the factor or the band; "" if the change is of the whole section
	What    string // "added", "removed" or "changed"
	Before  string // description for people; "" if there was none
	After   string
}

// Attribution says which of the changes moved the rows of a swap.
type Attribution struct {
	Count     int64
	Explained int64         // rows that at least one change moves by itself
	Together  int64         // rows that no change moves by itself
	ByChange  []ChangeCount // parallel to Challenger.Changes
}

// ChangeCount counts the rows of a swap that one change moves.
type ChangeCount struct {
	Alone   int64 // the champion with this change alone decides as the challenger does
	Needed  int64 // the challenger without this change decides as the champion does
	BadRate Share // of the rows that the change moves alone
}

// MaxRowErrors is the maximum number of listed row errors.
const MaxRowErrors = 100

// MaxGroups is the maximum number of listed groups of a protected column.
const MaxGroups = 50
