package replay_test

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"verdict/internal/field"
	"verdict/internal/rule"
)

// applicant is a person who applies. The method "maybe" adds members that are sometimes left out.
type applicant struct {
	dice
	n                                  int
	now                                time.Time
	score, income, age, amount, tenure int
	foirPercent                        int
	occupation                         string
	accounts                           []account
	enquiries                          []enquiry
}

func drawApplicant(d dice, n int, now time.Time) *applicant {
	a := &applicant{
		dice: d, n: n, now: now, score: d.between(560, 860), income: d.between(8, 180) * 1_000, age: d.between(19, 66),
		amount: d.between(1, 60) * 12_500, tenure: pick(d, 6, 12, 24, 36, 48, 60), foirPercent: d.between(0, 68),
		occupation: pick(d, "salaried", "SELF_EMPLOYED", "self employed professional",
			"student", "retired", "gig worker"),
	}
	if d.percent(12) {
		a.score = d.between(-1, 6) // new to credit, or an index instead of a score
	}
	a.drawHistory()
	return a
}

// maybe adds a member with a probability of 80 %. With a probability of 2 % it
// adds the member as null.
func (a *applicant) maybe(o object, name string, value any) {
	switch roll := a.IntN(100); {
	case roll < 80:
		o[name] = value
	case roll < 82:
		o[name] = nil
	}
}

// decision returns a body of POST /v1/decisions, which has only stated facts.
func (a *applicant) decision(policyKey string) object {
	person := object{"id": fmt.Sprintf("A-%d", a.n)}
	a.maybe(person, "monthly_income", a.income)
	a.maybe(person, "foir", float64(a.foirPercent)/100)
	a.maybe(person, "age", a.age)
	a.maybe(person, "employment_type", a.occupation)
	a.maybe(person, "requested_amount", a.amount)
	a.maybe(person, "tenure_months", a.tenure)
	a.maybe(person, "employer_category", pick(a.dice, "CAT_A", "CAT_B", "अनिल \"quoted\""))
	a.maybe(person, "years_employed", float64(a.between(0, 160))/8)
	bureau := object{"score": a.score}
	a.maybe(bureau, "enquiries_6m", a.IntN(14))
	a.maybe(bureau, "active_tradelines", a.IntN(15))
	a.maybe(bureau, "max_dpd_12m", pick(a.dice, 0, 0, 0, 5, 31, 45, 62, 95))
	if a.percent(50) {
		a.maybe(bureau, "written_off_36m", pick(a.dice, 0, 0, 0, 1))
		a.maybe(bureau, "suit_or_wilful", a.percent(10))
		a.maybe(bureau, "overdue_amount", pick(a.dice, 0, 0, 1200.5, 7_400))
		a.maybe(bureau, "total_outstanding", a.between(0, 90)*5_000)
		a.maybe(bureau, "unsecured_outstanding", a.between(0, 40)*5_000)
		a.maybe(bureau, "total_emi", a.between(0, 300)*100)
		a.maybe(bureau, "card_utilisation", float64(a.IntN(130))/100)
		a.maybe(bureau, "live_unsecured", a.IntN(6))
		a.maybe(bureau, "oldest_account_months", a.IntN(140))
		a.maybe(bureau, "months_since_30dpd", a.IntN(40))
		a.maybe(bureau, "report_age_days", a.IntN(30))
	}
	if a.percent(25) {
		for _, f := range accountFigures {
			a.maybe(bureau, strings.TrimPrefix(f.Name, "bureau_report."), a.figure(f))
		}
	}
	return object{"policy_key": policyKey, "applicant": person, "bureau_report": bureau}
}

// accountFigures lists the fields about accounts by ownership that a decision
// request may state.
var accountFigures = func() (list []*rule.Field) {
	for _, name := range fields.stage1 {
		if accountFigure.MatchString(name) {
			id, _ := field.Catalogue().Lookup(name)
			list = append(list, field.Catalogue().Field(id))
		}
	}
	return list
}()

var accountFigure = regexp.MustCompile(`^bureau_report\.((own|guaranteed|addon)_|max_dpd_(24|36)m$)`)

// figure draws a value that fits the unit of the field.
func (a *applicant) figure(f *rule.Field) any {
	switch {
	case f.Type == rule.BoolType:
		return a.percent(10)
	case f.Unit == "₹":
		return a.IntN(90) * 1_000
	case f.Unit == "ratio":
		return float64(a.IntN(130)) / 100
	case f.Unit == "days":
		return pick(a.dice, 0, 0, 0, 12, 35, 64, 95)
	default:
		return a.IntN(40)
	}
}

// layouts lists the layouts in which bureaus send reports: the common layout
// under any bureau's name, and each bureau's own layout.
var layouts = map[string]func(*applicant) object{
	"common cibil": (*applicant).common, "common experian": (*applicant).common, "common equifax": (*applicant).common,
	"common crif": (*applicant).common, "common rural": (*applicant).common,
	"own cibil":    (*applicant).cibil,
	"own experian": (*applicant).experian,
	"own equifax":  (*applicant).equifax,
	"own crif":     (*applicant).crif,
}

