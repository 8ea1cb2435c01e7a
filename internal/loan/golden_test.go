package loan

import (
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/civil"
)

// rupees converts an amount in rupees, as printed in the golden table, to
// paise.
func rupees(t *testing.T, s string) int64 {
	t.Helper()
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return int64(math.Round(x * paisePerRupee))
}

// TestGoldenInstalments checks values that were computed independently of this program. The property tests also
// compare the code with exact values.
func TestGoldenInstalments(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, principal string
		rateBP          int64
		months          int
		exact           string // rupees, 4 decimals
		instalment      string
		last, interest  string // "" if the table has no value
	}{
		{"textbook", "100000", 1200, 12, "8884.8789", "8885", "", ""},
		{"textbook, five years", "500000", 1050, 60, "10746.9502", "10747", "", ""},
		{"without interest", "100000", 0, 10, "10000.0000", "10000", "10000", "0"},
		{"table, four years", "500000", 1350, 48, "13538.1615", "13538", "13548.20", "149834.20"},
		{"table, three years", "255000", 1600, 36, "8965.0434", "8965", "8966.98", "67741.98"},
		{"sanction letter prints 5,703", "60001", 2500, 12, "5702.7472", "5703", "", ""},
		{"RBI illustration prints 970", "20000", 1500, 24, "969.7330", "970", "", ""},
		{"RBL statement prints 2,415.14", "47000", 2100, 24, "2415.1256", "2415", "", ""},
		{"a paisa off in float64", "20000", 2000, 24, "1017.9161", "1018", "1015.53", "4429.53"},
		{"default policy, sample", "500000", 1600, 48, "14170.1404", "14170", "14179.38", "180169.38"},
		{"default policy, alternative", "500000", 1600, 36, "17578.5165", "17579", "", ""},
		{"default policy, new to credit", "100000", 2000, 24, "5089.5803", "5090", "", ""},
		{"a tie", "10050", 1200, 2, "5100.5000", "5101", "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			principal := rupees(t, tc.principal)
			exact := exactInstalment(principal, tc.rateBP, tc.months)
			if got := exact.Quo(exact, exactInstalment(paisePerRupee, 0, 1)).FloatString(4); got != tc.exact {
				t.Errorf("exact instalment = %s, want %s", got, tc.exact)
			}
			terms := mustTerms(t, tc.rateBP, tc.months)
			if got, want := terms.Instalment(principal), rupees(t, tc.instalment); got != want {
				t.Errorf("Instalment = %d, want %d", got, want)
			}
			if tc.last == "" {
				return
			}
			interest := rupees(t, tc.interest)
			want := Schedule{
				InstalmentPaise: rupees(t, tc.instalment),
				LastPaise:       rupees(t, tc.last),
				InterestPaise:   interest,
				PayablePaise:    principal + interest,
			}
			if diff := cmp.Diff(want, terms.Schedule(principal)); diff != "" {
				t.Errorf("Schedule (-want +got):\n%s", diff)
			}
		})
	}
}

// TestGoldenPrincipals checks the principals for given capacities. The table
// rounds the principal to the nearest paisa and the code rounds it down, so the
// last digit may be one lower than in the table.
func TestGoldenPrincipals(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		capacity  string
		rateBP    int64
		months    int
		principal string
	}{
		{"9000", 1600, 36, "255994.30"},
		{"19550", 1350, 48, "722033.05"},
		{"27500", 850, 240, "3168848.10"},
		{"0", 1600, 36, "0"},
	} {
		terms := mustTerms(t, tc.rateBP, tc.months)
		capacity := rupees(t, tc.capacity)
		got, want := terms.Principal(capacity), rupees(t, tc.principal)
		if got != want && got != want-1 {
			t.Errorf("Principal(%s @ %d × %d) = %d, want %d", tc.capacity, tc.rateBP, tc.months, got, want)
		}
	}
	limit := mustTerms(t, 1600, 36).Principal(900_000) / 100_000 * 100_000
	if limit != 25_500_000 {
		t.Errorf("limit on a capacity of 9,000 = %d, want 255,000 rupees", limit)
	}
}

