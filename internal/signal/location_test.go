package signal

import (
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/fault"
	"verdict/internal/place"
	"verdict/internal/rule"
)

// testAtlas has one pincode, with a radius of 10 km, and two countries.
var testAtlas = Atlas{
	Matches: func(at place.Point, pincode string, radiusMetres int32) (match, known bool) {
		if radiusMetres == 0 {
			radiusMetres = 10_000
		}
		fort := place.Point{Lat: 18_938_800, Lng: 72_835_500}
		return place.DistanceMetres(at, fort) <= int64(radiusMetres), pincode == "400001"
	},
	Country: func(addr netip.Addr) (string, bool) {
		switch {
		case netip.MustParsePrefix("49.32.0.0/13").Contains(addr),
			netip.MustParsePrefix("2405:200::/32").Contains(addr):
			return "IN", true
		case netip.MustParsePrefix("8.8.8.0/24").Contains(addr):
			return "US", true
		}
		return "", false
	},
}

func TestLocation(t *testing.T) {
	t.Parallel()
	const low = `location_pincode_risk "LOW"; location_pincode_risk_score 20`
	for _, c := range []struct{ name, block, want string }{
		{"nothing", `{}`, ``},
		{"in the pincode", `{"lat":18.94,"lng":72.83,"declared_pincode":"400001"}`,
			`location_gps_pincode_match true; ` + low},
		{"in Delhi", `{"lat":28.63,"lng":77.22,"declared_pincode":"400001"}`,
			`location_gps_pincode_match false; ` + low},
		{"a pincode in no table", `{"lat":28.63,"lng":77.22,"declared_pincode":"999999"}`, low},
		{"a position alone", `{"lat":18.94,"lng":72.83}`, ``},
		{"half a position", `{"lat":18.94,"declared_pincode":"400001"}`, low},
		{"an address here", `{"ip":"49.36.1.2"}`, `location_ip_country "IN"; location_ip_allowed true`},
		{"the same in IPv6 clothes", `{"ip":"::ffff:49.36.1.2"}`, `location_ip_country "IN"; location_ip_allowed true`},
		{"an IPv6 address", `{"ip":"2405:200::1"}`, `location_ip_country "IN"; location_ip_allowed true`},
		{"an address elsewhere", `{"ip":"8.8.8.8"}`, `location_ip_country "US"; location_ip_allowed false`},
		{"an address of no country", `{"ip":"10.0.0.1"}`, ``},
		{"a pincode with an entry", `{"declared_pincode":"400070"}`,
			`location_pincode_risk "HIGH"; location_pincode_risk_score 80`},
		{"permission refused", `{"permission_denied":true}`, `location_permission_denied true`},
		{"permission given", `{"permission_denied":false}`, `location_permission_denied false`},
	} {
		risks := NewPincodeTable([]PincodeRisk{{Pincode: "40007", Risk: RiskHigh, Score: rule.Int(80)}})
		got := derivedText(t, func(add func(string, rule.Value)) {
			Location(sentFacts(t, `{"location":`+c.block+`}`), DefaultConfig().Location, testAtlas, risks, 0, add)
		})
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestLocationThresholdsAreTheTenants(t *testing.T) {
	t.Parallel()
	sent := sentFacts(t, `{"location":{"lat":18.94,"lng":72.83,"declared_pincode":"400001","ip":"8.8.8.8"}}`)
	for _, c := range []struct {
		name, want string
		cfg        LocationConfig
		atlas      Atlas
	}{
		{
			"a narrow circle, and another country",
			`location_gps_pincode_match false; location_ip_country "US"; location_ip_allowed true; ` +
				`location_pincode_risk "BLOCKED"; location_pincode_risk_score 100`,
			LocationConfig{
				GPSMatchRadiusMetres: 100,
				AllowedIPCountries:   []string{"IN", "US"},
				DefaultPincodeRisk:   RiskBlocked,
			},
			testAtlas,
		},
		{
			"no difference between countries",
			`location_gps_pincode_match true; location_ip_country "US"; ` +
				`location_pincode_risk "MEDIUM"; location_pincode_risk_score 50`,
			LocationConfig{DefaultPincodeRisk: RiskMedium},
			testAtlas,
		},
		{
			"no tables",
			`location_pincode_risk "LOW"; location_pincode_risk_score 20`,
			DefaultConfig().Location,
			Atlas{},
		},
	} {
		got := derivedText(t, func(add func(string, rule.Value)) { Location(sent, c.cfg, c.atlas, nil, 0, add) })
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// TestLocationWithTheRealTables checks with the real tables that a point in
// Mumbai matches pincode 400001 and a point in Delhi does not.
func TestLocationWithTheRealTables(t *testing.T) {
	t.Parallel()
	atlas := Atlas{Matches: place.Matches, Country: place.Country}
	for block, want := range map[string]string{
		`{"lat":18.9388,"lng":72.8355,"declared_pincode":"400001"}`: "true",
		`{"lat":28.6315,"lng":77.2167,"declared_pincode":"400001"}`: "false",
	} {
		got := ""
		Location(sentFacts(t, `{"location":`+block+`}`), DefaultConfig().Location, atlas, nil, 0,
			func(name string, v rule.Value) {
				if name == "location_gps_pincode_match" {
					got = v.String()
				}
			})
		if got != want {
			t.Errorf("%s: got %s", block, got)
		}
	}
}

func TestChecks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		ip, pincode string
		want        []string
	}{
		{`null`, `null`, nil},
		{`"49.36.1.2"`, `"400001"`, nil},
		{`"2405:200::1"`, `"999999"`, nil},
		{`"49.36.1.256"`, `"4000"`, []string{"/ip", "/pincode"}},
		{`"49.36.1.2:80"`, `"012345"`, []string{"/ip", "/pincode"}},
		{`"fe80::1%eth0"`, `"4000011"`, []string{"/ip", "/pincode"}},
		{`""`, `""`, []string{"/ip", "/pincode"}},
		{`"example.in"`, `"40000१"`, []string{"/ip", "/pincode"}},
		{`1`, `400001`, nil}, // the wrong type is reported by the type check
	} {
		var location, fraud fault.List
		CheckLocation(parse(t, `{"ip":`+c.ip+`,"declared_pincode":`+c.pincode+`}`), &location)
		CheckFraud(parse(t, `{"ip":`+c.ip+`,"pincode":`+c.pincode+`}`), &fraud)
		var got []string
		for _, item := range fraud.Items() {
			got = append(got, item.Pointer)
		}
		if diff := cmp.Diff(c.want, got); diff != "" || location.Len() != fraud.Len() {
			t.Errorf("%s, %s: %d and %s", c.ip, c.pincode, location.Len(), diff)
		}
	}
}
