package report

import (
	"strings"

	"verdict/internal/civil"
	"verdict/internal/wire"
)

// cibil is the layout of TransUnion CIBIL: the consumerCreditData of its JSON,
// with or without the enclosing key.
var cibil = layout{
	native: func(v wire.Value) wire.Value {
		return under(v, []string{"consumercreditdata", "cibilreport.consumercreditdata"},
			[]string{"tuefheader", "scores"})
	},
	accounts:  []string{"accounts"},
	enquiries: []string{"enquiries"},
	dates:     []string{"tuefheader.dateprocessed", "dateprocessed"},
	scores:    []string{"scores"},
	score:     []string{"score"},
	preferred: func(score wire.Value) bool {
		return strings.HasPrefix(strings.ToUpper(member(score, "scorename").Text()), "CIBILTUSC")
	},
	minusOne: true,
}

// cellLength is the number of characters per month in CIBIL's payment history.
const cellLength = 3

// cibilCells reads paymentHistory, which has three characters for each month. The
// first cell is the month of the start date. The cells run towards the end date:
// back in time, unless the end date is later than the start date.
func (to *months) cibilCells(a *Account, m *slotted) {
	v := m[slotHistory]
	text := to.text(v)
	if m[slotHistory2].Given() {
		text += to.text(m[slotHistory2])
	}
	cells := len(text) / cellLength
	if to.tooMany(cells, v) {
		return
	}
	start, end := to.r.scalar.date(m[slotHistoryStart]), to.r.scalar.date(m[slotHistoryEnd])
	if !start.Known() {
		start = a.Reported
	}
	at, step := to.start(start, v), civil.Month(-1)
	wrong := len(text)%cellLength != 0
	if end.Known() && start.Known() {
		span := end.Month() - at
		if span > 0 {
			step = 1
		}
		wrong = wrong || int(span*step)+1 != cells
	}
	if wrong {
		to.r.notes.add(wrongLength, v)
	}
	for i := range cells {
		c, known := readCell(text[i*cellLength : (i+1)*cellLength])
		to.code(at+civil.Month(i)*step, c, known, v)
	}
}
