// Package feature computes some 3,500 named features of a credit history and a bank
// statement. Each feature is a combination of a metric, a product, a window and an
// aggregation.
//
// The catalogue is one table that defines which features exist, their names, their
// meaning and the records they are computed from. Names, documentation, computation
// and provenance are all derived from this table. The package does not depend on
// which features a policy reads.
package feature

import (
	"iter"
	"slices"

	"verdict/internal/report"
)

// Count is the number of features: 97 pairs of metric and product, times six windows, times six aggregations.
const Count = 97 * 6 * 6

// Catalogue is a version of the definitions. Every version has the same names. No
// version is ever removed, because stored vectors and policies depend on it.
type Catalogue uint8

// The catalogues.
const (
	Catalogue1 Catalogue = 1 + iota
	// In Catalogue2 a feature has no value if its window begins before the bank
	// statement. Catalogue2 also counts microfinance accounts that a bureau lists
	// separately.
	Catalogue2
)

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

// Metric is a stream of dated events, each with a product and a value. Its texts
// are combined into sentences such as "Hard enquiries (personal loans) made in the
// last 90 days: the total amount asked, in ₹".
type Metric struct {
	Name     string
	Products []string
	Source   string // Bureau or Bank
	Event    string // the name of the events, in the plural
	Dated    string // the verb for the date that puts an event into a window, such as "made"
	Value    string // the name of the value that is summed
	Unit     string // the value's unit
	Ratio    string // numerator and denominator of the ratio, in words
	Monthly  bool   // windows are whole months as the source reports them
	Signed   bool   // values may be negative

	events   stream   // the records that are the metric's events
	fraction fraction // the computable form of Ratio
	typical  typical  // figures of an ordinary borrower, for ranking
}

// Lists of products and channels that several metrics share.
var (
	onlyAll  = []string{"all"}
	security = []string{"all", "unsecured", "secured", "credit_card"}
	products = []string{
		"all", "unsecured", "secured", "personal_loan", "small_ticket_loan", "credit_card",
		"consumer_loan", "vehicle_loan", "home_loan", "gold_loan", "business_loan",
	}
	channels    = []string{"all", "upi", "transfer", "cash", "other"}
	instruments = []string{"all", "nach", "cheque"}
)

