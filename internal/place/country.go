package place

import (
	"encoding/binary"
	"net/netip"
	"sort"
)

// Countries is a table of which country an address belongs to. It is immutable
// and made by a Builder or by ReadCountries.
//
// An IPv6 address is told by its first half alone: that is the smallest network
// there is, and a table that divides one says nothing about it.
type Countries struct {
	names []string // two letters each; the first is empty and means unknown
	four  spans[uint32]
	six   spans[uint64]
}

// spans divides the addresses of one family: span i begins at starts[i], ends
// before starts[i+1] and belongs to names[country[i]]. What lies before the
// first belongs to nobody.
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

// Lookup is the country of an address as the two letters of ISO 3166. An IPv4
// address inside an IPv6 one counts as what it is. An address that is nobody's
// in particular (private, loopback, documentation, tunnels) is unknown whatever
// the table says of it.
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

// Spans is the number of stretches of addresses that the table tells apart, of
// IPv4 and of IPv6.
func (c *Countries) Spans() (four, six int) { return len(c.four.starts), len(c.six.starts) }
