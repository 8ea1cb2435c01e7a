package field

import "verdict/internal/rule"

// applicantSection returns the facts about the person and the requested loan.
func applicantSection() section {
	return section{
		group: "applicant", title: "Applicant and request", supply: eitherRequest,
		intro: "These fields describe the applicant and the loan that is asked for. Decision and evaluate requests " +
			"can both contain them. `foir` is always a ratio here, although an evaluate request states it as a " +
			"percentage.",
		fields: []entry{
			age("age", "Age of the applicant in years.").core(),
			choice("employment_type", "How the applicant earns a living; an unknown type counts as OTHER.",
				"SALARIED", "SELF_EMPLOYED", "SELF_EMPLOYED_PROFESSIONAL", "NON_SALARIED", "UNEMPLOYED",
				"RETIRED", "STUDENT", "HOMEMAKER", "OTHER").core().reason("EMP_TYPE"),
			rupees(MonthlyIncome, "Monthly income of the applicant.").paise().core().reason("INC_LOW"),
			ratio(
				FOIR, "Fixed obligations as a share of monthly income, without the loan asked for; 0.35 is 35 "+
					"percent.").
				within(0, 5).core().reason("FOIR_HIGH"),
			requestedAmount(RequestedAmount, "Loan amount the applicant asks for.").paise(),
			requestedTenure(RequestedTenureMonths, "Loan tenure the applicant asks for."),
		},
	}
}

// Each function below is used for a canonical field and for the raw paths that set it.

func age(name, meaning string) entry {
	return number(name, "years", meaning).within(0, 120).reason("AGE_RANGE")
}

func requestedAmount(name, meaning string) entry {
	return rupees(name, meaning).atLeast(rule.Paisa).reason("AMT_MIN")
}

func requestedTenure(name, meaning string) entry {
	return months(name, meaning).within(1, 480)
}
