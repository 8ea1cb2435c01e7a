package backtest

import (
	"strings"
	"testing"

	"verdict/internal/sheet"
)

// BenchmarkBlock measures deciding the rows of the synthetic book with the
// default policy and all metrics.
func BenchmarkBlock(b *testing.B) {
	const rows = 20_000
	csv := bookCSV(rows)
	r := newRun(b, csv, Book{}.Setup(), defaultPlan(), nil)
	block, err := sheet.NewReader(strings.NewReader(csv), len(csv)).Next(nil)
	if err != nil || block.Rows != rows {
		b.Fatal(err, block.Rows)
	}
	w := r.NewWorker()
	w.Block(block)
	b.SetBytes(int64(len(block.Data)))
	b.ReportAllocs()
	for b.Loop() {
		w.Block(block)
	}
	b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrows/s")
}
