package study

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"io"

	"verdict/internal/fault"
)

// Unpacked returns the decompressed file. It detects compression by the first
// bytes. If packed is set but the first bytes are not those of gzip, it refuses the
// file, unless the file is empty.
func Unpacked(body io.Reader, packed bool) (io.Reader, error) {
	buffered := bufio.NewReaderSize(body, 64<<10)
	magic, err := buffered.Peek(2)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if string(magic) != "\x1f\x8b" {
		if packed && len(magic) > 0 {
			return nil, fault.New(fault.Malformed, fault.CodeMalformedBody,
				"the body is declared as gzip but is not gzip data")
		}
		return buffered, nil
	}
	r, err := gzip.NewReader(buffered)
	if err != nil {
		return nil, notGzip(err)
	}
	return gunzipped{r}, nil
}

// gunzipped translates the errors of a gzip reader into refusals.
type gunzipped struct{ r *gzip.Reader }

func (g gunzipped) Read(p []byte) (int, error) {
	n, err := g.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = notGzip(err)
	}
	return n, err
}

func notGzip(err error) error {
	if fault.Of(err) != nil || errors.Is(err, context.Canceled) {
		return err
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fault.New(fault.Malformed, fault.CodeMalformedBody,
			"the rows did not arrive completely: the gzip data end too early; send all of them again")
	}
	return fault.New(fault.Malformed, fault.CodeMalformedBody,
		"the gzip data are damaged; compress the file again, and send all of it")
}
