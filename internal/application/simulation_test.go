package application

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"verdict/internal/civil"
	"verdict/internal/engine"
	"verdict/internal/golden"
	"verdict/internal/wire"
)

// simulationPage is the page with the table of the simulation. The simulation
// generates applicants with complete bureau reports, reads them as evaluate
// requests, and decides them under the default policy. VERDICT_LONG=1 with
// -update rewrites the table.

const simulationPage = "../../docs/SIMULATION.md"

// person is a generated applicant. The risk is drawn first. As in reality, the report reveals
// the risk only in part.
type person struct {
	risk       float64 // standard normal; higher is worse
	newcomer   bool
	score      int
	age        int
	employment string
	income     int
	foir       float64 // declared FOIR in percent; negative if not declared
	amount     int
	accounts   []loanAccount
	enquiries  int
	bad        bool
}

type loanAccount struct {
	product   string
	ownership string
	months    int // months since the account was opened
	amount    int
	balance   int
	emi       int
	late      []int // days past due by month, newest first
	overdue   int
}

func normal(r *rand.Rand, mean, deviation float64) float64 { return mean + deviation*r.NormFloat64() }

func poisson(r *rand.Rand, mean float64) int {
	limit, n, p := math.Exp(-mean), 0, 1.0
	for {
		if p *= r.Float64(); p <= limit {
			return n
		}
		n++
	}
}

func draw(r *rand.Rand) person {
	p := person{risk: r.NormFloat64(), newcomer: r.Float64() < 0.08}
	p.score = min(900, max(300, int(math.Round(normal(r, 708-55*p.risk, 35)))))
	p.age = 20 + r.IntN(45)
	p.employment = []string{"salaried", "salaried", "salaried", "salaried", "self_employed",
		"self_employed_professional", "student"}[r.IntN(7)]
	p.income = int(math.Exp(normal(r, 10.8, 0.5))/100) * 100
	p.amount = (50 + r.IntN(16)*50) * 1_000
	if !p.newcomer {
		for range 1 + poisson(r, 3) {
			p.accounts = append(p.accounts, p.drawAccount(r, "individual"))
		}
		switch { // accounts of other owners
		case r.Float64() < 0.06:
			p.accounts = append(p.accounts, p.drawAccount(r, "guarantor"))
		case r.Float64() < 0.05:
			p.accounts = append(p.accounts, p.drawAccount(r, "authorised_user"))
		}
	}
	p.enquiries = poisson(r, math.Exp(0.35+0.35*p.risk))
	share := p.share()
	switch honesty := r.Float64(); {
	case honesty < 0.10:
		p.foir = -1
	case honesty < 0.30:
		p.foir = 100 * share / 2
	default:
		p.foir = 100 * share * normal(r, 1, 0.05)
	}
	chance := 1 / (1 + math.Exp(3.0-1.15*p.risk-1.8*(share-0.3)))
	p.bad = r.Float64() < chance
	return p
}

func (p *person) drawAccount(r *rand.Rand, ownership string) loanAccount {
	a := loanAccount{
		product: []string{"personal_loan", "credit_card", "two_wheeler_loan", "consumer_loan",
			"gold_loan"}[r.IntN(5)],
		ownership: ownership, months: 3 + r.IntN(70),
	}
	a.amount = max(10_000, int(float64(p.income)*(0.4+2.6*r.Float64())/1_000)*1_000)
	a.balance = a.amount * (20 + r.IntN(80)) / 100
	if a.product != "credit_card" {
		a.emi = a.amount / 30
	}
	chance := 1 / (1 + math.Exp(6.6-1.2*p.risk))
	for range min(a.months, 36) {
		late := 0
		if r.Float64() < chance {
			late = []int{8, 15, 30, 35, 60, 90}[r.IntN(6)]
		}
		a.late = append(a.late, late)
	}
	if a.late[0] > 0 {
		a.overdue = max(a.emi, 2_000)
	}
	return a
}

// share returns the applicant's own instalments divided by the income.
func (p *person) share() float64 {
	total := 0
	for i := range p.accounts {
		switch a := &p.accounts[i]; {
		case a.ownership != "individual":
		case a.product == "credit_card":
			total += a.balance / 20
		default:
			total += a.emi
		}
	}
	return float64(total) / float64(p.income)
}

