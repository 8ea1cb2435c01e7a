package console

import (
	"io"
	"net/http"
	"time"
)

// writeTimeout is the deadline for sending an answer, or one chunk of a file.
const writeTimeout = 30 * time.Second

// export sends a CSV file that write produces in chunks. Sending the whole file has no time limit,
// but each chunk has a deadline: write calls pause between two chunks, which sets the next
// deadline.
func (v *visit) export(name string, write func(out io.Writer, pause func()) error) error {
	patience := http.NewResponseController(v.w)
	out := &exported{v: v, name: name}
	err := write(out, func() {
		_ = patience.SetWriteDeadline(time.Now().Add(writeTimeout)) // if this fails, the server's default applies
	})
	if err != nil && out.begun {
		v.console.options.Logger.Warn("an export was aborted", "request_id", v.requestID, "error", err)
		panic(http.ErrAbortHandler) // abort the connection, so that the browser notices that the file is incomplete
	}

	return err
}

// attach makes the browser save the answer as a file. name must not come from a user, because
// attach does not escape it.
func attach(h http.Header, contentType, name string) {
	h.Set("Content-Type", contentType)
	h.Set("Content-Disposition", `attachment; filename="`+name+`"`)
}

// exported sends the headers with the first bytes of the file, so that an earlier error can still
// be answered with an error page.
type exported struct {
	v     *visit
	name  string
	begun bool
}

func (f *exported) Write(p []byte) (int, error) {
	if !f.begun {
		f.begun = true
		attach(f.v.w.Header(), "text/csv; charset=utf-8", f.name)
		f.v.w.WriteHeader(http.StatusOK)
	}

	f.v.slot.Away() // do not hold the slot while the client reads
	defer f.v.slot.Back()
	return f.v.w.Write(p)
}
