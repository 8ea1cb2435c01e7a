package replay_test

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// account is a loan that any bureau may report.
type account struct {
	code                              int // the code that the bureaus use for the type of the loan
	name                              string
	openedBack, closedBack            int // days ago; closedBack is 0 for an open loan
	sanctioned, balance, overdue, emi int
	dpd                               []int // by month, newest first
	suit, writtenOff, settled         bool
	ownership                         string // "" if it is not reported
}

type enquiry struct {
	back, amount int
	code         int
	name         string
}

// kinds lists types of loans with their code, their name, and the words that CRIF
// and Equifax use.
var kinds = []struct {
	code        int
	name, words string
}{
	{5, "personal_loan", "Personal Loan"}, {10, "credit_card", "Credit Card"}, {2, "home_loan", "Housing Loan"},
	{7, "gold_loan", "Gold Loan"}, {13, "two_wheeler_loan", "Two-wheeler Loan"}, {6, "consumer_loan", "Consumer Loan"},
	{41, "41", "Microfinance Personal Loan"},
}

func (a *applicant) drawHistory() {
	for range a.IntN(4) {
		kind := pick(a.dice, kinds...)
		acc := account{
			code: kind.code, name: kind.name, openedBack: a.between(60, 2_000), sanctioned: a.between(2, 80) * 5_000,
			overdue: pick(a.dice, 0, 0, 0, 2_300), suit: a.percent(5), writtenOff: a.percent(5),
		}
		acc.settled = !acc.writtenOff && a.percent(5)
		acc.ownership = pick(a.dice, "", "individual", "individual", "joint", "guarantor", "authorised_user")
		acc.balance, acc.emi = acc.sanctioned*a.IntN(100)/100, acc.sanctioned/pick(a.dice, 12, 30, 60)
		if a.percent(25) {
			acc.closedBack, acc.balance, acc.overdue = a.between(10, acc.openedBack), 0, 0
		}
		for range a.between(1, 6) {
			acc.dpd = append(acc.dpd, pick(a.dice, 0, 0, 0, 0, 12, 30, 64, 95))
		}
		a.accounts = append(a.accounts, acc)
	}
	for range a.IntN(4) {
		kind := pick(a.dice, kinds...)
		a.enquiries = append(a.enquiries,
			enquiry{back: a.between(2, 300), amount: a.IntN(40) * 5_000, code: kind.code, name: kind.name})
	}
}

const reportedBack = 3 // age of the report in days

// dated returns the date that is the given number of days ago, in the given layout of package time. It returns ""
// if back is 0.
func (a *applicant) dated(back int, form string) string {
	if back == 0 {
		return ""
	}
	return a.now.AddDate(0, 0, -back).Format(form)
}

// month returns the first day of a past month. back is 0 for the previous month, 1 for the month before, and so on.
func (a *applicant) month(back int) time.Time {
	return time.Date(a.now.Year(), a.now.Month()-time.Month(1+back), 1, 0, 0, 0, 0, time.UTC)
}

// common returns the report in the layout that every bureau may use.
func (a *applicant) common() object {
	report := object{"scoreData": object{"score": a.score}}
	person, income := object{}, object{}
	a.maybe(person, "age", a.age)
	a.maybe(person, "employmentType", a.occupation)
	a.maybe(income, "monthlyIncome", a.income)
	a.maybe(income, "foir", a.foirPercent)
	report["demographics"], report["incomeAssessment"] = person, income
	a.maybe(report, "requestedAmount", a.amount)
	a.maybe(report, "requestedTenureMonths", a.tenure)
	a.maybe(report, "reportDate", a.day(reportedBack))
	if a.percent(20) {
		return report // without accounts and enquiries
	}
	accounts, enquiries := []any{}, []any{}
	for _, acc := range a.accounts {
		history := []any{}
		for i, dpd := range acc.dpd {
			history = append(history, object{"month": a.month(i).Format("2006-01"), "dpd": dpd})
		}
		one := object{
			"accountType":      acc.name,
			"openDate":         a.day(acc.openedBack),
			"sanctionedAmount": acc.sanctioned,
			"currentBalance":   acc.balance,
			"amountOverdue":    acc.overdue,
			"emi":              acc.emi,
			"suitFiled":        acc.suit,
			"paymentHistory":   history,
			"status":           "active",
		}
		if acc.closedBack > 0 {
			one["closedDate"], one["status"] = a.day(acc.closedBack), "closed"
		}
		if acc.writtenOff {
			one["status"], one["writtenOffAmount"] = "written_off", acc.balance
		}
		if acc.settled {
			one["status"], one["settlementAmount"] = "settled", acc.balance/2
		}
		if acc.ownership != "" {
			one["ownership"] = acc.ownership
		}
		accounts = append(accounts, one)
	}
	for _, e := range a.enquiries {
		enquiries = append(enquiries, object{"date": a.day(e.back), "product": e.name, "amount": e.amount})
	}
	report["accounts"], report["enquiries"] = accounts, enquiries
	return report
}

