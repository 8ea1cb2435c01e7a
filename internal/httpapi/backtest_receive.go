package httpapi

import (
	"context"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"slices"
	"strings"

	"verdict/internal/document"
	"verdict/internal/fault"
	"verdict/internal/serving"
	"verdict/internal/study"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// fileMemory is the memory that receiving a file takes, in bytes.
const fileMemory = 8 << 20

// receive runs a backtest on a CSV file. The file is either the whole body or a part of a form. The options are in
// the query. A form can also have options in the fields before the file.
func (h *backtestHandlers) receive(c *call) error {
	// Do not cancel the work when the sender disconnects: reading the file then
	// fails, and the run can still be marked as failed with the reason.
	ctx, body, cancel, err := beginFile(context.WithoutCancel(c.r.Context()), c)
	if err != nil {
		return err
	}
	defer cancel()

	kind, params := mediaType(c.r)
	if kind != "text/csv" {
		options, file, err := readForm(c.r, body, params["boundary"])
		if err != nil {
			return err
		}
		return h.runFile(ctx, c, body, options, file)
	}
	options, err := queryOptions(c.r)
	if err != nil {
		return err
	}
	file, err := decompressed(c.r, body, params["charset"])
	if err != nil {
		return err
	}
	return inQuery(h.runFile(ctx, c, body, options, file))
}

// beginFile prepares a request whose body is a file: it reserves memory, and waits for a processor slot with the usual
// timeout of a request. It returns base with the timeout of files, for the work. The caller must call cancel after the
// work.
func beginFile(
	base context.Context, c *call,
) (ctx context.Context, body fileBody, cancel context.CancelFunc, err error) {
	if err = c.resources.Reserve(fileMemory); err != nil {
		return nil, fileBody{}, nil, err
	}
	ctx, cancel = context.WithTimeout(base, c.api.options.FileTimeout)
	body = newFileBody(c)
	if c.ctx, err = c.resources.Compute(c.ctx); err != nil {
		cancel()
		return nil, fileBody{}, nil, err
	}
	return c.resources.Slot.Extend(ctx), body, cancel, nil
}

// runFile runs a backtest on the file in the body.
func (h *backtestHandlers) runFile(
	ctx context.Context, c *call, body fileBody, options wire.Value, file io.Reader,
) error {
	reply := replyRun(c.once)
	request, err := readOptions(c, options)
	var run study.Backtest
	if err == nil {
		request.CSV, request.Async = file, prefersAsync(c.r)
		run, err = h.backtests.Run(ctx, c.caller, request, reply)
	}
	body.StartAnswer()
	return sendReply(c, reply, run, err)
}

// readOptions reads the options of a file, after checking the scope.
func readOptions(c *call, options wire.Value) (study.BacktestRequest, error) {
	if err := c.caller.Require(tenant.Decide); err != nil {
		return study.BacktestRequest{}, err
	}
	return document.ReadBacktestOptions(options)
}

// fileBody reads a body with a file.
type fileBody struct {
	*serving.Upload
	c *call
}

// newFileBody returns the reader of the body. Every 256 KiB must arrive within Options.FilePace, and the whole body
// within Options.FileTimeout.
func newFileBody(c *call) fileBody {
	o := &c.api.options
	return fileBody{serving.NewUpload(c.response.w, c.r, &c.resources, o.FilePace, o.FileTimeout), c}
}

// Read reads from the body, and refuses a body that arrives too slowly.
func (b fileBody) Read(p []byte) (int, error) {
	n, err := b.Upload.Read(p)
	b.c.bodyRead, b.c.bytesIn = true, b.c.bytesIn+int64(n)
	switch {
	case err == nil || errors.Is(err, io.EOF):
		return n, err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return n, fault.New(serving.RequestTimeout, fault.CodeRequestTimeout, "the body arrived too slowly")
	case b.c.r.Context().Err() != nil:
		return n, err
	}
	return n, fault.New(fault.Malformed, fault.CodeMalformedBody, "the body was incomplete")
}

// decompressed returns the CSV file in the body. The first bytes of the file show
// whether it is compressed with gzip. If the header declares gzip but the first bytes
// do not match, decompressed refuses the file.
func decompressed(r *http.Request, body io.Reader, charset string) (io.Reader, error) {
	encoding := r.Header.Get("Content-Encoding")
	gzipped := strings.EqualFold(encoding, "gzip")
	if encoding != "" && !gzipped && !strings.EqualFold(encoding, "identity") {
		return nil, fault.New(serving.UnsupportedMediaType, fault.CodeUnsupportedMediaType,
			"send the file uncompressed, or with Content-Encoding: gzip")
	}
	if charset != "" && !strings.EqualFold(charset, "utf-8") {
		return nil, fault.New(serving.UnsupportedMediaType, fault.CodeUnsupportedMediaType,
			"a CSV file must be in UTF-8")
	}
	return study.Unpacked(body, gzipped)
}

// readForm reads the fields of a form up to the file. The file must be the last
// field, because it is processed as it arrives, and the other fields say how to
// process it.
func readForm(r *http.Request, body io.Reader, boundary string) (options wire.Value, file io.Reader, err error) {
	if boundary == "" || len(boundary) > 70 {
		return options, nil, fault.New(fault.Malformed, fault.CodeMalformedBody, "the form has no boundary")
	}
	form := multipart.NewReader(body, boundary)
	texts, err := optionTexts(r)
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
		text, err := readField(part, name, texts)
		if err != nil {
			return options, nil, err
		}
		if text != "" { // forms also send fields that were left empty
			texts[name] = text
		}
	}
}

// readField reads one field of a form. It refuses a field that is unknown, too long,
// or a repetition of a field that has been read.
func readField(part *multipart.Part, name string, read map[string]string) (string, error) {
	var faults fault.List
	_, duplicate := read[name]
	text, err := io.ReadAll(io.LimitReader(part, maxOption+1))
	switch {
	case err != nil:
		return "", formFault(err, "the form could not be read")
	case !slices.Contains(document.BacktestMembers(), name):
		meant, caseOnly := fault.Suggest(name, document.BacktestMembers(), false)
		faults.AddItem(fault.Unknown("", "the form has an unknown field; the known fields are "+
			strings.Join(document.BacktestMembers(), ", ")+" and file", meant, caseOnly))
	case duplicate:
		faults.Add("/"+name, fault.CodeDuplicate, "must be given once")
	case len(text) > maxOption:
		faults.Add("/"+name, fault.CodeOutOfRange, "must have at most %d bytes", maxOption)
	}
	return string(text), faults.Err()
}

// formFault returns the refusal of a form that could not be read completely. missing
// is the text of the refusal if the form ended too early.
func formFault(err error, missing string) error {
	switch {
	case fault.Of(err) != nil:
		return err
	case errors.Is(err, io.EOF):
		var faults fault.List
		faults.Add("/file", fault.CodeRequired, "%s", missing)
		return faults.Err()
	}
	return fault.New(fault.Malformed, fault.CodeMalformedBody, "the form is not well-formed")
}

// lastPart reads the file of a form. It refuses a form with a field after the file,
// because that field would be ignored.
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
		_, next := l.form.NextPart()
		switch {
		case errors.Is(next, io.EOF):
			return n, io.EOF
		case next == nil:
			var faults fault.List
			faults.Add("/file", fault.CodeInvalidField,
				"must be the last field of the form, because the other fields control how it is read")
			return n, faults.Err()
		}
		err = next
	}
	return n, formFault(err, "the form could not be read")
}
