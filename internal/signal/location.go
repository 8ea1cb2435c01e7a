package signal

import (
	"net/netip"
	"slices"

	"verdict/internal/fault"
	"verdict/internal/place"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// Atlas is what Location asks of the tables of places. A function that is nil
// knows nothing.
type Atlas struct {
	// Matches says whether a position lies in a pincode, by the pincode's own
	// radius or, where it is above 0, the one given.
	Matches func(at place.Point, pincode string, radiusMetres int32) (match, known bool)
	// Country is the two-letter code of the country of an address.
	Country func(netip.Addr) (code string, known bool)
}

// Location derives the facts of the location block from its raw facts and
// calls add for each that is known. A member that was not sent derives
// nothing, and neither does a place that the tables do not know: unknown is
// absent, never a guess. risks are the tenant's own, as they stand at the
// moment of the request.
func Location(sent *rule.Facts, cfg LocationConfig, atlas Atlas, risks *PincodeTable, atMicros int64, add func(name string, v rule.Value)) {
	pincode := sent.Get("location.declared_pincode").Text()
	if at, ok := position(sent); ok && isPincode(pincode) && atlas.Matches != nil {
		if match, known := atlas.Matches(at, pincode, cfg.GPSMatchRadiusMetres); known {
			add("location_gps_pincode_match", rule.Bool(match))
		}
	}
	if addr, ok := address(sent.Get("location.ip").Text()); ok && atlas.Country != nil {
		if code, known := atlas.Country(addr); known {
			add("location_ip_country", rule.Str(code))
			if len(cfg.AllowedIPCountries) > 0 {
				add("location_ip_allowed", rule.Bool(slices.Contains(cfg.AllowedIPCountries, code)))
			}
		}
	}
	if isPincode(pincode) {
		risk, score := cfg.DefaultPincodeRisk, cfg.DefaultPincodeRisk.Score()
		if entry, found := risks.Lookup(pincode, atMicros); found {
			risk, score = entry.Risk, entry.Score
		}
		add("location_pincode_risk", rule.Str(string(risk)))
		add("location_pincode_risk_score", rule.Num(score))
	}
	copyBool(sent, "location.permission_denied", "location_permission_denied", add)
}

// KnowsPincode reports whether the atlas knows where a pincode is.
func KnowsPincode(atlas Atlas, pincode string) bool {
	if atlas.Matches == nil {
		return false
	}
	_, known := atlas.Matches(place.Point{}, pincode, 0)
	return known
}

// PrivateAddress reports whether an address is one of a local network or of the
// machine itself, which no table gives a country.
func PrivateAddress(text string) bool {
	addr, ok := address(text)
	return ok && private(addr)
}

// private reports whether an address is not one of the public internet: of a
// local network, a carrier's network, the machine itself, or reserved.
func private(addr netip.Addr) bool {
	return addr.IsPrivate() || addr.IsLoopback() || addr.IsLinkLocalUnicast() || addr.IsUnspecified() || addr.IsMulticast() ||
		slices.ContainsFunc(reserved, func(p netip.Prefix) bool { return p.Contains(addr) })
}

// reserved are "this network", the carriers' own addresses behind which they
// hide many subscribers, and what is kept for the future and for broadcasts.
var reserved = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("240.0.0.0/4"),
}

// position is where the phone says it is; half a position is none.
func position(sent *rule.Facts) (place.Point, bool) {
	lat, lng := sent.Get("location.lat"), sent.Get("location.lng")
	if lat.Type() != rule.NumberType || lng.Type() != rule.NumberType {
		return place.Point{}, false
	}
	// A Number counts millionths, and so does a Point.
	return place.NewPoint(int64(lat.Number()), int64(lng.Number()))
}

// CheckLocation notes what is wrong with the texts of a location block that
// have a form of their own. Types and the ranges of numbers are in the
// catalogue and checked with every other field.
func CheckLocation(block wire.Value, faults *fault.List) {
	checkIP(block.Get("ip"), faults)
	checkPincode(block.Get("declared_pincode"), faults)
}

// CheckFraud notes the same of a fraud block.
func CheckFraud(block wire.Value, faults *fault.List) {
	checkIP(block.Get("ip"), faults)
	checkPincode(block.Get("pincode"), faults)
}

func checkIP(v wire.Value, faults *fault.List) {
	if _, ok := address(v.Text()); !ok && v.Kind() == wire.String {
		faults.Add(v.Pointer(), fault.CodeOutOfRange, "must be an IPv4 or IPv6 address")
	}
}

func checkPincode(v wire.Value, faults *fault.List) {
	if v.Kind() == wire.String && !isPincode(v.Text()) {
		faults.Add(v.Pointer(), fault.CodeOutOfRange, "must be a pincode: six digits, the first not 0")
	}
}

// address reads an internet address. An IPv4 address in IPv6 clothes is the
// IPv4 address, and one with a zone is somebody's local network.
func address(s string) (netip.Addr, bool) {
	addr, err := netip.ParseAddr(s)
	if err != nil || addr.Zone() != "" {
		return netip.Addr{}, false
	}
	return addr.Unmap(), true
}
