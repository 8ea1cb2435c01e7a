package recovery

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/civil"
)

// TestClassesByTheEndOfTheDay compares the classification with the regulator's
// example of a loan due on 31 March. The class is assigned at the end of the
// day, so it is visible from the first second of the next day in India.
func TestClassesByTheEndOfTheDay(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("", -3*60*60) // the server's time zone must not matter
	due, _ := parseDay("2026-03-31")
	s := DefaultStrategy()
	type seen struct {
		DPD           int
		Bucket, Class string
	}
	for _, c := range []struct {
		at   string
		want seen
	}{
		{"2026-03-31T23:59:59+05:30", seen{0, "0", "STANDARD"}},
		{"2026-04-01T00:00:00+05:30", seen{1, "1-30", "SMA-0"}},
		{"2026-04-30T23:59:59+05:30", seen{30, "1-30", "SMA-0"}},
		{"2026-05-01T00:00:00+05:30", seen{31, "31-60", "SMA-1"}},
		{"2026-05-30T23:59:59+05:30", seen{60, "31-60", "SMA-1"}},
		{"2026-05-31T00:00:00+05:30", seen{61, "61-90", "SMA-2"}},
		{"2026-06-29T23:59:59+05:30", seen{90, "61-90", "SMA-2"}},
		{"2026-06-30T00:00:00+05:30", seen{91, "90+", "NPA"}},
	} {
		asOf, ok := parseMoment(c.at)
		if !ok {
			t.Fatal(c.at)
		}
		one := Case{
			Loan:     Loan{PrincipalPaise: 1, OverduePaise: 1, Due: due, HasDue: true},
			Borrower: Borrower{Zone: civil.India},
		}
		a := Advise(&one, &s, asOf.In(zone))
		got := seen{a.Arrears.DPD, a.Arrears.Bucket.String(), a.Arrears.Class.String()}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.at, diff)
		}
		dates := [4]string{a.Arrears.First.String(), (a.Arrears.First + 30).String(), (a.Arrears.First + 60).String(),
			(a.Arrears.First + 90).String()}
		if diff := cmp.Diff([4]string{"2026-03-31", "2026-04-30", "2026-05-30", "2026-06-29"}, dates); diff != "" {
			t.Errorf("%s dates (-want +got):\n%s", c.at, diff)
		}
	}
}
