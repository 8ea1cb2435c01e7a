package main

// applicant is a row. Its fields have the Go types that a program for only this file would use.
type applicant struct {
	score, age, requested, enquiries, tradelines, dpd, writtenOff int
	oldest, bounces, fraud, pincode                               int
	income, foir, overdue, utilisation                            float64
	employment                                                    employment
	bad                                                           bool
}

type employment uint8

const (
	other employment = iota
	salaried
	professional
	selfEmployed
	retired
	student
	homemaker
	unemployed
)

var employmentPoints = [...]int{
	other:        -18,
	salaried:     14,
	professional: 10,
	selfEmployed: 3,
	retired:      -8,
	student:      -18,
	homemaker:    -18,
	unemployed:   -18,
}

// employmentOf returns the employment type in a cell. An unknown text means other.
func employmentOf(text []byte) employment {
	switch string(text) {
	case "SALARIED":
		return salaried
	case "SELF_EMPLOYED":
		return selfEmployed
	case "SELF_EMPLOYED_PROFESSIONAL":
		return professional
	case "RETIRED":
		return retired
	case "STUDENT":
		return student
	case "HOMEMAKER":
		return homemaker
	case "UNEMPLOYED":
		return unemployed
	}
	return other
}

// whole is a factor of a field with whole numbers: the bounds of its bins, and
// their points.
type whole struct {
	bounds [5]int
	points [6]int
}

// decimal is a factor of a field with decimals.
type decimal struct {
	bounds [5]float64
	points [6]int
}

// never is a bound that no value reaches. It fills the bounds of a factor with
// fewer bins.
const never = 1 << 40

var (
	scoreBins      = whole{[5]int{600, 650, 700, 740, 780}, [6]int{-45, -15, 15, 35, 55, 70}}
	ageBins        = whole{[5]int{23, 26, 35, 45, 55}, [6]int{-10, 0, 8, 12, 6, 0}}
	enquiryBins    = whole{[5]int{1, 2, 4, 6, 8}, [6]int{14, 9, 2, -8, -18, -28}}
	dpdBins        = whole{[5]int{1, 8, 16, 31, 46}, [6]int{16, 2, -10, -25, -38, -50}}
	oldestBins     = whole{[5]int{6, 12, 24, 48, 96}, [6]int{-14, -6, 2, 8, 14, 18}}
	tradelineBins  = whole{[5]int{1, 3, 6, 10, never}, [6]int{-10, 4, 9, 4, -6, 0}}
	bounceBins     = whole{[5]int{1, 2, 3, 4, never}, [6]int{10, 0, -12, -24, -36, 0}}
	pincodeBins    = whole{[5]int{20, 40, 60, 75, 85}, [6]int{8, 4, 0, -7, -14, -24}}
	incomeBins     = decimal{[5]float64{15_000, 25_000, 40_000, 75_000, 150_000}, [6]int{-18, -6, 6, 16, 24, 30}}
	foirBins       = decimal{[5]float64{0.2, 0.3, 0.4, 0.5, 0.6}, [6]int{20, 14, 6, -4, -16, -30}}
	utilisationBin = decimal{[5]float64{0.1, 0.3, 0.5, 0.7, 0.9}, [6]int{10, 8, 2, -6, -14, -22}}
)

// of returns the points of a value. It counts the bounds that the value reaches, without
// branches that could be mispredicted.
func (w *whole) of(x int) int {
	at := 0
	for _, b := range w.bounds {
		if x >= b {
			at++
		}
	}
	return w.points[at]
}

func (d *decimal) of(x float64) int {
	at := 0
	for _, b := range d.bounds {
		if x >= b {
			at++
		}
	}
	return d.points[at]
}

func (a *applicant) points() int {
	sum := 585 + scoreBins.of(a.score) + ageBins.of(a.age) + enquiryBins.of(a.enquiries) + dpdBins.of(a.dpd) +
		oldestBins.of(a.oldest) + tradelineBins.of(a.tradelines) + bounceBins.of(a.bounces) +
		pincodeBins.of(a.pincode) + incomeBins.of(a.income) + foirBins.of(a.foir) +
		utilisationBin.of(a.utilisation) + employmentPoints[a.employment]
	return min(900, max(300, sum))
}

// knockouts returns the rules that hit, as one bit for each rule in declared order.
func (a *applicant) knockouts() uint32 {
	hit := func(i int, is bool) uint32 {
		if is {
			return 1 << i
		}
		return 0
	}
	return hit(0, a.score < 580) |
		hit(1, a.age < 21 || a.age > 62) |
		hit(2, a.income < 12_000) |
		hit(3, a.foir > 0.75 || a.foir > 0.65 && a.income < 25_000) |
		hit(4, a.enquiries > 9 || a.enquiries > 6 && a.score < 700) |
		hit(5, a.dpd >= 60) |
		hit(6, a.writtenOff > 0 && a.score < 760) |
		hit(7, a.overdue > 5_000) |
		hit(8, a.employment >= student) |
		hit(9, a.pincode >= 90 || a.pincode >= 75 && a.score < 680) |
		hit(10, a.fraud >= 85) |
		hit(11, a.bounces > 3 || a.bounces > 1 && a.score < 720)
}

const (
	referring = 1 << 11
	declining = referring - 1
)

// These tables describe the bands, the best first: their smallest score, largest
// limit and income multiple.
var (
	bandFrom     = [grades]int{740, 700, 660, 620, 580, 300}
	bandMost     = [grades]int64{1_200_000, 800_000, 500_000, 300_000, 150_000, 0}
	bandMultiple = [grades]float64{10, 9, 8, 6, 4, 0}
)

// decide decides a row with hand-written code for the rules of policy.json, and
// counts the result.
func (o *outcome) decide(a *applicant) {
	hits := a.knockouts()
	for rest, i := hits, 0; rest != 0; rest, i = rest>>1, i+1 {
		o.Hits[i] += int64(rest & 1)
	}
	score, g := a.points(), 0
	for score < bandFrom[g] {
		g++
	}
	count := &o.Grades[g]
	count.Rows++
	if a.bad {
		count.Bad++
	}
	switch {
	case hits&declining != 0 || g == 5:
	case hits&referring != 0 || g == 4:
		count.Referred++
	default:
		count.Approved++
		if a.bad {
			count.BadApproved++
		}
		limit := min(int64(a.requested), int64(a.income*bandMultiple[g]), bandMost[g])
		count.LimitRupees += limit - limit%1000
	}
}
