package backtest

// Report is the result of a run. Every figure is computed once from the merged
// counts, so it does not depend on how the rows were divided into blocks.
//
// Counts are numbers of rows. Rates, averages, metrics and money are weighted if the rows have
// weights: a weight is the number of applicants that a row represents.
type Report struct {
	RowsTotal, RowsEvaluated, RowsFailed int64

	RowErrors       []RowError  // errors with the lowest row numbers, at most MaxRowErrors
	RowErrorsByCode []CodeCount // counts of all errors, by code
	ColumnsIgnored  []string    // columns that hold no known field, in the order of the header
	Warnings        []Warning   // input that was possibly misread or is missing

	Weighted    bool   // the rows have weights
	TotalWeight Figure // total weight of the evaluated rows

	Side // the champion's report

	Fairness   *Fairness   // nil if there is no protected column
	Vintage    *Vintage    // nil if there is no month column
	Actual     *Actual     // nil if no row states how the lender decided at the time of the application
	PSI        *Shift      // nil if there is no reference
	Challenger *Challenger // nil if there is no challenger
}

// RowError is a row that could not be evaluated. It names the row, the field and
// a stable code, and never repeats the text of a cell.
type RowError struct {
	Row   int64 // counted from 1, without the header
	Field string
	Code  string
	// Line is the line of the file where the row begins. It is 0 if it is not known, as in a stored report.
	Line int64
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
	ScoreBands   []ScoreBand // sorted by lowest score, ascending
	Calibration  []Decile    // sorted by score, ascending; empty if no row is labelled
	Distribution Distribution
	ROC          []ROCPoint // from (0,0) to (1,1); empty unless there are both good and bad rows

	TopDeclineReasons []CodeCount   // most frequent first, at most ten
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
	AvgInterestRate, AvgAPR                 Figure // percent per year
	AvgScore                                Figure
	TotalLimitReferred                      Money // indicative, because a person must confirm the offers
}

// Share is a bad rate with its 95 % Wilson interval. It includes the number of
// labelled rows that the rate is computed from, and how many of them are bad.
type Share struct {
	Labelled, Bad   int64
	Rate, Low, High Figure
}

// Performance has the metrics of the rows that have an outcome. Only booked loans
// have an outcome, so each rate states the number of rows that it is computed from.
type Performance struct {
	Labelled, Good, Bad               int64
	All, Approved, Referred, Declined Share

	AUC, Gini, KS Figure
	KSAt          Figure // score at which the two distributions are farthest apart
	IV            Figure // information value of the score bands

	// HosmerLemeshow compares the PD that the scorecard claims with the observed bad
	// rate, over the groups of Calibration. It is unknown if the scorecard has no
	// scaling, and so no PD, or if no row is labelled.
	HosmerLemeshow Figure

	ExpectedLoss Money // expected loss of the approved limits: PD × LGD × limit
	PDSource     PDSource
	LGD          Figure
}

// PDSource is the source of the probability of default in an expected loss.
type PDSource string

// The sources. With PDNone there is no expected loss.
const (
	PDNone      PDSource = ""
	PDScorecard PDSource = "scorecard"         // PD that follows from the scorecard's scaling of points to odds
	PDByGrade   PDSource = "observed_by_grade" // bad rate of the grade's approved rows
)

// Grade has the results of the rows of one grade.
type Grade struct {
	Grade                        string
	Count                        int64
	Share                        Figure // share of all evaluated rows
	Approved, Referred, Declined int64
	ApprovalRate                 Figure
	BadRate                      Share // bad rate of all labelled rows of the grade
	BadRateApproved              Share
	AvgRate                      Figure
	AvgLimit, TotalLimit         Money
}

// ScoreBand is a range of scores: the range of a pricing band, or a range below,
// above or between the pricing bands.
type ScoreBand struct {
	Place   Place
	Band    string // id of the pricing band; "" unless Place is InBand
	Grade   string // grade of the pricing band; "" unless Place is InBand
	HasMin  bool
	Min     int64 // Min and Max are whole scores, both included
	HasMax  bool
	Max     int64
	Count   int64
	Good    int64
	BadRate Share
	WOE, IV Figure
}

// Place is the position of a ScoreBand among the pricing bands.
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
	Number             int // from 1, which has the lowest scores
	MinScore, MaxScore Figure
	Count              int64  // labelled rows
	Predicted          Figure // mean PD of the scorecard; unknown if the scorecard claims none
	Observed           Share
}

// Distribution is a histogram of final scores in cells of equal width. Only cells
// that have rows are listed.
type Distribution struct {
	Width int64 // width of a cell in points; 10 unless the scores would need more than maxDistribution cells
	Cells []DistributionCell
}

// DistributionCell counts the rows with Min ≤ score < Min + Width.
type DistributionCell struct {
	Min                   int64
	Good, Bad, Unlabelled int64
	Weight                int64 // weight of all rows of the cell, in ten-thousandths
}

// ROCPoint has the shares of good and of bad rows that score at or below Score.
type ROCPoint struct {
	Score     Figure // unknown at (0,0)
	Good, Bad Figure
}

