package field

import "verdict/internal/rule"

// rawSections returns the paths of the requests, for rules that need a value as
// it was sent and not its canonical form. Arrays and objects themselves have no
// path.
func rawSections() []section {
	return []section{
		rawApplicantSection(), bureauReportSection(), rawReportSection(), rawDeviceSection(),
		rawLocationSection(), rawFraudSection(), bankSummarySection(),
	}
}

func rawApplicantSection() section {
	return section{
		group: "applicant.*", title: "Raw: applicant", supply: rule.FromDecisions,
		intro: "These fields are the members of `applicant` in a decision request, as they were sent. A policy may " +
			"declare further paths under `applicant.`. These paths and `applicant.id` may also be in the `applicant` " +
			"object of an evaluate request.",
		fields: []entry{
			text("applicant.id", "The caller's identifier of the applicant.").only(eitherRequest),
			rupees("applicant.monthly_income", "Monthly income as sent.").reason("INC_LOW"),
			ratio("applicant.foir", "Fixed obligations as a share of monthly income, sent as a ratio.").
				within(0, 5).reason("FOIR_HIGH"),
			age("applicant.age", "Age as sent."),
			text("applicant.employment_type", "Employment type in the caller's own spelling.").reason("EMP_TYPE"),
			requestedAmount("applicant.requested_amount", "Loan amount asked for, as sent."),
			requestedTenure("applicant.tenure_months", "Loan tenure asked for, as sent."),
		},
	}
}

func rawReportSection() section {
	return section{
		group: "report.*", title: "Raw: report", supply: rule.FromEvaluate,
		intro: "These fields are paths in the `report` of an evaluate request, below the bureau's key, as they were " +
			"sent. A policy may declare further paths under `report.`.",
		fields: []entry{
			rawScore("report.scoreData.score"),
			age("report.demographics.age", "Age as sent."),
			text("report.demographics.employmentType", "Employment type in the report's own spelling.").reason(
				"EMP_TYPE"),
			rupees("report.incomeAssessment.monthlyIncome", "Monthly income as sent.").reason("INC_LOW"),
			number("report.incomeAssessment.foir", "percent",
				"Fixed obligations as a share of monthly income, sent as a percentage.").within(0, 500).reason(
				"FOIR_HIGH"),
			requestedAmount("report.requestedAmount", "Loan amount asked for, as sent."),
			requestedTenure("report.requestedTenureMonths", "Loan tenure asked for, as sent."),
			text("report.reportDate", "Date of the bureau report, as YYYY-MM-DD."),
		},
	}
}