type object = map[string]any

// body returns the evaluate request of a person as JSON.
func (p *person) body() []byte {
	score := p.score
	if p.newcomer {
		score = -1
	}
	income := object{"monthlyIncome": p.income}
	if p.foir >= 0 {
		income["foir"] = math.Round(min(p.foir, 400)*100) / 100
	}
	inner := object{
		"scoreData": object{"score": score}, "demographics": object{"age": p.age, "employmentType": p.employment},
		"incomeAssessment": income, "requestedAmount": p.amount, "reportDate": "2026-11-10",
		"accounts": []object{}, "enquiries": []object{},
	}
	for i := range p.accounts {
		inner["accounts"] = append(inner["accounts"].([]object), p.accounts[i].object())
	}
	for i := range p.enquiries {
		inner["enquiries"] = append(inner["enquiries"].([]object),
			object{
				"date":    fmt.Sprintf("2026-%02d-%02d", 10-i%4, 1+i%28),
				"product": "personal_loan",
				"lender":  fmt.Sprintf("L%d", i),
			})
	}
	body, err := json.Marshal(object{"bureau": "cibil", "report": object{"cibil": inner}})
	if err != nil {
		panic(err) // maps of numbers and texts always marshal
	}
	return body
}

func (a *loanAccount) object() object {
	month := func(back int) (year, month int) {
		n := 2026*12 + 9 - back
		return n / 12, n%12 + 1
	}
	year, m := month(a.months)
	out := object{
		"accountType": a.product, "ownership": a.ownership, "openDate": fmt.Sprintf("%d-%02d-05", year, m),
		"status": "active", "sanctionedAmount": a.amount, "currentBalance": a.balance, "amountOverdue": a.overdue,
	}
	if a.emi > 0 {
		out["emi"] = a.emi
	}
	history := []object{}
	for back, late := range a.late {
		year, m := month(back)
		history = append(history, object{"month": fmt.Sprintf("%d-%02d", year, m), "dpd": late})
	}
	out["paymentHistory"] = history
	return out
}

func simulate(tb testing.TB, p *person, d *engine.Decision) {
	tb.Helper()
	v, err := wire.Parse(p.body())
	if err != nil {
		tb.Fatal(err)
	}
	app, err := Read(v, Options{Today: civil.DayOf(2026, 11, 15)})
	if err != nil {
		tb.Fatalf("%v in %s", err, p.body())
	}
	defaultPlan().Decide(app.Facts, d)
}

// tally counts the outcomes of the applicants of one grade.
type tally struct {
	grade                             string
	all, approved, referred, declined int
	bads, approvedBads                int
	rate, limit                       int64
}

// TestSimulation checks that about half of all applicants are approved, and
// that grades are ordered by default rate.
func TestSimulation(t *testing.T) {
	t.Parallel()
	n := 4_000
	if os.Getenv("VERDICT_LONG") != "" {
		n = 60_000
	}
	r := rand.New(rand.NewPCG(60_000, 2))
	grades, total := map[string]*tally{}, &tally{grade: "all"}
	var d engine.Decision
	for range n {
		p := draw(r)
		simulate(t, &p, &d)
		if grades[d.Grade] == nil {
			grades[d.Grade] = &tally{grade: d.Grade}
		}
		grades[d.Grade].count(&p, &d)
		total.count(&p, &d)
	}
	if share := float64(total.approved) / float64(n); share < 0.40 || share > 0.60 {
		t.Errorf("%.1f percent are approved, not about half", 100*share)
	}
	last := -1.0
	for _, grade := range []string{"A+", "A", "B", "C", "D"} {
		g := grades[grade]
		if g == nil || g.approved < 50 {
			t.Fatalf("too few applicants of grade %s", grade)
		}
		bad := float64(g.approvedBads) / float64(g.approved)
		if bad <= last {
			t.Errorf("of grade %s %.2f percent go bad, no more than of the better one", grade, 100*bad)
		}
		last = bad
	}
	if n == 60_000 {
		compareSimulation(t, table(grades, total))
	}
}

