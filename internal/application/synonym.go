package application

import "strings"

// misplaced maps members that callers put in the wrong object, some of them under
// another name, to the intended path of an evaluate request.
var misplaced = map[string]string{
	"score_data": "report.scoreData", "scoreData": "report.scoreData", "tenure": "report.requestedTenureMonths",
	"demographics": "report.demographics", "incomeAssessment": "report.incomeAssessment",
}

// synonyms maps "object.word" to the member that callers mean by the word. The
// object is a path or the name of a list. A search by spelling would not find
// these members.
var synonyms = func() map[string]string {
	m := map[string]string{}
	for member, words := range map[string]string{
		"accounts.emi": "instalment installment monthlyInstalment monthlyInstallment monthlyEmi " +
			"monthlyEMI monthlyPayment",
		"accounts.ownership":      "owner ownerType holder accountHolder",
		"accounts.accountType":    "type product productType",
		"accounts.currentBalance": "outstanding outstandingAmount outstandingBalance",
		"accounts.amountOverdue":  "overdue",
		"accounts.creditLimit":    "limit",
		"accounts.openDate":       "opened openedDate openedOn",
		"accounts.closedDate":     "closed closedOn",
		"accounts.paymentHistory": "dpd daysPastDue payments",
		"enquiries.product":       "type accountType",
		"paymentHistory.dpd":      "daysPastDue days",

		"bureau_report.total_emi":      "emi emis monthly_emi instalments",
		"location.declared_pincode":    "pincode pin_code pin zip zipcode postal_code",
		"location.lat":                 "latitude",
		"location.lng":                 "longitude lon long",
		"fraud.beneficiary_account":    "account account_number account_no bank_account",
		"fraud.applicant_ref":          "ref reference applicant_id",
		"report.requestedTenureMonths": "tenure tenureMonths requestedTenure",
		"report.scoreData":             "score_data scores",
		"applicant.tenure_months":      "tenure requested_tenure loan_tenure",
		"device.is_rooted":             "rooted",
		"device.is_emulator":           "emulator",
	} {
		object, name, _ := strings.Cut(member, ".")
		for word := range strings.FieldsSeq(words) {
			m[object+"."+word] = name
		}
	}
	for path, to := range canonicals { // callers also send a fact under its canonical name
		if object, name, _ := strings.Cut(path, "."); !strings.Contains(name, ".") {
			m[object+"."+to.name] = name
		}
	}
	return m
}()
