package console

import (
	"context"

	"verdict/internal/document"
	"verdict/internal/study"
)

// uploadBacktest runs a backtest on a CSV file while the file is uploaded. The file must be
// the last field of the form, because the other fields say how to read it.
func (p *backtestPages) uploadBacktest(v *visit) error {
	// Do not cancel the work when the browser disconnects: reading the file then fails, and
	// the run must still be ended properly instead of staying half received.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(v.r.Context()), maxUploadTime)
	defer cancel()
	body := newUpload(v, maxUploadTime)
	// Wait for a processor slot with the usual timeout of a request.
	var err error
	if v.ctx, err = v.resources.Compute(v.ctx); err != nil {
		return err
	}
	ctx = v.resources.Slot.Extend(ctx)
	draw := func(v *visit) error { return p.drawBacktestForm(v, fromFile) }
	file, err := body.fields(document.BacktestMembers())
	if err != nil {
		body.drain()
		return v.redraw(err, draw)
	}

	r, err := document.ReadBacktestFields(v.form.filled(document.BacktestMembers()...))
	var run study.Backtest
	if err == nil {
		r.CSV = file
		run, err = p.runs.Run(ctx, v.caller(), r, nil)
	}
	if err != nil {
		body.drain()
	}

	body.StartAnswer()
	v.ctx = ctx // v.ctx may have expired during the upload
	if err != nil {
		return v.redraw(missingField(err), draw)
	}

	return v.leaveFor("/backtests/" + run.ID)
}
