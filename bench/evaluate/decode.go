package evaluate

import (
	"verdict/internal/application"
	"verdict/internal/wire"
)

// request is an evaluate body as a user of a JSON library declares it. It has only the
// members that our service reads too.
type request struct {
	Bureau string `json:"bureau"`
	Report map[string]struct {
		ScoreData struct {
			Score int `json:"score"`
		} `json:"scoreData"`
		Demographics struct {
			Age            int    `json:"age"`
			EmploymentType string `json:"employmentType"`
		} `json:"demographics"`
		IncomeAssessment struct {
			MonthlyIncome float64 `json:"monthlyIncome"`
			FOIR          float64 `json:"foir"`
		} `json:"incomeAssessment"`
		RequestedAmount       float64     `json:"requestedAmount"`
		RequestedTenureMonths int         `json:"requestedTenureMonths"`
		ReportDate            string      `json:"reportDate"`
		Accounts              []tradeline `json:"accounts"`
		Enquiries             []enquiry   `json:"enquiries"`
	} `json:"report"`
	Features    bool `json:"features"`
	BankSummary struct {
		DeclaredMonthlyIncome float64       `json:"declared_monthly_income"`
		DeclaredEMI           float64       `json:"declared_emi"`
		Transactions          []transaction `json:"transactions"`
	} `json:"bank_summary"`
}

type tradeline struct {
	AccountType      string  `json:"accountType"`
	OpenDate         string  `json:"openDate"`
	ClosedDate       string  `json:"closedDate"`
	Status           string  `json:"status"`
	SanctionedAmount float64 `json:"sanctionedAmount"`
	CurrentBalance   float64 `json:"currentBalance"`
	AmountOverdue    float64 `json:"amountOverdue"`
	EMI              float64 `json:"emi"`
	DateReported     string  `json:"dateReported"`
	PaymentHistory   []struct {
		Month string `json:"month"`
		DPD   int    `json:"dpd"`
	} `json:"paymentHistory"`
}

type enquiry struct {
	Date    string  `json:"date"`
	Product string  `json:"product"`
	Amount  float64 `json:"amount"`
	Lender  string  `json:"lender"`
}

type transaction struct {
	Date      string  `json:"date"`
	Type      string  `json:"type"`
	Mode      string  `json:"mode"`
	Amount    float64 `json:"amount"`
	Balance   float64 `json:"balance"`
	Narration string  `json:"narration"`
}

// read reads a body as our service does: it parses the document strictly, checks every
// member, derives the facts and classifies each transaction.
func read(body []byte) *application.Application {
	v, err := wire.Parse(body)
	if err != nil {
		panic(err) // impossible: this package wrote the bodies
	}
	app, err := application.ReadEvaluate(v, application.Options{Today: asOf})
	if err != nil {
		panic(err)
	}
	v.Free()
	return app
}

// applications returns the requests as our service reads them.
func applications() []*application.Application {
	list := make([]*application.Application, 0, requestCount)
	for _, body := range bodies() {
		list = append(list, read(body))
	}
	return list
}
