package serving

import (
	"net"
	"net/http"
	"net/netip"
	"strings"

	"verdict/internal/tenant"
)

// Clients lists the networks of the trusted proxies. It determines the client address of a request. It trusts
// forwarding headers only if a proxy in one of these networks sent the request.
type Clients []netip.Prefix

// Address returns the client address of a request. It begins with the address of the peer and then reads
// X-Forwarded-For from right to left, as long as the address that it has reached is a trusted proxy. It returns the
// first address that is not a trusted proxy. If an entry is malformed or the header ends before that, it returns the
// last trusted proxy that it has read. For IPv6, it returns the network of the address.
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
	return tenant.NetworkText(at)
}

// Secure reports whether a request was encrypted on its way to this server or
// to a trusted proxy.
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
