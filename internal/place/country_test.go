package place

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestCountry(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, address, want string }{
		{"a resolver of Google's", "8.8.8.8", "US"},
		{"the same in IPv6", "2001:4860:4860::8888", "US"},
		{"the same inside IPv6", "::ffff:8.8.8.8", "US"},
		{"India: BSNL", "117.192.0.1", "IN"},
		{"India: Airtel", "122.160.0.1", "IN"},
		{"India: Jio", "49.32.0.1", "IN"},
		{"India: Jio in IPv6", "2409:4000::1", "IN"},
		{"India: Airtel in IPv6", "2401:4900::1", "IN"},
		{"India: the National Informatics Centre", "164.100.0.1", "IN"},
		{"Russia: Yandex", "77.88.8.8", "RU"},
		{"Japan: IIJ", "210.130.0.1", "JP"},
		{"Japan in IPv6", "2001:200::1", "JP"},
		{"China: 114 DNS", "114.114.114.114", "CN"},
		{"United Kingdom: the BBC", "212.58.224.1", "GB"},
		{"Germany: Deutsche Telekom", "217.0.0.1", "DE"},
		{"Germany in IPv6", "2003::1", "DE"},

		{"private", "10.1.2.3", ""},
		{"private", "172.31.255.255", ""},
		{"private", "192.168.1.1", ""},
		{"private inside IPv6", "::ffff:192.168.1.1", ""},
		{"a carrier's", "100.64.0.1", ""},
		{"loopback", "127.0.0.1", ""},
		{"loopback", "::1", ""},
		{"link-local", "169.254.1.1", ""},
		{"link-local with a zone", "fe80::1%eth0", ""},
		{"unique local", "fd00::1", ""},
		{"documentation", "192.0.2.1", ""},
		{"documentation", "198.51.100.1", ""},
		{"documentation", "203.0.113.9", ""},
		{"documentation", "2001:db8::1", ""},
		{"multicast", "224.0.0.1", ""},
		{"multicast", "ff02::1", ""},
		{"reserved", "255.255.255.255", ""},
		{"unspecified", "0.0.0.0", ""},
		{"unspecified", "::", ""},
		{"Teredo", "2001::1", ""},
		{"6to4", "2002:0808:0808::1", ""},
		{"NAT64", "64:ff9b::808:808", ""},
	} {
		iso, ok := Country(netip.MustParseAddr(c.address))
		if iso != c.want || ok != (c.want != "") {
			t.Errorf("%s: %s is in %q (%v), want %q", c.name, c.address, iso, ok, c.want)
		}
	}
	if iso, ok := Country(netip.Addr{}); ok {
		t.Errorf("no address at all is in %q", iso)
	}
}

func TestEmbeddedCountriesCoverTheInternet(t *testing.T) {
	t.Parallel()
	table := countries()
	four, six := table.Spans()
	if four < 100_000 || six < 100_000 || len(table.names) < 230 {
		t.Errorf("%d spans of IPv4, %d of IPv6, %d countries", four, six, len(table.names)-1)
	}
	if !slices.Contains(table.names, "IN") || slices.Contains(table.names, "EU") {
		t.Error("the countries must be those of ISO 3166")
	}
}

// within is a range of addresses and its country.
type within struct{ first, last, country string }

func build(t *testing.T, ranges ...within) *Countries {
	t.Helper()
	var b Builder
	for _, r := range ranges {
		if err := b.Add(netip.MustParseAddr(r.first), netip.MustParseAddr(r.last), r.country); err != nil {
			t.Fatal(err)
		}
	}
	return b.Countries()
}

func TestBuilder(t *testing.T) {
	t.Parallel()
	table := build(t,
		within{"1.0.0.0", "1.0.0.255", "AU"},
		within{"1.0.1.0", "1.0.1.255", "AU"}, // merged with the previous range
		within{"1.0.2.0", "1.0.2.255", "IN"},
		within{"1.0.4.0", "1.0.4.0", "JP"}, // after a gap
		within{"223.255.255.0", "255.255.255.255", "FJ"},
		within{"2400::", "2400:0:0:1:ffff:ffff:ffff:ffff", "IN"},
		within{"2400:0:0:2::", "2400:0:0:2::ffff", "JP"}, // part of a /64 network
		within{"2400:0:0:2::1:0", "2400:0:0:4:ffff:ffff:ffff:ffff", "CN"},
	)
	for address, want := range map[string]string{
		"0.255.255.255": "", "1.0.0.0": "AU", "1.0.1.255": "AU", "1.0.2.0": "IN", "1.0.3.0": "", "1.0.4.0": "JP",
		"1.0.4.1": "", "223.255.255.255": "FJ", "2400::1": "IN", "2400:0:0:1::": "IN", "2400:0:0:2::1": "",
		"2400:0:0:2:1::": "", "2400:0:0:3::": "CN", "2400:0:0:5::": "",
	} {
		if got, _ := table.Lookup(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s is in %q, want %q", address, got, want)
		}
	}
	if four, six := table.Spans(); four != 6 || six != 4 {
		t.Errorf("%d and %d spans, want 6 and 4", four, six)
	}
}

func TestBuilderRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		r    within
	}{
		{"overlap", within{"1.0.0.128", "1.0.1.0", "IN"}},
		{"disorder", within{"0.1.0.0", "0.1.0.0", "IN"}},
		{"end before beginning", within{"1.1.0.1", "1.1.0.0", "IN"}},
		{"two families", within{"1.1.0.1", "2400::", "IN"}},
		{"no country", within{"1.1.0.0", "1.1.0.1", ""}},
		{"a small letter", within{"1.1.0.0", "1.1.0.1", "In"}},
		{"three letters", within{"1.1.0.0", "1.1.0.1", "IND"}},
	} {
		var b Builder
		if err := b.Add(netip.MustParseAddr("1.0.0.0"), netip.MustParseAddr("1.0.0.255"), "AU"); err != nil {
			t.Fatal(err)
		}
		if err := b.Add(netip.MustParseAddr(c.r.first), netip.MustParseAddr(c.r.last), c.r.country); err == nil {
			t.Errorf("%s is taken", c.name)
		}
	}
}

func TestAnEmptyTableKnowsNothing(t *testing.T) {
	t.Parallel()
	var b Builder
	if iso, ok := b.Countries().Lookup(netip.MustParseAddr("8.8.8.8")); ok {
		t.Errorf("found %q", iso)
	}
}

// TestCountriesAreAsAdded checks that a table agrees with its list of ranges
// after it is written and read.
func TestCountriesAreAsAdded(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		edges := sorted(rapid.SliceOfNDistinct(rapid.Uint32(), 0, 40, rapid.ID).Draw(t, "edges"))
		six := rapid.Bool().Draw(t, "IPv6")
		type ranged struct {
			first, last uint32
			country     string
		}
		var want []ranged
		var b Builder
		for i := 0; i+1 < len(edges); i += 2 {
			r := ranged{edges[i], edges[i+1],
				rapid.SampledFrom([]string{"IN", "US", "DE"}).Draw(t, fmt.Sprint("country ", i))}
			want = append(want, r)
			if err := b.Add(address(r.first, six, false), address(r.last, six, true), r.country); err != nil {
				t.Fatal(err)
			}
		}
		table, err := ReadCountries(b.Countries().Append(nil))
		if err != nil {
			t.Fatal(err)
		}
		probes := append(rapid.SliceOfN(rapid.Uint32(), 10, 10).Draw(t, "probes"), edges...)
		for _, probe := range probes {
			country := ""
			for _, r := range want {
				if probe >= r.first && probe <= r.last {
					country = r.country
				}
			}
			at := address(probe, six, true)
			if special(at) {
				country = ""
			}
			if got, ok := table.Lookup(at); got != country || ok != (country != "") {
				t.Fatalf("%s is in %q, want %q", at, got, country)
			}
		}
	})
}

// address returns the IPv4 address with the given number, or an IPv6 address whose first 32 bits are that number.
func address(number uint32, six, last bool) netip.Addr {
	var octets [16]byte
	binary.BigEndian.PutUint32(octets[:], number)
	if !six {
		return netip.AddrFrom4([4]byte(octets[:4]))
	}
	if last {
		for i := 4; i < len(octets); i++ {
			octets[i] = 0xff
		}
	}
	return netip.AddrFrom16(octets)
}

func sorted[T uint32](values []T) []T { return slices.Sorted(slices.Values(values)) }

func TestStepsRoundTrip(t *testing.T) {
	t.Parallel()
	steps := []uint64{0, 1, 2, 3, 256, 768, 1 << 31, 1<<32 - 1, 1<<58 + 1, 1<<59 + 1, 1<<60 - 1, 1 << 62, 1 << 63,
		1<<63 + 1, 1<<64 - 2, 1<<64 - 1}
	for _, step := range steps {
		r := reader{rest: appendStep(nil, step)}
		if got := r.step(^uint64(0)); got != step || r.bad || len(r.rest) > 0 {
			t.Errorf("%d is read as %d", step, got)
		}
		r = reader{rest: appendStep(nil, step)}
		if step > 0 && (r.step(step-1) != 0 || !r.bad) {
			t.Errorf("%d is taken where %d is the limit", step, step-1)
		}
	}
}

func FuzzReadCountries(f *testing.F) {
	var b Builder
	for _, r := range []within{
		{"1.0.0.0", "1.0.0.255", "AU"},
		{"1.0.2.0", "1.0.2.255", "IN"},
		{"2400::", "2400:0:0:1:ffff:ffff:ffff:ffff", "IN"},
	} {
		if err := b.Add(netip.MustParseAddr(r.first), netip.MustParseAddr(r.last), r.country); err != nil {
			f.Fatal(err)
		}
	}
	f.Add(b.Countries().Append(nil), "1.0.2.7")
	f.Add([]byte{}, "::")
	f.Add([]byte{0, 0, 0}, "8.8.8.8")
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		table, err := ReadCountries(data)
		if err != nil {
			return
		}
		if at, err := netip.ParseAddr(text); err == nil {
			if iso, ok := table.Lookup(at); ok != isCountry(iso) {
				t.Fatalf("%s is in %q (%v)", at, iso, ok)
			}
		}
		again, err := ReadCountries(table.Append(nil))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(table, again,
			cmp.AllowUnexported(Countries{}, spans[uint32]{}, spans[uint64]{})); diff != "" {
			t.Fatal(diff)
		}
	})
}
