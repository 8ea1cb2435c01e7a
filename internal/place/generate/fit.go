package main

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"verdict/internal/place"
)

const (
	// floorMetres is the smallest radius. A phone is as often where its owner works
	// or shops as at home, so a radius smaller than the distance across a city would
	// exclude honest people.
	floorMetres = 20_000
	// ceilingMetres is the largest radius. A position farther away than this is a
	// mistake of the directory, even if positions near it agree.
	ceilingMetres = 150_000
	// outside is the cost of leaving out one office. The cost of a radius is its
	// natural logarithm. With this value, a single office far away is left out, but
	// the circle of a scattered rural pincode still includes its villages.
	outside = 1.2
	// villagesTogether is the total weight of all villages of a pincode; one office
	// has the weight 1. The villages can therefore decide between two clusters of
	// offices, but cannot enlarge a good circle.
	villagesTogether = 0.3
	// astray is the additional cost of a centre that is unusually far from the
	// offices of the same sorting district (the first three digits). It is high
	// enough that a village near those offices outweighs one office far from them.
	astray = 1.0
	// maxCentres is the maximum number of offices of a pincode that are tried as
	// its centre.
	maxCentres = 64
)

// fit computes one area for every pincode. Each of the two directories has
// thousands of wrong positions, but not for the same pincodes. So fit uses three
// kinds of evidence: the offices of the pincode, its villages in the other
// directory, and the offices of its sorting district. It chooses the circle with
// the lowest cost: a small circle with few offices and villages outside.
func fit(offices, villages []spot) []place.Area {
	officesOf, villagesOf, districts := byCode(offices, 1), byCode(villages, 1), byCode(offices, 1000)
	regions := map[uint32]region{}
	for district, points := range districts {
		regions[district] = newRegion(points)
	}
	codes := map[uint32]bool{}
	for code := range officesOf {
		codes[code] = true
	}
	for code := range villagesOf {
		codes[code] = true
	}
	areas := make([]place.Area, 0, len(codes))
	for _, code := range slices.Sorted(maps.Keys(codes)) {
		around, known := regions[code/1000]
		if !known {
			around = newRegion(villagesOf[code])
		}
		if a, ok := fitOne(officesOf[code], villagesOf[code], around); ok {
			a.Code = code
			areas = append(areas, a)
		}
	}
	return areas
}

func byCode(spots []spot, divisor uint32) map[uint32][]place.Point {
	grouped := map[uint32][]place.Point{}
	for _, s := range spots {
		grouped[s.code/divisor] = append(grouped[s.code/divisor], s.at)
	}
	return grouped
}

// region is the area that contains most offices of a sorting district.
type region struct {
	middle      place.Point
	reachMetres float64
}

// newRegion returns the region of the offices of a district or, if the district
// has none, of the villages of a pincode. Its middle is the median latitude and the
// median longitude. Its reach is three times the median
// distance from the middle, but at least 50 km. Medians change little unless half
// of the offices are wrong.
func newRegion(points []place.Point) region {
	middle := medianPoint(points)
	distances := make([]int64, len(points))
	for i, p := range points {
		distances[i] = place.DistanceMetres(middle, p)
	}
	return region{middle, max(3*float64(median(distances)), 50_000)}
}

// fitOne returns the circle with the lowest cost for a pincode. It returns false if
// the circle is far from the offices of the district and contains only one office
// or only villages, or if there is no circle within ceilingMetres. The location of
// such a pincode stays unknown.
func fitOne(offices, villages []place.Point, around region) (place.Area, bool) {
	var centres []place.Point
	if len(offices) > 0 {
		centres = append(centres, medianPoint(offices))
	}
	if len(villages) > 0 {
		centres = append(centres, medianPoint(villages))
	}
	stride := max(1, (len(offices)+maxCentres-1)/maxCentres)
	for i := 0; i < len(offices); i += stride {
		centres = append(centres, offices[i])
	}
	var best place.Area
	var alone bool
	cheapest := math.Inf(1)
	for _, centre := range centres {
		radius, cost := cheapestRadius(centre, offices, villages)
		far := float64(place.DistanceMetres(centre, around.middle)) > around.reachMetres
		if far {
			cost += astray
		}
		// A centre replaces the best one only if its cost is lower by more than a
		// thousandth, so that rounding errors never decide.
		if cost < cheapest-1e-3 {
			best, cheapest = place.Area{Centre: centre, RadiusMetres: int32(radius)}, cost
			alone = far && inside(best, offices)+min(inside(best, villages), 1) < 2
		}
	}
	return best, !alone && best.RadiusMetres > 0
}

// inside counts the points in a circle.
func inside(a place.Area, points []place.Point) int {
	n := 0
	for _, p := range points {
		if place.DistanceMetres(a.Centre, p) <= int64(a.RadiusMetres) {
			n++
		}
	}
	return n
}

// cheapestRadius returns the radius with the lowest cost around a centre, and that cost. It tries the distance of
// every office and village as the radius. Distances below floorMetres count as floorMetres, and distances above
// ceilingMetres are not tried.
func cheapestRadius(centre place.Point, offices, villages []place.Point) (radius int64, cost float64) {
	type witness struct {
		metres int64
		weight float64
	}
	witnesses := make([]witness, 0, len(offices)+len(villages))
	var left float64
	for _, p := range offices {
		witnesses = append(witnesses, witness{place.DistanceMetres(centre, p), 1})
		left++
	}
	for _, p := range villages {
		weight := villagesTogether / float64(len(villages))
		witnesses = append(witnesses, witness{place.DistanceMetres(centre, p), weight})
		left += weight
	}
	slices.SortStableFunc(witnesses, func(a, b witness) int { return cmp.Compare(a.metres, b.metres) })
	cost = math.Inf(1)
	for _, w := range witnesses {
		if w.metres > ceilingMetres {
			break
		}
		left -= w.weight
		tried := max(w.metres, floorMetres)
		if c := math.Log(float64(tried)/floorMetres) + outside*left; c < cost-1e-9 {
			radius, cost = tried, c
		}
	}
	return radius, cost
}

func medianPoint(points []place.Point) place.Point {
	lats, lngs := make([]int32, len(points)), make([]int32, len(points))
	for i, p := range points {
		lats[i], lngs[i] = p.Lat, p.Lng
	}
	return place.Point{Lat: median(lats), Lng: median(lngs)}
}

// median returns the middle value, or the lower of the two middle values.
func median[T cmp.Ordered](values []T) T {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[(len(sorted)-1)/2]
}
