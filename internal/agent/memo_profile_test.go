package agent_test

import (
	"fmt"
	"math/big"
	"strings"

	"verdict/internal/rule"
)

// profileLines lists the statements about the bureau, with the facts that each
// may use. If a fact about own and joint accounts is present, it is used,
// otherwise the fact about all accounts.
var profileLines = []struct{ text, facts string }{
	{"The bureau score is %s.", "bureau_score"},
	{"Whether the applicant is new to credit: %s.", "bureau_is_ntc"},
	{"Live accounts: %s.", "bureau_own_active_tradelines|active_tradelines"},
	{"Live unsecured accounts: %s.", "bureau_own_live_unsecured|bureau_live_unsecured"},
	{"The oldest account is %s months old.", "bureau_own_oldest_account_months|bureau_oldest_account_months"},
	{"Owed in all: %s.", "bureau_own_outstanding|bureau_total_outstanding"},
	{"Owed without security: %s.", "bureau_own_unsecured_outstanding|bureau_unsecured_outstanding"},
	{"Share of card limits in use: %s.", "bureau_own_card_utilisation|bureau_card_utilisation"},
	{"Most days past due in the last 12 months: %s.", "bureau_own_max_dpd_12m|max_dpd_12m"},
	{"Most days past due in the last 36 months: %s.", "bureau_own_max_dpd_36m"},
	{"Overdue today: %s.", "bureau_own_overdue_amount|bureau_overdue_amount"},
	{"Accounts written off or settled in the last 36 months: %s.", "bureau_own_written_off_36m|bureau_written_off_36m"},
	{"Whether a suit was filed or a wilful default reported: %s.", "bureau_own_suit_or_wilful|bureau_suit_or_wilful"},
	{"Enquiries in the last 6 months: %s.", "enquiries_6m"},
	{"Accounts of others that the applicant guarantees: %s.", "bureau_guaranteed_accounts"},
	{"The report is %s days old.", "bureau_report_age_days"},
}

// fact returns the first of several facts that is stored, and "" if none is.
func (a *account) fact(names string) (name, value string) {
	for name := range strings.SplitSeq(names, "|") {
		if v := a.facts.Get(name); v.Type() != rule.Absent {
			return name, v.String()
		}
	}
	return "", ""
}

func (a *account) bureau() {
	for _, line := range profileLines {
		if name, value := a.fact(line.facts); name != "" {
			a.say("Bureau profile", fmt.Sprintf(line.text, value), name+" = "+value)
		}
	}
}

// rational reads a decimal exactly.
func rational(text string) *big.Rat {
	r, _ := new(big.Rat).SetString(text)
	return r
}

// income derives the statements about income: the figures from the facts and the engine, and the remaining capacity
// from the stored offer and its band.
func (a *account) income() {
	say := func(text string, cites ...string) { a.say("Income and FOIR", text, cites...) }
	cited := func(name string) string { return name + " = " + a.facts.Get(name).String() }
	_, income := a.fact("monthly_income")
	if income != "" {
		say(fmt.Sprintf("Declared income: %s a month.", income), cited("monthly_income"))
	}
	if _, foir := a.fact("foir"); foir != "" && income != "" {
		owed := new(big.Rat).Mul(rational(foir), rational(income)).FloatString(2)
		owed = strings.TrimSuffix(strings.TrimRight(owed, "0"), ".")
		if owed == "" {
			owed = "0"
		}
		say(fmt.Sprintf("Declared obligations: %s of it, which is %s a month.", foir, owed),
			cited("foir"), cited("monthly_income"))
	}
	if _, value := a.fact("bank_detected_income"); value != "" {
		say(fmt.Sprintf("Income found in the bank statement: %s a month.", value), cited("bank_detected_income"))
	}
	if _, value := a.fact("bureau_own_emi"); value != "" {
		say(fmt.Sprintf("Instalments on the bureau report: %s a month.", value), cited("bureau_own_emi"))
	}
	if _, value := a.fact("bank_due_emi"); value != "" {
		say(fmt.Sprintf("Instalments due by the bank statement: %s a month.", value), cited("bank_due_emi"))
	}
	if counted := a.value("income_effective"); counted.Type() != rule.Absent {
		say(fmt.Sprintf("Income that the policy counts with: %s a month.", counted),
			"income_effective = "+counted.String())
	}
	if counted := a.value("foir_effective"); counted.Type() != rule.Absent {
		say(fmt.Sprintf("Share of income that obligations take by the policy's count: %s.", counted),
			"foir_effective = "+counted.String())
	}
	for _, b := range a.plan.Policy().Bands {
		if b.ID == text(a.decision, "offer.pricing_band_id") {
			say(fmt.Sprintf("The band lets all instalments together take %s of income.", b.FOIRCap),
				"decision.offer.pricing_band_id = "+b.ID, "foir_cap = "+b.FOIRCap.String())
		}
	}
	if left := text(a.decision, "offer.max_emi"); left != "" {
		say(fmt.Sprintf("That leaves %s a month for a new instalment.", left), "decision.offer.max_emi = "+left)
	}
	if then := text(a.decision, "offer.post_offer_foir"); then != "" {
		emi := text(a.decision, "offer.emi")
		say(fmt.Sprintf("With the instalment of %s obligations take %s of income.", emi, then),
			"decision.offer.emi = "+emi, "decision.offer.post_offer_foir = "+then)
	}
}

// strengths derives the statements in favour of the applicant: zeros among the
// facts, and the stored contributions and adjustments compared with the
// policy's scorecard.
func (a *account) strengths() {
	for _, line := range []struct{ text, facts string }{
		{"No payment was late in the last 12 months.", "bureau_own_max_dpd_12m|max_dpd_12m"},
		{"Nothing is overdue today.", "bureau_own_overdue_amount|bureau_overdue_amount"},
		{
			"Nothing was written off or settled in the last 36 months.",
			"bureau_own_written_off_36m|bureau_written_off_36m",
		},
		{"There was no enquiry in the last 6 months.", "enquiries_6m"}, {"No payment bounced.", "bank_bounces"},
	} {
		if name, value := a.fact(line.facts); value == "0" {
			a.say("Strengths", line.text, name+" = 0")
		}
	}
	for _, c := range list(a.decision, "explanation.score_contributions") {
		name, points := text(c, "factor"), text(c, "points")
		for _, f := range a.plan.Policy().Scorecard.Factors {
			if f.Name != name {
				continue
			}
			best := rational("-1000000")
			for _, b := range f.Bins {
				if p := new(big.Rat).Mul(rational(b.Points.String()), rational(f.Weight.String())); p.Cmp(best) > 0 {
					best = p
				}
			}
			earned := rational(points)
			if earned.Sign() > 0 && new(big.Rat).Quo(earned, best).Cmp(big.NewRat(3, 4)) >= 0 {
				most, _ := best.Float64()
				a.say("Strengths", fmt.Sprintf("%s earned %s of its best %v points.", name, points, most),
					"factor = "+name, "points = "+points)
			}
		}
	}
	for _, fired := range list(a.decision, "explanation.fired_rules") {
		if delta := text(fired, "delta"); delta != "" && rational(delta).Sign() > 0 {
			id := text(fired, "id")
			a.say("Strengths", fmt.Sprintf("%s added %s points.", id, delta), "rule = "+id, "delta = "+delta)
		}
	}
}
