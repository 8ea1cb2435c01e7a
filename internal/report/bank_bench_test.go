package report

import (
	"testing"

	"verdict/internal/civil"
	"verdict/internal/fault"
	"verdict/internal/wire"
)

// benchSample returns a row of a busy account. Every fifth row is one of
// narrationSamples; the others are payments by UPI, card and transfer.
func benchSample(i int) sample {
	samples := narrationSamples()
	if i%5 == 0 {
		return samples[i*7919%len(samples)]
	}
	return [...]sample{
		{kind: "DEBIT", mode: "UPI", narration: "UPI/621812346666/DR/SRI BALAJI STORES/okicici/groceries"},
		{kind: "DEBIT", mode: "CARD", narration: "POS 416021XXXXXX1234 DMART PUNE"},
		{kind: "CREDIT", mode: "UPI", narration: "UPI/CR/621812345678/KIRAN K/YESB/kiran@ybl/Payment"},
		{kind: "DEBIT", mode: "FT", narration: "IMPS-627712347777-ANITA R-HDFC-XX9911-rent"},
	}[i%4]
}

// benchSummary returns a bank summary with 2,000 transactions over one year.
func benchSummary(tb testing.TB) wire.Value {
	tb.Helper()
	const n = 2000
	rows, order := make([]sample, n), make([]int, n)
	for i := range rows {
		rows[i] = benchSample(i)
		rows[i].day = bankAsOf - 365 + civil.Day(i*365/n)
		rows[i].paise = int64(100_00 + i*7919%5_000_00)
		order[i] = i
	}
	v, err := wire.Parse(writeSamples(rows, order, ""))
	if err != nil {
		tb.Fatal(err)
	}
	return v
}

func BenchmarkReadStatement(b *testing.B) {
	v := benchSummary(b)
	b.ReportAllocs()
	for b.Loop() {
		var faults, warnings fault.List
		if s := ReadStatement(v, bankAsOf, &faults, &warnings); len(s.Transactions) != 2000 {
			b.Fatal("not all rows were read")
		}
	}
}

func BenchmarkDetect(b *testing.B) {
	var samples [2000]sample
	for i := range samples {
		samples[i] = benchSample(i)
	}
	rows := make([]bankRow, 2000)
	b.ReportAllocs()
	for b.Loop() {
		for i := range rows {
			from := &samples[i]
			rows[i] = bankRow{Transaction: Transaction{
				Day: bankAsOf - 365 + civil.Day(i*365/2000), Credit: from.kind == "CREDIT",
				AmountPaise: int64(100_00 + i*7919%5_000_00),
			}}
			rows[i].clue = readNarration(from.narration)
			rows[i].Channel = rows[i].clue.channel()
		}
		detect(rows)
	}
}

// TestReadStatementAllocations checks that the number of allocations does not
// grow with the number of rows.
//
//nolint:paralleltest // AllocsPerRun counts for the whole process
func TestReadStatementAllocations(t *testing.T) {
	v := benchSummary(t)
	got := testing.AllocsPerRun(10, func() {
		var faults, warnings fault.List
		ReadStatement(v, bankAsOf, &faults, &warnings)
	})
	if got > 16 {
		t.Errorf("%v allocations for 2,000 rows", got)
	}
}
