package console

import (
	"context"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"slices"
	"time"

	"verdict/internal/fault"
	"verdict/internal/study"
	"verdict/internal/wire"
)

// The patience with a file that is being sent: so many bytes must arrive within
// the pace, and all of it within the longest.
const (
	filePace    = 60 * time.Second
	paceBytes   = 256 << 10
	longestFile = 50 * time.Minute
	maxOption   = 64 << 10
	drainedFile = 64 << 20
)

// fileMemory is the memory that a file takes while it is received, and fileStep
// the bytes after which one that is kept whole takes more.
const (
	fileMemory = 8 << 20
	fileStep   = 4 << 20
)

// sentByScript says that the form was sent by our own module, which follows no
// redirect: it is told where to go.
const sentByScript = "X-Verdict-Upload"

// uploadBacktest takes a CSV file as it comes in. It is the last field of its
// form: the others say how it is read.
func (c *Console) uploadBacktest(v *visit) error {
	// Whether the browser is still there shows when the file is read; what came
	// before it went away is dealt with all the same, so that the run is not
	// left half received.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(v.r.Context()), longestFile)
	defer cancel()
	ctx, v.slot = c.options.Processors.Enter(ctx, v.owner())
	body := newPaced(v, longestFile)
	draw := func(v *visit) error { return c.drawBacktestForm(v, fromFile) }
	file, err := v.readUpload(body, study.BacktestMembers())
	if err != nil {
		v.drain(body)
		return v.again(err, draw)
	}
	texts := map[string]string{}
	for name := range v.form.values {
		if text := v.form.Value(name); text != "" {
			texts[name] = text
		}
	}
	r := study.BacktestRequest{CSV: file}
	if r.Options, err = study.BacktestOptions(texts, wire.Value{}); err != nil {
		return v.again(err, draw)
	}
	answer, err := c.service.Studies.RunBacktest(ctx, v.caller(), r, nil)
	if err != nil {
		v.drain(body)
	}
	body.rest()
	v.ctx = ctx // the file may have taken longer than a page may
	if err != nil {
		return v.again(missingField(err), draw)
	}
	return c.toBacktest(v, answer)
}

// readUpload reads the fields of a form up to the file, and hands that over to
// be read. A field that is not among the known ones is refused.
func (v *visit) readUpload(body io.Reader, known []string) (io.Reader, error) {
	v.form = &form{values: url.Values{}}
	if err := v.reserve(fileMemory); err != nil {
		return nil, err
	}
	kind, params, _ := mime.ParseMediaType(v.r.Header.Get("Content-Type"))
	if kind != "multipart/form-data" || params["boundary"] == "" || len(params["boundary"]) > 70 {
		return nil, fault.New(fault.Malformed, fault.CodeMalformedForm, "the form cannot be read")
	}
	parts := multipart.NewReader(body, params["boundary"])
	for {
		part, err := parts.NextPart()
		if err != nil {
			return nil, uploadFault(err)
		}
		name := part.FormName()
		if name == "file" {
			if part.FileName() == "" {
				return nil, noFile()
			}
			return study.Unpacked(part, false)
		}
		text, err := io.ReadAll(io.LimitReader(part, maxOption+1))
		switch {
		case err != nil:
			return nil, uploadFault(err)
		case !slices.Contains(known, name) || v.form.values.Has(name) || len(text) > maxOption:
			return nil, fault.New(fault.Malformed, fault.CodeMalformedForm, "the form has an unexpected field")
		}
		v.form.values.Set(name, string(text))
	}
}

func noFile() error {
	var faults fault.List
	faults.Add("/file", fault.CodeRequired, "choose a file")
	return faults.Err()
}

func uploadFault(err error) error {
	var refusal *fault.Error
	switch {
	case errors.As(err, &refusal):
		return err
	case errors.Is(err, io.EOF):
		return noFile()
	}
	return fault.New(fault.Malformed, fault.CodeMalformedForm, "the form was incomplete; send it again")
}

// paced reads a body that may take long, as long as it keeps coming: every
// stretch of it buys the time for the next.
type paced struct {
	v       *visit
	control *http.ResponseController
	left    int       // of this stretch
	end     time.Time // of all of it
}

func newPaced(v *visit, longest time.Duration) *paced {
	p := &paced{v: v, control: http.NewResponseController(v.w), left: paceBytes, end: time.Now().Add(longest)}
	p.wait()
	return p
}

// wait gives the connection the time for another stretch. One that cannot be
// told keeps its own.
func (p *paced) wait() {
	until := time.Now().Add(filePace)
	if p.end.Before(until) {
		until = p.end
	}
	_ = p.control.SetReadDeadline(until)
	_ = p.control.SetWriteDeadline(until.Add(pagePatience))
}

// rest gives the answer its time, whatever the body took.
func (p *paced) rest() { _ = p.control.SetWriteDeadline(time.Now().Add(pagePatience)) }

// Read gives the slot on the processor up while it waits for the sender.
func (p *paced) Read(b []byte) (int, error) {
	p.v.slot.Pause()
	n, err := p.v.r.Body.Read(b)
	p.v.slot.Resume()
	if p.left -= n; p.left <= 0 {
		p.left = paceBytes
		p.wait()
	}
	switch {
	case err == nil || errors.Is(err, io.EOF), p.v.r.Context().Err() != nil:
		return n, err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return n, fault.New(fault.Malformed, fault.CodeRequestTimeout, "the upload was too slow; try again")
	}
	return n, fault.New(fault.Malformed, fault.CodeMalformedForm, "the file was incomplete; upload it again")
}
