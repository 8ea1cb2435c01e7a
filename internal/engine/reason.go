package engine

// The engine's own reason codes.
const (
	ReasonMissingInput  = "MISSING_REQUIRED_INPUT"
	ReasonNoBand        = "NO_PRICING_BAND"
	ReasonBelowMinimum  = "LIMIT_BELOW_MINIMUM"
	ReasonFOIRHigh      = "FOIR_HIGH"
	ReasonIncomeLow     = "INC_LOW"
	ReasonIncomeMissing = "INC_MISSING"
	ReasonAmountMinimum = "AMT_MIN"
	ReasonBandCap       = "AMT_BAND_CAP"
	ReasonNewToCredit   = "BUR_NTC"
	ReasonExposureCap   = "EXPOSURE_CAP"
	ReasonChargesExceed = "CHARGES_EXCEED_LIMIT"
)

// The reason codes for the bureau score that counts. The score is either the primary applicant's or the
// co-applicant's.
const (
	reasonScore       = "BUR_SCORE"
	reasonCoApplicant = "CO_APPLICANT"
)

// ownReason numbers the engine's own reason codes, so that a plan can map each
// of them to its index in the plan's codes.
type ownReason uint8

const (
	ownMissingInput ownReason = iota
	ownNoBand
	ownBelowMinimum
	ownFOIRHigh
	ownIncomeLow
	ownIncomeMissing
	ownAmountMinimum
	ownBandCap
	ownNewToCredit
	ownExposureCap
	ownChargesExceed
)

var ownReasons = [...]string{
	ownMissingInput: ReasonMissingInput, ownNoBand: ReasonNoBand, ownBelowMinimum: ReasonBelowMinimum,
	ownFOIRHigh: ReasonFOIRHigh, ownIncomeLow: ReasonIncomeLow, ownIncomeMissing: ReasonIncomeMissing,
	ownAmountMinimum: ReasonAmountMinimum, ownBandCap: ReasonBandCap, ownNewToCredit: ReasonNewToCredit,
	ownExposureCap: ReasonExposureCap, ownChargesExceed: ReasonChargesExceed,
}

// ReasonText is one entry of the reason-code catalogue.
type ReasonText struct {
	Code     string
	Category string // knockout, score, pricing or fraud
	// Message is the text that an applicant may read. It has no value and no threshold, and does not tell a fraudster
	// what was detected.
	Message string
}

const unverifiable = "Unable to verify application details"

// reasonTexts is the catalogue in the order of docs/POLICY.md.
var reasonTexts = []ReasonText{
	{reasonScore, "score", "The credit bureau score is low"},
	{ReasonNewToCredit, "score", "There is little or no credit history"},
	{"BUR_DPD", "score", "Recent repayments were late"},
	{"BUR_ENQ", "score", "There were many recent applications for credit"},
	{"BUR_TRADELINES", "score", "The number of active credit accounts"},
	{"BUR_WRITEOFF", "knockout", "A past loan was written off or settled"},
	{"BUR_SUIT", "knockout", "The credit report shows a legal action or wilful default"},
	{"BUR_OVERDUE", "knockout", "An existing account is overdue"},
	{"BUR_THIN_FILE", "score", "The credit history is short or thin"},
	{"INC_LOW", "score", "The income is low for this loan"},
	{ReasonIncomeMissing, "knockout", "The income was not given"},
	{ReasonFOIRHigh, "score", "Existing obligations are high compared with income"},
	{"AGE_RANGE", "knockout", "The age is outside the range this loan is offered to"},
	{"EMP_TYPE", "score", "The type of employment"},
	{ReasonAmountMinimum, "pricing", "The amount asked for is below the smallest loan offered"},
	{ReasonBandCap, "pricing", "The amount offered is the most available for this application"},
	{ReasonBelowMinimum, "pricing", "The amount that could be offered is below the smallest loan"},
	{ReasonExposureCap, "pricing", "Existing loans and offers of this lender limit the amount available"},
	{ReasonChargesExceed, "pricing", "The charges of a loan of this size would leave nothing to pay out"},
	{reasonCoApplicant, "knockout", "A detail of the co-applicant does not fit this loan"},
	{"GUARANTOR", "knockout", "A detail of the guarantor does not fit this loan"},
	{"OWN_HISTORY", "knockout", "Earlier applications to this lender, or loans from it"},
	{"BANK_BOUNCE", "score", "Payments from the bank account were returned"},
	{"BANK_MISMATCH", "score", "The bank statement does not agree with the details given"},
	{"BANK_ABB", "score", "The average bank balance is low"},
	{"DEV_ROOTED", "fraud", unverifiable},
	{"FR_EMULATOR", "fraud", unverifiable},
	{"FR_MULE", "fraud", unverifiable},
	{"FR_RING", "fraud", unverifiable},
	{"LOC_PINCODE", "knockout", "This loan is not offered at the address given"},
	{"LOC_MISMATCH", "fraud", unverifiable},
	{"PAUSED", "knockout", "The application is waiting for a person to look at it"},
	{ReasonMissingInput, "knockout", "A detail needed for the decision was not given"},
	{ReasonNoBand, "pricing", "No offer is available for this application at present"},
}

