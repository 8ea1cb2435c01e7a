package agent_test

import (
	"path/filepath"
	"testing"

	"verdict/internal/agent"
	"verdict/internal/golden"
)

// withBlocks is an evaluate request with a device and a bank summary.
const withBlocks = `{"bureau":"cibil",
	"report":{"cibil":{"scoreData":{"score":790},"incomeAssessment":{"monthlyIncome":85000,"foir":20},
	"demographics":{"age":30,"employmentType":"SALARIED"},"requestedAmount":100000}},"device":{"is_rooted":true},
	"bank_summary":{"income":60000,"emi":30000,"bounces":4}}`

// TestGoldenMemos compares memos with golden files that a credit officer can
// read.
func TestGoldenMemos(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"approved": applicant(`"monthly_income":85000,"foir":0.2,"requested_amount":200000`,
			`"score":742,"enquiries_6m":1`, ""),
		"declined": applicant(
			`"monthly_income":40000,"foir":0.48,"requested_amount":200000,"tenure_months":12`,
			`"score":742,"enquiries_6m":1`, `,"purpose":"a wedding"`),
		"referred": applicant(`"monthly_income":85000,"foir":0.3,"requested_amount":100000`,
			`"score":742,"enquiries_6m":8`, ""),
		"bank and device": withBlocks,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := text(tree(t, onSQLite(t, agent.Options{}).underwrite(body)), "memo")
			file := filepath.Join("testdata", "memo", name+".md")
			golden.File(t, file, got)
		})
	}
}
