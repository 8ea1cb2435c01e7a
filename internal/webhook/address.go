package webhook

import "net/netip"

// Forbidden reports whether the service must not send to an address. It returns true for an address that is not
// on the public internet, such as a private, local or shared address. It also returns true for an address that
// contains another address, such as a mapped or translated address.
func Forbidden(addr netip.Addr) bool {
	if !addr.IsValid() || addr.Zone() != "" {
		return true
	}
	if addr.Is4() {
		return containedIn(addr, forbidden4)
	}
	// Only this part of IPv6 is used for public addresses. It excludes mapped addresses,
	// translated ones (64:ff9b::/96), local ones (fc00::/7, fe80::/10) and multicast.
	return !public6.Contains(addr) || containedIn(addr, forbidden6)
}

func containedIn(addr netip.Addr, prefixes []netip.Prefix) bool {
	for _, p := range prefixes {
		if p.Contains(addr) {
			return true
		}
	}
	return false
}

var public6 = netip.MustParsePrefix("2000::/3")

// forbidden4 and forbidden6 are the special-purpose addresses of the IANA registries.
var (
	forbidden4 = prefixes(
		"0.0.0.0/8",       // this network
		"10.0.0.0/8",      // private
		"100.64.0.0/10",   // shared by the customers of a provider
		"127.0.0.0/8",     // loopback
		"169.254.0.0/16",  // link-local, among them the metadata services of clouds
		"172.16.0.0/12",   // private
		"192.0.0.0/24",    // protocol assignments
		"192.0.2.0/24",    // documentation
		"192.31.196.0/24", // AS112
		"192.52.193.0/24", // tunnels (AMT)
		"192.88.99.0/24",  // relays of 6to4
		"192.168.0.0/16",  // private
		"192.175.48.0/24", // AS112
		"198.18.0.0/15",   // benchmarks
		"198.51.100.0/24", // documentation
		"203.0.113.0/24",  // documentation
		"224.0.0.0/4",     // multicast
		"240.0.0.0/4",     // reserved, and broadcast
	)
	forbidden6 = prefixes(
		"2001::/23",         // protocol assignments, among them Teredo
		"2001:db8::/32",     // documentation
		"2002::/16",         // 6to4
		"2620:4f:8000::/48", // AS112
		"3fff::/20",         // documentation
	)
)

func prefixes(texts ...string) []netip.Prefix {
	list := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		list[i] = netip.MustParsePrefix(text)
	}
	return list
}
