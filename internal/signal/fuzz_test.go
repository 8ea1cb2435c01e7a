package signal

import (
	"bytes"
	"net/netip"
	"strings"
	"testing"
	"unicode/utf8"

	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/place"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// FuzzObserve observes arbitrary spellings of entities. Normalising a normalised value must not change it, except for
// an IP network. The display text must not contain the whole value, except for a pincode or an agent.
func FuzzObserve(f *testing.F) {
	f.Add("560001", "103.21.58.1", "0001-1122 2333", "AG-7", "+91 98765 43210", " Asha@Example.in ")
	f.Add("", "::ffff:1.2.3.4", "ǅŉ", " ", "12", "\xff@")
	f.Add("056000", "2001:db8::1%eth0", "•••", "a", "", "İ@x")
	f.Fuzz(func(t *testing.T, pincode, ip, account, agent, mobile, email string) {
		sent := rule.NewFacts(field.Catalogue())
		texts := map[string]string{
			"fraud.applicant_ref": "A-1", "fraud.pincode": pincode, "fraud.ip": ip,
			"fraud.beneficiary_account": account, "fraud.agent_id": agent, "fraud.mobile": mobile, "fraud.email": email,
			"device.device_id": agent,
		}
		for name, text := range texts {
			if !utf8.ValidString(text) {
				return // no request contains such a text
			}
			sent.Set(name, rule.Str(text))
		}
		normal := map[string]string{}
		o := Observe(sent, func(kind, value string) string {
			normal[kind] = value
			return kind + ":" + value
		})
		for _, s := range sources {
			value, seen := normal[s.kind]
			if !seen {
				continue
			}
			if again, flaw := s.normal(value); (again != value || flaw != usable) && s.kind != KindIP {
				t.Errorf("%s: %q is %q when it is understood again: %s", s.kind, value, again, flaw.text())
			}
		}
		for _, e := range o.Entities {
			if secret := normal[e.Kind]; e.Kind != KindPincode && e.Kind != KindAgent && strings.Contains(e.Display,
				secret) {
				t.Errorf("%s shows all of %q: %s", e.Kind, secret, e.Display)
			}
		}
	})
}

// FuzzBlocks derives facts from arbitrary device and location blocks. The facts
// must be in the catalogue, and a second run must give the same facts.
func FuzzBlocks(f *testing.F) {
	f.Add(
		[]byte(
			`{"device":{"is_rooted":true,"sim_age_days":3},"location":{"lat":12.97,"lng":77.59,"ip":"8.8.8.8",
				"declared_pincode":"560001","permission_denied":false}}`))
	f.Add(
		[]byte(
			`{
				"location":{"lat":91,"lng":-181,"ip":"::","declared_pincode":"000000"},
				"device":{"sim_age_days":1e12,"loan_apps_installed_count":-1}
			}`))
	atlas := Atlas{
		Matches: func(place.Point, string, int32) (bool, bool) { return true, true },
		Country: func(a netip.Addr) (string, bool) { return "IN", a.Is4() },
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := wire.Parse(data)
		if err != nil {
			return
		}
		var faults fault.List
		CheckLocation(v.Get("location"), &faults)
		CheckFraud(v.Get("fraud"), &faults)
		for _, text := range []wire.Value{v.Get("location").Get("ip"), v.Get("location").Get("declared_pincode")} {
			if err := faults.Err(); err != nil && text.Len() > 7 && strings.Contains(err.Error(), text.Text()) {
				t.Errorf("%v repeats what was sent", err)
			}
		}
		sent := rule.NewFacts(field.Catalogue())
		for _, block := range []string{"device", "location"} {
			for name, member := range v.Get(block).Members() {
				switch member.Kind() {
				case wire.Bool:
					sent.Set(block+"."+name, rule.Bool(member.IsTrue()))
				case wire.String:
					sent.Set(block+"."+name, rule.Str(member.Text()))
				case wire.Number:
					if n, _, ok := rule.ParseNumber(member.Text()); ok {
						sent.Set(block+"."+name, rule.Num(n))
					}
				default:
				}
			}
		}
		derive := func() []byte {
			facts := rule.NewFacts(field.Catalogue())
			c := DefaultConfig()
			Device(sent, c.Device, facts.Set)
			Location(sent, c.Location, atlas, nil, 0, facts.Set)
			var w wire.Writer
			facts.Write(&w)
			return w.Buf
		}
		if first, second := derive(), derive(); !bytes.Equal(first, second) {
			t.Errorf("%s and then %s", first, second)
		}
		if risk := sent.Get("location.declared_pincode"); risk.Type() == rule.Absent && bytes.Contains(derive(),
			[]byte("pincode_risk")) {
			t.Errorf("a risk without a pincode: %s", derive())
		}
	})
}
