package httpapi

import (
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"time"
)

// csvType is what exports are.
const csvType = "text/csv"

// pagePatience is how long one page of an export may take to be sent.
const pagePatience = 30 * time.Second

// export sends a CSV file that is written piece by piece. It takes as long as it
// takes; only a piece must not, so whoever writes calls pause between two.
func (c *call) export(name string, write func(out io.Writer, pause func()) error) error {
	out := &export{c: c, name: name}
	patience := http.NewResponseController(c.w)
	err := write(out, func() {
		_ = patience.SetWriteDeadline(time.Now().Add(pagePatience)) // a writer that cannot keeps its own
	})
	if err == nil && out.packed != nil {
		err = out.packed.Close()
	}
	switch {
	case err == nil || errors.Is(err, errHeadersOnly):
		return nil
	case !out.begun:
		return err
	}
	// Half a file must not pass for a whole one.
	c.api.options.Logger.Warn("an export was aborted", "request_id", c.requestID, "route", c.routeName(), "error", err)
	panic(http.ErrAbortHandler)
}

// export writes a CSV file; its headers go out with the first bytes, so that
// before them a refusal is still possible.
type export struct {
	c     *call
	name  string
	begun bool
	// packed compresses what is written, nil when the client does not take that.
	packed *gzip.Writer
}

var errHeadersOnly = errors.New("only the headers were asked for")

func (e *export) Write(p []byte) (int, error) {
	if !e.begun {
		e.begun = true
		h := e.c.w.Header()
		h["Content-Type"] = []string{csvType + "; charset=utf-8"}
		h["Content-Disposition"] = []string{`attachment; filename="` + e.name + `"`}
		h["Cache-Control"] = noStore
		e.packed = e.c.packStream((*exportBytes)(e.c))
		e.c.status = http.StatusOK
		e.c.w.WriteHeader(http.StatusOK)
	}
	if e.c.r.Method == http.MethodHead {
		return 0, errHeadersOnly
	}
	if e.packed != nil {
		return e.packed.Write(p)
	}
	return (*exportBytes)(e.c).Write(p)
}

// exportBytes writes the bytes of a file to the client and counts them.
type exportBytes call

func (e *exportBytes) Write(p []byte) (int, error) {
	e.slot.Away() // the reader may be slow
	defer e.slot.Back()
	n, err := e.w.Write(p)
	e.bytesOut += int64(n)
	return n, err
}
