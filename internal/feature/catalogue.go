// Package feature is the feature factory: some 3,500 named measurements of a
// credit history and a bank statement, each the combination of a metric, a
// product, a window and an aggregation.
//
// The catalogue is here, as one table: which features there are, how they are
// named, and what each one means. Their computation is not here yet, nor does
// this package ever know which of them a policy reads.
package feature

import (
	"iter"
	"slices"
)

// Count is the number of features: 97 pairs of metric and product, six
// windows, six aggregations.
const Count = 97 * 6 * 6

// The sources a metric can be measured from.
const (
	Bureau = "bureau" // accounts and enquiries of the bureau report
	Bank   = "bank"   // transactions of the bank statement
)

// The units a metric's value can have.
const (
	Rupees = "₹"
	Days   = "days"
)

// The aggregations of the values that fall into one window.
const (
	CountOf = "count"
	Sum     = "sum"
	Max     = "max"
	Avg     = "avg"
	Trend   = "trend"
	Ratio   = "ratio"
)

// Metric is a stream of dated events, each with a product and a value. Its
// texts are written to fit together: "Hard enquiries (personal loans) made in
// the last 90 days: the total amount asked, in ₹".
type Metric struct {
	Name     string
	Products []string
	Source   string // Bureau or Bank
	Event    string // what is counted, in the plural
	Dated    string // the verb behind the date that puts an event into a window
	Value    string // what is added up
	Unit     string // the value's unit
	Ratio    string // what the ratio divides by what
	Monthly  bool   // windows are whole months as the source reports them
	Signed   bool   // values may be negative
}

// The sets of products and channels that metrics share.
var (
	onlyAll  = []string{"all"}
	security = []string{"all", "unsecured", "secured", "credit_card"}
	products = []string{
		"all", "unsecured", "secured", "personal_loan", "small_ticket_loan", "credit_card",
		"consumer_loan", "vehicle_loan", "home_loan", "gold_loan", "business_loan",
	}
	channels = []string{"all", "upi", "transfer", "cash", "other"}
)

