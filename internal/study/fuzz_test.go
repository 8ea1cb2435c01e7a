package study

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"testing"

	"verdict/internal/fault"
	"verdict/internal/wire"
)

// FuzzBodies reads anybody's bytes as the request of a scorecard fit. What is refused is refused in words;
// nothing else may happen.
func FuzzBodies(f *testing.F) {
	for _, seed := range []string{
		`{"name":"card","label":"bad","csv":"a,b\n1,0\n","features":["a"]}`,
	} {
		f.Add([]byte(seed))
	}
	readers := map[string]func(wire.Value) error{
		"fit": func(v wire.Value) error { _, err := readFit(v, nil); return err },
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := wire.Parse(data)
		if err != nil {
			return
		}
		for name, read := range readers {
			var refusal *fault.Error
			if err := read(v); err != nil && (!errors.As(err, &refusal) || len(refusal.Items) > fault.MaxItems) {
				t.Errorf("%s: not a refusal: %v", name, err)
			}
		}
	})
}

// FuzzBacktestOptions turns anybody's texts into the options of a backtest: a
// refusal, or an object with nothing that was not asked for.
func FuzzBacktestOptions(f *testing.F) {
	f.Add("cibil=score,income=monthly_income", "1, yes", "0.45", "rs_1", `{}`)
	f.Add(`{"a":"b"}`, ",", "1e3", "\xff", `{"csv":"x","map":null}`)
	f.Add("a=b,a=c,=", "", "0x10", `"`, `[]`)
	f.Fuzz(func(t *testing.T, columns, values, number, text, body string) {
		v, err := wire.Parse([]byte(body))
		if err != nil {
			v = wire.Value{}
		}
		given := map[string]string{"map": columns, "bad_values": values, "lgd": number}
		for _, name := range BacktestMembers() {
			if _, taken := given[name]; !taken {
				given[name] = text
			}
		}
		options, err := BacktestOptions(given, v)
		if err != nil {
			refusedWell(t, err)
			return
		}
		for name, text := range given {
			if !options.Get(name).Given() && !(name == "map" && text == "null") {
				t.Errorf("%s was lost: %q", name, text)
			}
		}
		if options.Kind() != wire.Object || options.Len() > len(given)+v.Len() {
			t.Errorf("there is more than was given: %d members", options.Len())
		}
	})
}

// FuzzUnpacked unpacks anybody's file: as it is, as gzip reads it, or refused
// in our words; never more than is read from it.
func FuzzUnpacked(f *testing.F) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write([]byte("a,b\n1,2\n")) // memory does not fail
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

// refusedWell checks that an error is a refusal that a client can be told.
func refusedWell(t *testing.T, err error) {
	t.Helper()
	var refusal *fault.Error
	if !errors.As(err, &refusal) || refusal.Code == "" || len(refusal.Items) > fault.MaxItems {
		t.Fatalf("not a refusal: %v", err)
	}
}
