//go:build !race

package wire_test

import (
	"testing"

	"verdict/internal/wire"
)

// TestAllocations checks that parsing a document needs at most three
// allocations: its text, its nodes and the document itself. The nodes are
// reused after Free. A Writer that reuses a buffer allocates nothing.
//
//nolint:paralleltest // AllocsPerRun counts the allocations of all goroutines.
func TestAllocations(t *testing.T) {
	body := []byte(`{"applicant":{"id":"A-1","monthly_income":85000,"foir":0.32,"requested_amount":600000},
		"bureau_report":{"score":742,"enquiries_6m":2,"active_tradelines":4,"max_dpd_12m":0}}`)
	var buf []byte
	for _, c := range []struct {
		name string
		most float64
		do   func()
	}{
		{"Parse", 3, func() {
			v, err := wire.Parse(body)
			if err != nil {
				t.Fatal(err)
			}
			v.Free()
		}},
		{"Writer", 0, func() {
			w := wire.Writer{Buf: buf[:0]}
			w.Object().Key("a").Int(7).Key("b").String("text").Key("c").Array().Decimal(123456,
				4).EndArray().EndObject()
			buf = w.Buf
		}},
	} {
		if n := testing.AllocsPerRun(100, c.do); n > c.most {
			t.Errorf("%s allocates %v times, at most %v are wanted", c.name, n, c.most)
		}
	}
}
