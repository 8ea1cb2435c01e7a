package console

import (
	"strings"

	"verdict/internal/policydesk"
)

// activationOf returns what a form says of an activation, with the errors that were
// ticked. Whether those are enough is the use case's to say.
func activationOf(f *form) policydesk.Activation {
	a := policydesk.Activation{
		Note:             f.text("note"),
		ExpectedActiveID: f.text("expected_active_id"),
		ExpectedChecksum: f.text("expected_checksum"),
	}
	for _, key := range f.Values("acknowledge") {
		a.Acknowledge = append(a.Acknowledge, strings.ToValidUTF8(key, "\uFFFD"))
	}
	return a
}
