package mmdb

import (
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/place"
)

func TestRead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		record func(iso string) any
	}{
		{"MaxMind", func(iso string) any { return map[string]any{"country": map[string]any{"iso_code": iso}} }},
		{"country_code", func(iso string) any { return map[string]any{"country_code": iso, "country": "a name"} }},
		{"country", func(iso string) any { return map[string]any{"country": iso} }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			table, source, err := Read(database(
				network{"8.8.8.0/24", c.record("US")},
				network{"117.192.0.0/10", c.record("IN")},
				network{"192.168.0.0/16", c.record("DE")},
				network{"212.0.0.0/8", c.record("UK")},
				network{"213.0.0.0/8", c.record("EU")},
				network{"214.0.0.0/8", map[string]any{"asn": "AS1"}},
				network{"2409:4000::/22", c.record("IN")},
			))
			if err != nil {
				t.Fatal(err)
			}
			for address, want := range map[string]string{
				"8.8.8.8": "US", "2002:808:808::": "", "::ffff:8.8.8.255": "US", "8.8.9.0": "", "117.255.255.255": "IN",
				"117.192.0.0": "IN", "117.191.255.255": "", "192.168.1.1": "", "212.1.1.1": "GB", "213.1.1.1": "",
				"214.1.1.1": "", "2409:43ff::1": "IN", "2409:4400::1": "",
			} {
				if got, _ := table.Lookup(netip.MustParseAddr(address)); got != want {
					t.Errorf("%s is in %q, want %q", address, got, want)
				}
			}
			source.SHA256 = ""
			want := place.Source{
				Table: "countries of addresses", Title: "Test-Country", Date: "2026-01-02",
				Licence: "as agreed between its publisher and the operator",
			}
			if diff := cmp.Diff(want, source); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	good := database(network{"8.8.8.0/24", map[string]any{"country_code": "US"}})
	for name, data := range map[string][]byte{
		"nothing":         {},
		"something else":  []byte("PK\x03\x04 not a MaxMind DB"),
		"no country":      database(network{"8.8.8.0/24", map[string]any{"asn": "AS15169"}}),
		"no network":      database(),
		"the beginning":   good[:len(good)/2],
		"without its end": good[:len(good)-30],
		"wrong type":      database(network{"8.8.8.0/24", map[string]any{"country_code": map[string]any{}}}),
	} {
		if table, _, err := Read(data); err == nil || table != nil {
			t.Errorf("%s is taken for a table", name)
		}
	}
}

// TestReadRefusesATreeThatMeetsItself checks that a small file is refused if both
// children of every node are the same node. Visiting all paths of such a tree
// would never end in practice.
func TestReadRefusesATreeThatMeetsItself(t *testing.T) {
	t.Parallel()
	data := database(network{"2409:4000::/100", map[string]any{"country_code": "IN"}})
	for node := 0; node < 99; node++ {
		next := []byte{0, 0, byte(node + 1)}
		copy(data[node*6:], append(next, next...))
	}
	if _, _, err := Read(data); err == nil {
		t.Error("a tree that meets itself is taken for a table")
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte{})
	f.Add(database(network{"8.8.8.0/24", map[string]any{"country_code": "US"}},
		network{"2409:4000::/22", map[string]any{"country": "IN"}}))
	f.Fuzz(func(t *testing.T, data []byte) {
		table, _, err := Read(data)
		if (err == nil) != (table != nil) {
			t.Fatalf("table %v, error %v", table, err)
		}
	})
}
