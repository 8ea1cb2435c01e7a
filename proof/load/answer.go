package load

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
)

// answer holds the parts of an HTTP answer that the generator needs.
type answer struct {
	status     int
	retryAfter bool // the answer has a Retry-After header
	closes     bool // the server closes the connection after the answer
	body       []byte
}

// readAnswer reads one HTTP/1.1 answer with a Content-Length. It reads the body into
// the buffer memory, or into a new buffer if memory is too small.
func readAnswer(r *bufio.Reader, memory []byte) (a answer, err error) {
	line, err := r.ReadSlice('\n')
	if err != nil {
		return a, fmt.Errorf("read the status: %w", err)
	}
	if len(line) < len("HTTP/1.1 200\r\n") || !bytes.HasPrefix(line, []byte("HTTP/1.1 ")) {
		return a, errors.New("the answer does not begin with a status")
	}
	if a.status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return a, fmt.Errorf("read the status: %w", err)
	}
	length := -1
	for {
		if line, err = r.ReadSlice('\n'); err != nil {
			return a, fmt.Errorf("read a header: %w", err)
		}
		line = textproto.TrimBytes(line)
		if len(line) == 0 {
			break
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = textproto.TrimBytes(value)
		switch {
		case bytes.EqualFold(name, []byte("Content-Length")):
			if length, err = strconv.Atoi(string(value)); err != nil {
				return a, fmt.Errorf("read the length: %w", err)
			}
		case bytes.EqualFold(name, []byte("Retry-After")):
			a.retryAfter = len(value) > 0
		case bytes.EqualFold(name, []byte("Connection")):
			a.closes = bytes.EqualFold(value, []byte("close"))
		}
	}
	if length < 0 {
		return a, errors.New("the answer has no Content-Length")
	}
	if cap(memory) < length {
		memory = make([]byte, length)
	}
	a.body = memory[:length]
	if _, err = io.ReadFull(r, a.body); err != nil {
		return a, fmt.Errorf("read the body: %w", err)
	}
	return a, nil
}

var idField = []byte(`"decision_id":"`)

// decisionID returns the id in the body of a decision, or "" if there is none.
func decisionID(body []byte) string {
	_, rest, found := bytes.Cut(body, idField)
	id, _, closed := bytes.Cut(rest, []byte(`"`))
	if !found || !closed {
		return ""
	}
	return string(id)
}
