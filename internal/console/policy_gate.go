package console

import (
	"verdict/internal/policydesk"
)

// activationOf reads the activation and the acknowledged errors from a form.
// The use case checks whether all errors are acknowledged.
func activationOf(f *form) policydesk.Activation {
	a := policydesk.Activation{
		Note:             f.Value("note"),
		ExpectedActiveID: f.Value("expected_active_id"),
		ExpectedChecksum: f.Value("expected_checksum"),
	}
	for _, key := range f.Values("acknowledge") {
		a.Acknowledge = append(a.Acknowledge, key)
	}
	return a
}
