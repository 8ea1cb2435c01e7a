package service

// Answer is our service's answer to a decision or a preview, declared for
// encoding/json. The bare contestants write it.
type Answer struct {
	DecisionID    string      `json:"decision_id,omitempty"`
	Preview       bool        `json:"preview,omitempty"`
	Status        string      `json:"status"`
	Grade         string      `json:"grade"`
	Offer         Offer       `json:"offer"`
	Explanation   Explanation `json:"explanation"`
	Reasons       []Reason    `json:"reasons"`
	Policy        Policy      `json:"policy"`
	DecisionHash  string      `json:"decision_hash"`
	EngineVersion string      `json:"engine_version"`
	Environment   string      `json:"environment"`
	Facts         *Facts      `json:"facts,omitempty"`
	Warnings      []Warning   `json:"warnings"`
	CreatedAt     string      `json:"created_at,omitempty"`
}

// Offer is an offer. Terms is nil if no offer was made.
type Offer struct {
	Limit    float64 `json:"limit"`
	Currency string  `json:"currency"`
	*Terms
}

// Terms are the terms of an offer.
type Terms struct {
	Indicative        bool          `json:"indicative,omitempty"`
	RequestedAmount   float64       `json:"requested_amount"`
	IsCounterOffer    bool          `json:"is_counter_offer"`
	InterestRate      float64       `json:"interest_rate"`
	RateType          string        `json:"rate_type"`
	Method            string        `json:"method"`
	TenureMonths      int           `json:"tenure_months"`
	EMI               float64       `json:"emi"`
	LastEMI           float64       `json:"last_emi"`
	ProcessingFee     float64       `json:"processing_fee"`
	ProcessingFeeGST  float64       `json:"processing_fee_gst"`
	NetDisbursed      float64       `json:"net_disbursed"`
	TotalInterest     float64       `json:"total_interest"`
	TotalPayable      float64       `json:"total_payable"`
	APR               float64       `json:"apr"`
	MaxEMI            float64       `json:"max_emi"`
	PostOfferFOIR     float64       `json:"post_offer_foir"`
	BindingConstraint string        `json:"binding_constraint"`
	PricingBandID     string        `json:"pricing_band_id"`
	ValidUntil        string        `json:"valid_until"`
	Conditions        []Condition   `json:"conditions"`
	Alternatives      []Alternative `json:"alternatives"`
}

// Condition is a condition that must be met before the loan is disbursed.
type Condition struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

// Alternative is the offer for another tenure.
type Alternative struct {
	Limit        float64 `json:"limit"`
	TenureMonths int     `json:"tenure_months"`
	EMI          float64 `json:"emi"`
}

// Explanation lists the rules and the points behind a decision.
type Explanation struct {
	FiredRules         []FiredRule    `json:"fired_rules"`
	ScoreContributions []Contribution `json:"score_contributions"`
	FinalScore         float64        `json:"final_score"`
}

// FiredRule is a rule that was evaluated, with its result.
type FiredRule struct {
	ID     string  `json:"id"`
	Result string  `json:"result"`
	Delta  float64 `json:"delta,omitempty"`
}

// Contribution holds the points of a factor.
type Contribution struct {
	Factor string  `json:"factor"`
	Points float64 `json:"points"`
}

// Reason is a principal reason against the applicant.
type Reason struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Rank    int    `json:"rank"`
	Detail  Detail `json:"detail"`
}

// Detail is the value behind a reason.
type Detail struct {
	RuleID    string `json:"rule_id,omitempty"`
	Field     string `json:"field,omitempty"`
	Value     any    `json:"value,omitempty"`
	Threshold any    `json:"threshold,omitempty"`
	Text      string `json:"text,omitempty"`
}

// Policy identifies the policy that decided.
type Policy struct {
	ID       string `json:"id"`
	Version  int    `json:"version"`
	Name     string `json:"name"`
	Checksum string `json:"checksum"`
}

// Warning is a warning about the request.
type Warning struct {
	Code    string   `json:"code"`
	Pointer string   `json:"pointer,omitempty"`
	Fields  []string `json:"fields,omitempty"`
	Detail  string   `json:"detail"`
}

// Facts are the facts in the answer of a preview.
type Facts struct {
	ActiveTradelines   int     `json:"active_tradelines"`
	Age                int     `json:"age"`
	RawAge             int     `json:"applicant.age"`
	RawEmployment      string  `json:"applicant.employment_type"`
	RawFOIR            float64 `json:"applicant.foir"`
	RawID              string  `json:"applicant.id"`
	RawIncome          float64 `json:"applicant.monthly_income"`
	RawRequested       float64 `json:"applicant.requested_amount"`
	RawTenure          int     `json:"applicant.tenure_months"`
	IsNTC              bool    `json:"bureau_is_ntc"`
	OverdueAmount      float64 `json:"bureau_overdue_amount"`
	OwnTradelines      int     `json:"bureau_own_active_tradelines"`
	OwnMaxDPD12m       int     `json:"bureau_own_max_dpd_12m"`
	OwnOverdue         float64 `json:"bureau_own_overdue_amount"`
	OwnSuit            bool    `json:"bureau_own_suit_or_wilful"`
	OwnWrittenOff      int     `json:"bureau_own_written_off_36m"`
	RawTradelines      int     `json:"bureau_report.active_tradelines"`
	RawEnquiries       int     `json:"bureau_report.enquiries_6m"`
	RawMaxDPD          int     `json:"bureau_report.max_dpd_12m"`
	RawOverdue         float64 `json:"bureau_report.overdue_amount"`
	RawScore           int     `json:"bureau_report.score"`
	RawSuit            bool    `json:"bureau_report.suit_or_wilful"`
	RawWrittenOff      int     `json:"bureau_report.written_off_36m"`
	Score              int     `json:"bureau_score"`
	SuitOrWilful       bool    `json:"bureau_suit_or_wilful"`
	WrittenOff36m      int     `json:"bureau_written_off_36m"`
	EmploymentType     string  `json:"employment_type"`
	Enquiries6m        int     `json:"enquiries_6m"`
	FOIR               float64 `json:"foir"`
	FOIREffective      float64 `json:"foir_effective"`
	IncomeEffective    float64 `json:"income_effective"`
	MaxDPD12m          int     `json:"max_dpd_12m"`
	MonthlyIncome      float64 `json:"monthly_income"`
	RequestedAmount    float64 `json:"requested_amount"`
	RequestedTenureMon int     `json:"requested_tenure_months"`
}