// cibil returns the report in CIBIL's own layout: dates as DDMMYYYY, and three
// characters for each month of a payment history.
func (a *applicant) cibil() object {
	const form = "02012006"
	accounts, enquiries := []any{}, []any{}
	for _, acc := range a.accounts {
		history := ""
		for _, dpd := range acc.dpd {
			history += fmt.Sprintf("%03d", dpd)
		}
		one := object{
			"accountType": fmt.Sprintf("%02d", acc.code),
			"dateOpened": a.dated(acc.openedBack,
				form), "dateReported": a.month(0).Format(form),
			"dateClosed":       a.dated(acc.closedBack, form),
			"highCreditAmount": acc.sanctioned,
			"currentBalance":   acc.balance,
			"amountOverdue":    acc.overdue,
			"emiAmount":        pick(a.dice, acc.emi, -1),
			"paymentHistory":   history,
			"paymentStartDate": a.month(0).Format(form), "paymentEndDate": a.month(len(acc.dpd) - 1).Format(form),
		}
		if acc.suit {
			one["suitFiled"] = "01"
		}
		if acc.writtenOff {
			one["creditFacilityStatus"], one["woAmountTotal"] = "02", acc.sanctioned/3
		}
		accounts = append(accounts, one)
	}
	for _, e := range a.enquiries {
		enquiries = append(enquiries, object{
			"enquiryDate":    a.dated(e.back, form),
			"enquiryPurpose": fmt.Sprintf("%02d", e.code),
			"enquiryAmount":  e.amount,
		})
	}
	return object{"consumerCreditData": []any{object{
		"tuefHeader": object{"dateProcessed": a.dated(reportedBack, form)},
		"accounts":   accounts,
		"enquiries":  enquiries,
		"scores":     []any{object{"scoreName": "CIBILTUSC3", "score": fmt.Sprintf("%05d", a.score)}},
	}}}
}

// experian returns the report in Experian's own layout: every value is a
// string, and a payment history has one character for each month.
func (a *applicant) experian() object {
	const form = "20060102"
	accounts, enquiries := []any{}, []any{}
	for _, acc := range a.accounts {
		profile := ""
		for _, dpd := range acc.dpd {
			profile += strconv.Itoa(min(6, dpd/30))
		}
		one := object{
			"Account_Type": fmt.Sprintf("%02d", acc.code),
			"Open_Date": a.dated(acc.openedBack,
				form), "Date_Closed": a.dated(acc.closedBack, form),
			"Highest_Credit_or_Original_Loan_Amount": strconv.Itoa(acc.sanctioned),
			"Scheduled_Monthly_Payment_Amount":       strconv.Itoa(acc.emi),
			"Account_Status":                         "11",
			"Current_Balance":                        strconv.Itoa(acc.balance),
			"Amount_Past_Due":                        strconv.Itoa(acc.overdue),
			"Date_Reported": a.month(0).
				Format(form), "Payment_History_Profile": profile + strings.Repeat("?", 36-len(profile)),
			"CAIS_Account_History": []any{object{
				"Year": a.month(0).Format("2006"), "Month": a.month(0).
					Format("01"), "Days_Past_Due": strconv.Itoa(acc.dpd[0]), "Asset_Classification": "S",
			}},
		}
		if acc.suit {
			one["SuitFiledWillfulDefaultWrittenOffStatus"] = "01"
		}
		if acc.writtenOff {
			one["Written_off_Settled_Status"], one["Written_Off_Amt_Total"] = "02", strconv.Itoa(acc.sanctioned/3)
		}
		accounts = append(accounts, one)
	}
	for _, e := range a.enquiries {
		enquiries = append(enquiries, object{
			"Date_of_Request": a.dated(e.back, form),
			"Enquiry_Reason":  "13",
			"Amount_Financed": strconv.Itoa(e.amount),
		})
	}
	return object{"INProfileResponse": object{
		"Header":       object{"ReportDate": a.dated(reportedBack, form)},
		"SCORE":        object{"BureauScore": strconv.Itoa(a.score)},
		"CAIS_Account": object{"CAIS_Account_DETAILS": accounts},
		"CAPS":         object{"CAPS_Application_Details": enquiries},
	}}
}

