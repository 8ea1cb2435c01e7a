package mmdb

import (
	"encoding/binary"
	"maps"
	"net/netip"
	"slices"
)

// network is one network of a test database and its record.
type network struct {
	prefix string
	record any
}

// database returns a small MaxMind DB according to the specification. Its parts
// are a binary tree over 128 bits (with records of 24 bits), then sixteen zero
// bytes, then the data, then the metadata. IPv4 networks are below ::/96.
func database(networks ...network) []byte {
	const nobody = -1 << 30
	type node [2]int // the number of a node, ^offset of the data, or nobody
	tree := []node{{nobody, nobody}}
	var data []byte
	for _, n := range networks {
		prefix := netip.MustParsePrefix(n.prefix)
		bits, octets := prefix.Bits(), prefix.Addr().As16()
		if prefix.Addr().Is4() {
			bits += 96
			four := prefix.Addr().As4()
			octets = [16]byte{}
			copy(octets[12:], four[:])
		}
		at := 0
		for bit := range bits {
			side := octets[bit/8] >> (7 - bit%8) & 1
			if bit == bits-1 {
				tree[at][side] = ^len(data)
				break
			}
			if tree[at][side] == nobody {
				tree[at][side] = len(tree)
				tree = append(tree, node{nobody, nobody})
			}
			at = tree[at][side]
		}
		data = appendValue(data, n.record)
	}
	var out []byte
	for _, n := range tree {
		for _, to := range n {
			value := to
			switch {
			case to == nobody:
				value = len(tree)
			case to < 0:
				value = len(tree) + 16 + ^to
			}
			out = append(out, byte(value>>16), byte(value>>8), byte(value))
		}
	}
	out = append(out, make([]byte, 16)...)
	out = append(out, data...)
	out = append(out, "\xab\xcd\xefMaxMind.com"...)
	return appendValue(out, map[string]any{
		"binary_format_major_version": uint16(2),
		"binary_format_minor_version": uint16(0),
		"build_epoch":                 uint64(1_767_312_000), // 2026-01-02
		"database_type":               "Test-Country",
		"description":                 map[string]any{"en": "test"},
		"ip_version":                  uint16(6),
		"languages":                   []string{},
		"node_count":                  uint32(len(tree)),
		"record_size":                 uint16(24),
	})
}

// appendValue appends a value of the data section: a byte with type and size
// (all sizes here are below 29), then the value.
func appendValue(b []byte, value any) []byte {
	switch v := value.(type) {
	case string:
		return append(append(b, 2<<5|byte(len(v))), v...)
	case uint16:
		return binary.BigEndian.AppendUint16(append(b, 5<<5|2), v)
	case uint32:
		return binary.BigEndian.AppendUint32(append(b, 6<<5|4), v)
	case uint64:
		return binary.BigEndian.AppendUint64(append(b, 8, 9-7), v)
	case []string:
		return append(b, byte(len(v)), 11-7)
	case map[string]any:
		b = append(b, 7<<5|byte(len(v)))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			b = appendValue(appendValue(b, key), v[key])
		}
		return b
	default:
		panic("a value that the test writer does not know")
	}
}
