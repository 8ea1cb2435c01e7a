package decisioning

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"verdict/internal/fault"
	"verdict/internal/wire"
)

// refusedWell checks that an error is a refusal that a client can be told.
func refusedWell(t *testing.T, err error) {
	t.Helper()
	var refusal *fault.Error
	if !errors.As(err, &refusal) || refusal.Code == "" || len(refusal.Items) > fault.MaxItems {
		t.Fatalf("not a refusal: %v", err)
	}
}

// FuzzOverrides previews anybody's body with anybody's changes: a refusal, or a
// body in which every change stands at its place.
func FuzzOverrides(f *testing.F) {
	f.Add([]byte(`{"applicant":{"foir":0.3,"id":"A"},"bureau_report":{"score":700}}`), []byte(`{"applicant.foir":0.4,"bureau_report.score":null,"device.is_rooted":true}`))
	f.Add([]byte(`{"bureau":"x","report":{"x":{"scoreData":{"score":700}}}}`), []byte(`{"report.scoreData.score":750,"report.x.a.b":"c"}`))
	f.Add([]byte(`{"applicant":7}`), []byte(`{"applicant.a":1,"applicant.a.b":2,"fraud..x":3,"purpose":"x"}`))
	f.Fuzz(func(t *testing.T, body, overrides []byte) {
		b, err := wire.Parse(body)
		if err != nil {
			return
		}
		o, err := wire.Parse(overrides)
		if err != nil || o.Kind() != wire.Object {
			return
		}
		changed, err := overridden(b, o)
		if err != nil {
			refusedWell(t, err)
			return
		}
		for path, want := range o.Members() {
			got := changed
			parts := strings.Split(path, ".")
			if bureau, ok := onlyKey(b.Get("report")); parts[0] == "report" && ok && parts[1] != bureau {
				parts = append([]string{"report", bureau}, parts[1:]...)
			}
			for _, name := range parts {
				got = got.Get(name)
			}
			if got.Given() != want.Given() || want.Given() && !same(got, want) {
				t.Errorf("%s is %v in %s with %s", path, got.Text(), body, overrides)
			}
		}
	})
}

// FuzzBodies reads anybody's bytes as the small documents that a decision's use cases take. What is refused is refused in words;
// nothing else may happen.
func FuzzBodies(f *testing.F) {
	for _, seed := range []string{
		`{"rule_set_id":"rs_1","overrides":{},"compare":true}`,
	} {
		f.Add([]byte(seed))
	}
	readers := map[string]func(wire.Value) error{
		"what-if": func(v wire.Value) error { _, err := readWhatIf(v); return err },
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

// FuzzStoredFacts reads facts as they are stored: refused, or written back as
// what reads the same again.
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
