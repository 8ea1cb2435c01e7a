package httpapi

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"time"

	"verdict/internal/document"
	"verdict/internal/operation"
	"verdict/internal/study"
	"verdict/internal/tenant"
)

// backtestHandlers serve backtests: starting a run on rows, on a synthetic book or on
// stored decisions, and reading its results.
type backtestHandlers struct {
	backtests *study.Backtests
	now       func() time.Time
}

func (h *backtestHandlers) routes() []route {
	return []route{
		{
			pattern: "POST /v1/backtest", handle: h.run, bucket: bucketBacktest,
			body: required, report: true, stream: true, once: true,
		},
		{pattern: "GET /v1/backtest", handle: h.list, bucket: bucketRead},
		{pattern: "GET /v1/backtest/{id}", handle: h.backtest, bucket: bucketRead},
		{pattern: "POST /v1/backtest/{id}/cancel", handle: h.cancel, bucket: bucketWrite, once: true},
		{pattern: "GET /v1/backtest/{id}/rows", handle: h.rows, bucket: bucketBacktest, only: csvType},
		{pattern: "GET /v1/backtest/{id}/report", handle: h.page, bucket: bucketBacktest, only: "text/html"},
		{pattern: "GET /v1/credit/backtest", handle: h.runBook, bucket: bucketBacktest},
	}
}

// run runs a backtest. The request is either a JSON body, which has been read already, or a file of rows, which is read
// as it arrives.
func (h *backtestHandlers) run(c *call) error {
	if isFile(c.r) {
		return h.receive(c)
	}
	options, err := joinedOptions(c.r, c.body)
	if err != nil {
		return err
	}
	if c.once != nil && c.r.URL.RawQuery != "" { // the same rows with other options are a different request
		sum := sha256.Sum256([]byte(c.once.Hash + "?" + c.r.URL.RawQuery))
		c.once.Hash = hex.EncodeToString(sum[:])
	}
	if err := c.caller.Require(tenant.Decide); err != nil {
		return err
	}
	request, faults := document.ReadBacktest(options, h.backtests.MaxRows(), h.now())
	// A replay requires an additional scope. Check it first, so that a caller without the scope does not see the
	// faults.
	if err := request.Require(c.caller); err != nil {
		return err
	}
	if faults != nil {
		return faults
	}
	request.Async = prefersAsync(c.r)
	reply := replyRun(c.once)
	run, err := h.backtests.Run(c.ctx, c.caller, request, reply)
	return sendReply(c, reply, run, err)
}

// replyRun returns the reply to a request that starts a run.
func replyRun(once *operation.Idempotency) *operation.Reply[study.Backtest] {
	return &operation.Reply[study.Backtest]{Idempotency: once, Encode: document.EncodeRun}
}

func (h *backtestHandlers) runBook(c *call) error {
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
	run, err := h.backtests.RunBook(c.ctx, c.caller, request)
	return sendReply(c, replyRun(c.once), run, inQuery(err))
}

func (h *backtestHandlers) backtest(c *call) error {
	if err := c.query().err(); err != nil {
		return err
	}
	run, err := h.backtests.Get(c.ctx, c.caller, c.id)
	return sendValue(c, run, err, document.WriteBacktest)
}

func (h *backtestHandlers) list(c *call) error {
	q := c.query()
	status := q.choice("status", study.BacktestStates()...)
	list := q.list()
	if err := q.err(); err != nil {
		return err
	}
	page, err := h.backtests.List(c.ctx, c.caller, status, list)
	return sendPage(c, page, err, document.WriteListedBacktest)
}

func (h *backtestHandlers) cancel(c *call) error {
	if err := c.query().err(); err != nil {
		return err
	}
	reply := &operation.Reply[study.Backtest]{Idempotency: c.once, Encode: document.EncodeBacktest}
	run, err := h.backtests.Cancel(c.ctx, c.caller, c.id, reply)
	return sendReply(c, reply, run, err)
}

func (h *backtestHandlers) page(c *call) error {
	if err := c.query().err(); err != nil {
		return err
	}
	page, err := h.backtests.Page(c.ctx, c.caller, c.id)
	if err != nil {
		return err
	}
	header := c.response.header()
	header["Content-Type"] = []string{"text/html; charset=utf-8"}
	header["Content-Security-Policy"] = []string{"default-src 'none'; style-src 'unsafe-inline'; img-src data:"}
	return c.response.send(c.ctx, http.StatusOK, page)
}

// rows sends the decision on each row as a CSV file.
func (h *backtestHandlers) rows(c *call) error {
	q := c.query()
	swapped := q.choice("swapped", "0", "1") == "1"
	if err := q.err(); err != nil {
		return err
	}
	return c.export("backtest-rows.csv", csvText, func(out io.Writer, pause func()) error {
		return h.backtests.Rows(c.resources.Slot.Extend(c.r.Context()), c.caller, c.id, swapped, out, pause)
	})
}
