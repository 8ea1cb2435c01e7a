package console

import (
	"verdict/internal/policydesk"
)

// activationOf returns what a form says of an activation, with the errors that were
// ticked. Whether those are enough is the use case's to say.
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
