package evaluate

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"verdict/internal/civil"
	"verdict/internal/wire"
)

// These constants are the size of a large request, which the targets state.
const (
	tradelines    = 40
	monthsEach    = 36
	enquiryCount  = 60
	rowCount      = 2000
	statementDays = 365
)

// requestCount is the number of different requests. There are several, so that the
// branch predictor cannot memorize a single request.
const requestCount = 16

// asOf is the day of the requests and of their reports.
var asOf = civil.DayOf(2026, 11, 15)

// bodies returns the requests, which are the same on every machine.
func bodies() [][]byte {
	list := make([][]byte, requestCount)
	for i := range list {
		seeded := rand.NewPCG(uint64(i), 20261115)
		g := generator{Rand: rand.New(seeded)} //nolint:gosec // The requests must be repeatable.
		list[i] = g.body()
	}
	return list
}

type generator struct{ *rand.Rand }

// body returns a request with a report in the common shape and the bank statement of a
// year in the format of the account aggregators.
func (g generator) body() []byte {
	w := &wire.Writer{Buf: make([]byte, 0, 350<<10)}
	w.Object().Key("bureau").Plain("experian").Key("report").Object().Key("experian").Object()
	w.Key("scoreData").Object().Key("score").Int(int64(640 + g.IntN(200))).EndObject()
	w.Key("demographics").Object().Key("age").Int(34).Key("employmentType").Plain("salaried").EndObject()
	w.Key("incomeAssessment").Object().Key("monthlyIncome").Int(85_000).Key("foir").Int(32).EndObject()
	w.Key("requestedAmount").Int(600_000).Key("requestedTenureMonths").Int(36).Key("reportDate").Plain(asOf.String())
	w.Key("accounts").Array()
	for range tradelines {
		g.account(w)
	}
	w.EndArray().Key("enquiries").Array()
	for i := range enquiryCount {
		w.Object().Key("date").Plain((asOf - civil.Day(g.IntN(730))).String())
		w.Key("product").Plain(g.product()).Key("amount").Int(int64(10+g.IntN(500)) * 1000)
		w.Key("lender").Plain(fmt.Sprintf("LENDER %d", i)).EndObject()
	}
	w.EndArray().EndObject().EndObject().Key("features").Bool(true)
	w.Key("bank_summary").Object().Key("declared_monthly_income").Int(85_000).Key("declared_emi").Int(12_000)
	w.Key("transactions").Array()
	g.rows(w)
	w.EndArray().EndObject().EndObject()
	return w.Buf
}

func (g generator) product() string {
	list := []string{
		"personal_loan", "credit_card", "consumer_loan", "vehicle_loan", "home_loan", "gold_loan", "business_loan",
		"education_loan", "loan_against_property", "two_wheeler_loan",
	}
	return list[g.IntN(len(list))]
}

// account writes one tradeline. About one in four tradelines is closed.
func (g generator) account(w *wire.Writer) {
	opened := asOf - 1200 + civil.Day(g.IntN(1100))
	sanctioned := int64(20+g.IntN(480)) * 1000
	w.Object().Key("accountType").Plain(g.product()).Key("openDate").Plain(opened.String())
	if g.IntN(4) == 0 {
		w.Key("closedDate").Plain((opened + civil.Day(g.IntN(int(asOf-opened)))).String()).Key("status").Plain("closed")
	} else {
		w.Key("closedDate").Null().Key("status").Plain("active")
	}
	w.Key("sanctionedAmount").Int(sanctioned).Key("currentBalance").Int(int64(g.IntN(int(sanctioned))))
	overdue := int64(0)
	if g.IntN(8) == 0 {
		overdue = int64(g.IntN(20_000))
	}
	w.Key("amountOverdue").Int(overdue).Key("emi").Int(int64(g.IntN(9000)))
	w.Key("dateReported").Plain((asOf - civil.Day(g.IntN(60))).String()).Key("paymentHistory").Array()
	for m := range monthsEach {
		days := int64(0)
		if g.IntN(12) == 0 {
			days = int64(g.IntN(120))
		}
		month := asOf.Month() - 1 - civil.Month(m)
		w.Object().Key("month").Plain(month.First().String()[:7]).Key("dpd").Int(days).EndObject()
	}
	w.EndArray().EndObject()
}

// line is a kind of transaction.
type line struct {
	share                 int    // frequency in ten-thousandths
	kind, mode, narration string // narration contains a format verb for a number
	most                  int    // largest amount in rupees
}

var lines = []line{
	{4200, "DEBIT", "UPI", "UPI/%012d/DR/BALAJI STORES", 2000},
	{1300, "DEBIT", "CARD", "POS 416021XXXXXX1234 DMART %06d PUNE", 5000},
	{1700, "CREDIT", "UPI", "UPI/CR/%012d/KIRAN K/YESB", 6000},
	{900, "DEBIT", "FT", "IMPS-%012d-ANITA R-HDFC-XX9911-rent", 9000},
	{500, "DEBIT", "OTHERS", "NACH DR %08d BAJAJ FINANCE LOAN EMI", 9000},
	{300, "DEBIT", "ATM", "ATM WDL %06d MG ROAD PUNE", 10_000},
	{400, "DEBIT", "OTHERS", "BBPS BILLPAY MSEDCL ELECTRICITY %08d", 4000},
	{200, "DEBIT", "OTHERS", "ACH DR %08d ZERODHA MUTUAL FUND SIP", 5000},
	{150, "CREDIT", "FT", "NEFT CR %012d ACME TECH SALARY OCT", 90_000},
	{100, "CREDIT", "OTHERS", "CHQ DEP %06d CLG MUMBAI", 30_000},
	{60, "CREDIT", "OTHERS", "NACH RTN %08d INSUFFICIENT FUNDS", 9000},
	{60, "DEBIT", "OTHERS", "ACH RETURN CHARGES %06d INCL GST", 600},
	{40, "CREDIT", "FT", "IMPS-%012d-KREDITBEE-DISBURSAL", 50_000},
	{40, "DEBIT", "FT", "NEFT-%012d-CREDIT CARD PAYMENT-HDFC", 30_000},
	{50, "CREDIT", "FT", "NEFT CR %012d SELF TRANSFER", 50_000},
}

// rows writes the transactions, the oldest first. Each balance follows from the previous
// balance.
func (g generator) rows(w *wire.Writer) {
	ends := make([]int, len(lines))
	sum := 0
	for i := range lines {
		sum += lines[i].share
		ends[i] = sum
	}
	balance := int64(4_000_000)
	for i := range rowCount {
		at, _ := slices.BinarySearch(ends, g.IntN(sum)+1)
		l := &lines[at]
		paise := 1 + g.Int64N(int64(l.most)*100)
		if l.kind == "CREDIT" {
			balance += paise
		} else {
			balance -= paise
		}
		day := asOf - statementDays + 1 + civil.Day(i*statementDays/rowCount)
		w.Object().Key("date").Plain(day.String()).Key("type").Plain(l.kind).Key("mode").Plain(l.mode)
		w.Key("amount").Decimal(paise, 2).Key("balance").Decimal(balance, 2)
		w.Key("narration").Plain(fmt.Sprintf(l.narration, g.IntN(1_000_000))).EndObject()
	}
}
