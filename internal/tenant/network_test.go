package tenant_test

import (
	"net/netip"
	"testing"

	"verdict/internal/tenant"
)

// TestNetwork checks that both notations of an IPv4 address, and all addresses
// of an IPv6 /64 network, count as one client.
func TestNetwork(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]struct{ address, text string }{
		"203.0.113.9":          {"203.0.113.9", "203.0.113.9"},
		"::ffff:203.0.113.9":   {"203.0.113.9", "203.0.113.9"},
		"2001:db8:1:2:3:4:5:6": {"2001:db8:1:2::", "2001:db8:1:2::/64"},
		"2001:db8:1:2:ffff::1": {"2001:db8:1:2::", "2001:db8:1:2::/64"},
		"fe80::1%eth0":         {"fe80::", "fe80::/64"},
	} {
		at, err := netip.ParseAddr(given)
		if err != nil {
			t.Fatal(err)
		}
		if got := tenant.Network(at).String(); got != want.address {
			t.Errorf("%s counts as %s, want %s", given, got, want.address)
		}
		if got := tenant.NetworkText(at); got != want.text {
			t.Errorf("%s is written as %s, want %s", given, got, want.text)
		}
	}
}
