package httpapi

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"

	"verdict/internal/document"
	"verdict/internal/operation"
	"verdict/internal/study"
	"verdict/internal/wire"
)

// runBacktest takes rows in any of their forms: inside a JSON body, which was
// read already, or as a file, which is read as it arrives.
func (a *API) runBacktest(c *call) error {
	if c.streams() {
		return a.receiveBacktest(c)
	}
	options, err := c.joinedOptions()
	if err != nil {
		return err
	}
	if c.once != nil && c.r.URL.RawQuery != "" { // the same rows under other options are another request
		sum := sha256.Sum256([]byte(c.once.Hash + "?" + c.r.URL.RawQuery))
		c.once.Hash = hex.EncodeToString(sum[:])
	}
	reply := c.replyRun()
	run, err := a.service.Backtests.Run(c.ctx, c.caller, study.BacktestRequest{Options: options, Async: c.prefersAsync()}, reply)
	return sendReply(c, reply, run, err)
}

// replyRun says how a run is answered.
func (c *call) replyRun() *operation.Reply[study.Backtest] {
	return &operation.Reply[study.Backtest]{Once: c.once, Encode: document.EncodeRun}
}

func (a *API) runBook(c *call) error {
	q := c.query()
	var w wire.Writer
	w.Object()
	for _, name := range []string{"rule_set_id", "challenger_rule_set_id", "policy_key"} {
		if text := q.text(name); text != "" {
			w.Key(name).String(text)
		}
	}
	for _, name := range []string{"n", "seed", "months", "bad_rate"} {
		if text := q.text(name); text != "" {
			study.WriteNumber(w.Key(name), text)
		}
	}
	w.EndObject()
	if err := q.err(); err != nil {
		return err
	}
	options, err := wire.Parse(w.Buf)
	if err != nil {
		return err
	}
	run, err := a.service.Backtests.RunBook(c.ctx, c.caller, options)
	return sendReply(c, c.replyRun(), run, err)
}

func (a *API) backtest(c *call) error {
	if err := c.query().err(); err != nil {
		return err
	}
	run, err := a.service.Backtests.Get(c.ctx, c.caller, c.id)
	return sendValue(c, run, err, document.WriteBacktest)
}

func (a *API) backtests(c *call) error {
	q := c.query()
	status := q.choice("status", study.BacktestStates()...)
	list := q.list()
	if err := q.err(); err != nil {
		return err
	}
	page, err := a.service.Backtests.List(c.ctx, c.caller, status, list)
	return sendPage(c, page, err, document.WriteListedBacktest)
}

func (a *API) cancelBacktest(c *call) error {
	if err := c.query().err(); err != nil {
		return err
	}
	reply := &operation.Reply[study.Backtest]{Once: c.once, Encode: document.EncodeBacktest}
	run, err := a.service.Backtests.Cancel(c.ctx, c.caller, c.id, reply)
	return sendReply(c, reply, run, err)
}

func (a *API) backtestPage(c *call) error {
	if err := c.query().err(); err != nil {
		return err
	}
	page, err := a.service.Backtests.Page(c.ctx, c.caller, c.id)
	if err != nil {
		return err
	}
	h := c.w.Header()
	h["Content-Type"] = []string{"text/html; charset=utf-8"}
	h["Content-Security-Policy"] = []string{"default-src 'none'; style-src 'unsafe-inline'; img-src data:"}
	return c.send(http.StatusOK, page)
}

// backtestRows streams what was decided of each row. It takes as long as it
// takes; only a chunk must not.
func (a *API) backtestRows(c *call) error {
	q := c.query()
	swapped := q.choice("swapped", "0", "1") == "1"
	if err := q.err(); err != nil {
		return err
	}
	return c.export("backtest-rows.csv", func(out io.Writer, pause func()) error {
		return a.service.Backtests.Rows(c.r.Context(), c.caller, c.id, swapped, out, pause)
	})
}
