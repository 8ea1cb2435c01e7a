package loan

import (
	"math"
	"math/big"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// someTerms generates any valid terms.
func someTerms(t *rapid.T) Terms {
	rateBP := rapid.Int64Range(0, maxRateBP).Draw(t, "rateBP")
	months := rapid.IntRange(1, maxMonths).Draw(t, "months")
	terms, err := NewTerms(rateBP, months)
	if err != nil {
		t.Fatal(err)
	}
	return terms
}

// ordinaryTerms generates terms that a lender could offer: up to 48 % over 10
// years.
func ordinaryTerms(t *rapid.T) Terms {
	rateBP := rapid.Int64Range(0, 4800).Draw(t, "rateBP")
	months := rapid.IntRange(1, 120).Draw(t, "months")
	terms, err := NewTerms(rateBP, months)
	if err != nil {
		t.Fatal(err)
	}
	return terms
}

// amounts generates paise of every order of magnitude up to 1e14.
func amounts(low int64) *rapid.Generator[int64] {
	return rapid.Custom(func(t *rapid.T) int64 {
		high := int64(math.Pow10(rapid.IntRange(3, 14).Draw(t, "digits")))
		return rapid.Int64Range(low, max(low, high)).Draw(t, "paise")
	})
}

func TestInstalmentIsExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		terms := someTerms(t)
		principal := amounts(1).Draw(t, "principal")
		want := halfUp(exactInstalment(principal, terms.RateBP(), terms.Months()), paisePerRupee)
		if got := terms.Instalment(principal); got != want {
			t.Fatalf("Instalment = %d, want %d", got, want)
		}
	})
}

// TestInstalmentTies checks principals whose exact instalment ends in 50 paise.
// Random loans would almost never have such an instalment.
func TestInstalmentTies(t *testing.T) {
	t.Parallel()
	ties := 0
	for months := 1; months <= 4; months++ {
		for rateBP := int64(0); rateBP <= maxRateBP; rateBP += 100 {
			terms := mustTerms(t, rateBP, months)
			unit := exactInstalment(1, rateBP, months)
			// If 50/unit is p/q in lowest terms, p paise have an instalment of
			// 50·q paise. This is a tie if q is odd, and then odd multiples of
			// p are ties too.
			principal := new(big.Rat).Quo(big.NewRat(paisePerRupee/2, 1), unit).Num()
			if !principal.IsInt64() || principal.Int64() > maxPaise/3 {
				continue
			}
			for _, p := range []int64{principal.Int64(), 3 * principal.Int64()} {
				exact := exactInstalment(p, rateBP, months)
				if want := halfUp(exact, paisePerRupee); terms.Instalment(p) != want {
					t.Errorf("Instalment(%d @ %d × %d) = %d, want %d", p, rateBP, months, terms.Instalment(p), want)
				}
				if exact.IsInt() && floor(exact)%paisePerRupee == paisePerRupee/2 {
					ties++
				}
			}
		}
	}
	if ties < 100 {
		t.Errorf("visited %d ties, want at least 100", ties)
	}
}

func TestPrincipalIsExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		terms := someTerms(t)
		instalment := amounts(1).Draw(t, "instalment")
		exact := exactAnnuity(terms.RateBP(), terms.Months())
		exact.Mul(exact, new(big.Rat).SetInt64(instalment))
		if got, want := terms.Principal(instalment), floor(exact); got != want {
			t.Fatalf("Principal = %d, want %d", got, want)
		}
	})
}

func TestInstalmentOfPrincipal(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		terms := someTerms(t)
		// The principal may be at most 1e14 paise. Dividing the instalment by
		// 480, the largest number of months, ensures that.
		rupees := amounts(1).Draw(t, "rupees") / paisePerRupee / maxMonths
		if got := terms.Instalment(terms.Principal(rupees * paisePerRupee)); got != rupees*paisePerRupee {
			t.Fatalf("Instalment(Principal(%d)) = %d", rupees*paisePerRupee, got)
		}
		paise := rapid.Int64Range(0, paisePerRupee-1).Draw(t, "paise")
		capacity := rupees*paisePerRupee + paise
		if got := terms.Instalment(terms.Principal(capacity)); got > capacity+paisePerRupee/2 {
			t.Fatalf("Instalment(Principal(%d)) = %d", capacity, got)
		}
	})
}

func TestZeroRateIsExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		months := rapid.IntRange(1, maxMonths).Draw(t, "months")
		terms, err := NewTerms(0, months)
		if err != nil {
			t.Fatal(err)
		}
		paise := amounts(0).Draw(t, "paise")
		if got := terms.Principal(paise); got != paise*int64(months) {
			t.Fatalf("Principal = %d", got)
		}
		if got, want := terms.Instalment(paise), halfUp(big.NewRat(paise, int64(months)), paisePerRupee); got != want {
			t.Fatalf("Instalment = %d, want %d", got, want)
		}
		if s := terms.Schedule(paise); s.InterestPaise != 0 || s.PayablePaise != paise {
			t.Fatalf("Schedule = %+v, want no interest", s)
		}
	})
}

