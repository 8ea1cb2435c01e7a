package report

import (
	"strings"

	"verdict/internal/civil"
	"verdict/internal/fault"
	"verdict/internal/wire"
)

// crif is the layout of CRIF High Mark: the INDV-REPORT, with or without the
// enclosing keys.
var crif = layout{
	native: func(v wire.Value) wire.Value {
		return under(v, []string{
			"indvreportfile.indvreports.indvreport", "indvreports.indvreport", "indvreport", "b2creport",
		}, []string{"responses", "scores", "inquiryhistory"})
	},
	accounts:  []string{"responses", "reportdata.standarddata.tradelines"},
	enquiries: []string{"inquiryhistory", "reportdata.standarddata.inquiryhistory"},
	dates:     []string{"header.dateofissue", "headersegment.dateofissue", "header.dateofrequest"},
	inside:    []string{"response", "history"},
	within:    []string{"response", "loandetails"},
	summaries: [4]string{"", "", "", "accountssummary.derivedattributes.inquiriesinlastsixmonths"},
	scores:    []string{"scores.score", "scores", "reportdata.standarddata.score"},
	score:     []string{"scorevalue", "value"},
}

// crifCombined reads COMBINED-PAYMENT-HISTORY, "Aug:2026,000/STD|Jul:2026,…".
func (to *months) crifCombined(_ *Account, m *slotted) {
	v := m[slotCombined]
	text := strings.Trim(to.text(v), "|")
	if text == "" || to.tooMany(strings.Count(text, "|")+1, v) {
		return
	}
	for part := range strings.SplitSeq(text, "|") {
		month, value, _ := strings.Cut(part, ",")
		to.crifMonth(month, value, v)
	}
}

// crifHistories reads HISTORY, a list of grids. One of the grids is the payment
// history: one text with its months and one text with its values.
func (to *months) crifHistories(_ *Account, m *slotted) {
	v := m[slotHistories]
	if v.Kind() != wire.Array && v.Kind() != wire.Object {
		to.r.faults.Add(v.Pointer(), fault.CodeWrongType, "must be an array, but is %s", v.Kind())
		return
	}
	grid := v
	for _, g := range v.Elements() {
		if isNamed(member(g, "name").Text(), "combinedpaymenthistory") {
			grid = g
			break
		}
	}
	dates := strings.Split(strings.Trim(member(grid, "dates").Text(), "|"), "|")
	values := strings.Split(strings.Trim(member(grid, "values").Text(), "|"), "|")
	if dates[0] == "" || to.tooMany(len(dates), v) {
		return
	}
	if len(dates) != len(values) {
		to.r.notes.add(wrongLength, grid)
	}
	for i := range min(len(dates), len(values)) {
		to.crifMonth(dates[i], values[i], grid)
	}
}

// crifMonth reads a month with its days and asset class, as in 030/STD. The
// asset class counts only if no days are given.
func (to *months) crifMonth(month, value string, v wire.Value) {
	at := parseMonth(month)
	if at == civil.NoMonth {
		to.r.notes.add(undatedMonth, v)
		return
	}
	days, class, _ := strings.Cut(value, "/")
	c, known := readCell(days)
	if known && !c.said {
		c, known = readCell(class)
	}
	to.code(at, c, known, v)
}
