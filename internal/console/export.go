package console

import (
	"io"
	"net/http"
	"time"
)

// pagePatience is how long one piece of a file may take to be sent.
const pagePatience = 30 * time.Second

// export sends a CSV file that is written piece by piece. It takes as long as it
// takes; only a piece must not, so whoever writes calls pause between two.
func (v *visit) export(name string, write func(out io.Writer, pause func()) error) error {
	patience := http.NewResponseController(v.w)
	out := &exported{v: v, name: name}
	err := write(out, func() {
		_ = patience.SetWriteDeadline(time.Now().Add(pagePatience)) // a writer that cannot keeps its own
	})
	if err != nil && out.begun {
		v.console.options.Logger.Warn("an export was aborted", "request_id", v.requestID, "error", err)
		panic(http.ErrAbortHandler) // half a file must not pass for a whole one
	}

	return err
}

// attach makes an answer with this header a file to keep. The name is one of ours.
func attach(h http.Header, contentType, name string) {
	h.Set("Content-Type", contentType)
	h.Set("Content-Disposition", `attachment; filename="`+name+`"`)
}

// exported begins the answer with its first bytes, so that before them a
// refusal is still a page.
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

	f.v.slot.Away() // the reader may be slow
	defer f.v.slot.Back()
	return f.v.w.Write(p)
}
