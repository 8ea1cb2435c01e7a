package application

import (
	"strings"

	"verdict/internal/fault"
	"verdict/internal/rule"
	"verdict/internal/signal"
	"verdict/internal/wire"
)

// places checks the fraud and location blocks, and derives facts from the device
// and location blocks.
func (r *reader) places(v wire.Value) {
	s := r.opt.Signals
	if s == nil {
		s = defaultSignals()
	}
	if block := v.Get(memberFraud); block.Kind() == wire.Object {
		signal.CheckFraud(block, &r.faults)
		warnUncounted(block, r.app.Facts, &r.warnings)
	} else if hasOtherFraud(v) {
		r.warnings.Add("/"+memberFraud, fault.CodeApplicantRefMissing,
			"is missing, so the primary applicant is not counted, and is not known to have applied together with "+
				"the other people; send fraud with applicant_ref")
	} else if id := v.Get("device").Get("device_id"); id.Given() {
		r.warnings.Add(id.Pointer(), fault.CodeNotRead,
			"is counted and looked up in the block list only if a fraud block is sent; send fraud with "+
				"applicant_ref, the person's reference")
	}
	if block := v.Get("device"); block.Kind() == wire.Object {
		r.app.Device = &signal.Block{}
		signal.Device(r.app.Facts, s.Config.Device, r.into(r.app.Device))
	}
	if block := v.Get("location"); block.Kind() == wire.Object {
		before := r.faults.Len()
		signal.CheckLocation(block, &r.faults)
		if r.faults.Len() == before {
			r.app.Location = &signal.Block{}
			signal.Location(r.app.Facts, s.Config.Location, s.Atlas, s.Risks, s.AtMicros, r.into(r.app.Location))
			warnUnderived(block, r.app.Facts, s.Atlas, &r.warnings)
		}
	}
}

// into returns a function that adds a derived fact to the facts and to b, which
// the response shows.
func (r *reader) into(b *signal.Block) func(string, rule.Value) {
	return func(name string, v rule.Value) {
		b.Add(name, v)
		r.derived(name, v)
	}
}

// warnUncounted warns about a missing applicant_ref, and about values in the fraud
// and device blocks that do not identify anybody, such as placeholders.
func warnUncounted(block wire.Value, facts *rule.Facts, warnings *fault.List) {
	if signal.ApplicantRef(facts) == "" {
		problem := "is missing"
		if strings.TrimSpace(block.Get("applicant_ref").Text()) != "" {
			problem = "is a placeholder that different applicants would share"
		}
		warnings.Add("/"+memberFraud+"/applicant_ref", fault.CodeApplicantRefMissing,
			"%s, so nothing was counted: of the fraud facts only fraud_blocklisted is known; "+
				"send the person's reference, the same in all of their applications", problem)
	}
	for _, f := range signal.Unusable(facts) {
		code := fault.CodeIdentifierNotCounted
		if f.Private {
			code = fault.CodeNotDerived
		}
		warnings.Add("/"+strings.ReplaceAll(f.Fact, ".", "/"), code, "%s", f.Text)
	}
}

// warnUnderived warns about members of a location from which no fact could be
// derived.
func warnUnderived(block wire.Value, facts *rule.Facts, atlas signal.Atlas, warnings *fault.List) {
	lat, lng, pincode, ip := block.Get("lat"), block.Get("lng"), block.Get("declared_pincode"), block.Get("ip")
	absent := func(name string) bool { return facts.Get(name).Type() == rule.Absent }
	note := func(v wire.Value, text string) { warnings.Add(v.Pointer(), fault.CodeNotDerived, "%s", text) }
	switch {
	case lat.Given() && !lng.Given():
		note(lat, "was sent without lng: there is no position, and nothing was derived from it")
	case lng.Given() && !lat.Given():
		note(lng, "was sent without lat: there is no position, and nothing was derived from it")
	case lat.Given() && !pincode.Given():
		note(lat, "was sent without declared_pincode: the position could not be compared, and nothing was derived "+
			"from it; send declared_pincode")
	}
	if pincode.Given() && absent("location_gps_pincode_match") && !signal.KnowsPincode(atlas, pincode.Text()) {
		note(pincode, "is not in the table of pincodes: the position could not be compared with it")
	}
	if ip.Given() && absent("location_ip_country") {
		if signal.PrivateAddress(ip.Text()) {
			note(ip, "is a private address, which belongs to no country: nothing was derived from it; "+
				"send the applicant's public address")
		} else {
			note(ip, "is not in the table of addresses: no country was derived from it")
		}
	}
}
