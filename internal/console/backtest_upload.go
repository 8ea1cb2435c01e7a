package console

import (
	"context"

	"verdict/internal/study"
	"verdict/internal/wire"
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
	file, err := body.fields(study.BacktestMembers())
	if err != nil {
		v.drain(body)
		return v.again(err, draw)
	}

	texts := map[string]string{}
	for name := range v.form.values {
		if text := v.form.Value(name); text != "" {
			texts[name] = text
		}
	}

	r := study.BacktestRequest{CSV: file}
	if r.Options, err = study.BacktestOptions(texts, wire.Value{}); err != nil {
		return v.again(err, draw)
	}

	run, err := p.runs.Run(ctx, v.caller(), r, nil)
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
