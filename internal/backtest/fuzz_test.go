package backtest

import (
	"bytes"
	"testing"
)

// FuzzDecodePartial checks that invalid bytes are rejected, and that valid
// bytes decode to a partial that always encodes to the same bytes.
func FuzzDecodePartial(f *testing.F) {
	csv := wideCSV(120)
	r := newRun(f, csv, wideSetup(), defaultPlan(), stricter(f))
	whole := merged(f, r, csv).Append(nil)
	f.Add(whole)
	f.Add(NewPartial().Append(nil))
	f.Add(whole[:len(whole)/2])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := DecodePartial(data)
		if err != nil {
			return
		}
		written := p.Append(nil)
		q, err := DecodePartial(written)
		if err != nil {
			t.Fatal(err)
		}
		if again := q.Append(nil); !bytes.Equal(again, written) {
			t.Fatal("written twice, it differs")
		}
	})
}