// metrics is the catalogue. All other data about features is derived from it.
var metrics = []Metric{
	{
		Name: "enquiry", Products: products, Source: Bureau,
		Event: "Hard enquiries", Dated: "made", Value: "amount asked", Unit: Rupees,
		Ratio:    "enquiries ÷ (enquiries + accounts opened), by number",
		events:   stream{from: enquiries},
		fraction: fraction{counts: true, plus: true, of: "account_opened"}, typical: typical{2000, 100_000, 5000},
	},
	{
		Name: "account_opened", Products: products, Source: Bureau,
		Event: "Accounts", Dated: "opened", Value: "sanctioned amount", Unit: Rupees,
		Ratio:    "accounts opened ÷ accounts of the product on file, by number",
		events:   stream{from: accounts, account: opened},
		fraction: fraction{counts: true, ever: true, of: "account_on_file"}, typical: typical{1000, 100_000, 2000},
	},
	{
		Name: "outstanding", Products: products, Source: Bureau,
		Event: "Live accounts with a balance", Dated: "opened", Value: "balance today", Unit: Rupees,
		Ratio:    "balance ÷ amount sanctioned, over the live accounts opened in the window",
		events:   stream{from: accounts, account: owed},
		fraction: fraction{of: "live_sanctioned"}, typical: typical{800, 80_000, 7000},
	},
	{
		Name: "dpd_1plus", Products: products, Source: Bureau, Monthly: true,
		Event: "Account-months at least 1 day past due", Dated: "reported",
		Value: "number of days past due", Unit: Days,
		Ratio:    "such account-months ÷ account-months reported",
		events:   stream{from: payments, leastDays: 1},
		fraction: fraction{counts: true, of: "month_reported"}, typical: typical{1500, 20, 300},
	},
	{
		Name: "dpd_30plus", Products: security, Source: Bureau, Monthly: true,
		Event: "Account-months at least 30 days past due", Dated: "reported",
		Value: "number of days past due", Unit: Days,
		Ratio:    "such account-months ÷ account-months reported",
		events:   stream{from: payments, leastDays: 30},
		fraction: fraction{counts: true, of: "month_reported"}, typical: typical{500, 50, 100},
	},
	{
		Name: "dpd_90plus", Products: security, Source: Bureau, Monthly: true,
		Event: "Account-months at least 90 days past due", Dated: "reported",
		Value: "number of days past due", Unit: Days,
		Ratio:    "such account-months ÷ account-months reported",
		events:   stream{from: payments, leastDays: 90},
		fraction: fraction{counts: true, of: "month_reported"}, typical: typical{200, 150, 50},
	},
	{
		Name: "account_closed", Products: security, Source: Bureau,
		Event: "Accounts", Dated: "closed", Value: "sanctioned amount", Unit: Rupees,
		Ratio:    "accounts closed ÷ accounts on file, by number",
		events:   stream{from: accounts, account: closed},
		fraction: fraction{counts: true, ever: true, of: "account_on_file"}, typical: typical{800, 80_000, 1000},
	},
	{
		Name: "overdue", Products: security, Source: Bureau,
		Event: "Accounts with an overdue amount", Dated: "reported", Value: "overdue amount", Unit: Rupees,
		Ratio:    "overdue amount ÷ balance of the accounts reported in the window",
		events:   stream{from: accounts, account: overdue},
		fraction: fraction{of: "balance_reported"}, typical: typical{1000, 5000, 200},
	},
	{
		Name: "adverse", Products: security, Source: Bureau,
		Event: "Accounts written off, settled, under suit or in wilful default", Dated: "reported",
		Value: "adverse amount", Unit: Rupees,
		Ratio:    "such accounts ÷ accounts on file, by number",
		events:   stream{from: accounts, account: adverse},
		fraction: fraction{counts: true, ever: true, of: "account_on_file"}, typical: typical{200, 20_000, 200},
	},
	{
		Name: "emi", Products: []string{"all", "unsecured", "secured", "personal_loan"}, Source: Bureau,
		Event: "Live accounts with an instalment", Dated: "opened", Value: "monthly instalment", Unit: Rupees,
		Ratio:    "instalments ÷ instalments of all live accounts",
		events:   stream{from: accounts, account: instalment},
		fraction: fraction{ever: true, all: true, of: "emi"}, typical: typical{800, 5000, 2500},
	},
	{
		Name: "credit", Products: channels, Source: Bank,
		Event: "Credits to the account", Dated: "received", Value: "amount", Unit: Rupees,
		Ratio:    "credits ÷ debits of the channel",
		events:   stream{from: transactions, side: credits},
		fraction: fraction{of: "debit"}, typical: typical{150_000, 5000, 10_000},
	},
	{
		Name: "debit", Products: channels, Source: Bank,
		Event: "Debits from the account", Dated: "made", Value: "amount", Unit: Rupees,
		Ratio:    "debits ÷ all credits",
		events:   stream{from: transactions, side: debits},
		fraction: fraction{all: true, of: "credit"}, typical: typical{400_000, 1500, 9500},
	},
	{
		Name: "income", Products: []string{"all", "upi", "cash"}, Source: Bank,
		Event: "Credits that are income, not loans, own transfers, refunds, reversals, returns or redemptions",
		Dated: "received", Value: "amount", Unit: Rupees,
		Ratio:    "income ÷ all credits",
		events:   stream{from: transactions, side: credits, found: report.Income},
		fraction: fraction{all: true, of: "credit"}, typical: typical{100_000, 6000, 8000},
	},
	{
		Name: "salary", Products: onlyAll, Source: Bank,
		Event: "Salary credits", Dated: "received", Value: "salary", Unit: Rupees,
		Ratio:    "salary ÷ income",
		events:   stream{from: transactions, side: credits, found: report.Salary},
		fraction: fraction{of: "income"}, typical: typical{10_000, 35_000, 6000},
	},
	{
		Name: "emi_debit", Products: onlyAll, Source: Bank,
		Event: "Loan instalments", Dated: "paid", Value: "instalment", Unit: Rupees,
		Ratio:    "instalments ÷ income",
		events:   stream{from: transactions, side: debits, found: report.LoanInstalment},
		fraction: fraction{of: "income"}, typical: typical{15_000, 6000, 2000},
	},
	{
		Name: "card_bill", Products: onlyAll, Source: Bank,
		Event: "Credit card bills", Dated: "paid", Value: "bill", Unit: Rupees,
		Ratio:    "card bills ÷ income",
		events:   stream{from: transactions, side: debits, found: report.CardBill},
		fraction: fraction{of: "income"}, typical: typical{5000, 8000, 1000},
	},
	{
		Name: "bill_payment", Products: onlyAll, Source: Bank,
		Event: "Utility and other bills", Dated: "paid", Value: "bill", Unit: Rupees,
		Ratio:    "bills ÷ income",
		events:   stream{from: transactions, side: debits, found: report.BillPayment},
		fraction: fraction{of: "income"}, typical: typical{30_000, 800, 500},
	},
	{
		Name: "investment", Products: onlyAll, Source: Bank,
		Event: "Investments", Dated: "paid", Value: "amount", Unit: Rupees,
		Ratio:    "investments ÷ income",
		events:   stream{from: transactions, side: debits, found: report.Investment},
		fraction: fraction{of: "income"}, typical: typical{10_000, 3000, 500},
	},
	{
		Name: "issued_bounce", Products: instruments, Source: Bank,
		Event: "Mandates and cheques of the borrower", Dated: "returned unpaid", Value: "amount", Unit: Rupees,
		Ratio:    "bounces ÷ (bounces + honoured) of the instrument, by number",
		events:   stream{from: transactions, side: eitherSide, found: report.IssuedBounce},
		fraction: fraction{counts: true, plus: true, of: "honoured"}, typical: typical{1000, 5000, 500},
	},
	{
		Name: "deposited_return", Products: onlyAll, Source: Bank,
		Event: "Cheques the borrower deposited", Dated: "returned unpaid", Value: "amount", Unit: Rupees,
		Ratio:    "returns ÷ (returns + cheque credits), by number",
		events:   stream{from: transactions, side: eitherSide, found: report.DepositedReturn},
		fraction: fraction{counts: true, plus: true, of: "cheque_credit"}, typical: typical{200, 10_000, 300},
	},
	{
		Name: "loan_credit", Products: onlyAll, Source: Bank,
		Event: "Loan disbursals", Dated: "received", Value: "amount", Unit: Rupees,
		Ratio:    "loan disbursals ÷ all credits",
		events:   stream{from: transactions, side: credits, found: report.LoanCredit},
		fraction: fraction{all: true, of: "credit"}, typical: typical{1000, 50_000, 500},
	},
	{
		Name: "self_transfer", Products: onlyAll, Source: Bank,
		Event: "Transfers from the borrower's own accounts", Dated: "received", Value: "amount", Unit: Rupees,
		Ratio:    "own transfers ÷ all credits",
		events:   stream{from: transactions, side: credits, found: report.SelfTransfer},
		fraction: fraction{all: true, of: "credit"}, typical: typical{10_000, 5000, 1000},
	},
	{
		Name: "charge", Products: onlyAll, Source: Bank,
		Event: "Bank and penal charges", Dated: "debited", Value: "charge", Unit: Rupees,
		Ratio:    "charges ÷ all debits",
		events:   stream{from: transactions, side: debits, found: report.Charge},
		fraction: fraction{of: "debit"}, typical: typical{10_000, 200, 50},
	},
	{
		Name: "eod_balance", Products: onlyAll, Source: Bank, Signed: true,
		Event: "Days the statement covers", Dated: "ending", Value: "end-of-day balance", Unit: Rupees,
		Ratio:    "average balance ÷ monthly income",
		events:   stream{from: balances, balance: endOfDay},
		fraction: fraction{of: "income", times: daysInMonth}, typical: typical{300_000, 15_000, 4000},
	},
	{
		Name: "low_balance_day", Products: onlyAll, Source: Bank,
		Event: "Days with a balance below ₹1,000", Dated: "ending", Value: "shortfall below ₹1,000", Unit: Rupees,
		Ratio:    "such days ÷ days covered",
		events:   stream{from: balances, balance: lowBalance},
		fraction: fraction{counts: true, of: "eod_balance"}, typical: typical{50_000, 500, 1700},
	},
	{
		Name: "income_gap", Products: onlyAll, Source: Bank, Monthly: true,
		Event: "Whole months in which less income was detected than declared", Dated: "counted",
		Value: "shortfall", Unit: Rupees,
		Ratio:    "shortfall ÷ declared income",
		events:   stream{from: incomeMonths, month: incomeShort},
		fraction: fraction{of: "declared_income"}, typical: typical{3000, 5000, 1000},
	},
	{
		Name: "emi_gap", Products: onlyAll, Source: Bank, Monthly: true,
		Event: "Whole months in which the detected instalments add up to more than the declared amount",
		Dated: "counted",
		Value: "undeclared amount", Unit: Rupees,
		Ratio:    "undeclared instalments ÷ detected instalments",
		events:   stream{from: instalmentMonths, month: undeclared},
		fraction: fraction{of: "detected_instalment"}, typical: typical{3000, 3000, 2000},
	},
}

var (
	windowsDays  = []int{7, 30, 60, 90, 180, 365}
	windowMonths = []int{1, 1, 2, 3, 6, 12} // lengths of the same windows for monthly metrics, in months
	aggregations = []string{CountOf, Sum, Max, Avg, Trend, Ratio}
)

// Metrics yields the metrics in catalogue order. Their product lists are
// shared and must not be changed.
func Metrics() iter.Seq[Metric] { return slices.Values(metrics) }

// WindowsDays returns the lengths of the windows in days, shortest first.
func WindowsDays() []int { return slices.Clone(windowsDays) }

// Aggregations returns the names of the aggregations.
func Aggregations() []string { return slices.Clone(aggregations) }

// LookupMetric returns the metric with the given name, and false if there is none.
func LookupMetric(name string) (Metric, bool) {
	i := slices.IndexFunc(metrics, func(m Metric) bool { return m.Name == name })
	if i < 0 {
		return Metric{}, false
	}
	return metrics[i], true
}
