package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var productNames = [...]string{
	"other unsecured", "other secured", "personal", "card", "consumer", "vehicle", "home", "gold", "business",
	"business secured",
}

// TestAccountTypeCodes checks the product of every account type code of the
// bureaus.
func TestAccountTypeCodes(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"other unsecured":  "00 08 09 12 14 16 18 19 20 21 36 37 38 43 47 60 71",
		"other secured":    "04 11 15 33",
		"personal":         "05 41 45 69",
		"card":             "10 31 35",
		"consumer":         "06",
		"vehicle":          "01 13 17 32 34 46",
		"home":             "02 03 42 44",
		"gold":             "07 70",
		"business":         "24 39 40 51 52 53 54 55 56 57 58 61",
		"business secured": "23 50 59",
	}
	got := map[string]string{}
	for code := range 100 {
		if p, known := productOf(fmt.Sprintf("%02d", code), productsByCode); known {
			name := productNames[p]
			got[name] = strings.TrimSpace(fmt.Sprintf("%s %02d", got[name], code))
			if short, _ := productOf(fmt.Sprint(code), productsByCode); short != p {
				t.Errorf("%d and %02d are read differently", code, code)
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAccountTypeNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]Product{
		"personal_loan": PersonalLoan, "Personal Loan": PersonalLoan, "PERSONAL-LOAN": PersonalLoan,
		"personalLoan": PersonalLoan, "small_ticket_loan": PersonalLoan, "credit_card": CreditCard,
		"Secured Credit Card": CreditCard, "Kisan Credit Card": OtherUnsecured, "Loan on Credit Card": OtherUnsecured,
		"Housing Loan": HomeLoan, "Loan Against Property": HomeLoan, "Two-Wheeler Loan": VehicleLoan,
		"Auto Loan (Personal)": VehicleLoan, "Business Loan - Priority Sector - Small Business": BusinessLoan,
		"Business Loan - Secured": BusinessLoanSecured, "Loan Against Shares/Securities": OtherSecured,
		"Mudra Loans - Shishu / Kishor / Tarun": BusinessLoan, "Microfinance - Housing Loan": HomeLoan,
		"Priority Sector- Gold Loan [Secured]": GoldLoan, "consumer_loan": ConsumerLoan, "vehicle_loan": VehicleLoan,
		"home_loan": HomeLoan, "gold_loan": GoldLoan, "business_loan": BusinessLoan,
	} {
		if got, known := productOf(name, productsByCode); !known || got != want {
			t.Errorf("%s was read as %s (%t), want %s", name, productNames[got], known, productNames[want])
		}
	}
	for _, name := range []string{"", "space loan", "personal", "999", strings.Repeat("personalloan", 100)} {
		if got, known := productOf(name, productsByCode); known || got != OtherUnsecured {
			t.Errorf("%q was read as %s", name, productNames[got])
		}
	}
}

// standingText abbreviates a standing: "W" for written off, "S" for settled, "F"
// for suit filed and "V" for wilful default, followed by whether the account is
// running or over.
func standingText(s standing) string {
	text := ""
	for i, letter := range "WSFV" {
		if s.adverse&(1<<i) != 0 {
			text += string(letter)
		}
	}
	switch {
	case s.over:
		return text + " over"
	case s.running:
		return text + " runs"
	}
	return text + " -"
}

// table returns the codes of each standing, keyed by standingText.
func table(codes map[int]standing) map[string]string {
	out := map[string]string{}
	for code := range 1000 {
		if s, known := codes[code]; known {
			out[standingText(s)] = strings.TrimSpace(fmt.Sprintf("%s %d", out[standingText(s)], code))
		}
	}
	return out
}

func TestStandingCodes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		codes map[int]standing
		want  map[string]string
	}{
		"account status": {accountStatuses, map[string]string{
			" -":       "0",
			" runs":    "11 21 22 23 24 25 30 31 36 39 40 41 42 48 51 52 71 78 80 82 83 84 130 131 136 137",
			" over":    "12 13 14 15 16 17 34 46 133 138",
			"W over":   "35 37 43 47 49 132",
			"S over":   "32 38 44 50 134 135",
			"WS over":  "33 45",
			"F runs":   "53 59 62 63",
			"F over":   "57",
			"WF over":  "54 58 60",
			"SF over":  "55 61",
			"WSF over": "56",
			"V runs":   "64 65 70 74 75 89",
			"V over":   "68",
			"WV over":  "69 72",
			"SV over":  "66 73",
			"WSV over": "67",
			"FV runs":  "76 77 87 90 91 93",
			"FV over":  "85",
			"WFV over": "86 88 97",
			"SFV over": "79 94", "WSFV over": "81",
		}},
		"suit": {suits, map[string]string{
			" -": "0", "F runs": "1", "V runs": "2", "FV runs": "3",
			"W over": "4", "WF over": "5", "WV over": "6", "WFV over": "7", "S over": "8", "WS over": "9",
		}},
		"facility": {facilities, map[string]string{
			" -": "99", " runs": "0 1 7 10 11 12 17", " over": "5 14",
			"W over": "2 6 8 13", "S over": "3 9 15 16", "WS over": "4",
		}},
	} {
		if diff := cmp.Diff(c.want, table(c.codes)); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

// TestAdverseFacilities checks that exactly these facility codes are adverse.
// The code 99 is a clear status.
func TestAdverseFacilities(t *testing.T) {
	t.Parallel()
	var got []int
	for code := range 100 {
		if facilities[code].adverse != 0 {
			got = append(got, code)
		}
	}
	if diff := cmp.Diff([]int{2, 3, 4, 6, 8, 9, 13, 15, 16}, got); diff != "" {
		t.Error(diff)
	}
}

func TestPhrases(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"active": " runs", "Current Account": " runs", "Delinquent": " runs", "90+ days past due": " runs",
		"Restructured Due to COVID19": " runs", "Standard": " runs", "Loss": " runs", "Suit Filed": "F runs",
		"SUIT FILED (WILFUL DEFAULT)": "FV runs", "Willful Default": "V runs", "No Suit Filed": " -",
		"Not a suit filed case": " -", "closed": " over", "Closed Account": " over", "Account is Inactive": " over",
		"Sold/Purchased": " over", "Restructured & Closed": " over", "written_off": "W over",
		"Charge Off/Written Off": "W over", "Post Write Off Closed": "W over", "Settled": "S over",
		"Post (WO) Settled": "WS over", "Post Written Off Settled": "WS over", "Suit filed and written-off": "WF over",
		"Loan Approved - Not yet disbursed": " over",
		"ns":                                " -", "SF": "F runs", "WDF": "V runs", "SFR": "F runs", "SFWD": "FV runs",
		"SFWO": "WF over", "WDWO": "WV over", "SWDW": "WFV over",
	} {
		if got, known := readStanding(text, accountStatuses); !known || standingText(got) != want {
			t.Errorf("%s was read as %q (%t), want %q", text, standingText(got), known, want)
		}
	}
	for _, text := range []string{"on the moon", "?", "999"} {
		if got, known := readStanding(text, accountStatuses); known {
			t.Errorf("%s was read as %q", text, standingText(got))
		}
	}
}

