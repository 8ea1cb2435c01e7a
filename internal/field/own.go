package field

import "strings"

// Names of the facts about the lender's own earlier decisions and loans for the applicant.
const (
	OwnReference        = "own_reference"
	OwnOpenOffer        = "own_open_offer"
	OwnOtherOpenOffer   = "own_other_open_offer"
	OwnApproved30d      = "own_approved_amount_30d"
	OwnApproved90d      = "own_approved_amount_90d"
	OwnApproved365d     = "own_approved_amount_365d"
	OwnDeclines30d      = "own_declines_30d"
	OwnDaysSinceDecline = "own_days_since_decline"
	OwnLastStatus       = "own_last_status"
	OwnOutstanding      = "own_outstanding"
	OwnEMI              = "own_emi"
	OwnMaxDPD           = "own_max_dpd"
	// OwnGuaranteedOffer and OwnGuaranteedOutstanding are contingent liabilities: offers to other people, and debts of
	// other people, that the applicant guarantees.
	OwnGuaranteedOffer       = "own_guaranteed_offer"
	OwnGuaranteedOutstanding = "own_guaranteed_outstanding"

	ownPrefix            = "own_"
	reasonExposure       = "EXPOSURE_CAP"
	reasonEarlierDealing = "OWN_HISTORY"
)

// ApplicantRef is the top-level member of a request that names the applicant.
const ApplicantRef = "applicant_ref"

// OwnOfNamed returns the names of the facts about the lender's own decisions and loans that every applicant with a
// reference has. The other facts of this kind are absent if there was no earlier decision.
func OwnOfNamed() []string {
	return []string{
		OwnOpenOffer, OwnOtherOpenOffer, OwnApproved30d, OwnApproved90d, OwnApproved365d, OwnDeclines30d,
		OwnOutstanding, OwnEMI, OwnMaxDPD, OwnGuaranteedOffer, OwnGuaranteedOutstanding,
	}
}

// IsOwn reports whether a name is one of the facts about the lender's own decisions and loans.
func IsOwn(name string) bool {
	if !strings.HasPrefix(name, ownPrefix) {
		return false
	}
	_, known := Catalogue().Lookup(name)
	return known
}

// IsOwnOfAnybody reports whether a name is one of the facts about the lender's own decisions and loans, for the
// applicant or for another person of the application.
func IsOwnOfAnybody(name string) bool {
	if IsOfRole(name) {
		_, name, _ = strings.Cut(name, ".")
	}
	return IsOwn(name)
}

// ownSection returns the facts about the lender's own decisions and loans.
func ownSection() section {
	return section{
		group: "own", title: "Own exposure", supply: eitherRequest, late: true,
		intro: "These fields say what this lender already decided for the applicant, and what the applicant owes on " +
			"the loans reported with `POST /v1/exposures`. They are read in the transaction of the decision, if " +
			"the policy names one of them or has `exposure`, and are stored with it. Such a policy requires " +
			"`applicant_ref`. An approval is a decision that is `APPROVED`, unless a review overturned it, or " +
			"`REFERRED` with a review that overturned it. Decisions of the same request within the last 10 minutes " +
			"do not count. A joint application counts for its co-applicant as it does for its primary applicant, in " +
			"full; a guarantee counts in the last two fields only.",
		fields: []entry{
			boolean(OwnReference, "The request names the applicant. If it does not, the other fields are absent, and "+
				"the decision is `DECLINED` with `MISSING_REQUIRED_INPUT`.").reason("MISSING_REQUIRED_INPUT"),
			rupees(OwnOpenOffer, "Sum of the open offers: for each policy_key the newest approval, if it is still "+
				"valid and no exposure names it.").reason(reasonExposure),
			rupees(OwnOtherOpenOffer, "Sum of the open offers under other policy_keys than that of this request. "+
				"An offer under the same policy_key is replaced by this one.").reason(reasonExposure),
			rupees(OwnApproved30d, "Sum of the approved limits in the last 30 days. An approval that was replaced by "+
				"another one under the same policy_key while it was an open offer does not count.").
				reason(reasonExposure),
			rupees(OwnApproved90d, "The same for the last 90 days.").reason(reasonExposure),
			rupees(OwnApproved365d, "The same for the last 365 days.").reason(reasonExposure),
			count(OwnDeclines30d, "Number of declined applications in the last 30 days.").reason(reasonEarlierDealing),
			days(OwnDaysSinceDecline, "Calendar days in India since the last declined application; absent if there "+
				"was none in the last 365 days.").reason(reasonEarlierDealing),
			choice(OwnLastStatus, "Status of the last decision after its reviews; absent if there was none in the "+
				"last 365 days.", "APPROVED", "REFERRED", "DECLINED").reason(reasonEarlierDealing),
			rupees(OwnOutstanding, "Sum of the outstanding amounts of the exposures that are not closed.").
				reason(reasonExposure),
			rupees(OwnEMI, "Sum of the instalments of the exposures that are not closed.").reason(reasonExposure),
			days(OwnMaxDPD, "Highest days past due of the exposures that are not closed; 0 if there are none.").
				reason(reasonEarlierDealing),
			rupees(OwnGuaranteedOffer, "Sum of the open offers to others that the applicant guarantees. They do not "+
				"count in the other fields or in `exposure`.").reason(reasonExposure),
			rupees(OwnGuaranteedOutstanding, "Sum of the outstanding amounts of the loans of others that the "+
				"applicant guarantees. They do not count in the other fields or in `exposure`.").reason(reasonExposure),
		},
	}
}
