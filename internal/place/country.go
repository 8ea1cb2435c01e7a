package place

import (
	"encoding/binary"
	"net/netip"
	"sort"
)

// Countries maps IP addresses to countries. It is immutable and is made by a Builder
// or by ReadCountries.
//
// IPv6 addresses are looked up by their first 64 bits, the smallest usual network. A
// /64 network that the source divides has no known country.
type Countries struct {
	names []string // two letters each; the first is empty and means unknown
	four  spans[uint32]
	six   spans[uint64]
}

// spans divides the addresses of one family: span i begins at starts[i], ends
// before starts[i+1] and belongs to names[country[i]]. Addresses before the
// first span have no known country.
type spans[A uint32 | uint64] struct {
	starts  []A
	country []uint8
}

func (s *spans[A]) lookup(address A) uint8 {
	after := sort.Search(len(s.starts), func(i int) bool { return s.starts[i] > address })
	if after == 0 {
		return 0
	}
	return s.country[after-1]
}

// Lookup returns the country of an address as two letters of ISO 3166. ok is
// false if the country is unknown. An IPv4-mapped IPv6 address is looked up as
// IPv4. Special-purpose addresses (private, loopback, documentation, tunnels)
// have no country, whatever the table says.
func (c *Countries) Lookup(address netip.Addr) (iso string, ok bool) {
	address = address.Unmap().WithZone("")
	if !address.IsValid() || special(address) {
		return "", false
	}
	var index uint8
	if address.Is4() {
		octets := address.As4()
		index = c.four.lookup(binary.BigEndian.Uint32(octets[:]))
	} else {
		octets := address.As16()
		index = c.six.lookup(binary.BigEndian.Uint64(octets[:8]))
	}
	return c.names[index], index != 0
}

// Spans returns the number of spans in the table, of IPv4 and of IPv6.
func (c *Countries) Spans() (four, six int) { return len(c.four.starts), len(c.six.starts) }