// ReasonCount is a reason code and how often it was a principal reason.
type ReasonCount struct {
	Code                         string
	Count, First                 int64 // First counts the rows in which the reason ranked first
	Declined, Referred, Approved int64 // an approved row has a reason if it got less than requested
}

// SoleReason counts the rows whose status one knockout alone caused. Without
// the knockout, a sole decline would not be "DECLINED", and a sole referral
// would be "APPROVED".
type SoleReason struct {
	Rule, ReasonCode string
	Action           string
	Hits             int64 // rows that the knockout declined or referred
	Declines         int64 // rows that the knockout declined
	SoleDeclines     int64
	SoleReferrals    int64
	First            int64 // rows in which the knockout was the first that hit
	Overlap          int64 // rows that another knockout hit too
	BadRateSole      Share // bad rate of the rows whose status this knockout alone caused
}

// RuleCount counts the rows in which a rule hit, and those in which its condition
// had a result or had none.
type RuleCount struct {
	Rule      string
	Kind      string // "knockout" or "adjustment"
	Evaluated int64  // rows in which the rule's condition had a result
	Hit       int64
	Unknown   int64 // rows in which the rule's condition had no result
	HitRate   Figure
	BadRate   Share // bad rate of the rows that the rule hit
}

// Economics has the income of the approved loans if they are repaid as scheduled,
// the funding cost, the expected loss, and the margin that remains. Fees exclude
// tax.
type Economics struct {
	InterestIncome, FeeIncome Money
	FundingCost               Money
	ExpectedLoss              Money
	NetMargin                 Money
	NetMarginPct              Figure // percent of the approved limits
	FundingRate               Figure
}

// Fairness compares approval rates between the groups of the protected column. It
// shows differences but not whether they are justified.
type Fairness struct {
	Column     string
	Groups     []Group // largest first, at most MaxGroups; then "(others)" if there are more
	FourFifths bool    // whether every listed group of 30 rows or more has at least four fifths of the best rate
}

// Group is one group of the protected column.
type Group struct {
	Name            string // "(blank)" for blank cells, "(others)" for the groups not listed
	Count           int64
	Approved        int64
	ApprovalRate    Figure
	Ratio           Figure // ratio to the best approval rate of a listed group of 30 rows or more
	FourFifths      bool   // whether the ratio is at least four fifths
	BadRateApproved Share
}

// Vintage has, for each month on book, the share of approved loans that had gone bad
// by then.
type Vintage struct {
	Approved int64 // labelled approved rows, the base of the shares
	NoMonth  int64 // bad rows among Approved whose month is blank
	ByMonth  []VintageMonth
}

// VintageMonth is the share of approved loans that had gone bad by a month
// on book.
type VintageMonth struct {
	Month int // month on book, from 1
	Bad   int64
	Share Figure // cumulative share
}

// Actual compares the decisions that the lender made at the time of the applications with those of the
// champion. Matrix[then][now] counts the rows.
type Actual struct {
	Count         int64
	Matrix        Matrix
	AgreementRate Figure
}

// Matrix counts rows by two statuses, each in the order APPROVED, REFERRED,
// DECLINED.
type Matrix [3][3]int64

// Shift measures how far a score distribution has moved from an expected one, in
// groups that each have about a tenth of the expected distribution.
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

// Challenger is the report of the other policy on the same rows, with its
// differences from the champion.
type Challenger struct {
	RuleSetID string // set by the caller; not written if it is ""
	Side
	Matrix  Matrix // [champion][challenger]
	SwapSet SwapSet
	Shift   Change // change of limit and price on the rows that both policies approve
	PSI     Shift  // shift of the challenger's scores from the champion's

	Changes []PolicyChange
	SwapIn  Attribution
	SwapOut Attribution
}

// SwapSet compares the approvals of both policies. "Decline" means any status
// other than approved.
type SwapSet struct {
	BothApprove, ChampionOnly, ChallengerOnly, BothDecline int64
	// Bad rates of the rows that only the challenger approves, only the champion
	// approves, and both approve.
	SwapIn, SwapOut, Both Share
}

// Change states how limits and prices differ on the rows that both policies
// approve.
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
	// Section names a section of the policy document, such as "knockouts" or
	// "pricing_bands".
	Section string
	ID      string // id of the rule, factor or band; "" for a change of the whole section
	What    string // "added", "removed" or "changed"
	Before  string // description for people; "" if there was none
	After   string
}

// Attribution states how many swapped rows each change moved.
type Attribution struct {
	Count     int64
	Explained int64         // rows that at least one change moves alone
	Together  int64         // rows that no change moves alone
	ByChange  []ChangeCount // parallel to Challenger.Changes
}

// ChangeCount counts the swapped rows that one change moves.
type ChangeCount struct {
	Alone   int64 // rows for which the champion with only this change decides as the challenger does
	Needed  int64 // rows for which the challenger without this change decides as the champion does
	BadRate Share // bad rate of the rows that the change moves alone
}

// MaxRowErrors is the maximum number of listed row errors.
const MaxRowErrors = 100

// MaxGroups is the maximum number of listed groups of a protected column.
const MaxGroups = 50
