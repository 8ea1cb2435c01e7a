package httpapi

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"

	"verdict/internal/document"
	"verdict/internal/operation"
	"verdict/internal/study"
	"verdict/internal/tenant"
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
	if err := c.caller.Require(tenant.Decide); err != nil {
		return err
	}
	request, faults := document.ReadBacktest(options, a.service.Backtests.MaxRows(), a.options.Now())
	if err := request.Require(c.caller); err != nil { // a replay needs a scope more, whatever else is wrong
		return err
	}
	if faults != nil {
		return faults
	}
	request.Async = c.prefersAsync()
	reply := c.replyRun()
	run, err := a.service.Backtests.Run(c.ctx, c.caller, request, reply)
	return sendReply(c, reply, run, err)
}

// replyRun says how a run is answered.
func (c *call) replyRun() *operation.Reply[study.Backtest] {
	return &operation.Reply[study.Backtest]{Once: c.once, Encode: document.EncodeRun}
}

func (a *API) runBook(c *call) error {
	q := c.query()
	parameters := map[string]string{}
	for _, name := range append(document.BookPolicies(), document.BookMembers()...) {
		parameters[name] = q.text(name)
	}
	if err := q.err(); err != nil {
		return err
	}
	if err := c.caller.Require(tenant.Decide); err != nil {
		return err
	}
	request, err := document.ReadBook(parameters)
	if err != nil {
		return inQuery(err)
	}
	run, err := a.service.Backtests.RunBook(c.ctx, c.caller, request)
	return sendReply(c, c.replyRun(), run, inQuery(err))
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
