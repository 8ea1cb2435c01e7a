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

// Each table is decoded once, when it is first used, so that commands that do not
// need it do not wait for it. The tests decode the tables, so a decoding error means
// that the binary is broken.
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

// Country returns the country of an address according to the table in the
// binary.
func Country(address netip.Addr) (iso string, ok bool) { return countries().Lookup(address) }

// Pincode returns the centre and the radius of a pincode. ok is false for an
// unknown pincode.
func Pincode(code string) (centre Point, radiusMetres int32, ok bool) {
	area, ok := pincodes().Lookup(code)
	return area.Centre, area.RadiusMetres, ok
}

// Matches reports whether a position is in a pincode: within radiusMetres of its
// centre or, if radiusMetres is 0 or less, within the pincode's own radius. known
// is false for an unknown pincode.
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
