package feature

import (
	"slices"

	"verdict/internal/report"
)

// class holds everything that decides in which products and channels a record
// counts. Bureau records use the first two members, bank records the others.
type class struct {
	product     report.Product
	smallTicket bool
	channel     report.Channel
	mandate     bool
	cheque      bool
}

// smallTicketPaise is the largest amount of a small-ticket loan: ₹50,000.
const smallTicketPaise = 50_000 * 100

// classes is greater than every class number of either source.
const classes = 16

// The class numbers of bureau records are their products, followed by small-ticket
// personal loans.
const smallTicketClass = uint8(report.BusinessLoanSecured) + 1

// The class numbers of bank records are their channels, with a bit for each
// instrument.
const (
	mandateClass = 1 << 2
	chequeClass  = 1 << 3
)

// bureauClass returns the class number of an account or enquiry. A product that
// is not known here counts as unsecured.
func bureauClass(p report.Product, amountPaise int64) uint8 {
	switch {
	case p == report.PersonalLoan && amountPaise >= 0 && amountPaise <= smallTicketPaise:
		return smallTicketClass
	case p > report.BusinessLoanSecured:
		return uint8(report.OtherUnsecured)
	default:
		return uint8(p)
	}
}

// bankClass returns the class number of a transaction. It has no branches,
// because the processor would often mispredict them for thousands of
// transactions.
func bankClass(t *report.Transaction) uint8 {
	return uint8(t.Channel&3) |
		uint8(t.Found/report.Mandate&1)*mandateClass |
		uint8(t.Found/report.Cheque&1)*chequeClass
}

// classOf returns the class that a class number of a source represents.
func classOf(source string, number uint8) class {
	switch {
	case source == Bank:
		return class{
			channel: report.Channel(number & 3),
			mandate: number&mandateClass != 0, cheque: number&chequeClass != 0,
		}
	case number == smallTicketClass:
		return class{product: report.PersonalLoan, smallTicket: true}
	default:
		return class{product: report.Product(number)}
	}
}

// product is a product or channel, the second part of a feature's name.
type product struct {
	name  string
	text  string
	share int64 // its usual share of all events, in percent
	holds func(class) bool
}

// productTable defines the products and channels.
var productTable = []product{
	{"all", "everything", 100, func(class) bool { return true }},
	{"unsecured", "unsecured credit", 65, func(c class) bool { return !c.product.Secured() }},
	{"secured", "secured credit", 35, func(c class) bool { return c.product.Secured() }},
	{"personal_loan", "personal loans", 30, is(report.PersonalLoan)},
	{"small_ticket_loan", "personal loans of up to ₹50,000", 15, func(c class) bool { return c.smallTicket }},
	{"credit_card", "credit cards", 20, is(report.CreditCard)},
	{"consumer_loan", "consumer loans", 15, is(report.ConsumerLoan)},
	{"vehicle_loan", "vehicle loans", 10, is(report.VehicleLoan)},
	{"home_loan", "home and property loans", 5, is(report.HomeLoan)},
	{"gold_loan", "gold loans", 15, is(report.GoldLoan)},
	{"business_loan", "business loans", 5, is(report.BusinessLoan, report.BusinessLoanSecured)},
	{"upi", "UPI", 60, by(report.UPI)},
	{"transfer", "bank transfer", 20, by(report.Transfer)},
	{"cash", "cash and ATM", 10, by(report.Cash)},
	{"other", "any other channel", 10, by(report.OtherChannel)},
	{"nach", "NACH mandates", 80, func(c class) bool { return c.mandate }},
	{"cheque", "cheques", 20, func(c class) bool { return c.cheque }},
}

func is(products ...report.Product) func(class) bool {
	return func(c class) bool { return slices.Contains(products, c.product) }
}

func by(channel report.Channel) func(class) bool {
	return func(c class) bool { return c.channel == channel }
}

// lookupProduct returns the product with the given name, or the zero product if the name
// is unknown.
func lookupProduct(name string) product {
	i := slices.IndexFunc(productTable, func(p product) bool { return p.name == name })
	if i < 0 {
		return product{}
	}
	return productTable[i]
}

// ProductText returns a text for a product or channel, or "" if the name is unknown.
func ProductText(name string) string { return lookupProduct(name).text }
