package wire_test

import (
	"fmt"
	"strings"
	"testing"

	"verdict/internal/wire"
)

// BenchmarkParse measures parsing of a small request, as it is sent for every
// decision, and of a large document with many similar objects.
func BenchmarkParse(b *testing.B) {
	small := `{"applicant":{"id":"A-1","monthly_income":85000,"foir":0.32,"requested_amount":600000},` +
		`"bureau_report":{"score":742,"enquiries_6m":2,"active_tradelines":4,"max_dpd_12m":0}}`
	large := "[" + strings.Repeat(`{"date":"2026-11-15","amount":12.5,"note":null},`, 2000) + "1]"
	for _, document := range []string{small, large} {
		data := []byte(document)
		b.Run(fmt.Sprintf("%dB", len(data)), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				v, err := wire.Parse(data)
				if err != nil {
					b.Fatal(err)
				}
				v.Free()
			}
		})
	}
}
