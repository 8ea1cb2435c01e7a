package console

import (
	"context"

	"verdict/internal/document"
	"verdict/internal/study"
)

// uploadBacktest takes a CSV file as it comes in. It is the last field of its
// form: the others say how it is read.
func (p *backtestPages) uploadBacktest(v *visit) error {
	// Whether the browser is still there shows when the file is read; what came
	// before it went away is dealt with all the same, so that the run is not
	// left half received.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(v.r.Context()), longestFile)
	defer cancel()
	ctx, v.slot = p.processors.Enter(ctx, v.owner())
	body := newUpload(v, longestFile)
	draw := func(v *visit) error { return p.drawBacktestForm(v, fromFile) }
	file, err := body.fields(document.BacktestMembers())
	if err != nil {
		v.drain(body)
		return v.again(err, draw)
	}

	r, err := document.ReadBacktestFields(v.form.filled(document.BacktestMembers()...))
	var run study.Backtest
	if err == nil {
		r.CSV = file
		run, err = p.runs.Run(ctx, v.caller(), r, nil)
	}
	if err != nil {
		v.drain(body)
	}

	body.rest()
	v.ctx = ctx // the file may have taken longer than a page may
	if err != nil {
		return v.again(missingField(err), draw)
	}

	return p.toBacktest(v, run)
}
