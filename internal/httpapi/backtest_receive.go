package httpapi

import (
	"context"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"verdict/internal/document"
	"verdict/internal/fault"
	"verdict/internal/serving"
	"verdict/internal/study"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// The patience with a file that is being sent: so many bytes must arrive in
// Options.FilePace, and all of it within the longest. A file that is still on
// its way after an hour is taken for abandoned.
const (
	paceBytes   = 256 << 10
	longestFile = 50 * time.Minute
)

// fileMemory is the memory that a file takes while it is received.
const fileMemory = 8 << 20

// mediaKind is the body's type as it is claimed.
func (c *call) mediaKind() (kind string, params map[string]string) {
	kind, params, _ = mime.ParseMediaType(c.r.Header.Get("Content-Type"))
	return kind, params
}

// streams reports whether the body is a file.
func (c *call) streams() bool {
	kind, _ := c.mediaKind()
	return kind == "text/csv" || kind == "multipart/form-data"
}

// receive takes a CSV file as the body, with the options in the query,
// or as a part of a form, with the options in the fields before it.
func (h *backtestHandlers) receive(c *call) error {
	if err := c.reserve(fileMemory); err != nil {
		return err
	}
	// Whether the sender is still there shows when the file is read. What came
	// before it went away is dealt with all the same, so that the refusal says
	// what was wrong and the run is not left half received.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.r.Context()), longestFile)
	defer cancel()
	ctx, c.slot = c.api.node.Processors.Enter(ctx, c.owner())
	body := &paced{c: c, control: http.NewResponseController(c.w), left: paceBytes}
	body.wait()
	kind, params := c.mediaKind()
	if kind != "text/csv" {
		options, file, err := c.readForm(body, params["boundary"])
		if err != nil {
			return err
		}
		return h.runFile(ctx, c, body, options, file)
	}
	options, err := c.queryOptions()
	if err != nil {
		return err
	}
	file, err := c.unpacked(body, params["charset"])
	if err != nil {
		return err
	}
	return inQuery(h.runFile(ctx, c, body, options, file))
}

// runFile runs a backtest over the file of a body.
func (h *backtestHandlers) runFile(ctx context.Context, c *call, body *paced, options wire.Value, file io.Reader) error {
	reply := c.replyRun()
	request, err := readOptions(c, options)
	var run study.Backtest
	if err == nil {
		request.CSV, request.Async = file, c.prefersAsync()
		run, err = h.backtests.Run(ctx, c.caller, request, reply)
	}
	body.rest()
	return sendReply(c, reply, run, err)
}

// readOptions reads the options of a file.
func readOptions(c *call, options wire.Value) (study.BacktestRequest, error) {
	if err := c.caller.Require(tenant.Decide); err != nil {
		return study.BacktestRequest{}, err
	}
	return document.ReadBacktestOptions(options)
}

// paced reads a body that may take long, as long as it keeps coming. Every
// stretch of it buys the time for the next, and for the answer.
type paced struct {
	c       *call
	control *http.ResponseController
	left    int // of this stretch
}

// wait gives the connection the time for another stretch. One that cannot be
// told keeps its own.
func (p *paced) wait() {
	until := time.Now().Add(p.c.api.options.FilePace)
	_ = p.control.SetReadDeadline(until)
	_ = p.control.SetWriteDeadline(until.Add(pagePatience))
}

// rest gives the answer its time, whatever the body took.
func (p *paced) rest() { _ = p.control.SetWriteDeadline(time.Now().Add(pagePatience)) }

// Read gives the slot on the processor up while it waits for the sender.
func (p *paced) Read(b []byte) (int, error) {
	p.c.slot.Away()
	n, err := p.c.r.Body.Read(b)
	p.c.slot.Back()
	p.c.bytesIn += int64(n)
	if p.left -= n; p.left <= 0 {
		p.left = paceBytes
		p.wait()
	}
	switch {
	case err == nil || errors.Is(err, io.EOF):
		return n, err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return n, fault.New(serving.RequestTimeout, fault.CodeRequestTimeout, "the body arrived too slowly")
	case p.c.r.Context().Err() != nil:
		return n, err
	}
	return n, notWhole()
}

func notWhole() error {
	return fault.New(fault.Malformed, fault.CodeMalformedBody, "the body was incomplete")
}

// unpacked is a file as it was before it was packed. Files say by their first
// bytes that they are, whatever the headers say.
func (c *call) unpacked(body io.Reader, charset string) (io.Reader, error) {
	encoding := c.r.Header.Get("Content-Encoding")
	packed := strings.EqualFold(encoding, "gzip")
	if encoding != "" && !packed && !strings.EqualFold(encoding, "identity") {
		return nil, fault.New(serving.UnsupportedMediaType, fault.CodeUnsupportedMediaType,
			"send the file uncompressed, or with Content-Encoding: gzip")
	}
	if charset != "" && !strings.EqualFold(charset, "utf-8") {
		return nil, fault.New(serving.UnsupportedMediaType, fault.CodeUnsupportedMediaType, "a CSV file must be in UTF-8")
	}
	return study.Unpacked(body, packed)
}

// readForm reads the fields of a form up to the file, which must come last: it
// is not held until somebody says how it is to be read.
func (c *call) readForm(body io.Reader, boundary string) (options wire.Value, file io.Reader, err error) {
	if boundary == "" || len(boundary) > 70 {
		return options, nil, fault.New(fault.Malformed, fault.CodeMalformedBody, "the form has no boundary")
	}
	form := multipart.NewReader(body, boundary)
	texts, err := c.optionTexts()
	if err != nil {
		return options, nil, err
	}
	for {
		part, err := form.NextPart()
		if err != nil {
			return options, nil, formFault(err, "the form has no part named file")
		}
		name := part.FormName()
		if name == "file" {
			if options, err = document.BacktestOptions(texts, wire.Value{}); err == nil {
				file, err = study.Unpacked(&lastPart{part, form}, false)
			}
			return options, file, err
		}
		var faults fault.List
		_, twice := texts[name]
		text, err := io.ReadAll(io.LimitReader(part, maxOption+1))
		switch {
		case err != nil:
			return options, nil, formFault(err, "the form could not be read")
		case !slices.Contains(document.BacktestMembers(), name):
			meant, caseOnly := fault.Meant(name, document.BacktestMembers(), false)
			faults.AddItem(fault.Unknown("", "the form has an unknown field; the known fields are "+
				strings.Join(document.BacktestMembers(), ", ")+" and file", meant, caseOnly))
		case twice:
			faults.Add("/"+name, fault.CodeDuplicate, "must be given once")
		case len(text) > maxOption:
			faults.Add("/"+name, fault.CodeOutOfRange, "must have at most %d bytes", maxOption)
		}
		if err := faults.Err(); err != nil {
			return options, nil, err
		}
		if len(text) > 0 { // a form sends the fields that nobody filled in
			texts[name] = string(text)
		}
	}
}

func formFault(err error, missing string) error {
	var refusal *fault.Error
	switch {
	case errors.As(err, &refusal):
		return err
	case errors.Is(err, io.EOF):
		var faults fault.List
		faults.Add("/file", fault.CodeRequired, "%s", missing)
		return faults.Err()
	}
	return fault.New(fault.Malformed, fault.CodeMalformedBody, "the form is not well-formed")
}

// lastPart is the file of a form. What comes behind it would be passed over,
// so it is refused.
type lastPart struct {
	part *multipart.Part
	form *multipart.Reader
}

func (l *lastPart) Read(p []byte) (int, error) {
	n, err := l.part.Read(p)
	if err == nil {
		return n, nil
	}
	if errors.Is(err, io.EOF) {
		_, behind := l.form.NextPart()
		switch {
		case errors.Is(behind, io.EOF):
			return n, io.EOF
		case behind == nil:
			var faults fault.List
			faults.Add("/file", fault.CodeInvalidField, "must be the last field of the form, because the other fields control how it is read")
			return n, faults.Err()
		}
		err = behind
	}
	return n, formFault(err, "the form could not be read")
}
