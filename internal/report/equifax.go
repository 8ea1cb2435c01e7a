package report

import (
	"strings"

	"verdict/internal/civil"
	"verdict/internal/wire"
)

// equifax is the layout of Equifax India: the CIRReportData of a CCRResponse,
// with or without the enclosing keys. Equifax counts enquiries in several time
// windows, of which only the window of 30 days has a field in History.
var equifax = layout{
	native: func(v wire.Value) wire.Value {
		for _, path := range []string{"ccrresponse.cirreportdatalst", "cirreportdatalst"} {
			// A response may hold several reports; use the one on retail credit.
			for _, each := range at(v, path).Elements() {
				if data := member(each, "cirreportdata"); member(data, "retailaccountdetails").Given() {
					return data
				}
			}
		}
		return under(v,
			[]string{"ccrresponse.cirreportdatalst.cirreportdata", "cirreportdatalst.cirreportdata", "cirreportdata"},
			[]string{"retailaccountdetails", "scoredetails", "retailaccountssummary"})
	},
	accounts:  []string{"retailaccountdetails"},
	enquiries: []string{"enquiries"},
	dates: []string{
		"ccrresponse.cirreportdatalst.inquiryresponseheader.date", "cirreportdatalst.inquiryresponseheader.date",
		"inquiryresponseheader.date",
	},
	microfinance: []string{
		"ccrresponse.cirreportdatalst.cirreportdata.microfinanceaccountdetails",
		"cirreportdatalst.cirreportdata.microfinanceaccountdetails",
		"cirreportdata.microfinanceaccountdetails", "microfinanceaccountdetails",
	},
	none:      "retailaccountssummary.noofaccounts",
	summaries: [4]string{"", "enquirysummary.past30days", "", ""},
	scores:    []string{"scoredetails"},
	score:     []string{"value"},
	preferred: func(score wire.Value) bool {
		return strings.HasPrefix(strings.ToUpper(member(score, "type").Text()), "ERS")
	},
}

// equifaxGrid reads History48Months: the payment status of each month, or the
// asset class if there is no status. For suits, only the newest month that has a
// suit status counts. Write-offs and settlements of any month count.
func (to *months) equifaxGrid(_ *Account, m *slotted) {
	v := m[slotGrid]
	if v.Kind() == wire.Object {
		to.equifaxMonth(v)
		return
	}
	if to.tooMany(v.Len(), v) {
		return
	}
	for _, e := range v.Elements() {
		to.equifaxMonth(e)
	}
}

func (to *months) equifaxMonth(e wire.Value) {
	at := parseMonth(member(e, "key").Text())
	if at == civil.NoMonth {
		to.r.notes.add(undatedMonth, e)
		return
	}
	if suit := member(e, "suitfiledstatus"); at > to.suitMonth && !to.r.scalar.saysNothing(suit) && suit.Text() != "*" {
		to.suit, to.suitMonth = to.r.scalar.suit(suit, SuitFiled), at
	}
	status := to.r.scalar.code(member(e, "paymentstatus"))
	class := to.r.scalar.code(member(e, "assetclassificationstatus"))
	if (status == "" || status == "*") && class != "" {
		status = class
	}
	c, known := readCell(status)
	to.code(at, c, known, e)
}
