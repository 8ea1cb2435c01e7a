package place

import (
	"encoding/binary"
	"errors"
	"sort"
)

// Area is the location of a pincode: a circle around its post offices or villages,
// except those that are far from the others.
type Area struct {
	Code         uint32 // six digits, the first of them not 0
	Centre       Point
	RadiusMetres int32
}

// The table stores positions in ten-thousandths of a degree (11 m) and radii in
// kilometres. The directories are not more precise than that.
const (
	areaStepMicros   = 100
	areaStepMetres   = 1000
	maxAreas         = 100_000
	maxRadiusMetres  = 500_000
	minCode, maxCode = 100_000, 999_999
)

var errAreas = errors.New("the table of pincodes is damaged")

// Areas is a table of pincodes. It is immutable.
type Areas struct {
	list []Area // sorted by code
}

// AppendAreas appends the areas, which must be sorted by code, in the format that
// ReadAreas reads. It writes their number, and then for each area the differences
// of its code and centre from the area before, and its radius. Positions are
// rounded to the nearest step of the table, and radii are rounded up.
func AppendAreas(b []byte, areas []Area) []byte {
	b = binary.AppendUvarint(b, uint64(len(areas)))
	var code uint32
	var lat, lng int64
	for _, a := range areas {
		aLat, aLng := areaSteps(a.Centre.Lat), areaSteps(a.Centre.Lng)
		b = binary.AppendUvarint(b, uint64(a.Code-code))
		b = binary.AppendVarint(b, aLat-lat)
		b = binary.AppendVarint(b, aLng-lng)
		b = binary.AppendUvarint(b, uint64((a.RadiusMetres+areaStepMetres-1)/areaStepMetres))
		code, lat, lng = a.Code, aLat, aLng
	}
	return b
}

// areaSteps rounds to the nearest step, halves away from zero.
func areaSteps(micros int32) int64 {
	half := int32(areaStepMicros / 2)
	if micros < 0 {
		half = -half
	}
	return int64((micros + half) / areaStepMicros)
}

// ReadAreas decodes the output of AppendAreas. It returns an error for other
// bytes.
func ReadAreas(data []byte) (*Areas, error) {
	r := reader{rest: data}
	n := r.uvarint(maxAreas)
	// Every area takes at least four bytes, so a wrong count cannot cause a large
	// allocation.
	if r.bad || n > uint64(len(r.rest))/4 {
		return nil, errAreas
	}
	list := make([]Area, 0, n)
	var code uint64
	var lat, lng int64
	for range n {
		step := r.uvarint(maxCode)
		code += step
		lat += r.varint(2 * maxLatMicros / areaStepMicros)
		lng += r.varint(2 * maxLngMicros / areaStepMicros)
		radius := r.uvarint(maxRadiusMetres / areaStepMetres)
		centre, onEarth := NewPoint(lat*areaStepMicros, lng*areaStepMicros)
		if r.bad || step == 0 || code < minCode || code > maxCode || radius == 0 || !onEarth {
			return nil, errAreas
		}
		list = append(list, Area{Code: uint32(code), Centre: centre, RadiusMetres: int32(radius) * areaStepMetres})
	}
	if len(r.rest) > 0 {
		return nil, errAreas
	}
	return &Areas{list: list}, nil
}

// Len returns the number of pincodes in the table.
func (t *Areas) Len() int { return len(t.list) }

// At returns the i-th area, ordered by code.
func (t *Areas) At(i int) Area { return t.list[i] }

// Lookup returns the area of a pincode, which must be exactly six digits. It
// returns false for an unknown pincode.
func (t *Areas) Lookup(code string) (Area, bool) {
	number, ok := parseCode(code)
	if !ok {
		return Area{}, false
	}
	i := sort.Search(len(t.list), func(i int) bool { return t.list[i].Code >= number })
	if i == len(t.list) || t.list[i].Code != number {
		return Area{}, false
	}
	return t.list[i], true
}

func parseCode(code string) (uint32, bool) {
	if len(code) != 6 || code[0] == '0' {
		return 0, false
	}
	var number uint32
	for i := range len(code) {
		digit := code[i] - '0'
		if digit > 9 {
			return 0, false
		}
		number = number*10 + uint32(digit)
	}
	return number, true
}
