package httpapi_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/usecase/usecasetest"
)

// november is the current time of the evaluate tests and of the contract's
// examples.
var november = time.Date(2026, 11, 15, 6, 30, 0, 0, time.UTC)

// begin moves the clock of the whole stack to the given time.
func (s *stack) begin(at time.Time) {
	s.Helper()
	s.clock.advance(at.Sub(s.clock.now()))
}

// block is an optional part of an evaluate request: a member and its value.
type block struct{ name, value string }

// The blocks that the tests add to an evaluate request.
var (
	askFeatures = block{"features", `true`}
	device      = block{"device", `{"model":"Redmi 9","os_version":"13","is_rooted":true,"is_emulator":false,
		"sim_age_days":3,
		"loan_apps_installed_count":9,"app_install_age_days":1,"device_id":"d-ZEBRA-1"}`}
	location = block{"location", `{"lat":19.0761234,"lng":72.8771234,"ip":"203.0.113.77",` +
		`"declared_pincode":"400001","permission_denied":true}`}
	fraud = block{"fraud", `{"applicant_ref":"A-77","pincode":"400001","ip":"203.0.113.78",
		"beneficiary_account":"00112233445566","agent_id":"AG-7",
		"mobile":"9812345678","email":"zebra@example.in"}`}
	bank = block{"bank_summary", statement(62000, 14500)}
)

// everyBlock lists all blocks.
var everyBlock = []block{askFeatures, device, location, fraud, bank}

// statement returns a bank_summary over two whole months with a salary, an
// instalment and a returned mandate. The declared income is twice the salary.
func statement(salary, emi int) string {
	var rows []string
	balance := 20_000
	row := func(date, kind, mode string, amount int, narration string) {
		if kind == "CREDIT" {
			balance += amount
		} else {
			balance -= amount
		}
		rows = append(rows, fmt.Sprintf(
			`{"txn_id":"T%d","date":%q,"type":%q,"mode":%q,"amount":%d,"balance":%d,"narration":%q}`,
			len(rows), date, kind, mode, amount, balance, narration))
	}
	for _, month := range []string{"2026-09", "2026-10"} {
		row(month+"-01", "CREDIT", "FT", salary, "NEFT CR ACME INFOTECH PVT LTD SALARY")
		row(month+"-05", "DEBIT", "OTHERS", emi, "EMI DEDUCTION LN 00451200")
		row(month+"-12", "DEBIT", "OTHERS", 2500, "ACH D- BAJAJ FINANCE LTD")
		row(month+"-13", "CREDIT", "OTHERS", 2500, "ACH RETURN BAJAJ FINANCE LTD INSUFFICIENT FUNDS")
		row(month+"-30", "DEBIT", "UPI", 700, "UPI/BESCOM/electricity bill")
	}
	row("2026-10-31", "DEBIT", "ATM", 1000, "ATM CASH ANDHERI")
	return fmt.Sprintf(`{"income":%d,"emi":%d,"balance":38250,"bounces":1,"months":2,"declared_monthly_income":%d,
		"declared_emi":%d,
		"transactions":[%s]}`, salary, emi, 2*salary, emi/2, strings.Join(rows, ","))
}

// history contains the accounts and enquiries of a report.
const history = `"reportDate":"2026-11-10",
	"accounts":[
		{"accountType":"personal_loan","openDate":"2026-08-20","status":"active","sanctionedAmount":200000,
			"currentBalance":120000,
		 "amountOverdue":0,"emi":6900,"paymentHistory":[{"month":"2026-10","dpd":0},{"month":"2026-09","dpd":12}]},
		{"accountType":"credit_card","openDate":"2019-01-01","status":"active","creditLimit":100000,
			"currentBalance":90000,
		 "paymentHistory":[{"month":"2026-10","dpd":0}]},
		{"accountType":"home_loan","openDate":"2018-01-01","closedDate":"2024-01-01","status":"closed",
			"sanctionedAmount":2500000}],
	"enquiries":[{"date":"2026-11-01","product":"personal_loan","amount":100000},
		{"date":"2026-09-03","product":"credit_card","amount":0},
		{"date":"2026-01-02","product":"home_loan","amount":2500000}]`

// evaluation returns an evaluate request with a score, further members of the
// report, and blocks.
func evaluation(score int, report string, blocks ...block) string {
	return evaluationOf("cibil", fmt.Sprintf(`"scoreData":{"score":%d}`, score)+prefixed(report), blocks...)
}

