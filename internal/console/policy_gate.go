package console

import (
	"verdict/internal/wire"
)

// activation returns the body of an activation, with the errors that were
// ticked. Whether those are enough is the use case's to say.
func (p *policyPages) activation(v *visit) (wire.Value, error) {
	var w wire.Writer
	w.Object()
	for _, name := range []string{"note", "expected_active_id", "expected_checksum"} {
		if text := v.form.Value(name); text != "" {
			w.Key(name).String(text)
		}
	}
	if ticked := v.form.Values("acknowledge"); len(ticked) > 0 {
		w.Key("acknowledge").Array()
		for _, key := range ticked {
			w.String(key)
		}
		w.EndArray()
	}

	return wire.Parse(w.EndObject().Buf)
}
