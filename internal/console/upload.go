package console

import (
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

// fields reads the fields of a form up to the file, and returns the file to be read. A
// field that is not among the known ones is refused.
func (u *upload) fields(known []string) (io.Reader, error) {
	v := u.v
	v.form = &form{values: url.Values{}}
	if err := v.reserve(fileMemory); err != nil {
		return nil, err
	}

	kind, params, _ := mime.ParseMediaType(v.r.Header.Get("Content-Type"))
	if kind != "multipart/form-data" || params["boundary"] == "" || len(params["boundary"]) > 70 {
		return nil, fault.New(fault.Malformed, fault.CodeMalformedForm, "the form cannot be read")
	}

	parts := multipart.NewReader(u, params["boundary"])
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

// upload reads a body that may take long, as long as it keeps coming: every
// stretch of it buys the time for the next.
type upload struct {
	v       *visit
	control *http.ResponseController
	left    int       // of this stretch
	end     time.Time // of all of it
}

func newUpload(v *visit, longest time.Duration) *upload {
	u := &upload{
		v:       v,
		control: http.NewResponseController(v.w),
		left:    paceBytes,
		end:     time.Now().Add(longest),
	}
	u.wait()
	return u
}

// wait gives the connection the time for another stretch. One that cannot be
// told keeps its own.
func (u *upload) wait() {
	until := time.Now().Add(filePace)
	if u.end.Before(until) {
		until = u.end
	}

	_ = u.control.SetReadDeadline(until)
	_ = u.control.SetWriteDeadline(until.Add(pagePatience))
}

// rest gives the answer its time, whatever the body took.
func (u *upload) rest() { _ = u.control.SetWriteDeadline(time.Now().Add(pagePatience)) }

// Read gives the slot on the processor up while it waits for the sender.
func (u *upload) Read(b []byte) (int, error) {
	u.v.slot.Away()
	n, err := u.v.r.Body.Read(b)
	u.v.slot.Back()
	if u.left -= n; u.left <= 0 {
		u.left = paceBytes
		u.wait()
	}

	switch {
	case err == nil || errors.Is(err, io.EOF), u.v.r.Context().Err() != nil:
		return n, err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return n, fault.New(fault.Malformed, fault.CodeRequestTimeout, "the upload was too slow; try again")
	}

	return n, fault.New(fault.Malformed, fault.CodeMalformedForm, "the file was incomplete; upload it again")
}
