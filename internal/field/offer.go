package field

import "verdict/internal/rule"

// offerSection returns the facts that only Stage 2 rules can name, because the
// engine computes them after Stage 1. The final score has no bounds here,
// because each policy sets its own.
func offerSection() section {
	return section{
		group: "offer", title: "Offer (Stage 2)", supply: rule.FromEngine,
		intro: "The engine computes these fields when it prices the loan. Only rules with `\"stage\": 2`, which run " +
			"after pricing, may use them.",
		fields: []entry{
			number(FinalScore, "points",
				"Score after all factors and adjustments, limited to the range of the scorecard."),
			text(Grade, "Grade of the pricing band that the final score falls into."),
			rupees(OfferLimit, "Loan amount that is offered."),
			rupees(OfferEMI, "Monthly instalment of the offer."),
			number(OfferAPR, "percent", "Annual percentage rate of the offer, including all fees.").atLeast(0),
			ratio(PostOfferFOIR, "Fixed obligations, including the offer's instalment, as a share of the income that "+
				"the policy uses.").
				reason("FOIR_HIGH"),
		},
	}
}
