package application_test

import (
	"testing"

	"verdict/internal/application"
	"verdict/internal/wire"
)

// BenchmarkReadDecision measures reading a parsed request into facts.
func BenchmarkReadDecision(b *testing.B) {
	body, err := wire.Parse([]byte(small))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := application.ReadDecision(body, application.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// small is a typical decision request.
const small = `{"applicant":{"id":"A-1","age":34,"employment_type":"SALARIED","monthly_income":85000,"foir":0.32,
	"requested_amount":600000},
	"bureau_report":{"score":742,"enquiries_6m":2,"active_tradelines":4,"max_dpd_12m":0}}`