func TestPaymentCodes(t *testing.T) {
	t.Parallel()
	const unreported = -1
	say := func(c cell) int {
		if !c.said {
			return unreported
		}
		return int(c.days)
	}
	for code, want := range map[byte]int{
		'0': 0, '1': 30, '2': 60, '3': 90, '4': 120, '5': 150, '6': 180, 'S': 0, 'M': 31, 'B': 91, 'D': 180, 'L': 360,
		'N': unreported, '?': unreported,
	} {
		if c, known := profileCells[code]; !known || say(c) != want {
			t.Errorf("%c says %d days, want %d", code, say(c), want)
		}
	}
	for text, want := range map[string]int{
		"000": 0, "001": 1, "045": 45, "900": 900, "XXX": unreported, "STD": 0, "SMA": 31, "SUB": 91, "DBT": 180,
		"LSS": 360, "01+": 1, "31+": 31, "61+": 61, "91+": 91, "121+": 121, "181+": 181, "1000": 0, "1001": 1,
		"1999": 999, "LOSS": 360, "CLSD": unreported, "NEW": unreported, "SET": unreported, "WOF": unreported,
		"PWOS": unreported, "RES": unreported, "RGM": unreported, "RNC": unreported, "RCV": unreported, "FPD": 31,
		"*": unreported, "sub": 91, "SMA 2": 61, "DDD": unreported,
	} {
		if c, known := readCell(text); !known || say(c) != want {
			t.Errorf("%s says %d days (%t), want %d", text, say(c), known, want)
		}
	}
	for _, text := range []string{"ZZZ", "2045", "12345", "-01", "1045+", "++", "0x1"} {
		if c, known := readCell(text); known {
			t.Errorf("%s says %d days", text, say(c))
		}
	}
}

// TestMemberNamesAreUnique checks that no name belongs to two account types, and
// that all names of account types and members are in squashed form.
func TestMemberNamesAreUnique(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, at := range accountTypes {
		for _, name := range at.names {
			var buf [maxName]byte
			if seen[name] || string(squash(buf[:0], name)) != name || len(name) >= maxName {
				t.Errorf("the type %s is there twice or not squashed", name)
			}
			seen[name] = true
		}
	}
	for _, of := range []map[string]slot{accountMembers.squashed, enquiryMembers.squashed} {
		for name := range of {
			var buf [maxName]byte
			if string(squash(buf[:0], name)) != name {
				t.Errorf("the member %s is not squashed", name)
			}
		}
	}
}
