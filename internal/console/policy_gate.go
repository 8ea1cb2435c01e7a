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
// it comes from. Both are read from the finding as the API shows it; named is
// false when the API names no key for it.
func findingKey(f *engine.Finding) (key, origin string, named bool) {
	var w wire.Writer
	f.Write(&w)
	shown, err := wire.Parse(w.Buf)
	if err == nil && shown.Get("key").Text() != "" {
		return shown.Get("key").Text(), shown.Get("origin").Text(), true
	}
	return f.Code + "@" + f.Pointer, "", false
}

// activation returns the body of an activation, with the errors that were
// ticked. Whether those are enough is the use case's to say; where findings
// have no keys to acknowledge them by, a draft with an error that is not ticked
// is refused here.
func (c *Console) activation(v *visit) (wire.Value, error) {
	set, err := c.service.RuleSet(v.ctx, v.caller(), v.id("id"))
	if err != nil {
		return wire.Value{}, err
	}
	var w wire.Writer
	w.Object()
	for _, name := range []string{"note", "expected_active_id", "expected_checksum"} {
		if text := v.form.Value(name); text != "" {
			w.Key(name).String(text)
		}
	}
	ticked := v.form.Values("acknowledge")
	if slices.ContainsFunc(set.Findings, func(f engine.Finding) bool { _, _, named := findingKey(&f); return named }) {
		if len(ticked) > 0 {
			w.Key("acknowledge").Array()
			for _, key := range ticked {
				w.String(key)
			}
			w.EndArray()
		}
		return wire.Parse(w.EndObject().Buf)
	}
	var faults fault.List
	for _, e := range remarksOn(decisioning.Reading{Findings: set.Findings}).Errors() {
		if v.env == tenant.Live && set.Status == "draft" && !slices.Contains(ticked, e.Key) {
			faults.Add("/acknowledge", fault.CodeRequired, "tick each error, or mend it: this version would decide about real applicants with it")
		}
	}
	if err := faults.Err(); err != nil {
		return wire.Value{}, err
	}
	return wire.Parse(w.EndObject().Buf)
}
