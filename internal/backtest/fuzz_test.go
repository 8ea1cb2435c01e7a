package backtest

import (
	"bytes"
	"testing"
)

// FuzzDecodePartial: bytes that are no partial are refused, and those that are
// one are read into what writes itself the same way for ever after.
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
