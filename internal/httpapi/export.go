package httpapi

import (
	"io"
	"net/http"

	"verdict/internal/serving"
)

// csvType is the media type of CSV files. csvText also names the encoding.
const (
	csvType = "text/csv"
	csvText = csvType + "; charset=utf-8"
)

// export sends a file, compressed if the client accepts that. The function write writes the file in parts, and must
// call pause between two parts. kind is the media type of the file.
func (c *call) export(name, kind string, write func(out io.Writer, pause func()) error) error {
	out := &c.response
	file := serving.Export{
		Request: c.r,
		Out:     out.w,
		Slot:    c.resources.Slot,
		Start: func(to io.Writer) io.Writer {
			h := out.header()
			h["Content-Type"] = []string{kind}
			h["Content-Disposition"] = []string{`attachment; filename="` + name + `"`}
			h["Cache-Control"] = noStore
			counted := countedBytes{out, to}
			compressor := out.compressor(counted)
			out.status = http.StatusOK
			out.w.WriteHeader(http.StatusOK)
			if compressor != nil {
				return compressor
			}
			return counted
		},
	}
	return file.Send(write)
}

// countedBytes counts the bytes of a file that are sent.
type countedBytes struct {
	out *response
	to  io.Writer
}

func (b countedBytes) Write(p []byte) (int, error) {
	n, err := b.to.Write(p)
	b.out.bytes += int64(n)
	return n, err
}
