package application

import (
	"errors"
	"strings"
	"testing"

	"verdict/internal/fault"
	"verdict/internal/wire"
)

// refusedWell checks that an error is a rejection with a code and at most
// fault.MaxItems items.
func refusedWell(t *testing.T, err error) {
	t.Helper()
	var refusal *fault.Error
	if !errors.As(err, &refusal) || refusal.Code == "" || len(refusal.Items) > fault.MaxItems {
		t.Fatalf("not a refusal: %v", err)
	}
}

// FuzzOverrides applies arbitrary overrides to an arbitrary body. The result
// must be a rejection or a body that has every override at its path.
func FuzzOverrides(f *testing.F) {
	f.Add([]byte(`{"applicant":{"foir":0.3,"id":"A"},"bureau_report":{"score":700}}`),
		[]byte(`{"applicant.foir":0.4,"bureau_report.score":null,"device.is_rooted":true}`))
	f.Add([]byte(`{"bureau":"x","report":{"x":{"scoreData":{"score":700}}}}`),
		[]byte(`{"report.scoreData.score":750,"report.x.a.b":"c"}`))
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

// same reports whether two scalars are equal. One was copied from the other by
// wire.Writer, so equal values have equal texts.
func same(a, b wire.Value) bool {
	return a.Kind() == b.Kind() && a.Text() == b.Text() && a.IsTrue() == b.IsTrue() &&
		a.Kind() != wire.Object && a.Kind() != wire.Array
}
