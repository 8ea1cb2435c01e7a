package field

import (
	"strings"

	"verdict/internal/rule"
)

// bureauSection returns the facts of the bureau report. An applicant who is new to credit has no score, so a comparison
// with the score is never true of such an applicant.
func bureauSection() section {
	score := integer(BureauScore, "points",
		"Credit bureau score; absent for an applicant who is new to credit.").within(300, 900).core().reason(
		"BUR_SCORE")
	score.BureauScored = true
	return section{
		group: "bureau", title: "Bureau", supply: eitherRequest,
		intro: "These fields contain the data of the credit bureau. `/v1/evaluate` computes them from the report's " +
			"accounts and enquiries; `/v1/decisions` uses the values in `bureau_report` of the request. If a " +
			"decision request leaves out a `bureau_own_*` field, the field has the value of the corresponding field " +
			"for all accounts, if there is one ([BUREAUS.md](BUREAUS.md)).",
		fields: append([]entry{
			text("bureau", "Name of the bureau whose report was sent, such as cibil, experian, equifax or "+
				"crif.").only(rule.FromEvaluate),
			score,
			boolean(BureauIsNTC,
				"The applicant is new to credit: the bureau returned no score, or only a thin-file index.").
				reason("BUR_NTC"),
			integer("bureau_ntc_index", "index",
				"Thin-file risk index that the bureau returns instead of a score; higher is safer.").
				within(1, 6).reason("BUR_NTC"),
		}, bureauFacts()...),
	}
}

// bureauFacts returns the facts, apart from the score, that a decision request
// can send as finished values.
func bureauFacts() []entry {
	return append([]entry{
		count("enquiries_6m", "Number of hard enquiries by lenders in the last 6 months.").core().reason("BUR_ENQ"),
		count("active_tradelines", "Number of credit accounts that are live.").core().reason("BUR_TRADELINES"),
		days("max_dpd_12m", "Most days past due on any account in the last 12 months.").core().reason("BUR_DPD"),
		count("bureau_written_off_36m", "Number of accounts written off or settled in the last 36 months.").
			reason("BUR_WRITEOFF"),
		boolean("bureau_suit_or_wilful", "A lender has filed suit or reported a wilful default.").reason("BUR_SUIT"),
		rupees("bureau_overdue_amount", "Amount overdue today over all accounts.").reason("BUR_OVERDUE"),
		rupees("bureau_total_outstanding", "Amount owed today on all live accounts.").reason("FOIR_HIGH"),
		rupees("bureau_unsecured_outstanding", "Amount owed today on all live unsecured accounts.").reason(
			"FOIR_HIGH"),
		rupees("bureau_total_emi",
			"Monthly instalments of all live accounts; a credit card counts 5 percent of its balance.").
			reason("FOIR_HIGH"),
		ratio("bureau_card_utilisation", "Credit card balances as a share of the cards' limits.").reason("FOIR_HIGH"),
		count("bureau_live_unsecured", "Number of live unsecured accounts.").reason("BUR_TRADELINES"),
		months("bureau_oldest_account_months", "Age of the oldest account on file.").reason("BUR_THIN_FILE"),
		months("bureau_months_since_30dpd",
			"Months since any account was last 30 or more days past due; absent if no account ever was.").
			reason("BUR_DPD"),
		days("bureau_report_age_days", "Age of the bureau report on the day of the decision."),
		days("max_dpd_24m", "Most days past due on any account in the last 24 months.").reason("BUR_DPD"),
		days("max_dpd_36m", "Most days past due on any account in the last 36 months.").reason("BUR_DPD"),
	}, bureauOwnFacts()...)
}

// bureauReportSection returns the bureau_report.* paths. All except the score
// are derived from the entries of the canonical facts, so that domains and
// reason codes always agree.
func bureauReportSection() section {
	fields := []entry{rawScore("bureau_report.score")}
	for _, e := range bureauFacts() {
		fields = append(fields, e.sent("bureau_report."+strings.TrimPrefix(e.Name, "bureau_"),
			"Value sent for `"+e.Name+"`."))
	}
	return section{
		group: "bureau_report.*", title: "Raw: bureau_report", supply: rule.FromDecisions,
		intro:  "These fields are the members of `bureau_report` in a decision request, as they were sent.",
		fields: fields,
	}
}

const reportPrefix = "bureau_report."

// OfReport returns the fact that is derived from a path below bureau_report, such as bureau_own_emi from
// bureau_report.own_emi. The fact own_emi is not from the report: it is about the lender's own loans.
func OfReport(path string) (name string, ok bool) {
	rest, ok := strings.CutPrefix(path, reportPrefix)
	if !ok {
		return "", false
	}
	for _, candidate := range []string{rest, "bureau_" + rest} {
		if _, known := Catalogue().Lookup(candidate); known && !IsOwn(candidate) {
			return candidate, true
		}
	}
	return "", false
}

// InReport returns the path below bureau_report from which a fact is derived.
func InReport(name string) (path string, ok bool) {
	if IsOwn(name) {
		return "", false
	}
	for _, candidate := range []string{reportPrefix + name, reportPrefix + strings.TrimPrefix(name, "bureau_")} {
		if _, known := Catalogue().Lookup(candidate); known {
			return candidate, true
		}
	}
	return "", false
}

// rawScore returns the entry for the score as the bureau returned it, with the
// codes for no history (-1), no score (0) and the thin-file index (1 to 6).
func rawScore(name string) entry {
	return integer(name, "points",
		"Score as the bureau returned it, 300 to 900, or a new-to-credit code: -1, 0, or 1 to 6.").
		within(-1, 900).reason("BUR_SCORE")
}
