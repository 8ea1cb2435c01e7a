package backtest

import (
	"strconv"

	"verdict/internal/engine"
	"verdict/internal/rule"
	"verdict/internal/sheet"
	"verdict/internal/wire"
)

// resultColumns names the columns of each policy in the row-level results.
var resultColumns = []string{"status", "grade", "score", "limit", "rate", "reasons"}

// WriteRowsHeader writes the header of the row-level results.
func (r *Run) WriteRowsHeader(out *sheet.Writer) {
	out.Text("row")
	out.Text("applicant_id")
	for _, name := range resultColumns {
		out.Text(name)
	}
	if r.challenger != nil {
		for _, name := range resultColumns {
			out.Text("challenger_" + name)
		}
	}
	out.End()
}

// WriteRows makes the worker write every row to out after deciding it. If
// swappedOnly is set, the worker writes only the rows that one policy approves
// and the other does not. A row that could not be evaluated gets the status
// "FAILED" and its error code as the reason.
func (w *Worker) WriteRows(out *sheet.Writer, swappedOnly bool) {
	w.out, w.swappedOnly = out, swappedOnly
}

func (w *Worker) writeDecided(r *row, swapped bool) {
	if w.out == nil || w.swappedOnly && !swapped {
		return
	}
	w.begin(r.number, r.id)
	w.result(&w.champion.decision)
	if w.run.challenger != nil {
		w.result(&w.challenger.decision)
	}
	w.out.End()
}

func (w *Worker) writeFailed(e RowError, id []byte) {
	if w.out == nil || w.swappedOnly {
		return
	}
	w.begin(e.Row, id)
	policies := 1
	if w.run.challenger != nil {
		policies = 2
	}
	for range policies {
		w.out.Text("FAILED")
		for range len(resultColumns) - 2 {
			w.out.Text("")
		}
		w.out.Text(e.Code)
	}
	w.out.End()
}

func (w *Worker) begin(number int64, id []byte) {
	w.line = strconv.AppendInt(w.line[:0], number, 10)
	w.out.Raw(w.line)
	w.out.Text(string(id))
}

// result writes the decision of one policy. It also writes the limit and rate
// of an offer that a person must still confirm.
func (w *Worker) result(d *engine.Decision) {
	w.out.Text(d.Status.String())
	w.out.Text(d.Grade)
	w.number(int64(d.FinalScore), rule.Places, true)
	w.number(d.Offer.LimitPaise, 2, d.Offer.Made)
	w.number(d.Offer.RateBP, 2, d.Offer.Made)
	w.line = w.line[:0]
	for i := range d.Reasons {
		if i > 0 {
			w.line = append(w.line, ' ')
		}
		w.line = append(w.line, d.Reasons[i].Code...)
	}
	w.out.Raw(w.line) // codes consist of capital letters, digits and underscores
}

func (w *Worker) number(coef int64, places int, known bool) {
	w.line = w.line[:0]
	if known {
		w.line = wire.AppendDecimal(w.line, coef, places)
	}
	w.out.Raw(w.line)
}
