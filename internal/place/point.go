package place

// Point is a position on the Earth in millionths of a degree (about 11 cm). North
// and east are positive. The numbers of rules have the same precision.
type Point struct{ Lat, Lng int32 }

const (
	microsPerDegree = 1_000_000
	maxLatMicros    = 90 * microsPerDegree
	maxLngMicros    = 180 * microsPerDegree
)

// NewPoint returns a point from a latitude and a longitude in millionths of a
// degree. ok is false if they are out of range.
func NewPoint(latMicros, lngMicros int64) (Point, bool) {
	if latMicros < -maxLatMicros || latMicros > maxLatMicros || lngMicros < -maxLngMicros || lngMicros > maxLngMicros {
		return Point{}, false
	}
	return Point{int32(latMicros), int32(lngMicros)}, true
}

// earthDiameterMetres is twice the mean radius of the Earth.
const earthDiameterMetres = 2 * 6_371_009

// DistanceMetres returns the great-circle distance on a sphere with the mean
// radius of the Earth. The result differs from the exact arc by at most a metre,
// and near the antipodes by at most thirty metres.
//
// It uses only integers. A floating-point sine may differ in its last bit between
// processors with and without fused multiply-add. Then one node could find a
// match and another node none.
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

// apart returns the absolute difference of two angles.
func apart(a, b int32) int64 {
	d := int64(a) - int64(b)
	return max(d, -d)
}
