package place

// Point is a position on the Earth in millionths of a degree, north and east
// positive. That is as fine as a number of a rule (about 11 cm), so a position
// that was sent is kept as it was.
type Point struct{ Lat, Lng int32 }

const (
	microsPerDegree = 1_000_000
	maxLatMicros    = 90 * microsPerDegree
	maxLngMicros    = 180 * microsPerDegree
)

// NewPoint makes a point of a latitude and a longitude in millionths of a
// degree. It answers false for what is not on the Earth.
func NewPoint(latMicros, lngMicros int64) (Point, bool) {
	if latMicros < -maxLatMicros || latMicros > maxLatMicros || lngMicros < -maxLngMicros || lngMicros > maxLngMicros {
		return Point{}, false
	}
	return Point{int32(latMicros), int32(lngMicros)}, true
}

// earthDiameterMetres is twice the mean radius of the Earth.
const earthDiameterMetres = 2 * 6_371_009

// DistanceMetres is the great-circle distance on a sphere of the mean radius,
// within a metre of the true arc except near the antipodes, where it is within
// thirty.
//
// It is computed in integers alone. A floating-point sine may differ in its
// last bit between processors that fuse a multiplication with an addition and
// those that do not, and then one node could find a match where another finds
// none; integers leave no such room.
func DistanceMetres(a, b Point) int64 {
	dLat := apart(a.Lat, b.Lat)
	dLng := apart(a.Lng, b.Lng)
	if dLng > maxLngMicros {
		dLng = 2*maxLngMicros - dLng
	}
	_, sinLat := cosSin(halfAngle(dLat))
	_, sinLng := cosSin(halfAngle(dLng))
	cosA, _ := cosSin(2 * halfAngle(apart(a.Lat, 0)))
	cosB, _ := cosSin(2 * halfAngle(apart(b.Lat, 0)))

	// The haversine: the square of half the chord, between 0 and one.
	h := mul(sinLat, sinLat) + mul(mul(cosA, cosB), mul(sinLng, sinLng))
	h = min(max(h, 0), one)
	arc := atan(root(h)<<(fraction/2), root(one-h)<<(fraction/2))
	return mulRound(arc, earthDiameterMetres)
}

// apart is the distance of two angles on the number line, in their own unit.
func apart(a, b int32) int64 {
	d := int64(a) - int64(b)
	return max(d, -d)
}
