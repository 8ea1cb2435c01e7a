package decisioning

import (
	"bytes"
	"testing"

	"verdict/internal/wire"
)

// FuzzStoredFacts reads arbitrary bytes as stored facts. Either the bytes are refused, or the facts stay the same
// when they are written and read again.
func FuzzStoredFacts(f *testing.F) {
	f.Add([]byte(`{"foir":0.32,"employment_type":"SALARIED","bureau_is_ntc":false,"applicant.x":1.5}`))
	f.Add([]byte(`{"foir":1e-7,"x":"\ud800"}`))
	f.Fuzz(func(t *testing.T, document []byte) {
		facts, err := ReadFacts(document)
		if err != nil {
			return
		}
		var first, second wire.Writer
		facts.Write(&first)
		again, err := ReadFacts(first.Buf)
		if err != nil {
			t.Fatalf("%v in %s", err, first.Buf)
		}
		if again.Write(&second); !bytes.Equal(first.Buf, second.Buf) {
			t.Fatalf("%s became %s", first.Buf, second.Buf)
		}
	})
}