// TestScheduleIsExact checks, for all terms and amounts, that the sums agree
// and that the last instalment is positive. The instalment may be lowered only
// by one rupee, and only if the last one would not be positive otherwise. The
// schedule must equal the big-integer result unless it is capped.
func TestScheduleIsExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		terms := someTerms(t)
		rateBP, months := terms.RateBP(), terms.Months()
		principal := amounts(1).Draw(t, "principal")
		s := terms.Schedule(principal)
		if s.PayablePaise != principal+s.InterestPaise ||
			s.PayablePaise != s.InstalmentPaise*int64(months-1)+s.LastPaise {
			t.Fatalf("%+v does not add up", s)
		}
		if s.LastPaise <= 0 || s.InstalmentPaise < 0 || s.InterestPaise < 0 {
			t.Fatalf("%+v: a payment is out of range", s)
		}
		lowered := terms.Instalment(principal) - s.InstalmentPaise
		switch lowered {
		case 0:
		case paisePerRupee:
			if last, _ := exactSchedule(principal, rateBP, months, s.InstalmentPaise+paisePerRupee); last.Sign() > 0 {
				t.Fatalf("%+v: lowered by %d without need", s, lowered)
			}
		default:
			t.Fatalf("%+v: lowered by %d", s, lowered)
		}
		last, interest := exactSchedule(principal, rateBP, months, s.InstalmentPaise)
		if last.CmpAbs(big.NewInt(maxBalance)) > 0 {
			if s.LastPaise < maxBalance {
				t.Fatalf("%+v: last is %v", s, last)
			}
			return
		}
		if s.LastPaise != last.Int64() || s.InterestPaise != interest.Int64() {
			t.Fatalf("%+v, want last %v, interest %v", s, last, interest)
		}
	})
}

func TestAPRIsExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		terms := someTerms(t)
		principal := amounts(100_000).Draw(t, "principal")
		s := terms.Schedule(principal)
		net := rapid.Int64Range(principal*30/100, principal).Draw(t, "net")
		checkAPR(t, net, s.InstalmentPaise, s.LastPaise, terms.Months())
	})
}

// TestAPROfAnything checks arbitrary payments that no schedule has, with and
// without balloon payments. For such payments Newton's method needs the
// bracket.
func TestAPROfAnything(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		checkAPR(t,
			amounts(1).Draw(t, "net"),
			amounts(0).Draw(t, "instalment"),
			amounts(0).Draw(t, "last"),
			rapid.IntRange(1, maxMonths).Draw(t, "months"))
	})
}

func checkAPR(t *rapid.T, net, instalment, last int64, months int) {
	got, exact := APR(net, instalment, last, months), exactAPR(net, instalment, last, months)
	want := int64(math.Floor(exact + 0.5))
	if tie := math.Abs(exact + 0.5 - math.Round(exact+0.5)); tie < 1e-7 && want-got <= 1 && got-want <= 1 {
		return
	}
	if got != want {
		t.Fatalf("APR = %d, want %d (%f)", got, want, exact)
	}
}

func TestAPRWithoutFeeIsTheRate(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		terms := ordinaryTerms(t)
		principal := amounts(1_000_000).Draw(t, "principal")
		s := terms.Schedule(principal)
		got := APR(principal, s.InstalmentPaise, s.LastPaise, terms.Months())
		if diff := got - terms.RateBP(); diff < -1 || diff > 1 {
			t.Fatalf("APR = %d, want %d", got, terms.RateBP())
		}
	})
}

func TestAPRRisesWithTheFee(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		terms := ordinaryTerms(t)
		principal := amounts(1_000_000).Draw(t, "principal")
		s := terms.Schedule(principal)
		less := rapid.Int64Range(principal*30/100, principal).Draw(t, "less")
		more := rapid.Int64Range(less, principal).Draw(t, "more")
		if a, b := APR(less, s.InstalmentPaise, s.LastPaise, terms.Months()),
			APR(more, s.InstalmentPaise, s.LastPaise, terms.Months()); a < b {
			t.Fatalf("APR on %d is %d, on %d is %d", less, a, more, b)
		}
	})
}

func TestValidUntilCountsDays(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		from := time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "from"), 0)
		days := rapid.IntRange(0, 400).Draw(t, "days")
		if got, want := ValidUntil(from, days), countedValidUntil(from, days); !got.Equal(want) {
			t.Fatalf("ValidUntil(%v, %d) = %v, want %v", from, days, got, want)
		}
	})
}
