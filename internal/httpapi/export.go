package httpapi

import (
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"time"
)

// csvType is the media type of exports.
const csvType = "text/csv"

// partTimeout is the time in which the client must read one part of an answer.
const partTimeout = 30 * time.Second

// export sends the CSV file that the function write produces in parts. The time for the
// whole file is not limited, but each part has a timeout. write must call pause between
// two parts; pause starts the timeout of the next part.
func (c *call) export(name string, write func(out io.Writer, pause func()) error) error {
	file := &export{out: &c.response, name: name}
	control := http.NewResponseController(c.response.w)
	err := write(file, func() {
		// If the deadline cannot be set, the server's default applies.
		_ = control.SetWriteDeadline(time.Now().Add(partTimeout))
	})
	if err == nil && file.compressor != nil {
		err = file.compressor.Close()
	}
	switch {
	case err == nil || errors.Is(err, errHeadersOnly):
		return nil
	case !file.started:
		return err
	}
	// Close the connection, so that the client notices that the file is incomplete.
	c.api.options.Logger.Warn("an export was aborted",
		"request_id", c.requestID, "route", c.routeName(), "error", err)
	panic(http.ErrAbortHandler)
}

// export writes a CSV file. It sends the headers with the first bytes; until then
// the request can still be refused.
type export struct {
	out        *response
	name       string
	started    bool
	compressor *gzip.Writer // nil if the client does not accept gzip
}

var errHeadersOnly = errors.New("the request is for the headers only")

func (e *export) Write(p []byte) (int, error) {
	client := exportBytes{e.out}
	if !e.started {
		e.started = true
		h := e.out.header()
		h["Content-Type"] = []string{csvType + "; charset=utf-8"}
		h["Content-Disposition"] = []string{`attachment; filename="` + e.name + `"`}
		h["Cache-Control"] = noStore
		e.compressor = e.out.compressor(client)
		e.out.status = http.StatusOK
		e.out.w.WriteHeader(http.StatusOK)
	}
	if e.out.r.Method == http.MethodHead {
		return 0, errHeadersOnly
	}
	if e.compressor != nil {
		return e.compressor.Write(p)
	}
	return client.Write(p)
}

// exportBytes sends bytes of a file to the client and counts them.
type exportBytes struct{ out *response }

func (e exportBytes) Write(p []byte) (int, error) {
	slot := e.out.resources.slot
	slot.Away() // the client may read slowly
	defer slot.Back()
	n, err := e.out.w.Write(p)
	e.out.bytes += int64(n)
	return n, err
}
