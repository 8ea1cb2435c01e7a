package place

import (
	_ "embed"
	"net/netip"
	"sync"
)

// The tables in the binary, made by generate.
var (
	//go:embed tables/pincodes.bin
	pincodesTable []byte
	//go:embed tables/countries.bin
	countriesTable []byte
)

// Each table is read once, when it is first asked for: a command that needs none
// does not wait for them. They were read when they were made, so one that cannot
// be read now is a broken binary.
var (
	pincodes  = sync.OnceValue(func() *Areas { return must(ReadAreas(pincodesTable)) })
	countries = sync.OnceValue(func() *Countries { return must(ReadCountries(countriesTable)) })
)

func must[T any](table T, err error) T {
	if err != nil {
		panic(err)
	}
	return table
}

// EmbeddedCountries is the table of countries in the binary.
func EmbeddedCountries() *Countries { return countries() }

// EmbeddedAreas is the table of pincodes in the binary.
func EmbeddedAreas() *Areas { return pincodes() }

// Country is the country of an address according to the table in the binary.
func Country(address netip.Addr) (iso string, ok bool) { return countries().Lookup(address) }

// Pincode is the centre and the radius of a pincode.
func Pincode(code string) (centre Point, radiusMetres int32, ok bool) {
	area, ok := pincodes().Lookup(code)
	return area.Centre, area.RadiusMetres, ok
}

// Matches tells whether a position lies in a pincode: within radiusMetres of its
// centre, or within the pincode's own radius where that is 0 or less. A pincode
// that is not known matches nothing, and says so.
func Matches(at Point, code string, radiusMetres int32) (match, known bool) {
	centre, own, known := Pincode(code)
	if !known {
		return false, false
	}
	if radiusMetres <= 0 {
		radiusMetres = own
	}
	return DistanceMetres(at, centre) <= int64(radiusMetres), true
}
