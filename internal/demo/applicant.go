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

// applicant is a row of a synthetic book with a place, a phone and an account.
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
	agentID string // "" when nobody helped

	phone, mobile, email string // "" for one of their own
	texts                *Texts
}

// crowd makes the applicants of an environment, the same ones every time.
type crowd struct {
	env   tenant.Environment
	book  backtest.Book
	texts *Texts
	dice  *rand.Rand
	made  int64
	rows  []string // of the book, those that come next
}

func newCrowd(env tenant.Environment, seed uint64, texts *Texts) *crowd {
	if env == tenant.Live {
		seed++
	}
	return &crowd{env: env, texts: texts, book: backtest.Book{Seed: seed}, dice: rand.New(rand.NewPCG(seed, 7))} //nolint:gosec // nobody's secret depends on it
}

// bookPage is how many rows of a book are made at once.
const bookPage = 500

// lines are rows of a book.
func lines(book backtest.Book, first int64, n int) []string {
	return strings.Split(strings.TrimSpace(string(book.Append(nil, first, n))), "\n")
}

// columns of the book, in their order.
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

// next is one more applicant.
func (c *crowd) next() *applicant {
	if len(c.rows) == 0 { // many at once cost what one does
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
		n: c.made, ref: fmt.Sprintf("KC-%06d", 100_000+c.made*7), age: number(colAge), occupation: cells[colOccupation], income: number(colIncome),
		foir: foir, amount: number(colAmount), tenure: number(colTenure), score: number(colScore), enquiries: number(colEnquiries),
		tradelines: number(colTradelines), dpd: number(colDPD), newToCredit: cells[colDPD] == "", texts: c.texts,
	}
	a.home = towns[c.dice.IntN(len(towns))]
	a.ip = fmt.Sprintf("49.%d.%d.%d", 32+c.dice.IntN(16), c.dice.IntN(256), 1+c.dice.IntN(254))
	a.account = fmt.Sprintf("5010%010d", c.dice.Int64N(1e10))
	if c.dice.IntN(10) < 3 {
		a.agentID = fmt.Sprintf("AG-%02d", 1+c.dice.IntN(12))
	}
	if c.made%397 == 5 && c.texts.Reference != "" {
		a.ref = c.texts.Reference + strconv.FormatInt(c.made, 10)
	}
	return a
}

// stated tells whether the application comes as stated facts alone.
func (a *applicant) stated() bool { return a.n%3 == 0 }

// decision is the application as a decision request, with the facts stated.
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

// bureaus take turns.
var bureaus = []string{"cibil", "experian", "crif", "equifax"}

// evaluation is the application with a bureau's report and the blocks that a
// lender's app sends beside it.
func (a *applicant) evaluation(now time.Time) map[string]any {
	bureau := bureaus[a.n%int64(len(bureaus))]
	report := map[string]any{
		"scoreData":        map[string]any{"score": a.score},
		"demographics":     map[string]any{"age": a.age, "employmentType": strings.ToLower(a.occupation)},
		"incomeAssessment": map[string]any{"monthlyIncome": a.income, "foir": float64(int(float64(a.foir*1000)+0.5)) / 10},
		"requestedAmount":  a.amount, "requestedTenureMonths": a.tenure,
		"reportDate": now.Add(-2 * day).Format(time.DateOnly),
		"accounts":   a.accounts(now), "enquiries": a.enquired(now),
	}
	body := map[string]any{"bureau": bureau, "report": map[string]any{bureau: report}, "device": a.device(), "location": a.location(), "fraud": a.fraud()}
	if a.n%5 == 1 {
		body["bank_summary"] = a.statement(now)
	}
	if a.n%4 == 1 {
		body["features"] = true
	}
	return body
}
