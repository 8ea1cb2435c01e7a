package report

import (
	"slices"
	"testing"
	"time"

	"verdict/internal/civil"
)

// TestDaysOfStatus checks that days past due from an account's status count for
// its newest month, with a warning, unless the payment history is worse.
func TestDaysOfStatus(t *testing.T) {
	t.Parallel()
	oct, nov := civil.DayOf(2026, time.October, 1).Month(), civil.DayOf(2026, time.November, 1).Month()
	const clean = `,"paymentHistory":[{"month":"2026-10","dpd":0}]`
	const worse = `,"paymentHistory":[{"month":"2026-10","dpd":400}]`
	for _, c := range []struct {
		bureau, members string
		want            []Payment
	}{
		{"x", `"status":"NPA"` + clean, []Payment{{oct, 91}}},
		{"x", `"status":"NPA"` + worse, []Payment{{oct, 400}}},
		{"x", `"status":"NPA","dateReported":"2026-11-03"` + clean, []Payment{{nov, 91}, {oct, 0}}},
		{"x", `"status":"NPA","dateReported":"2026-10-31"`, []Payment{{oct, 91}}},
		{"x", `"status":"NPA"`, []Payment{{nov, 91}}},
		{"x", `"status":"doubtful"`, []Payment{{nov, 180}}},
		{"x", `"status":"loss"`, []Payment{{nov, 360}}},
		{"x", `"status":"Sub-Standard"`, []Payment{{nov, 91}}},
		{"x", `"status":"SMA"`, []Payment{{nov, 31}}},
		{"x", `"status":"SMA-0"`, []Payment{{nov, 1}}},
		{"x", `"status":"SMA 1"`, []Payment{{nov, 31}}},
		{"x", `"status":"SMA_2"`, []Payment{{nov, 61}}},
		{"x", `"status":"SMA-0 (1-30 days past due)"`, []Payment{{nov, 1}}},
		{"x", `"status":"special mention account"`, []Payment{{nov, 31}}},
		{"x", `"status":"90 days past due"`, []Payment{{nov, 90}}},
		{"x", `"status":"90+ DPD"`, []Payment{{nov, 90}}},
		{"x", `"status":"NPA, 180 days past due"`, []Payment{{nov, 180}}},
		{"x", `"status":"delinquent"`, []Payment{{nov, 1}}},
		{"x", `"status":"suit filed, doubtful"`, []Payment{{nov, 180}}},
		{"x", `"status":"standard"`, nil},
		{"x", `"status":"active"`, nil},
		{"x", `"status":"active, 0 days past due"`, nil},
		{"x", `"status":"active, not overdue"`, nil},
		{"x", `"status":"non-NPA"`, nil},
		{"x", `"status":"closed"`, nil},
		{"x", `"status":"NPA","closedDate":"2026-01-02"`, nil},
		{"x", `"status":"written off, loss"`, nil},
		{"equifax", `"AccountStatus":"91-120 days past due"`, []Payment{{nov, 91}}},
		{"equifax", `"AccountStatus":"Doubtful","DateReported":"2026-10-31"`, []Payment{{oct, 180}}},
		{"equifax", `"AccountStatus":"31+"`, []Payment{{nov, 31}}},
		{"equifax", `"AccountStatus":"Current Account","AssetClassification":"DBT"`, []Payment{{nov, 180}}},
		{"crif", `"ACCOUNT-STATUS":"SMA"`, []Payment{{nov, 31}}},
		{"crif", `"ACCOUNT-STATUS":"Loss"`, []Payment{{nov, 360}}},
		{"experian", `"Account_Status":"11","Payment_Rating":"5","Date_Reported":"20261031"`, []Payment{{oct, 150}}},
		{"experian", `"Payment_Rating":5,"Date_Reported":"20261031"`, []Payment{{oct, 150}}},
		{"experian", `"Payment_Rating":"L","Date_Reported":"20261031"`, []Payment{{oct, 360}}},
		{"experian", `"Payment_Rating":"0","Date_Reported":"20261031"`, nil},
		{"experian", `"Payment_Rating":"?","Date_Reported":"20261031"`, nil},
		{"experian", `"Payment_Rating":"5","Date_Closed":"20260131"`, nil},
		{"equifax", `"DaysPastDue":"45","DateReported":"2026-10-31"`, []Payment{{oct, 45}}},
	} {
		h, faults, warnings := readBureau(t, c.bureau, bureauBody(c.bureau, c.members))
		told := slices.ContainsFunc(warnings, func(w string) bool { return hasCode(w, "days_past_due_from_status") })
		derives := len(c.want) > 0 && c.want[0].DaysPastDue != 400
		if !slices.Equal(h.Accounts[0].History, c.want) || told != derives || faults != nil {
			t.Errorf("%s %s: %v, want %v; faults %v, warnings %v",
				c.bureau, c.members, h.Accounts[0].History, c.want, faults, warnings)
		}
	}
}

func TestUnknownRating(t *testing.T) {
	t.Parallel()
	h, _, warnings := readBureau(t, "experian", bureauBody("experian", `"Payment_Rating":"9"`))
	if h.Accounts[0].History != nil || len(warnings) != 1 || !hasCode(warnings[0], "unknown_payment_code") {
		t.Errorf("%v, warnings %v", h.Accounts[0].History, warnings)
	}
}

// TestMicrofinanceDays checks that the days past due that a microfinance account
// states without a month are read.
func TestMicrofinanceDays(t *testing.T) {
	t.Parallel()
	for members, want := range map[string]int16{
		`"DaysPastDue":"45"`: 45, `"DaysPastDue":0,"MaxDaysPastDue":"95"`: 95,
		`"MaxDaysPastDue":12,"DaysPastDue":"30"`: 30, `"AccountStatus":"NPA"`: 91,
	} {
		body := `{"MicrofinanceAccountDetails":[{"DateReported":"2026-10-31","CurrentBalance":5,` + members + `}],
			"RetailAccountDetails":[{"AccountType":"Personal Loan",
				"History48Months":[{"key":"10-26","PaymentStatus":"000"}]}]}`
		h, _, _ := readBureau(t, "equifax", body)
		if list := h.Microfinance[0].History; len(list) != 1 || list[0].DaysPastDue != want {
			t.Errorf("%s: %v, want %d days", members, list, want)
		}
		if gaps := gapsOf(t, "equifax", body); slices.ContainsFunc(gaps, func(g string) bool {
			return hasCode(g, "payment_history_missing")
		}) {
			t.Errorf("%s: %v", members, gaps)
		}
	}
}
