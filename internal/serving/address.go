package serving

import (
	"net"
	"net/http"
	"net/netip"
	"strings"

	"verdict/internal/tenant"
)

// Clients determines the client addresses of requests. It trusts the forwarding
// headers of proxies in these networks, and of no other sender.
type Clients []netip.Prefix

// Address returns the client address of a request. If the peer is a trusted
// proxy, that is the last address in X-Forwarded-For that is not a trusted
// proxy; otherwise it is the address of the peer. If there is no such address, or
// an entry behind it is malformed, Address returns the address of the outermost
// trusted proxy it could read. For IPv6, it returns the network.
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