// equifax returns the report in Equifax's own layout: types of loans in words,
// and a status code for each month.
func (a *applicant) equifax() object {
	accounts, enquiries := []any{}, []any{}
	for _, acc := range a.accounts {
		history := []any{}
		for i, dpd := range acc.dpd {
			history = append(history, object{
				"key":                       a.month(i).Format("01-06"),
				"PaymentStatus":             fmt.Sprintf("%03d", dpd),
				"SuitFiledStatus":           "*",
				"AssetClassificationStatus": "STD",
			})
		}
		one := object{
			"AccountType":       inWords(acc.code),
			"Balance":           strconv.Itoa(acc.balance),
			"PastDueAmount":     strconv.Itoa(acc.overdue),
			"Open":              "Yes",
			"SanctionAmount":    strconv.Itoa(acc.sanctioned),
			"InstallmentAmount": strconv.Itoa(acc.emi),
			"DateReported":      a.month(0).Format(time.DateOnly),
			"DateOpened":        a.day(acc.openedBack),
			"AccountStatus":     "Current Account",
			"History48Months":   history,
		}
		if acc.closedBack > 0 {
			one["Open"], one["DateClosed"] = "No", a.day(acc.closedBack)
		}
		if acc.writtenOff {
			one["AccountStatus"], one["WriteOffAmount"] = "Charge Off/Written Off", strconv.Itoa(acc.sanctioned/3)
		}
		accounts = append(accounts, one)
	}
	for _, e := range a.enquiries {
		enquiries = append(enquiries, object{
			"Date":           a.day(e.back),
			"Institution":    "Gamma Finance",
			"RequestPurpose": fmt.Sprintf("%02d", e.code),
			"Amount":         strconv.Itoa(e.amount),
		})
	}
	return object{"CCRResponse": object{"Status": "1", "CIRReportDataLst": []any{object{
		"InquiryResponseHeader": object{"Date": a.day(reportedBack)},
		"CIRReportData": object{
			"ScoreDetails":          []any{object{"Type": "ERS", "Value": strconv.Itoa(a.score)}},
			"RetailAccountsSummary": object{"NoOfAccounts": strconv.Itoa(len(accounts))},
			"RetailAccountDetails":  accounts,
			"Enquiries":             enquiries,
		},
	}}}}
}

// crif returns the report in CRIF High Mark's own layout: names with hyphens,
// and a payment history in one string.
func (a *applicant) crif() object {
	const form = "02-01-2006"
	loans, enquiries := []any{}, []any{}
	for _, acc := range a.accounts {
		history := ""
		for i, dpd := range acc.dpd {
			history += a.month(i).Format("Jan:2006") + fmt.Sprintf(",%03d/XXX|", dpd)
		}
		one := object{
			"ACCT-TYPE":      inWords(acc.code),
			"ACCOUNT-STATUS": "Active",
			"DISBURSED-DATE": a.dated(acc.openedBack,
				form), "DISBURSED-AMT": strconv.Itoa(acc.sanctioned),
			"CURRENT-BAL":     strconv.Itoa(acc.balance),
			"OVERDUE-AMT":     strconv.Itoa(acc.overdue),
			"INSTALLMENT-AMT": strconv.Itoa(acc.emi) + "/Monthly",
			"DATE-REPORTED": a.month(0).
				Format(form), "CLOSED-DATE": a.dated(acc.closedBack, form), "COMBINED-PAYMENT-HISTORY": history,
		}
		if acc.suit {
			one["SUIT-FILED_WILFUL-DEFAULT"] = "Suit Filed"
		}
		if acc.writtenOff {
			one["WRITE-OFF-AMT"] = strconv.Itoa(acc.sanctioned / 3)
		}
		loans = append(loans, object{"LOAN-DETAILS": one})
	}
	for _, e := range a.enquiries {
		enquiries = append(enquiries, object{
			"MEMBER-NAME":  "NBF",
			"INQUIRY-DATE": a.dated(e.back, form),
			"PURPOSE":      strings.ToUpper(inWords(e.code)),
			"AMOUNT":       strconv.Itoa(e.amount),
		})
	}
	return object{"INDV-REPORT-FILE": object{"INDV-REPORTS": []any{object{"INDV-REPORT": object{
		"HEADER":          object{"DATE-OF-ISSUE": a.dated(reportedBack, form)},
		"RESPONSES":       loans,
		"INQUIRY-HISTORY": enquiries,
		"SCORES":          []any{object{"SCORE-TYPE": "PERFORM CONSUMER", "SCORE-VALUE": strconv.Itoa(a.score)}},
	}}}}}
}

func inWords(code int) string {
	for _, kind := range kinds {
		if kind.code == code {
			return kind.words
		}
	}
	return "Other"
}
