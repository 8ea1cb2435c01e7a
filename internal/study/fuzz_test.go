package study

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"testing"

	"verdict/internal/fault"
)

// FuzzUnpacked unpacks arbitrary files. Each is returned unchanged,
// decompressed as gzip does, or refused with a fault.
func FuzzUnpacked(f *testing.F) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write([]byte("a,b\n1,2\n")) // writes to memory do not fail
	_ = w.Close()
	f.Add(packed.Bytes(), true)
	f.Add(packed.Bytes()[:packed.Len()-5], false)
	f.Add(append(bytes.Clone(packed.Bytes()), packed.Bytes()...), false)
	f.Add([]byte("a,b\n"), true)
	f.Add([]byte("\x1f"), false)
	f.Fuzz(func(t *testing.T, data []byte, claimed bool) {
		r, err := Unpacked(bytes.NewReader(data), claimed)
		if err != nil {
			refusedWell(t, err)
			return
		}
		const most = 1 << 20
		got, err := io.ReadAll(io.LimitReader(r, most))
		if err != nil {
			refusedWell(t, err)
			return
		}
		if !bytes.HasPrefix(data, []byte("\x1f\x8b")) && !bytes.Equal(got, data[:min(len(data), most)]) {
			t.Errorf("%q became %q", data, got)
		}
	})
}

// refusedWell checks that an error is a refusal that may be shown to a client.
func refusedWell(t *testing.T, err error) {
	t.Helper()
	var refusal *fault.Error
	if !errors.As(err, &refusal) || refusal.Code == "" || len(refusal.Items) > fault.MaxItems {
		t.Fatalf("not a refusal: %v", err)
	}
}