// TestGoldenAPR checks APR values that were computed independently. It computes
// fee and tax with Fee and Tax, so that it covers the whole computation from
// amount to APR.
func TestGoldenAPR(t *testing.T) {
	t.Parallel()
	const gst = 18_000_000
	for _, tc := range []struct {
		name, principal string
		rateBP          int64
		months          int
		instalment      string // "" uses the instalment of the schedule
		feeMicros       int64
		gstMicros       int64
		want            int64
		effective       float64 // percent; 0 if the table has no value
	}{
		{"four years", "500000", 1350, 48, "", 1_500_000, gst, 1447, 15.47},
		{"three years", "255000", 1600, 36, "", 2_000_000, gst, 1771, 19.22},
		{"three years, without tax", "255000", 1600, 36, "", 2_000_000, 0, 1744, 0},
		{"RBL, which prints 24.16", "47000", 2100, 24, "2415.14", 2_500_000, gst, 2415, 27.0},
		{"RBL, without tax", "47000", 2100, 24, "2415.14", 2_500_000, 0, 2366, 0},
		{"RBI illustration", "20000", 1500, 24, "", 2_000_000, 0, 1707, 0},
		{"default policy, sample", "500000", 1600, 48, "", 2_000_000, gst, 1733, 0},
		{"default policy, indicative", "20000", 2000, 24, "", 2_500_000, gst, 2314, 0},
		{"default policy, new to credit", "100000", 2000, 24, "", 2_500_000, gst, 2314, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			principal := rupees(t, tc.principal)
			schedule := mustTerms(t, tc.rateBP, tc.months).Schedule(principal)
			instalment, last := schedule.InstalmentPaise, schedule.LastPaise
			if tc.instalment != "" {
				instalment = rupees(t, tc.instalment)
				last = instalment
			}
			fee := Fee(principal, tc.feeMicros, 0)
			net := principal - fee - Tax(fee, tc.gstMicros)
			if got := APR(net, instalment, last, tc.months); got != tc.want {
				t.Errorf("APR = %d, want %d (reference %f)", got, tc.want, exactAPR(net, instalment, last, tc.months))
			}
			if tc.effective == 0 {
				return
			}
			monthly := exactAPR(net, instalment, last, tc.months) / yearBP
			if effective := (math.Pow(1+monthly, 12) - 1) * 100; math.Abs(effective-tc.effective) > 0.05 {
				t.Errorf("effective rate = %.3f %%, want %.2f %%", effective, tc.effective)
			}
		})
	}
}

func TestCharges(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name      string
		got, want int64
	}{
		{"percentage above the minimum", Fee(50_000_000, 1_500_000, 99_900), 750_000},
		{"minimum above the percentage", Fee(1_000_000, 1_500_000, 99_900), 99_900},
		{"a tie goes up", Fee(5, 10_000_000, 0), 1},
		{"below a tie goes down", Fee(5, 9_999_999, 0), 0},
		{"largest amount", Fee(maxPaise, 100_000_000, 0), maxPaise},
		{"amount beyond the range", Fee(math.MaxInt64, 100_000_000, 0), maxPaise},
		{"percentage beyond the range", Fee(maxPaise, math.MaxInt64, 0), math.MaxInt64},
		{"negative percentage", Fee(1_000_000, -1, 0), 0},
		{"negative amount", Fee(-1_000_000, 1_500_000, 0), 0},
		{"tax", Tax(750_000, 18_000_000), 135_000},
		{"tax, half-up", Tax(75, 18_000_000), 14},
	} {
		if tc.got != tc.want {
			t.Errorf("%s: got %d, want %d", tc.name, tc.got, tc.want)
		}
	}
}

func TestValidUntil(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		from string
		days int
		want string
	}{
		{"2026-11-15T00:12:00Z", 3, "2026-11-18T18:29:59Z"}, // a Sunday in India
		{"2026-11-14T18:29:59Z", 1, "2026-11-16T18:29:59Z"}, // the last second of Saturday in India
		{"2026-11-14T18:30:00Z", 1, "2026-11-16T18:29:59Z"}, // the first second of Sunday in India
		{"2026-11-12T04:00:00Z", 3, "2026-11-16T18:29:59Z"}, // a Thursday; then Friday, Saturday and Monday
		{"2026-11-12T04:00:00Z", 0, "2026-11-12T18:29:59Z"},
		{"2026-11-15T04:00:00Z", 0, "2026-11-15T18:29:59Z"},
		{"2026-11-12T04:00:00Z", -5, "2026-11-12T18:29:59Z"},
		{"2027-12-31T20:00:00+05:30", 1, "2028-01-01T18:29:59Z"},
	} {
		from, err := time.Parse(time.RFC3339, tc.from)
		if err != nil {
			t.Fatal(err)
		}
		if got := ValidUntil(from, tc.days).Format(time.RFC3339); got != tc.want {
			t.Errorf("ValidUntil(%s, %d) = %s, want %s", tc.from, tc.days, got, tc.want)
		}
	}
}

// TestAcceptableUntil checks the last second in which an offer can be accepted. The holidays of the lender are
// Wednesday, 18 November 2026, and the Monday after it. The 22nd is a Sunday.
func TestAcceptableUntil(t *testing.T) {
	t.Parallel()
	calendar := &Calendar{Holidays: []civil.Day{civil.Date(2026, 11, 18), civil.Date(2026, 11, 23)}}
	tuesday := civil.Date(2026, 11, 17)
	for _, tc := range []struct {
		name       string
		calendar   *Calendar
		stated     civil.Day
		approvedOn civil.Day
		want       string
	}{
		{"no profile", nil, tuesday + 1, tuesday, "2026-11-18T18:29:59Z"},
		{"a holiday makes it a day longer", calendar, tuesday + 3, tuesday, "2026-11-21T18:29:59Z"},
		{"the decision states more", calendar, tuesday + 30, tuesday, "2026-12-17T18:29:59Z"},
		{"approved by a late review", calendar, tuesday + 3, tuesday + 2, "2026-11-24T18:29:59Z"},
		{"no holidays", &Calendar{}, tuesday, tuesday, "2026-11-20T18:29:59Z"},
	} {
		got := tc.calendar.AcceptableUntil(tc.stated.LastSecond(), tc.approvedOn).Format(time.RFC3339)
		if got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, got, tc.want)
		}
	}
}
