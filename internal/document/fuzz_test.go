package document_test

import (
	"errors"
	"testing"
	"time"

	"verdict/internal/document"
	"verdict/internal/fault"
	"verdict/internal/wire"
)

// FuzzBodies reads anybody's bytes as each request. What is refused is refused as a
// fault with a bounded number of items; nothing else may happen.
func FuzzBodies(f *testing.F) {
	for _, seed := range []string{
		`{"status":"closed","resolution":"confirmed_fraud","note":"x","block":[{"kind":"ip","key":"k"}]}`,
		`{"kind":"ip","value":"203.0.113.7","reason":"x","expires_at":"2027-01-31T18:30:00Z"}`,
		`{"entries":[{"pincode":"400001","risk":"HIGH"}],"replace":true}`,
		`{"fraud":{"ring":{"enabled":false}}}`,
		`{"outcome":"approve","note":"x"}`,
		`{"comment":"x","effective_from":"2026-11-15T00:00:00Z"}`,
		`{"note":"x","acknowledge":["code@/knockouts/KO_A",7]}`,
		`{"op":"eq","field":"foir","value":1}`,
	} {
		f.Add([]byte(seed))
	}
	now := time.Unix(1_794_700_000, 0)
	readers := map[string]func(wire.Value) error{
		"move":       func(v wire.Value) error { _, err := document.ReadAlertMove(v, now); return err },
		"block":      func(v wire.Value) error { _, err := document.ReadBlock(v, now); return err },
		"pincodes":   func(v wire.Value) error { _, err := document.ReadPincodeRisks(v); return err },
		"review":     func(v wire.Value) error { _, err := document.ReadReview(v); return err },
		"condition":  func(v wire.Value) error { _, _, err := document.CheckCondition(v, v, 2, true); return err },
		"activation": func(v wire.Value) error { _, err := document.ReadActivation(v); return err },
		"patch":      func(v wire.Value) error { _, err := document.ReadConfigPatch(v); return err },
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
