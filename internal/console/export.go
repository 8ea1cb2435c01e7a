package console

import (
	"io"
	"net/http"

	"verdict/internal/serving"
)

// export sends a CSV file. The function write produces the file in chunks, and must call pause between two chunks.
func (v *visit) export(name string, write func(out io.Writer, pause func()) error) error {
	file := serving.Export{
		Request: v.r,
		Out:     v.w,
		Slot:    v.resources.Slot,
		Start: func(to io.Writer) io.Writer {
			attach(v.w.Header(), "text/csv; charset=utf-8", name)
			v.w.WriteHeader(http.StatusOK)
			return to
		},
	}
	return file.Send(write)
}

// attach makes the browser save the answer as a file. name must not come from a user, because
// attach does not escape it.
func attach(h http.Header, contentType, name string) {
	h.Set("Content-Type", contentType)
	h.Set("Content-Disposition", `attachment; filename="`+name+`"`)
}