func (g *tally) count(p *person, d *engine.Decision) {
	g.all++
	switch d.Status {
	case engine.Approved:
		g.approved++
		g.rate, g.limit = d.Offer.RateBP, g.limit+d.Offer.LimitPaise
	case engine.Referred:
		g.referred++
	case engine.Declined:
		g.declined++
	}
	if p.bad {
		g.bads++
		if d.Status == engine.Approved {
			g.approvedBads++
		}
	}
}

func table(grades map[string]*tally, total *tally) string {
	order := []string{"A+", "A", "B", "C", "D", "E", "F", "NTC", "NA"}
	rows := slices.SortedFunc(maps.Values(grades), func(a, b *tally) int {
		return cmp.Compare(slices.Index(order, a.grade), slices.Index(order, b.grade))
	})
	var b strings.Builder
	b.WriteString(
		"| grade | applicants | approved | referred | declined | bad of all | bad of approved | average limit |\n")
	b.WriteString("|---|---:|---:|---:|---:|---:|---:|---:|\n")
	percent := func(part, of int) string {
		if of == 0 {
			return "–"
		}
		return fmt.Sprintf("%.2f %%", 100*float64(part)/float64(of))
	}
	for _, g := range append(rows, total) {
		limit := "–"
		if g.approved > 0 {
			limit = fmt.Sprintf("₹%d", g.limit/int64(g.approved)/100)
		}
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %s | %s | %s | %s |\n", g.grade, g.all, percent(g.approved, g.all),
			percent(g.referred, g.all), percent(g.declined, g.all), percent(g.bads, g.all),
			percent(g.approvedBads, g.approved), limit)
	}
	return b.String()
}

// compareSimulation compares the table with the table on the page, or replaces it with -update.
func compareSimulation(t *testing.T, want string) {
	t.Helper()
	page, err := os.ReadFile(simulationPage)
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	start, end := strings.Index(text, "| grade |"), strings.LastIndex(text, "|\n")+2
	if golden.Update() {
		text = text[:start] + want + text[end:]
		if err := os.WriteFile(simulationPage, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got := text[start:end]; got != want {
		t.Errorf("%s has another table; rewrite it with VERDICT_LONG=1 and -update\n%s", simulationPage, want)
	}
}

// TestNoBetterReportIsWorseOff checks that the outcome never becomes worse if one
// property of a report improves.
func TestNoBetterReportIsWorseOff(t *testing.T) {
	t.Parallel()
	n := 400
	if os.Getenv("VERDICT_LONG") != "" {
		n = 10_000
	}
	r := rand.New(rand.NewPCG(13, 2))
	better := map[string]func(*person){
		"a higher score":     func(p *person) { p.score = min(900, p.score+1+r.IntN(120)) },
		"fewer enquiries":    func(p *person) { p.enquiries /= 2 },
		"a higher income":    func(p *person) { p.foir /= 1.25; p.income = p.income * 5 / 4 },
		"a lower FOIR":       func(p *person) { p.foir /= 2 },
		"lower instalments":  func(p *person) { p.lowerInstalments() },
		"no late instalment": func(p *person) { p.payOnTime() },
	}
	var before, after engine.Decision
	for range n {
		p := draw(r)
		simulate(t, &p, &before)
		for _, name := range slices.Sorted(maps.Keys(better)) {
			q := p
			q.accounts = slices.Clone(p.accounts)
			better[name](&q)
			simulate(t, &q, &after)
			worse := cmp.Or(cmp.Compare(after.Status, before.Status),
				cmp.Compare(after.Offer.RateBP, before.Offer.RateBP),
				cmp.Compare(before.Offer.LimitPaise, after.Offer.LimitPaise))
			if worse > 0 {
				t.Fatalf("with %s: %s %d %d instead of %s %d %d\n%s\n%s", name, after.Status, after.Offer.RateBP,
					after.Offer.LimitPaise, before.Status, before.Offer.RateBP, before.Offer.LimitPaise, p.body(),
					q.body())
			}
		}
	}
}

func (p *person) lowerInstalments() {
	for i := range p.accounts {
		p.accounts[i].emi /= 2
		p.accounts[i].balance /= 2
	}
}

func (p *person) payOnTime() {
	for i := range p.accounts {
		p.accounts[i].late = make([]int, len(p.accounts[i].late))
		p.accounts[i].overdue = 0
	}
}
