package feature

import (
	"testing"

	"verdict/internal/report"
)

// benchmarkInputs returns several inputs of the target size, so that the branch
// predictor cannot learn one input.
func benchmarkInputs() (hs [16]*report.History, ss [16]*report.Statement) {
	for i := range hs {
		hs[i], ss[i] = newSource(uint64(i)).large(asOfDays[11])
	}
	return hs, ss
}

func BenchmarkCompute(b *testing.B) {
	hs, ss := benchmarkInputs()
	var v Vector
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		Compute(Catalogue1, hs[i%16], ss[i%16], asOfDays[11], &v)
	}
}

func BenchmarkComputeAndHash(b *testing.B) {
	hs, ss := benchmarkInputs()
	var v Vector
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		Compute(Catalogue1, hs[i%16], ss[i%16], asOfDays[11], &v)
		_ = v.Hash()
	}
}

func BenchmarkEncode(b *testing.B) {
	hs, ss := benchmarkInputs()
	var v Vector
	Compute(Catalogue1, hs[0], ss[0], asOfDays[11], &v)
	var data []byte
	b.ReportAllocs()
	for b.Loop() {
		data = v.Encode(data[:0])
	}
	b.ReportMetric(float64(len(data)), "bytes")
}

func BenchmarkTop(b *testing.B) {
	hs, ss := benchmarkInputs()
	var v Vector
	Compute(Catalogue1, hs[0], ss[0], asOfDays[11], &v)
	for b.Loop() {
		Top(&v, 10, nil)
	}
}

// TestAllocations checks that the number of allocations does not grow with the
// number of features. One allocation is allowed, for the end-of-day balances or
// for the text of the hash.
//
//nolint:paralleltest // AllocsPerRun counts for the whole process
func TestAllocations(t *testing.T) {
	h, s := newSource(1).large(asOfDays[11])
	var v Vector
	data := make([]byte, 0, 64<<10)
	for name, f := range map[string]func(){
		"Compute":   func() { Compute(Catalogue1, h, s, asOfDays[11], &v) },
		"Compute 2": func() { Compute(Catalogue2, h, s, asOfDays[11], &v) },
		"Hash":      func() { _ = v.Hash() },
		"Encode":    func() { data = v.Encode(data[:0]) },
	} {
		if n := testing.AllocsPerRun(100, f); n > 1 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