// evaluationOf returns an evaluate request with the given blocks. Its report has
// exactly the given members.
func evaluationOf(bureau, report string, blocks ...block) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"bureau":%q,"report":{%q:{%s}}`, bureau, bureau, report)
	for _, x := range blocks {
		fmt.Fprintf(&b, `,%q:%s`, x.name, x.value)
	}
	return b.String() + "}"
}

func prefixed(members string) string {
	if members == "" {
		return ""
	}
	return "," + members
}

// scalars are the simple members of a report: age, employment, income, FOIR and
// the requested amount.
const scalars = `"demographics":{"age":34,"employmentType":"salaried"},` +
	`"incomeAssessment":{"monthlyIncome":85000,"foir":32},"requestedAmount":300000`

// arm activates a policy with the given sections, and returns its id. The
// policy inherits the other sections from the active policy unless sections
// contains another base.
func (m *member) arm(sections string) string {
	m.Helper()
	id := m.draft(`{"name":"armed",` + sections + `}`)
	m.activate(id)
	return id
}

// fired returns the result of each evaluated rule, keyed by rule id.
func (a answer) fired() map[string]string {
	a.t.Helper()
	results := map[string]string{}
	for i := range a.list("explanation", "fired_rules") {
		id := fmt.Sprint(a.at("explanation", "fired_rules", i, "id"))
		results[id] = fmt.Sprint(a.at("explanation", "fired_rules", i, "result"))
	}
	return results
}

// warned returns each warning as "pointer code", except the warnings about
// absent inputs.
func (a answer) warned() []string {
	a.t.Helper()
	list := []string{}
	for i := range a.list("warnings") {
		switch code := a.at("warnings", i, "code"); code {
		case "inputs_absent", "scorecard_inputs_absent": // every short request causes these warnings
		default:
			list = append(list, fmt.Sprint(a.at("warnings", i, "pointer"), " ", code))
		}
	}
	return list
}

// absent returns the fields of the warning "inputs_absent".
func (a answer) absent() []string {
	a.t.Helper()
	list := []string{}
	for i := range a.list("warnings") {
		if a.at("warnings", i, "code") == "inputs_absent" {
			for _, name := range a.list("warnings", i, "fields") {
				list = append(list, fmt.Sprint(name))
			}
		}
	}
	return list
}

// warnedAt returns the pointer of the first warning with the code, or "" if
// there is no such warning.
func (a answer) warnedAt(code string) string {
	a.t.Helper()
	for i := range a.list("warnings") {
		if a.at("warnings", i, "code") == code {
			return fmt.Sprint(a.at("warnings", i, "pointer"))
		}
	}
	return ""
}

// TestBodiesAreJSON checks that the request helpers return valid JSON.
func TestBodiesAreJSON(t *testing.T) {
	t.Parallel()
	for _, body := range []string{evaluation(742, ""), evaluation(742, scalars+","+history, everyBlock...)} {
		if !json.Valid([]byte(body)) {
			t.Errorf("not JSON: %s", body)
		}
	}
}

// open decrypts the documents of a stored decision, and of its features unless f is nil.
func (s *stack) open(scope *store.Scope, d *store.Decision, f *store.Features) error {
	s.Helper()
	core := operation.New(s.db, operation.Options{MasterKey: usecasetest.MasterKey})
	return core.OpenDecision(s.Context(), scope, d, f)
}

// storedRun returns a run of an agent as the database stores it, decrypted.
func (s *stack) storedRun(m *member, id string) (store.Run, error) {
	s.Helper()
	scope := s.db.Scope(m.tenantID, "sandbox")
	run, err := scope.Runs(s.Context()).Get(id)
	if err != nil {
		return run, err
	}
	core := operation.New(s.db, operation.Options{MasterKey: usecasetest.MasterKey})
	tree, err := core.Keys.Tree(s.Context(), m.tenantID)
	if err != nil {
		return run, err
	}
	err = tree.OpenRun("sandbox", &run)
	return run, err
}

// storedFacts returns the facts that the database stores of a decision.
func (s *stack) storedFacts(m *member, decisionID string) string {
	s.Helper()
	scope := s.db.Scope(m.tenantID, "sandbox")
	d, err := scope.Decisions(s.Context()).Get(decisionID)
	if err == nil {
		err = s.open(scope, &d, nil)
	}
	if err != nil {
		s.Fatal(err)
	}
	return string(d.Facts)
}
