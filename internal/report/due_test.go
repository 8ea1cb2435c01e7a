package report

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"verdict/internal/civil"
)

// dueRow returns a transaction of a statement as JSON.
func dueRow(d civil.Day, kind string, rupees int64, narration string) string {
	return fmt.Sprintf(`{"date":%q,"type":%q,"mode":"OTHERS","amount":%d,"narration":%q}`, d, kind, rupees, narration)
}

// dueOf reads a statement from August to October with these rows and returns
// the instalments that are due.
func dueOf(t testing.TB, rows ...string) int64 {
	t.Helper()
	rows = append([]string{dueRow(civil.DayOf(2026, time.July, 31), "CREDIT", 1, "NEFT CR OPENING")}, rows...)
	rows = append(rows, dueRow(civil.DayOf(2026, time.October, 31), "CREDIT", 1, "NEFT CR CLOSING"))
	s, _ := readBank(t, `{"transactions":[`+strings.Join(rows, ",")+`]}`, civil.DayOf(2026, time.November, 15))
	return s.DueInstalmentPaise
}

// TestDueInstalments checks that a bounced instalment is still due, and that a
// loan that begins in the newest month is included.
func TestDueInstalments(t *testing.T) {
	t.Parallel()
	lenders := []string{"ACH D- HDB FINANCIAL-EMI 7",
		"ACH D- BAJAJ FINANCE 44", "NACH DR MONEYVIEW 99", "LOAN EMI SHRIRAM 5"}
	rapid.Check(t, func(rt *rapid.T) {
		var paid, bounced []string
		want := int64(0)
		for i, lender := range lenders {
			rupees := rapid.Int64Range(1_500, 90_000).Draw(rt, "rupees")
			begun := rapid.IntRange(0, 2).Draw(rt, "months ago")
			ofMonth := rapid.IntRange(1, 20).Draw(rt, "day")
			for ago := begun; ago >= 0; ago-- {
				day := civil.DayOf(2026, time.October-time.Month(ago), ofMonth+i)
				paid = append(paid, dueRow(day, "DEBIT", rupees, lender))
				bounced = append(bounced, dueRow(day, "DEBIT", rupees, lender))
				if rapid.Bool().Draw(rt, "bounces") {
					bounced = append(bounced,
						dueRow(day, "CREDIT", rupees, strings.Replace(lender, "D-", "RTN", 1)+" RETURN NACH"))
				}
			}
			want += 100 * rupees
		}
		if got := dueOf(t, paid...); got != want {
			rt.Fatalf("%d paise are due, want %d, of %s", got, want, paid)
		}
		if got := dueOf(t, bounced...); got != want {
			rt.Fatalf("with bounces %d paise are due, want %d, of %s", got, want, bounced)
		}
	})
}

// TestNotDue checks that debits are not due if they are not instalments, or are
// instalments that have ended.
func TestNotDue(t *testing.T) {
	t.Parallel()
	day := civil.DayOf
	for what, c := range map[string]struct {
		rows []string
		want int64
	}{
		"nothing": {nil, 0},
		"ended in August": {[]string{
			dueRow(day(2026, time.August, 5), "DEBIT", 9_000, "ACH D- HDB FINANCIAL-EMI 7"),
		}, 0},
		"a mandate that came once": {[]string{
			dueRow(day(2026, time.October, 5), "DEBIT", 9_000, "ACH D- GYMPASS FITNESS"),
		}, 0},
		"a mandate that bounced twice": {[]string{
			dueRow(day(2026, time.September, 5), "DEBIT", 9_000, "ACH D- QUICKFUND ONE"),
			dueRow(day(2026, time.September, 5), "CREDIT", 9_000, "ACH RTN QUICKFUND ONE"),
			dueRow(day(2026, time.October, 5), "DEBIT", 9_000, "ACH D- QUICKFUND ONE"),
			dueRow(day(2026, time.October, 5), "CREDIT", 9_000, "ACH RTN QUICKFUND ONE"),
		}, 9_000_00},
		"a return without its debit": {[]string{
			dueRow(day(2026, time.October, 5), "CREDIT", 9_000, "ACH RTN BAJAJ FINANCE INSUFF FUNDS"),
		}, 9_000_00},
		"a cheque that came back": {[]string{
			dueRow(day(2026, time.October, 5), "DEBIT", 9_000, "CHQ PAID 12"),
			dueRow(day(2026, time.October, 6), "CREDIT", 9_000, "CHQ RTN 12"),
		}, 0},
		"a charge that names another": {[]string{
			dueRow(day(2026, time.September, 5), "DEBIT", 9_000, "ACH D- HDB FINANCIAL-EMI 7"),
			dueRow(day(2026, time.October, 9), "DEBIT", 590, "NACH RETURN CHARGES GYMPASS FITNESS"),
		}, 0},
		"a charge that names nobody": {[]string{
			dueRow(day(2026, time.September, 5), "DEBIT", 9_000, "ACH D- HDB FINANCIAL-EMI 7"),
			dueRow(day(2026, time.October, 9), "DEBIT", 590, "NACH RETURN CHARGES"),
		}, 9_000_00},
	} {
		if got := dueOf(t, c.rows...); got != c.want {
			t.Errorf("%s: %d paise are due, want %d", what, got, c.want)
		}
	}
	s, _ := readBank(t, `{"transactions":[`+dueRow(day(2026, time.October, 5), "DEBIT", 9_000, "EMI 7")+`]}`,
		day(2026, time.November, 15))
	if s.DueInstalmentPaise != NoAmount {
		t.Errorf("without a whole month %d paise are due", s.DueInstalmentPaise)
	}
}
