package evaluate

import (
	"math"
	"time"

	"verdict/internal/civil"
	"verdict/internal/report"
)

// extracted is a body that a JSON library has decoded. It has the same days and paise as the body that our
// service reads, but no classes of transactions and no facts.
type extracted struct {
	reported     civil.Day
	accounts     []report.Account
	enquiries    []report.Enquiry
	transactions []report.Transaction
}

// library is a JSON library.
type library struct {
	name      string
	unmarshal func(data []byte, into any) error
}

func (l library) decode(body []byte) *request {
	r := new(request)
	if err := l.unmarshal(body, r); err != nil {
		panic(err) // impossible: this package wrote the bodies
	}
	return r
}

// extract converts texts to days and rupees to paise.
func extract(r *request) *extracted {
	e := &extracted{}
	for _, body := range r.Report {
		e.reported = dayOf(body.ReportDate)
		e.accounts = make([]report.Account, len(body.Accounts))
		for i := range body.Accounts {
			e.accounts[i] = body.Accounts[i].account()
		}
		e.enquiries = make([]report.Enquiry, len(body.Enquiries))
		for i := range body.Enquiries {
			from := &body.Enquiries[i]
			e.enquiries[i] = report.Enquiry{Made: dayOf(from.Date), AmountPaise: paise(from.Amount)}
		}
	}
	e.transactions = make([]report.Transaction, len(r.BankSummary.Transactions))
	for i := range r.BankSummary.Transactions {
		from := &r.BankSummary.Transactions[i]
		e.transactions[i] = report.Transaction{
			Day:          dayOf(from.Date),
			Credit:       from.Type == "CREDIT",
			AmountPaise:  paise(from.Amount),
			BalancePaise: paise(from.Balance),
		}
	}
	return e
}

func (t *tradeline) account() report.Account {
	a := report.Account{
		Opened:          dayOf(t.OpenDate),
		Closed:          civil.NoDay,
		Reported:        dayOf(t.DateReported),
		SanctionedPaise: paise(t.SanctionedAmount),
		BalancePaise:    paise(t.CurrentBalance),
		OverduePaise:    paise(t.AmountOverdue),
		InstalmentPaise: paise(t.EMI),
		History:         make([]report.Payment, len(t.PaymentHistory)),
	}
	if t.ClosedDate != "" {
		a.Closed = dayOf(t.ClosedDate)
	}
	for i := range t.PaymentHistory {
		from := &t.PaymentHistory[i]
		month := moment("2006-01", from.Month)
		a.History[i] = report.Payment{
			Month: civil.Month(month.Year()*12 + int(month.Month()) - 1), DaysPastDue: int16(from.DPD),
		}
	}
	return a
}

func moment(layout, text string) time.Time {
	t, err := time.Parse(layout, text)
	if err != nil {
		panic(err) // impossible: this package wrote the bodies
	}
	return t
}

func dayOf(text string) civil.Day { return civil.Day(moment(time.DateOnly, text).Unix() / 86_400) }

func paise(rupees float64) int64 { return int64(math.Round(rupees * 100)) }
