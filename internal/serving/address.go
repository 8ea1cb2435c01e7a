package serving

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// Clients tells where requests come from. It trusts what proxies in these
// networks say of a client, and nobody else.
type Clients []netip.Prefix

// Address returns where a request comes from, as far as can be trusted: the
// last address that no trusted proxy vouches for. For IPv6 it is the network.
func (c Clients) Address(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	at, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	hops := strings.Split(strings.Join(r.Header["X-Forwarded-For"], ","), ",")
	for i := len(hops) - 1; i >= 0 && c.Trusts(at); i-- {
		next, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		at = next
	}
	at = Network(at)
	if at.Is6() {
		return netip.PrefixFrom(at, networkBits).String()
	}
	return at.String()
}

// Secure reports whether a request came encrypted: to us, or to a trusted
// proxy.
func (c Clients) Secure(r *http.Request) bool {
	if r.TLS != nil {
		return true
	}
	if !strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https") {
		return false
	}
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && c.Trusts(peer.Addr())
}

// Trusts reports whether an address belongs to a trusted proxy.
func (c Clients) Trusts(at netip.Addr) bool {
	at = at.Unmap()
	for _, network := range c {
		if network.Contains(at) {
			return true
		}
	}
	return false
}

// networkBits is the part of an IPv6 address that one household or server has
// to itself.
const networkBits = 64

// Network returns the address that limits count by. For IPv6 it is that of the
// network, because one sender has more addresses than there are limits.
func Network(at netip.Addr) netip.Addr {
	at = at.Unmap().WithZone("")
	if at.Is6() {
		network, _ := at.Prefix(networkBits)
		return network.Addr()
	}
	return at
}
