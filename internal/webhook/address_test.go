package webhook

import (
	"net/netip"
	"testing"
)

// TestForbidden checks addresses at both ends of every forbidden network, and their public
// neighbours.
func TestForbidden(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"0.0.0.0": true, "0.255.255.255": true, "1.0.0.0": false,
		"9.255.255.255": false, "10.0.0.0": true, "10.255.255.255": true, "11.0.0.0": false,
		"100.63.255.255": false, "100.64.0.0": true, "100.127.255.255": true, "100.128.0.0": false,
		"126.255.255.255": false, "127.0.0.1": true, "127.255.255.255": true, "128.0.0.0": false,
		"169.253.255.255": false, "169.254.169.254": true, "169.255.0.0": false,
		"172.15.255.255": false, "172.16.0.0": true, "172.31.255.255": true, "172.32.0.0": false,
		"192.0.0.1": true, "192.0.2.1": true, "192.0.3.0": false, "192.88.99.1": true,
		"192.167.255.255": false, "192.168.0.0": true, "192.168.255.255": true, "192.169.0.0": false,
		"198.17.255.255": false, "198.18.0.0": true, "198.19.255.255": true, "198.20.0.0": false,
		"198.51.100.7": true, "203.0.113.7": true, "223.255.255.255": false, "224.0.0.1": true,
		"239.255.255.255": true, "240.0.0.1": true, "255.255.255.255": true,
		"8.8.8.8": false, "93.184.216.34": false,

		"::": true, "::1": true, "::7f00:1": true, "::ffff:8.8.8.8": true, "::ffff:127.0.0.1": true,
		"64:ff9b::808:808": true, "64:ff9b:1::1": true, "100::1": true,
		"2001::1": true, "2001:1ff:ffff::1": true, "2001:200::1": false, "2001:db8::1": true,
		"2002:7f00:1::1": true, "2003::1": false, "2606:4700:4700::1111": false, "2a00:1450:4009::1": false,
		"3fff::1": true, "3fff:1000::1": false, "4000::1": true, "5f00::1": true, "fc00::1": true, "fd12::1": true,
		"fe80::1": true, "fec0::1": true, "ff02::1": true, "fe80::1%eth0": true, "2606:4700:4700::1111%eth0": true,
	} {
		if got := Forbidden(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
	if !Forbidden(netip.Addr{}) {
		t.Error("no address is permitted")
	}
}
