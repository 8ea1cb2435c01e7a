package console

import (
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"verdict/internal/fault"
	"verdict/internal/serving"
	"verdict/internal/study"
)

// The limits of an upload. Every 256 KiB must arrive within paceTimeout, and the whole file within
// maxUploadTime. Each option before the file has at most maxOption bytes. After a refusal, at
// most maxDrained bytes are read and discarded.
const (
	paceTimeout   = 60 * time.Second
	maxUploadTime = 50 * time.Minute
	maxOption     = 64 << 10
	maxDrained    = 64 << 20
)

// fileMemory is the memory that is reserved while a file is received. A file that is kept in
// memory reserves more after every fileStep bytes.
const (
	fileMemory = 8 << 20
	fileStep   = 4 << 20
)

// scriptHeader marks a form that the console's own script has sent. The script follows no
// redirect, so it is answered with 201 and a Location header.
const scriptHeader = "X-Verdict-Upload"

// fields reads the fields of a form that precede the file, and returns a reader of the file. It
// refuses a field that is not in known, is repeated or is too long.
func (u *upload) fields(known []string) (io.Reader, error) {
	v := u.v
	v.form = &form{values: url.Values{}}
	if err := v.resources.Reserve(fileMemory); err != nil {
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
	switch {
	case fault.Of(err) != nil:
		return err
	case errors.Is(err, io.EOF):
		return noFile()
	}
	return fault.New(fault.Malformed, fault.CodeMalformedForm, "the form was incomplete; send it again")
}

// upload reads a body that may take a long time. It must arrive within the limits of newUpload.
type upload struct {
	*serving.Upload
	v *visit
}

// newUpload returns the reader of the body, which must arrive within longest.
func newUpload(v *visit, longest time.Duration) *upload {
	return &upload{serving.NewUpload(v.w, v.r, &v.resources, paceTimeout, longest), v}
}

// Read reads from the body, and refuses a body that arrives too slowly or is
// incomplete.
func (u *upload) Read(b []byte) (int, error) {
	n, err := u.Upload.Read(b)
	switch {
	case err == nil || errors.Is(err, io.EOF), u.v.r.Context().Err() != nil:
		return n, err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return n, fault.New(fault.Malformed, fault.CodeRequestTimeout, "the upload was too slow; try again")
	}

	return n, fault.New(fault.Malformed, fault.CodeMalformedForm, "the file was incomplete; upload it again")
}

// readFile reads the uploaded file, which the method fields returned, into memory. It returns the error tooLarge if the
// file has more bytes than the parameter "most" allows. The size of a compressed file is not known in advance, so
// readFile reserves memory as the text grows. The method fields has already reserved the memory for the beginning.
func (u *upload) readFile(file io.Reader, most int, tooLarge error) (string, error) {
	var text strings.Builder
	for {
		_, err := io.CopyN(&text, file, fileStep)
		switch {
		case text.Len() > most:
			return "", tooLarge
		case errors.Is(err, io.EOF):
			return text.String(), nil
		case err != nil:
			return "", uploadFault(err)
		}
		if err := u.v.resources.Reserve(formFactor * fileStep); err != nil {
			return "", err
		}
	}
}

// drain reads and discards the rest of a refused upload, up to a limit, because a browser reads
// the answer only after it has sent everything.
func (u *upload) drain() {
	u.v.resources.ReleaseMemory()
	_, _ = io.CopyN(io.Discard, u, maxDrained)
}
