package frauddesk

import (
	"errors"
	"strings"
	"testing"
	"time"

	"verdict/internal/fault"
	"verdict/internal/wire"
)

// FuzzBlockedCursor reads anybody's place in the block list: it is refused, or is the
// entity that it says.
func FuzzBlockedCursor(f *testing.F) {
	f.Add("2026-11-15T06:00:00.000Z ip 00ff")
	f.Add("2026-11-15T06:00:00Z ip")
	f.Add("x")
	f.Fuzz(func(t *testing.T, place string) {
		b, err := readBlockedCursor(place)
		var refusal *fault.Error
		switch {
		case err != nil && (!errors.As(err, &refusal) || refusal.Code != fault.CodeInvalidCursor):
			t.Errorf("not a refusal: %v", err)
		case err == nil && !strings.HasSuffix(place, " "+b.Entity.Kind+" "+b.Entity.Key):
			t.Errorf("%q leads to %+v", place, b)
		}
	})
}

// FuzzBodies reads anybody's bytes as the documents about fraud that a use case takes or that
// storage holds. What is refused is refused in words;
// nothing else may happen.
func FuzzBodies(f *testing.F) {
	for _, seed := range []string{
		`{"status":"closed","resolution":"confirmed_fraud","note":"x"}`,
		`[{"key":"k","display":"d"}]`,
	} {
		f.Add([]byte(seed))
	}
	readers := map[string]func(wire.Value) error{
		"move": func(v wire.Value) error { _, err := readMove(v, time.Unix(1_794_700_000, 0)); return err },
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if accounts, err := readAccounts(data); err == nil && len(accounts) > len(data) {
			t.Errorf("%d accounts in %d bytes", len(accounts), len(data))
		}
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
