package document

import (
	"strings"

	"verdict/internal/fault"
	"verdict/internal/privacydesk"
	"verdict/internal/wire"
)

// maxZones limits the number of zones in a request. It is checked before the zones are.
const maxZones = 50

// ReadRetention reads retention periods. The use case checks the values.
func ReadRetention(body wire.Value) (periods []privacydesk.ZonePeriod, err error) {
	var faults fault.List
	f := wire.NewForm(body, &faults)
	if f.Require("zones", "the zones with a retention period; an empty object keeps everything") {
		zones := f.Get("zones")
		switch {
		case zones.Kind() != wire.Object:
			f.Fail("zones", fault.CodeWrongType, "must be an object, but is %s", zones.Kind())
		case zones.Len() > maxZones:
			f.Fail("zones", fault.CodeTooMany, "has more than %d members", maxZones)
		default:
			periods = readPeriods(zones, &faults)
		}
	}
	f.Done()
	return periods, faults.Err()
}

func readPeriods(zones wire.Value, faults *fault.List) (periods []privacydesk.ZonePeriod) {
	for name, v := range zones.Members() {
		if !v.Given() {
			continue // null is the same as leaving the zone out
		}
		z := wire.NewForm(v, faults)
		periods = append(periods, privacydesk.ZonePeriod{
			Zone: strings.Clone(name), Period: text(&z, "period"), Basis: text(&z, "basis"),
		})
		z.Done()
	}
	return periods
}

// WriteRetention writes the retention periods, and how far they were applied.
func WriteRetention(w *wire.Writer, r privacydesk.Retention) {
	w.Object().Key("version").Int(r.Version)
	optionalTime(w, "updated_at", r.UpdatedMicros)
	optional(w, "updated_by", r.UpdatedBy)
	w.Key("zones").Object()
	for _, z := range r.Zones {
		w.Key(z.Zone).Object()
		orNull(w, "period", z.Period)
		orNull(w, "basis", z.Basis)
		optionalTime(w, "applies_from", z.AppliesMicros)
		if z.DueKnown {
			w.Key("due").Int(z.Due).Key("due_is_minimum").Bool(z.DueMore)
		}
		w.Key("documents_erased").Int(z.Emptied)
		timeOrNull(w, "erased_before", z.EmptiedBeforeMicros)
		timeOrNull(w, "applied_at", z.AppliedMicros)
		w.EndObject()
	}
	w.EndObject().EndObject()
}
