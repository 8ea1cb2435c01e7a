package tenant

import "net/netip"

// networkBits is the length of the IPv6 prefix that usually belongs to one
// household or server.
const networkBits = 64

// Network returns the address by which limits count a client. For IPv6 that is
// the address of the network, because one sender can use any number of addresses
// in its network.
func Network(at netip.Addr) netip.Addr {
	at = at.Unmap().WithZone("")
	if at.Is6() {
		network, _ := at.Prefix(networkBits)
		return network.Addr()
	}
	return at
}

// NetworkText returns Network as text: an IPv4 address such as "192.0.2.1", or
// an IPv6 network such as "2001:db8::/64".
func NetworkText(at netip.Addr) string {
	at = Network(at)
	if at.Is6() {
		return netip.PrefixFrom(at, networkBits).String()
	}
	return at.String()
}
