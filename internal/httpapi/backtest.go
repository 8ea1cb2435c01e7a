package httpapi

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"strings"
	"time"

	"verdict/internal/decisioning"
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
	return c.answer(a.service.RunBacktest(c.ctx, c.caller, decisioning.BacktestRequest{Options: options, Async: c.prefersAsync()}, c.once))
}

// prefersAsync reports whether the caller would rather not wait (RFC 7240).
func (c *call) prefersAsync() bool {
	for _, header := range c.r.Header["Prefer"] {
		for wish := range strings.SplitSeq(header, ",") {
			if strings.EqualFold(strings.TrimSpace(wish), "respond-async") {
				return true
			}
		}
	}
	return false
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
			decisioning.WriteNumber(w.Key(name), text)
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
	return c.answer(a.service.RunBook(c.ctx, c.caller, options))
}

func (a *API) backtest(c *call) error {
	if err := c.query().err(); err != nil {
		return err
	}
	run, err := a.service.Backtest(c.ctx, c.caller, c.id)
	if err != nil {
		return err
	}
	return c.sendResult(http.StatusOK, run)
}

func (a *API) backtests(c *call) error {
	q := c.query()
	status := q.choice("status", decisioning.BacktestStates()...)
	list := q.list()
	if err := q.err(); err != nil {
		return err
	}
	page, err := a.service.Backtests(c.ctx, c.caller, status, list)
	return sendPage(c, page, err, func(w *wire.Writer, b decisioning.Backtest) { b.Write(w) })
}

func (a *API) cancelBacktest(c *call) error {
	if err := c.query().err(); err != nil {
		return err
	}
	return c.answer(a.service.CancelBacktest(c.ctx, c.caller, c.id, c.once))
}

func (a *API) backtestPage(c *call) error {
	if err := c.query().err(); err != nil {
		return err
	}
	page, err := a.service.BacktestPage(c.ctx, c.caller, c.id)
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
	out := &export{c: c, name: "backtest-rows.csv"}
	patience := http.NewResponseController(c.w)
	err := a.service.BacktestRows(c.r.Context(), c.caller, c.id, swapped, out, func() {
		_ = patience.SetWriteDeadline(time.Now().Add(pagePatience)) // a writer that cannot keeps its own
	})
	switch {
	case err == nil || errors.Is(err, errHeadersOnly):
		return nil
	case !out.begun:
		return err
	}
	// Half a file must not pass for a whole one.
	a.options.Logger.Warn("an export broke off", "request_id", c.requestID, "route", c.routeName(), "error", err)
	panic(http.ErrAbortHandler)
}

// export writes a CSV file; its headers go out with the first bytes, so that
// before them a refusal is still possible.
type export struct {
	c     *call
	name  string
	begun bool
}

var errHeadersOnly = errors.New("only the headers were asked for")

func (e *export) Write(p []byte) (int, error) {
	if !e.begun {
		e.begun = true
		h := e.c.w.Header()
		h["Content-Type"] = []string{"text/csv; charset=utf-8"}
		h["Content-Disposition"] = []string{`attachment; filename="` + e.name + `"`}
		h["Cache-Control"] = noStore
		e.c.status = http.StatusOK
		e.c.w.WriteHeader(http.StatusOK)
	}
	if e.c.r.Method == http.MethodHead {
		return 0, errHeadersOnly
	}
	n, err := e.c.w.Write(p)
	e.c.bytesOut += int64(n)
	return n, err
}
