package report

import (
	"strings"

	"verdict/internal/civil"
	"verdict/internal/wire"
)

// experian is the layout of Experian India: the INProfileResponse, with or
// without that key. Enquiries that people make about themselves (NonCreditCAPS)
// are not hard pulls and are not read.
var experian = layout{
	native: func(v wire.Value) wire.Value {
		return under(v, []string{"inprofileresponse"}, []string{"caisaccount", "score", "caps", "creditprofileheader"})
	},
	accounts:  []string{"caisaccount.caisaccountdetails"},
	enquiries: []string{"caps.capsapplicationdetails"},
	dates:     []string{"creditprofileheader.reportdate", "header.reportdate"},
	none:      "caisaccount.caissummary.creditaccount.creditaccounttotal",
	reasons:   enquiryReasons,
	summaries: [4]string{
		"caps.capssummary.capslast7days", "caps.capssummary.capslast30days",
		"caps.capssummary.capslast90days", "caps.capssummary.capslast180days",
	},
	scores: []string{"score"},
	score:  []string{"bureauscore", "fcirexscore"},
}

// profileLength is the number of months in Payment_History_Profile.
const profileLength = 36

// experianProfile reads Payment_History_Profile: one character for each month,
// newest first, starting at the month of Date_Reported.
func (to *months) experianProfile(a *Account, m *slotted) {
	v := m[slotProfile]
	text := to.text(v)
	if text == "" || to.tooMany(len(text), v) {
		return
	}
	if len(text) != profileLength {
		to.r.notes.add(wrongLength, v)
	}
	at := to.start(a.Reported, v)
	for i := range len(text) {
		c := text[i]
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		read, known := profileCells[c]
		to.code(at-civil.Month(i), read, known, v)
	}
}

// experianMonths reads CAIS_Account_History: for each month the days if they are
// given, otherwise the asset class.
func (to *months) experianMonths(_ *Account, m *slotted) {
	v := m[slotMonths]
	if v.Kind() == wire.Object {
		to.experianMonth(v)
		return
	}
	if !to.tooMany(v.Len(), v) {
		for _, e := range v.Elements() {
			to.experianMonth(e)
		}
	}
}

func (to *months) experianMonth(e wire.Value) {
	var year, month, days, class wire.Value
	for name, m := range e.Members() {
		switch {
		case isNamed(name, "year"):
			year = m
		case isNamed(name, "month"):
			month = m
		case isNamed(name, "dayspastdue"):
			days = m
		case isNamed(name, "assetclassification"):
			class = m
		}
	}
	y, hasYear := shortNumber(year)
	m, hasMonth := shortNumber(month)
	at := monthOf(y, m)
	if !hasYear || !hasMonth || at == civil.NoMonth {
		to.r.notes.add(undatedMonth, e)
		return
	}
	if _, number := shortNumber(days); number {
		if n, ok := to.days(days); ok {
			to.add(at, late(n), e)
		}
		return
	}
	text := to.r.scalar.code(days)
	if text == "" {
		text = to.r.scalar.code(class)
	}
	if text != "" {
		c, known := readAssetClass(strings.ToUpper(text))
		to.code(at, c, known, e)
	}
}
