package demo

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"verdict/internal/backtest"
	"verdict/internal/tenant"
)

// applicant is a row of a synthetic book with a home, a phone and an account.
type applicant struct {
	n           int64
	ref         string
	age         int
	occupation  string
	income      int
	foir        float64
	amount      int
	tenure      int
	score       int
	enquiries   int
	tradelines  int
	dpd         int
	newToCredit bool

	home    town
	ip      string
	account string
	agentID string // "" if no agent was involved

	phone, mobile, email string // set if shared with others; "" means a unique value
	texts                *Texts
}

// crowd generates the applicants of an environment. The same seed gives the same
// applicants.
type crowd struct {
	env    tenant.Environment
	book   backtest.Book
	texts  *Texts
	random *rand.Rand
	made   int64
	rows   []string // rows of the book that are not used yet
}

func newCrowd(env tenant.Environment, seed uint64, texts *Texts) *crowd {
	if env == tenant.Live {
		seed++
	}
	return &crowd{
		env:    env,
		texts:  texts,
		book:   backtest.Book{Seed: seed},
		random: rand.New(rand.NewPCG(seed, 7)), //nolint:gosec // no secret depends on it
	}
}

// bookPage is the number of rows of a book that are generated together.
const bookPage = 500

// lines returns rows of a book as lines of CSV.
func lines(book backtest.Book, first int64, n int) []string {
	return strings.Split(strings.TrimSpace(string(book.Append(nil, first, n))), "\n")
}

// Columns of the book, in order.
const (
	colAge = iota + 1
	colOccupation
	colIncome
	colFOIR
	colAmount
	colTenure
	colScore
	colEnquiries
	colTradelines
	colDPD
)

func (c *crowd) next() *applicant {
	if len(c.rows) == 0 { // generating many rows together costs about as much as generating one
		c.rows = lines(c.book, c.made+1, bookPage)
	}
	c.made++
	cells := strings.Split(c.rows[0], ",")
	c.rows = c.rows[1:]
	number := func(column int) int {
		n, _ := strconv.Atoi(cells[column]) // an empty cell is 0
		return n
	}
	foir, _ := strconv.ParseFloat(cells[colFOIR], 64)
	a := &applicant{
		n:           c.made,
		ref:         fmt.Sprintf("KC-%06d", 100_000+c.made*7),
		age:         number(colAge),
		occupation:  cells[colOccupation],
		income:      number(colIncome),
		foir:        foir,
		amount:      number(colAmount),
		tenure:      number(colTenure),
		score:       number(colScore),
		enquiries:   number(colEnquiries),
		tradelines:  number(colTradelines),
		dpd:         number(colDPD),
		newToCredit: cells[colDPD] == "",
		texts:       c.texts,
	}
	a.home = towns[c.random.IntN(len(towns))]
	a.ip = fmt.Sprintf("49.%d.%d.%d", 32+c.random.IntN(16), c.random.IntN(256), 1+c.random.IntN(254))
	a.account = fmt.Sprintf("5010%010d", c.random.Int64N(1e10))
	if c.random.IntN(10) < 3 {
		a.agentID = fmt.Sprintf("AG-%02d", 1+c.random.IntN(12))
	}
	if c.made%397 == 5 && c.texts.Reference != "" {
		a.ref = c.texts.Reference + strconv.FormatInt(c.made, 10)
	}
	return a
}

// stated reports whether the application contains only stated facts and no
// bureau report.
func (a *applicant) stated() bool { return a.n%3 == 0 }

// decision returns the application as a decision request with stated facts only.
func (a *applicant) decision() map[string]any {
	bureau := map[string]any{"score": a.score, "enquiries_6m": a.enquiries, "active_tradelines": a.tradelines}
	if !a.newToCredit {
		bureau["max_dpd_12m"] = a.dpd
	}
	return map[string]any{
		"applicant": map[string]any{
			"id": a.ref, "age": a.age, "employment_type": a.occupation, "monthly_income": a.income, "foir": a.foir,
			"requested_amount": a.amount, "tenure_months": a.tenure,
		},
		"bureau_report": bureau,
	}
}

// bureaus lists the bureaus. Applicants use them in turn.
var bureaus = []string{"cibil", "experian", "crif", "equifax"}

// evaluation returns the application with a bureau report and the other blocks
// that the app of a lender sends.
func (a *applicant) evaluation(now time.Time) map[string]any {
	bureau := bureaus[a.n%int64(len(bureaus))]
	report := map[string]any{
		"scoreData":    map[string]any{"score": a.score},
		"demographics": map[string]any{"age": a.age, "employmentType": strings.ToLower(a.occupation)},
		"incomeAssessment": map[string]any{
			"monthlyIncome": a.income,
			"foir":          float64(int(float64(a.foir*1000)+0.5)) / 10,
		},
		"requestedAmount":       a.amount,
		"requestedTenureMonths": a.tenure,
		"reportDate":            now.Add(-2 * day).Format(time.DateOnly),
		"accounts":              a.accounts(now),
		"enquiries":             a.enquired(now),
	}
	body := map[string]any{
		"bureau":   bureau,
		"report":   map[string]any{bureau: report},
		"device":   a.device(),
		"location": a.location(),
		"fraud":    a.fraud(),
	}
	if a.n%5 == 1 {
		body["bank_summary"] = a.statement(now)
	}
	if a.n%4 == 1 {
		body["features"] = true
	}
	return body
}
