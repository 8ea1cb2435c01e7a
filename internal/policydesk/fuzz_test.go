package policydesk

import (
	"errors"
	"testing"

	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/wire"
)

// FuzzBodies reads anybody's bytes as the documents about policies and scorecards that a use case
// takes. What is refused is refused in words;
// nothing else may happen.
func FuzzBodies(f *testing.F) {
	for _, seed := range []string{
		`{"name":"x","base_points":600,"factors":[]}`,
		`{"inputs":[{"foir":0.3}]}`,
		`{"inputs":{"foir":0.3}}`,
	} {
		f.Add([]byte(seed))
	}
	readers := map[string]func(wire.Value) error{
		"scorecard": func(v wire.Value) error { _, err := readNamed(v); return err },
		"inputs":    func(v wire.Value) error { _, _, err := readInputs(v, &engine.Scorecard{}); return err },
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
