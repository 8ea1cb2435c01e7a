package field

import "verdict/internal/rule"

// bankSection returns the facts derived from bank_summary. They affect the
// capacity only if a policy names them as sources of affordability.
func bankSection() section {
	return section{
		group: "bank", title: "Bank statement", supply: rule.FromEvaluate,
		intro: "These fields are computed from the `bank_summary` block, and are absent if it is not sent. All " +
			"fields from `bank_detected_income` on need its `transactions`.",
		fields: []entry{
			rupees("bank_income", "Monthly income that the bank summary states.").reason("INC_LOW"),
			rupees("bank_emi", "Monthly loan instalments that the bank summary states.").reason("FOIR_HIGH"),
			number("bank_avg_balance", "₹", "Average end-of-day balance; negative in overdraft.").reason("BANK_ABB"),
			count("bank_bounces", "Number of bounced payments that the bank summary states.").reason("BANK_BOUNCE"),
			ratio("bank_foir", "Instalments as a share of income, both as the bank summary states them.").
				reason("FOIR_HIGH"),
			number("bank_abb_to_emi", "ratio",
				"Average balance as a multiple of the monthly instalments; 99 if there are no instalments.").
				reason("BANK_ABB"),
			rupees("bank_detected_income", "Median of the monthly incomes detected in the transactions.").reason(
				"INC_LOW"),
			rupees("bank_detected_emi", "Median of the monthly loan instalments detected in the transactions.").
				reason("FOIR_HIGH"),
			ratio("bank_detected_foir", "Detected instalments as a share of detected income.").reason("FOIR_HIGH"),
			rupees("bank_due_emi",
				"Monthly loan instalments that are due at the end of the statement, including bounced instalments.").
				reason("FOIR_HIGH"),
			ratio("bank_due_foir", "Instalments that are due as a share of detected income.").reason("FOIR_HIGH"),
			number("bank_income_mismatch_pct", "percent",
				"How far detected income falls short of declared income; higher is worse, negative when more was "+
					"detected.").
				atMost(rule.Int(100)).reason("BANK_MISMATCH"),
			number("bank_emi_mismatch_pct", "percent",
				"How far detected instalments exceed declared ones; higher is worse, negative when fewer were "+
					"detected.").
				within(-100, 100).reason("BANK_MISMATCH"),
			rupees("bank_undeclared_emi", "Monthly instalments that were detected and not declared.").reason(
				"BANK_MISMATCH"),
			count("bank_salary_months", "Number of months in which a salary was credited.").reason("INC_LOW"),
			days("bank_last_salary_age_days", "Days since the last salary was credited.").reason("INC_LOW"),
			count("bank_issued_bounces_90d",
				"Number of the borrower's own mandates and cheques returned in the last 90 days.").
				reason("BANK_BOUNCE"),
			days("bank_negative_days_90d", "Days of the last 90 that ended with a negative balance.").
				within(0, 90).reason("BANK_ABB"),
			days("bank_statement_days", "Days that the statement covers."),
			days("bank_statement_age_days", "Days since the statement's last transaction."),
			count("bank_balance_breaks",
				"Number of rows whose balance does not follow from the row before, a sign of an edited statement.").
				reason("BANK_MISMATCH"),
		},
	}
}

func bankSummarySection() section {
	return section{
		group: "bank_summary.*", title: "Raw: bank_summary", supply: rule.FromEvaluate,
		intro: "These fields are the numbers of the `bank_summary` block, as they were sent. A value sent under an " +
			"alias (`monthly_income`, `avg_balance`, `bounce_count`) has the name below.",
		fields: []entry{
			rupees("bank_summary.income", "Monthly income that the caller states.").reason("INC_LOW"),
			rupees("bank_summary.emi", "Monthly loan instalments that the caller states.").reason("FOIR_HIGH"),
			number("bank_summary.balance", "₹", "Average balance that the caller states; negative in overdraft.").
				reason("BANK_ABB"),
			count("bank_summary.bounces", "Number of bounced payments that the caller states.").reason("BANK_BOUNCE"),
			months("bank_summary.months", "Number of months that the summary covers."),
			rupees("bank_summary.declared_monthly_income", "Monthly income that the applicant declared.").reason(
				"INC_LOW"),
			rupees("bank_summary.declared_emi", "Monthly loan instalments that the applicant declared.").reason(
				"FOIR_HIGH"),
		},
	}
}
