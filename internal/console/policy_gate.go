package console

import (
	"slices"

	"verdict/internal/decisioning"
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
func findingKey(f interface{ Write(w *wire.Writer) }) (key, origin string, named bool) {
	var w wire.Writer
	f.Write(&w)
	shown, err := wire.Parse(w.Buf)
	if err != nil {
		return "", "", false
	}
	if key = shown.Get("key").Text(); key != "" {
		return key, shown.Get("origin").Text(), true
	}
	return shown.Get("code").Text() + "@" + shown.Get("pointer").Text(), "", false
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
	keyed := false
	for _, f := range set.Findings {
		_, _, named := findingKey(f)
		keyed = keyed || named
	}
	if keyed {
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
