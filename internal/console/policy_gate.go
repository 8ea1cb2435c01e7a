package console

import (
	"slices"

	"verdict/internal/decisioning"
	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// codeUnacknowledged refuses to activate a version in live while errors of the
// analysis are not acknowledged.
const codeUnacknowledged = "findings_unacknowledged"

// findingKey returns the name under which a finding is acknowledged, and where
// it comes from. Both are read from the finding as the API shows it.
func findingKey(f *engine.Finding) (key, origin string) {
	var w wire.Writer
	f.Write(&w)
	shown, err := wire.Parse(w.Buf)
	if err != nil {
		return f.Code + "@" + f.Pointer, ""
	}
	if key = shown.Get("key").Text(); key == "" {
		key = f.Code + "@" + f.Pointer
	}
	return key, shown.Get("origin").Text()
}

// activation returns the body of an activation. In live it refuses a draft with
// an error that is not ticked.
func (c *Console) activation(v *visit) (wire.Value, error) {
	set, err := c.service.RuleSet(v.ctx, v.caller(), v.id("id"))
	if err != nil {
		return wire.Value{}, err
	}
	ticked := v.form.Values("acknowledge")
	var faults fault.List
	for _, e := range remarksOn(decisioning.Reading{Findings: set.Findings}).Errors() {
		if v.env == tenant.Live && set.Status == "draft" && !slices.Contains(ticked, e.Key) {
			faults.Add("/acknowledge", fault.CodeRequired, "tick each error, or mend it: this version would decide about real applicants with it")
		}
	}
	if err := faults.Err(); err != nil {
		return wire.Value{}, err
	}
	return v.form.document("note", "expected_active_id", "expected_checksum")
}
