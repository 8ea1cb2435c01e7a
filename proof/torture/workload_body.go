package torture

import "fmt"

// profiles is the number of different sets of facts. The number is small, so
// that each set is decided many times under the same policy.
const profiles = 40

// profile holds the facts of one kind of applicant.
type profile struct {
	score, income, amount, foirPercent, enquiries, dpd int
}

func profileOf(i int) profile {
	return profile{
		score: 560 + i*37%330, income: 18_000 + i*7_919%140_000, amount: 50_000 + i*31_337%700_000,
		foirPercent: 8 + i*13%55, enquiries: i % 7, dpd: []int{0, 0, 0, 5, 35, 70}[i%6],
	}
}

// decision returns the body of a decision request.
func (p profile) decision(applicant string) string {
	return fmt.Sprintf(
		`{"applicant":{"id":%q,"monthly_income":%d,"foir":0.%02d,"requested_amount":%d},`+
			`"bureau_report":{"score":%d,"enquiries_6m":%d,"active_tradelines":4,"max_dpd_12m":%d}}`,
		applicant, p.income, p.foirPercent, p.amount, p.score, p.enquiries, p.dpd)
}

// referred returns a body with a repayment that was 45 days late. The default
// policy, and every policy that the workload derives from it, refers such an
// applicant.
func referred(applicant string) string {
	return profile{score: 742, income: 85_000, amount: 200_000, foirPercent: 22, enquiries: 1, dpd: 45}.decision(
		applicant)
}

// shared holds the entities that applicants can share.
type shared struct{ applicant, account, ip, device, agent, mobile, email string }

// evaluation returns the body of an evaluate request with every block that the
// fraud counters read.
func (p profile) evaluation(t shared, features bool) string {
	return fmt.Sprintf(`{"bureau":"experian","features":%t,"report":{"experian":{"scoreData":{"score":%d},`+
		`"demographics":{"age":34,"employmentType":"salaried"},`+
		`"incomeAssessment":{"monthlyIncome":%d,"foir":%d},"requestedAmount":%d,`+
		`"accounts":[{"accountType":"personal_loan","openDate":"2024-02-11","status":"active",`+
		`"sanctionedAmount":200000,"currentBalance":120000,"emi":6900}],`+
		`"enquiries":[{"date":"2025-09-03","product":"personal_loan","amount":100000}]}},`+
		`"device":{"model":"Redmi Note 12","is_rooted":false,"is_emulator":false,"sim_age_days":400,"device_id":%q},`+
		`"fraud":{"applicant_ref":%q,"pincode":"400001","ip":%q,"beneficiary_account":%q,`+
		`"agent_id":%q,"mobile":%q,"email":%q}}`,
		features, p.score, p.income, p.foirPercent, p.amount, t.device, t.applicant, t.ip, t.account, t.agent, t.mobile,
		t.email)
}

// draft returns the body of a new version with a change that affects decisions.
func draft(name string, i int) string {
	return fmt.Sprintf(`{"name":%q,"offer_validity_days":%d,"adjustments":[{"id":"ADJ_ENQUIRIES","delta":%d,`+
		`"condition_ast":{"op":"gte","field":"enquiries_6m","value":%d}}]}`, name, 1+i%20, -1-i%15, 1+i%4)
}

// rows returns the body of a small backtest.
func rows(word string, n, count int) string {
	body := `{"rows":[`
	for i := range count {
		p := profileOf((n + i) % profiles)
		if i > 0 {
			body += ","
		}
		body += fmt.Sprintf(
			`{"applicant_id":"%s-row-%d","score":%d,"monthly_income":%d,"foir":0.%02d,`+
				`"requested_amount":%d,"outcome":%q}`,
			word, i, p.score, p.income, p.foirPercent, p.amount, []string{"good", "bad"}[i%2])
	}
	return body + `]}`
}
