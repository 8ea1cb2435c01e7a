package signal

import (
	"net/netip"
	"slices"

	"verdict/internal/fault"
	"verdict/internal/place"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// Atlas is the set of place lookups that Location needs. If a function is nil,
// its lookup finds nothing.
type Atlas struct {
	// Matches reports whether a position is in a pincode. It uses radiusMetres if
	// that is positive, otherwise the pincode's own radius. known is false if the
	// pincode's position is not known.
	Matches func(at place.Point, pincode string, radiusMetres int32) (match, known bool)
	// Country returns the two-letter country code of an address.
	Country func(netip.Addr) (code string, known bool)
}

// Location derives facts from the raw facts of the location block, and calls add
// for each known fact. A member that was not sent adds no fact, and neither does
// a place that is not in the atlas. risks are the tenant's own entries; a pincode
// without an entry has the configured default risk. atMicros is the time against
// which the expiry of entries is checked.
func Location(
	sent *rule.Facts, cfg LocationConfig, atlas Atlas, risks *PincodeTable, atMicros int64,
	add func(name string, v rule.Value),
) {
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

// KnowsPincode reports whether the atlas has the position of a pincode.
func KnowsPincode(atlas Atlas, pincode string) bool {
	if atlas.Matches == nil {
		return false
	}
	_, known := atlas.Matches(place.Point{}, pincode, 0)
	return known
}

// PrivateAddress reports whether an address is not public. Such an address
// belongs to no country.
func PrivateAddress(text string) bool {
	addr, ok := address(text)
	return ok && private(addr)
}

// private reports whether an address is not public: it belongs to a local
// network, to a carrier's internal network or to the machine itself, or it is a
// multicast, unspecified or reserved address.
func private(addr netip.Addr) bool {
	return addr.IsPrivate() || addr.IsLoopback() || addr.IsLinkLocalUnicast() ||
		addr.IsUnspecified() || addr.IsMulticast() ||
		slices.ContainsFunc(reserved, func(p netip.Prefix) bool { return p.Contains(addr) })
}

// reserved are "this network", the carriers' shared addresses (CGNAT), and the
// range reserved for future use and broadcast.
var reserved = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("240.0.0.0/4"),
}

// position returns the GPS position, and false unless both coordinates were sent
// and are in range.
func position(sent *rule.Facts) (place.Point, bool) {
	lat, lng := sent.Get("location.lat"), sent.Get("location.lng")
	if lat.Type() != rule.NumberType || lng.Type() != rule.NumberType {
		return place.Point{}, false
	}
	// A Number counts millionths, and so does a Point.
	return place.NewPoint(int64(lat.Number()), int64(lng.Number()))
}

// CheckLocation adds faults for an invalid ip or declared_pincode of a location
// block. The types and ranges of numbers are checked elsewhere, against the
// catalogue.
func CheckLocation(block wire.Value, faults *fault.List) {
	checkIP(block.Get("ip"), faults)
	checkPincode(block.Get("declared_pincode"), faults)
}

// CheckFraud adds faults for an invalid ip or pincode of a fraud block.
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

// address parses an IP address. An IPv4-mapped IPv6 address becomes the IPv4
// address. An address with a zone is refused, because it belongs to a local
// network.
func address(s string) (netip.Addr, bool) {
	addr, err := netip.ParseAddr(s)
	if err != nil || addr.Zone() != "" {
		return netip.Addr{}, false
	}
	return addr.Unmap(), true
}
