package place

import (
	"net/netip"
	"testing"
)

// TestLookupsDoNotAllocate checks that lookups allocate nothing, because every
// decision with a location makes them.
//
//nolint:paralleltest // AllocsPerRun counts the allocations of all goroutines.
func TestLookupsDoNotAllocate(t *testing.T) {
	four, six := netip.MustParseAddr("::ffff:117.192.0.1"), netip.MustParseAddr("2409:4000::1")
	pincodes()
	countries()
	for name, lookup := range map[string]func(){
		"Matches":      func() { Matches(Point{19_076_000, 72_877_700}, "400001", 0) },
		"Country IPv4": func() { Country(four) },
		"Country IPv6": func() { Country(six) },
	} {
		if n := testing.AllocsPerRun(100, lookup); n > 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}

func BenchmarkMatches(b *testing.B) {
	for b.Loop() {
		Matches(Point{19_076_000, 72_877_700}, "400001", 0)
	}
}

func BenchmarkCountry(b *testing.B) {
	at := netip.MustParseAddr("2409:4000::1")
	for b.Loop() {
		Country(at)
	}
}

func BenchmarkReadCountries(b *testing.B) {
	for b.Loop() {
		if _, err := ReadCountries(countriesTable); err != nil {
			b.Fatal(err)
		}
	}
}
