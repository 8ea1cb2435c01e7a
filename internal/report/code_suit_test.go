package report

import (
	"slices"
	"testing"
)

// TestSuitWords checks that a suit or a wilful default is recognised in any usual
// word, and that an unknown word never counts as "no suit".
func TestSuitWords(t *testing.T) {
	t.Parallel()
	const none, suit, wilful = Adverse(0), SuitFiled, Wilful
	for _, c := range []struct {
		bureau, member string
		want           Adverse
		unknown        bool
	}{
		{"x", `"suitFiled":true`, suit, false},
		{"x", `"suitFiled":"Y"`, suit, false},
		{"x", `"suitFiled":"yes"`, suit, false},
		{"x", `"suitFiled":"true"`, suit, false},
		{"x", `"suitFiled":" TRUE "`, suit, false},
		{"x", `"suitFiled":"1"`, suit, false},
		{"x", `"suitFiled":1`, suit, false},
		{"x", `"suitFiled":"SF"`, suit, false},
		{"x", `"suitFiled":"filed"`, suit, false},
		{"x", `"suitFiled":"W"`, wilful, false},
		{"x", `"suitFiled":"suit filed (wilful default)"`, suit | wilful, false},
		{"x", `"suitFiled":"foo"`, suit, true},
		{"x", `"suitFiled":"active"`, suit, true},
		{"x", `"suitFiled":77`, suit, true},
		{"x", `"suitFiled":"?"`, suit, true},
		{"x", `"suitFiled":false`, none, false},
		{"x", `"suitFiled":0`, none, false},
		{"x", `"suitFiled":"N"`, none, false},
		{"x", `"suitFiled":"no"`, none, false},
		{"x", `"suitFiled":"false"`, none, false},
		{"x", `"suitFiled":"none"`, none, false},
		{"x", `"suitFiled":"not filed"`, none, false},
		{"x", `"suitFiled":"suit not filed"`, none, false},
		{"x", `"suitFiled":"not applicable"`, none, false},
		{"x", `"suitFiled":""`, none, false},
		{"x", `"wilfulDefault":true`, wilful, false},
		{"x", `"wilfulDefault":"W"`, wilful, false},
		{"x", `"wilfulDefault":"Y"`, wilful, false},
		{"x", `"wilfulDefault":1`, wilful, false},
		{"x", `"wilfulDefault":"2"`, wilful, false},
		{"x", `"wilfulDefault":"wilful defaulter"`, wilful, false},
		{"x", `"wilfulDefault":"foo"`, wilful, true},
		{"x", `"wilfulDefault":"no"`, none, false},
		{"x", `"wilfulDefault":"N"`, none, false},
		{"x", `"wilfulDefault":"0"`, none, false},
		{"x", `"wilfulDefault":"not a wilful defaulter"`, none, false},
		{"cibil", `"suitFiled":"Y"`, suit, false},
		{"cibil", `"suitFiled":"foo"`, suit, true},
		{"cibil", `"suitFiled":"00"`, none, false},
		{"experian", `"SuitFiled_WilfulDefault":"Y"`, suit, false},
		{"experian", `"SuitFiled_WilfulDefault":"00"`, none, false},
		{"equifax", `"SuitFiledStatus":"WDF"`, wilful, false},
		{"equifax", `"SuitFiledStatus":"*"`, none, false},
		{"equifax", `"History48Months":[{"key":"10-26","PaymentStatus":"000","SuitFiledStatus":"Y"}]`, suit, false},
		{"equifax", `"History48Months":[{"key":"10-26","PaymentStatus":"000","SuitFiledStatus":"QQ"}]`, suit, true},
		{"equifax", `"History48Months":[{"key":"10-26","PaymentStatus":"000","SuitFiledStatus":"NS"}]`, none, false},
		{"crif", `"SUIT-FILED_WILFUL-DEFAULT":"Y"`, suit, false},
		{"crif", `"SUIT-FILED_WILFUL-DEFAULT":"No Suit Filed"`, none, false},
		{"crif", `"SUIT-FILED_WILFUL-DEFAULT":"moon"`, suit, true},
	} {
		h, faults, warnings := readBureau(t, c.bureau, bureauBody(c.bureau, c.member))
		told := slices.ContainsFunc(warnings, func(w string) bool { return hasCode(w, "unknown_suit_status") })
		got := h.Accounts[0].Adverse & (SuitFiled | Wilful)
		if faults != nil || got != c.want || told != c.unknown || !h.Accounts[0].Live {
			t.Errorf("%s %s: %d, want %d; faults %v, warnings %v", c.bureau, c.member, got, c.want, faults, warnings)
		}
	}
}

// TestWrittenOffMark checks that a plain "yes" in the facility status means
// that the account was written off.
func TestWrittenOffMark(t *testing.T) {
	t.Parallel()
	for member, want := range map[string]Adverse{
		`"writtenOffStatus":true`: WrittenOff, `"writtenOffStatus":"Y"`: WrittenOff,
		`"writtenOffStatus":"yes"`: WrittenOff, `"writtenOffStatus":false`: 0, `"writtenOffStatus":"N"`: 0,
		`"writtenOffStatus":"01"`: 0,
	} {
		if h, _, _ := readBureau(t, "x", bureauBody("x", member)); h.Accounts[0].Adverse != want {
			t.Errorf("%s was read as %d, want %d", member, h.Accounts[0].Adverse, want)
		}
	}
}