// evaluation returns a body of POST /v1/evaluate in a layout, with some of the blocks. The reference in the fraud
// block starts with the layout, so that the type seen can count layouts.
func (a *applicant) evaluation(policyKey, layout string) object {
	var kind, bureau string
	if _, err := fmt.Sscan(layout, &kind, &bureau); err != nil {
		panic(err) // a key of layouts is malformed
	}
	report := layouts[layout](a)
	if kind == "own" { // a bureau does not know these values, so they are sent with its report
		report["incomeAssessment"] = object{"monthlyIncome": a.income, "foir": a.foirPercent}
		report["demographics"] = object{"age": a.age, "employmentType": a.occupation}
	}
	report["custom"] = object{"flag": a.percent(50), "index": a.IntN(12)}
	body := object{"policy_key": policyKey, "bureau": bureau, "report": object{bureau: report}}
	if a.percent(35) {
		body["fraud"] = a.fraud(kind + "-" + bureau)
	}
	if a.percent(60) {
		body["device"] = a.device()
	}
	if a.percent(60) {
		body["location"] = a.location()
	}
	if a.percent(35) {
		body["bank_summary"] = a.bank()
	}
	return body
}

func (a *applicant) device() object {
	block := object{"device_id": fmt.Sprintf("d-%d", a.IntN(400))}
	a.maybe(block, "model", pick(a.dice, "Redmi 9", "Pixel 7a", "iPhone 13"))
	a.maybe(block, "os_version", pick(a.dice, "11", "13", "14"))
	a.maybe(block, "is_rooted", a.percent(15))
	a.maybe(block, "is_emulator", a.percent(6))
	a.maybe(block, "sim_age_days", a.IntN(500))
	a.maybe(block, "loan_apps_installed_count", a.IntN(12))
	a.maybe(block, "app_install_age_days", a.IntN(60))
	return block
}

// town is a pincode with its approximate position.
type town struct {
	pincode  string
	lat, lng float64
}

var towns = []town{
	{"400001", 18.9388, 72.8354}, {"110001", 28.6328, 77.2197}, {"560068", 12.9081, 77.6376},
	{"834001", 23.3700, 85.3250}, {"800001", 25.6093, 85.1376},
}

// addresses lists IP addresses in India and elsewhere, and one that is reserved
// for documentation.
var addresses = []string{"49.36.12.7", "49.37.200.1", "94.200.10.10", "8.8.8.8", "203.0.113.9", "2405:201:4::1"}

func (a *applicant) location() object {
	declared, at := pick(a.dice, towns...), pick(a.dice, towns...)
	if a.percent(70) {
		at = declared
	}
	block := object{"permission_denied": a.percent(10)}
	a.maybe(block, "declared_pincode", declared.pincode)
	a.maybe(block, "ip", pick(a.dice, addresses...))
	if a.percent(80) {
		block["lat"], block["lng"] = at.lat, at.lng
	}
	return block
}

// fraud returns a block whose values, except the reference, may also occur in the blocks of other applicants.
func (a *applicant) fraud(ref string) object {
	block := object{"applicant_ref": fmt.Sprintf("%s-%d", ref, a.n)}
	a.maybe(block, "pincode", pick(a.dice, towns...).pincode)
	a.maybe(block, "ip", pick(a.dice, addresses...))
	a.maybe(block, "beneficiary_account", fmt.Sprintf("5010%08d", a.IntN(900)))
	a.maybe(block, "agent_id", fmt.Sprintf("AG-%d", a.IntN(40)))
	a.maybe(block, "mobile", fmt.Sprintf("98%08d", a.IntN(2_000)))
	a.maybe(block, "email", fmt.Sprintf("applicant%d@mail.example", a.IntN(2_000)))
	return block
}

// bank returns a bank summary, mostly with transactions: salaries, instalments,
// payments, and sometimes a bounced payment.
func (a *applicant) bank() object {
	balance := a.between(-5, 60) * 1_000
	summary := object{}
	a.maybe(summary, "income", a.income)
	a.maybe(summary, "emi", a.income*a.foirPercent/100)
	a.maybe(summary, "balance", balance)
	a.maybe(summary, "bounces", pick(a.dice, 0, 0, 1, 4))
	a.maybe(summary, "months", a.between(1, 12))
	a.maybe(summary, "declared_monthly_income", a.income*a.between(80, 140)/100)
	a.maybe(summary, "declared_emi", a.income*a.foirPercent/120)
	if a.percent(25) {
		return summary
	}
	rows := []any{}
	add := func(back int, kind, mode string, amount int, narration string) {
		if balance += amount; kind == "DEBIT" {
			balance -= 2 * amount
		}
		shown := balance
		if a.percent(2) {
			shown += 1_000 // as if the statement had been edited
		}
		rows = append(rows, object{
			"txn_id":    fmt.Sprintf("T%d", len(rows)),
			"date":      a.day(back),
			"type":      kind,
			"mode":      mode,
			"amount":    amount,
			"balance":   shown,
			"narration": narration,
		})
	}
	for month := a.between(1, 4); month >= 1; month-- {
		add(30*month, "CREDIT", "FT", a.income, "NEFT SALARY ACME INFOTECH LTD")
		add(30*month-4, "DEBIT", "OTHERS", max(100, a.income*a.foirPercent/100), "NACH DR LOAN EMI 00451200")
		if a.percent(25) {
			add(30*month-8, "DEBIT", "OTHERS", 2_500, "ACH D- BAJAJ FINANCE LTD")
			add(30*month-9, "CREDIT", "OTHERS", 2_500, "ACH RETURN BAJAJ FINANCE LTD INSUFFICIENT FUNDS")
		}
		add(30*month-26, "DEBIT", "UPI", a.between(1, 30)*100, "UPI/BESCOM/electricity bill")
	}
	summary["transactions"] = rows
	return summary
}

// day returns the date that is the given number of days ago.
func (a *applicant) day(back int) string { return a.now.AddDate(0, 0, -back).Format(time.DateOnly) }
