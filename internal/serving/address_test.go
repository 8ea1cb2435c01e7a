package serving_test

import (
	"net/http"
	"net/netip"
	"testing"

	"verdict/internal/serving"
)

// FuzzAddress sends arbitrary forwarding headers. It checks that only headers
// from a trusted proxy are used, and that the result is an address or a
// network.
func FuzzAddress(f *testing.F) {
	clients := serving.Clients{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	f.Add("10.0.0.1:80", "203.0.113.9", "https")
	f.Add("203.0.113.9:80", "198.51.100.1, 10.0.0.2", "https")
	f.Add("[fd00::1]:80", "::ffff:10.0.0.9, 2001:db8::1%eth0,,", "HTTPS")
	f.Add("@", "x", "")
	f.Fuzz(func(t *testing.T, remote, forwarded, proto string) {
		r := &http.Request{
			RemoteAddr: remote,
			Header:     http.Header{"X-Forwarded-For": {forwarded}, "X-Forwarded-Proto": {proto}},
		}
		plain := &http.Request{RemoteAddr: remote, Header: http.Header{}}
		peer, err := netip.ParseAddrPort(remote)
		trusted := err == nil && (netip.MustParsePrefix("10.0.0.0/8").Contains(peer.Addr().Unmap()) ||
			netip.MustParsePrefix("fd00::/8").Contains(peer.Addr().Unmap()))
		got := clients.Address(r)
		if err == nil && !trusted && (got != clients.Address(plain) || clients.Secure(r)) {
			t.Errorf("%q was believed %q and %q", remote, forwarded, proto)
		}
		if err == nil {
			if _, noAddress := netip.ParseAddr(got); noAddress != nil {
				if _, noNetwork := netip.ParsePrefix(got); noNetwork != nil {
					t.Errorf("%q with %q is %q", remote, forwarded, got)
				}
			}
		}
	})
}