// metrics is the catalogue: everything else about features follows from it.
var metrics = []Metric{
	{
		Name: "enquiry", Products: products, Source: Bureau,
		Event: "Hard enquiries", Dated: "made", Value: "amount asked", Unit: Rupees,
		Ratio: "enquiries ÷ (enquiries + accounts opened), by number",
	},
	{
		Name: "account_opened", Products: products, Source: Bureau,
		Event: "Accounts", Dated: "opened", Value: "sanctioned amount", Unit: Rupees,
		Ratio: "accounts opened ÷ accounts of the product on file, by number",
	},
	{
		Name: "outstanding", Products: products, Source: Bureau,
		Event: "Live accounts still owed on", Dated: "opened", Value: "balance today", Unit: Rupees,
		Ratio: "balance ÷ amount sanctioned, over the live accounts opened in the window",
	},
	{
		Name: "dpd_1plus", Products: products, Source: Bureau, Monthly: true,
		Event: "Account-months at least 1 day past due", Dated: "reported",
		Value: "number of days past due", Unit: Days,
		Ratio: "such account-months ÷ account-months reported",
	},
	{
		Name: "dpd_30plus", Products: security, Source: Bureau, Monthly: true,
		Event: "Account-months at least 30 days past due", Dated: "reported",
		Value: "number of days past due", Unit: Days,
		Ratio: "such account-months ÷ account-months reported",
	},
	{
		Name: "dpd_90plus", Products: security, Source: Bureau, Monthly: true,
		Event: "Account-months at least 90 days past due", Dated: "reported",
		Value: "number of days past due", Unit: Days,
		Ratio: "such account-months ÷ account-months reported",
	},
	{
		Name: "account_closed", Products: security, Source: Bureau,
		Event: "Accounts", Dated: "closed", Value: "sanctioned amount", Unit: Rupees,
		Ratio: "accounts closed ÷ accounts on file, by number",
	},
	{
		Name: "overdue", Products: security, Source: Bureau,
		Event: "Accounts with an overdue amount", Dated: "reported", Value: "overdue amount", Unit: Rupees,
		Ratio: "overdue amount ÷ balance of the accounts reported in the window",
	},
	{
		Name: "adverse", Products: security, Source: Bureau,
		Event: "Accounts written off, settled, under suit or in wilful default", Dated: "reported",
		Value: "adverse amount", Unit: Rupees,
		Ratio: "such accounts ÷ accounts on file, by number",
	},
	{
		Name: "emi", Products: []string{"all", "unsecured", "secured", "personal_loan"}, Source: Bureau,
		Event: "Live accounts with an instalment", Dated: "opened", Value: "monthly instalment", Unit: Rupees,
		Ratio: "instalments ÷ instalments of all live accounts",
	},
	{
		Name: "credit", Products: channels, Source: Bank,
		Event: "Credits to the account", Dated: "received", Value: "amount", Unit: Rupees,
		Ratio: "credits ÷ debits of the channel",
	},
	{
		Name: "debit", Products: channels, Source: Bank,
		Event: "Debits from the account", Dated: "made", Value: "amount", Unit: Rupees,
		Ratio: "debits ÷ all credits",
	},
	{
		Name: "income", Products: []string{"all", "upi", "cash"}, Source: Bank,
		Event: "Credits that are income, so no loan, own transfer, refund, reversal, return or redemption",
		Dated: "received", Value: "amount", Unit: Rupees,
		Ratio: "income ÷ all credits",
	},
	{
		Name: "salary", Products: onlyAll, Source: Bank,
		Event: "Salary credits", Dated: "received", Value: "salary", Unit: Rupees,
		Ratio: "salary ÷ income",
	},
	{
		Name: "emi_debit", Products: onlyAll, Source: Bank,
		Event: "Loan instalments", Dated: "paid", Value: "instalment", Unit: Rupees,
		Ratio: "instalments ÷ income",
	},
	{
		Name: "card_bill", Products: onlyAll, Source: Bank,
		Event: "Credit card bills", Dated: "paid", Value: "bill", Unit: Rupees,
		Ratio: "card bills ÷ income",
	},
	{
		Name: "bill_payment", Products: onlyAll, Source: Bank,
		Event: "Utility and other bills", Dated: "paid", Value: "bill", Unit: Rupees,
		Ratio: "bills ÷ income",
	},
	{
		Name: "investment", Products: onlyAll, Source: Bank,
		Event: "Investments", Dated: "paid", Value: "amount", Unit: Rupees,
		Ratio: "investments ÷ income",
	},
	{
		Name: "issued_bounce", Products: []string{"all", "nach", "cheque"}, Source: Bank,
		Event: "Mandates and cheques of the borrower", Dated: "returned unpaid", Value: "amount", Unit: Rupees,
		Ratio: "bounces ÷ (bounces + honoured) of the instrument, by number",
	},
	{
		Name: "deposited_return", Products: onlyAll, Source: Bank,
		Event: "Cheques the borrower deposited", Dated: "returned unpaid", Value: "amount", Unit: Rupees,
		Ratio: "returns ÷ (returns + cheque credits), by number",
	},
	{
		Name: "loan_credit", Products: onlyAll, Source: Bank,
		Event: "Loan disbursals", Dated: "received", Value: "amount", Unit: Rupees,
		Ratio: "loan disbursals ÷ all credits",
	},
	{
		Name: "self_transfer", Products: onlyAll, Source: Bank,
		Event: "Transfers from the borrower's own accounts", Dated: "received", Value: "amount", Unit: Rupees,
		Ratio: "own transfers ÷ all credits",
	},
	{
		Name: "charge", Products: onlyAll, Source: Bank,
		Event: "Bank and penal charges", Dated: "debited", Value: "charge", Unit: Rupees,
		Ratio: "charges ÷ all debits",
	},
	{
		Name: "eod_balance", Products: onlyAll, Source: Bank, Signed: true,
		Event: "Days the statement covers", Dated: "ending", Value: "end-of-day balance", Unit: Rupees,
		Ratio: "average balance ÷ monthly income",
	},
	{
		Name: "low_balance_day", Products: onlyAll, Source: Bank,
		Event: "Days with a balance below ₹1,000", Dated: "ending", Value: "amount short of ₹1,000", Unit: Rupees,
		Ratio: "such days ÷ days covered",
	},
	{
		Name: "income_gap", Products: onlyAll, Source: Bank, Monthly: true,
		Event: "Whole months in which less income was detected than declared", Dated: "counted",
		Value: "shortfall", Unit: Rupees,
		Ratio: "shortfall ÷ declared income",
	},
	{
		Name: "emi_gap", Products: onlyAll, Source: Bank, Monthly: true,
		Event: "Whole months in which more instalments were detected than declared", Dated: "counted",
		Value: "undeclared amount", Unit: Rupees,
		Ratio: "undeclared instalments ÷ detected instalments",
	},
}

var (
	windowsDays  = []int{7, 30, 60, 90, 180, 365}
	aggregations = []string{CountOf, Sum, Max, Avg, Trend, Ratio}
)

// productTexts says the products and channels in words.
var productTexts = map[string]string{
	"unsecured":         "unsecured credit",
	"secured":           "secured credit",
	"personal_loan":     "personal loans",
	"small_ticket_loan": "personal loans of up to ₹50,000",
	"credit_card":       "credit cards",
	"consumer_loan":     "consumer loans",
	"vehicle_loan":      "vehicle loans",
	"home_loan":         "home and property loans",
	"gold_loan":         "gold loans",
	"business_loan":     "business loans",
	"upi":               "UPI",
	"transfer":          "bank transfer",
	"cash":              "cash and ATM",
	"other":             "any other channel",
	"nach":              "NACH mandates",
	"cheque":            "cheques",
}

// Metrics yields the metrics in catalogue order. Their product lists are
// shared and must not be changed.
func Metrics() iter.Seq[Metric] { return slices.Values(metrics) }

// WindowsDays are the lengths of the windows, shortest first.
func WindowsDays() []int { return slices.Clone(windowsDays) }

// Aggregations are the names of the aggregations.
func Aggregations() []string { return slices.Clone(aggregations) }

// ProductText says a product or channel in words.
func ProductText(product string) string {
	if product == "all" {
		return "everything"
	}
	return productTexts[product]
}

// LookupMetric finds a metric by its name.
func LookupMetric(name string) (Metric, bool) {
	i := slices.IndexFunc(metrics, func(m Metric) bool { return m.Name == name })
	if i < 0 {
		return Metric{}, false
	}
	return metrics[i], true
}
