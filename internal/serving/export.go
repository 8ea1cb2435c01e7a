package serving

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"verdict/internal/admission"
)

// PartTimeout is the time in which a client must read one part of a file, or a
// whole answer that is not sent in parts.
const PartTimeout = 30 * time.Second

// Export sends a file in parts, as fast as the client reads it.
type Export struct {
	Request *http.Request
	Out     http.ResponseWriter
	Slot    *admission.Slot
	// Start is called before the first byte; until then the request can still be
	// refused. It sets the headers and sends the status. It returns the writer for
	// the file: either its argument, or a writer that wraps it, such as a
	// compressor. The wrapping writer is closed at the end of the file.
	Start func(to io.Writer) io.Writer

	file io.Writer // nil until started
}

var errHeadersOnly = errors.New("the request is for the headers only")

// Send sends the file that write writes. The time for the whole file is not
// limited, but each part has PartTimeout. After each part other owners may compute.
// write must call pause between two parts; pause starts the timeout of the next part.
// If write fails after the first byte, Send aborts the answer.
func (e *Export) Send(write func(out io.Writer, pause func()) error) error {
	control := http.NewResponseController(e.Out)
	err := write(exportText{e}, func() {
		// If the deadline cannot be set, the server's default applies.
		_ = control.SetWriteDeadline(time.Now().Add(PartTimeout))
	})
	if closer, is := e.file.(io.Closer); is && err == nil {
		err = closer.Close()
	}
	switch {
	case errors.Is(err, errHeadersOnly):
		return nil
	case err != nil && e.file != nil:
		Abort(fmt.Errorf("send the export: %w", err))
	}
	return err
}

// exportText receives the text of the file.
type exportText struct{ *Export }

// Write lets other owners compute first, because making and compressing the parts of a long file is long work.
func (e exportText) Write(p []byte) (int, error) {
	if e.Slot != nil {
		if err := admission.Checkpoint(e.Slot); err != nil {
			return 0, err
		}
	}
	if e.file == nil {
		e.file = e.Start(exportBytes{e.Export})
	}
	if e.Request.Method == http.MethodHead {
		return 0, errHeadersOnly
	}
	return e.file.Write(p)
}

// exportBytes sends the bytes of the file to the client.
type exportBytes struct{ *Export }

func (e exportBytes) Write(p []byte) (int, error) {
	e.Slot.Away() // gives up the slot, because the client may read slowly
	defer e.Slot.Back()
	return e.Out.Write(p)
}
