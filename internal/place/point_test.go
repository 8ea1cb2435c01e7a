package place

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestNewPoint(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		lat, lng int64
		ok       bool
	}{
		{0, 0, true},
		{90_000_000, 180_000_000, true},
		{-90_000_000, -180_000_000, true},
		{90_000_001, 0, false},
		{-90_000_001, 0, false},
		{0, 180_000_001, false},
		{0, -180_000_001, false},
		{200_000_000, 0, false},
		{math.MaxInt64, math.MinInt64, false},
	} {
		p, ok := NewPoint(c.lat, c.lng)
		if ok != c.ok {
			t.Errorf("NewPoint(%d, %d) answers %v, want %v", c.lat, c.lng, ok, c.ok)
		}
		if ok && (int64(p.Lat) != c.lat || int64(p.Lng) != c.lng) {
			t.Errorf("NewPoint(%d, %d) = %v", c.lat, c.lng, p)
		}
	}
}

// TestDistanceMetres checks distances to the metre, because with a different
// distance a position might match on one processor and not on another.
func TestDistanceMetres(t *testing.T) {
	t.Parallel()
	mumbai, delhi := Point{19_076_000, 72_877_700}, Point{28_613_900, 77_209_000}
	for _, c := range []struct {
		name string
		a, b Point
		want int64
	}{
		{"nowhere", mumbai, mumbai, 0},
		{"a step", mumbai, Point{19_076_010, 72_877_700}, 1},
		{"across the city", mumbai, Point{18_938_800, 72_835_400}, 15891},
		{"Mumbai to Delhi", mumbai, delhi, 1148096},
		{"over the date line", Point{0, 179_500_000}, Point{0, -179_500_000}, 111195},
		{"pole to pole", Point{90_000_000, 0}, Point{-90_000_000, 123_000_000}, 20015115},
		{"antipodes", Point{0, 0}, Point{0, 180_000_000}, 20015115},
		{"same pole", Point{90_000_000, 0}, Point{90_000_000, 90_000_000}, 0},
	} {
		if got := DistanceMetres(c.a, c.b); got != c.want {
			t.Errorf("%s: %d m, want %d", c.name, got, c.want)
		}
	}
}

func drawPoint(t *rapid.T, name string) Point {
	return Point{
		rapid.Int32Range(-maxLatMicros, maxLatMicros).Draw(t, name+" lat"),
		rapid.Int32Range(-maxLngMicros, maxLngMicros).Draw(t, name+" lng"),
	}
}

// TestDistanceIsTheHaversine compares the integer distances with the haversine
// formula.
func TestDistanceIsTheHaversine(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawPoint(t, "a"), drawPoint(t, "b")
		if rapid.Bool().Draw(t, "near") {
			b = Point{
				min(max(a.Lat+rapid.Int32Range(-2_000_000, 2_000_000).Draw(t, "north"), -maxLatMicros), maxLatMicros),
				min(max(a.Lng+rapid.Int32Range(-2_000_000, 2_000_000).Draw(t, "east"), -maxLngMicros), maxLngMicros),
			}
		}
		want, tolerance := haversine(a, b), 1.0
		if want > 19_900_000 {
			tolerance = 30
		}
		got := DistanceMetres(a, b)
		if math.Abs(float64(got)-want) > tolerance {
			t.Fatalf("%v to %v: %d m, want about %.2f", a, b, got, want)
		}
		if back := DistanceMetres(b, a); back != got {
			t.Fatalf("%v to %v: %d m there, %d m back", a, b, got, back)
		}
	})
}

func haversine(a, b Point) float64 {
	radians := func(micros int32) float64 { return float64(micros) / 1e6 * math.Pi / 180 }
	lat := math.Sin((radians(b.Lat) - radians(a.Lat)) / 2)
	lng := math.Sin((radians(b.Lng) - radians(a.Lng)) / 2)
	h := lat*lat + math.Cos(radians(a.Lat))*math.Cos(radians(b.Lat))*lng*lng
	return earthDiameterMetres * math.Asin(math.Sqrt(min(h, 1)))
}

func BenchmarkDistanceMetres(b *testing.B) {
	for b.Loop() {
		DistanceMetres(Point{19_076_000, 72_877_700}, Point{18_938_800, 72_835_400})
	}
}