// neutralTexts has texts that do not call a value bad. They replace the usual texts if points were lost for a value
// that is not bad but could be better.
var neutralTexts = map[string]string{
	reasonScore:     "The level of the credit bureau score",
	"BUR_ENQ":       "The number of recent applications for credit",
	"BUR_THIN_FILE": "The length of the credit history",
	ReasonIncomeLow: "The level of the income",
	ReasonFOIRHigh:  "The level of existing obligations compared with income",
	"BANK_ABB":      "The average bank balance",
}

// variant numbers the texts that replace the usual text of a code, depending on the cause of the reason. Message
// returns such a text only from variantTexts, so that ReasonTexts lists all of them.
type variant uint8

const (
	noVariant variant = iota
	instalmentHigh
	incomeUnverified
	obligationsUnverified
	recordUnverified
	capWithoutResult
	variantCount
)

var variantTexts = [variantCount]struct{ code, text string }{
	// The cause is the new instalment, not existing obligations.
	instalmentHigh: {ReasonFOIRHigh, "The instalment would be high compared with income"},
	// A declared figure does not count, and the figure that the policy uses
	// instead cannot be derived.
	incomeUnverified: {ReasonIncomeMissing, "The income could not be verified from the bank statement"},
	obligationsUnverified: {ReasonMissingInput,
		"The existing obligations could not be verified from the bank statement"},
	recordUnverified: {ReasonMissingInput, "The existing obligations could not be verified"},
	// A limit cap divides by 0, or a table has no row for the application. See also MissingDetails.
	capWithoutResult: {ReasonMissingInput, "The amount could not be determined from the details given"},
}

var reasonByCode = func() map[string]*ReasonText {
	m := make(map[string]*ReasonText, len(reasonTexts))
	for i := range reasonTexts {
		m[reasonTexts[i].Code] = &reasonTexts[i]
	}
	return m
}()

// StandardReason returns the entry of the reason-code catalogue for a code. ok
// is false if the catalogue does not have the code.
func StandardReason(code string) (text ReasonText, ok bool) {
	if r := reasonByCode[code]; r != nil {
		return *r, true
	}
	return ReasonText{}, false
}

// ApplicantMessage returns the applicant-safe text for a code. For a code that
// is not in the catalogue it returns a generic text.
func ApplicantMessage(code string) string {
	if r := reasonByCode[code]; r != nil {
		return r.Message
	}
	return "A detail of the application does not fit this loan"
}

// ApplicantMessage returns the applicant-safe text that the policy itself has for a reason code: the text of its rules
// and limit caps with that code. It returns "" if none of them has a text, or if their texts differ, because then no
// text is true in every case.
func (p *Policy) ApplicantMessage(code string) (text string) {
	same := true
	add := func(of, message string) {
		if of != code || message == "" {
			return
		}
		same = same && (text == "" || text == message)
		text = message
	}
	for i := range p.Knockouts {
		add(p.Knockouts[i].ReasonCode, p.Knockouts[i].ApplicantMessage)
	}
	for i := range p.LimitCaps {
		add(p.LimitCaps[i].ReasonCode, p.LimitCaps[i].ApplicantMessage)
	}
	if !same {
		return ""
	}
	return text
}

// CatalogueText is an entry of the reason-code catalogue. Neutral is the text for a value that is not bad but could be
// better. Variants are the texts that replace the entry's text, depending on the cause of the reason.
type CatalogueText struct {
	ReasonText
	Neutral  string // "" for none
	Variants []string
}

// ReasonTexts returns the reason-code catalogue.
func ReasonTexts() []CatalogueText {
	list := make([]CatalogueText, len(reasonTexts))
	for i, r := range reasonTexts {
		list[i] = CatalogueText{ReasonText: r, Neutral: neutralTexts[r.Code]}
		for _, v := range variantTexts {
			if v.code == r.Code {
				list[i].Variants = append(list[i].Variants, v.text)
			}
		}
	}
	return list
}
