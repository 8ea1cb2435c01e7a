package service

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
)

var (
	okLine      = []byte("HTTP/1.1 200 ")
	headEnd     = []byte("\r\n\r\n")
	lengthField = []byte("\r\nContent-Length: ")
	chunkField  = []byte("\r\nTransfer-Encoding: chunked\r\n")
	lineEnd     = []byte("\r\n")
)

// readAnswer reads an answer of a server that writes its header fields as Go does. It assembles a chunked body
// in the buffer "memory". whole is false until the answer is complete. Any status other than 200 is an error.
func readAnswer(data, memory []byte) (body []byte, whole bool, err error) {
	at := bytes.Index(data, headEnd)
	if at < 0 {
		return nil, false, nil
	}
	head, rest := data[:at+len(lineEnd)], data[at+len(headEnd):]
	if !bytes.HasPrefix(head, okLine) {
		return nil, false, fmt.Errorf("a request was answered with %s", data)
	}
	if bytes.Contains(head, chunkField) {
		return readChunks(rest, memory[:0])
	}
	_, after, found := bytes.Cut(head, lengthField)
	text, _, _ := bytes.Cut(after, lineEnd)
	length, err := strconv.Atoi(string(text))
	if !found || err != nil {
		return nil, false, errors.New("an answer has no valid Content-Length")
	}
	if len(rest) > length {
		return nil, false, errors.New("an answer is longer than its Content-Length")
	}
	return rest, len(rest) == length, nil
}

func readChunks(data, body []byte) ([]byte, bool, error) {
	for {
		text, after, found := bytes.Cut(data, lineEnd)
		if !found {
			return nil, false, nil
		}
		size, err := strconv.ParseUint(string(text), 16, 31)
		if err != nil {
			return nil, false, errors.New("a chunk has no valid size")
		}
		if uint64(len(after)) < size+uint64(len(lineEnd)) {
			return nil, false, nil
		}
		body = append(body, after[:size]...)
		data = after[size+uint64(len(lineEnd)):]
		if size == 0 {
			return body, true, nil
		}
	}
}

var (
	idField      = []byte(`"decision_id":"`)
	previewField = []byte(`"preview":true`)
)

// decisionID returns the id in the body, or nil if there is none.
func decisionID(body []byte) []byte {
	_, after, found := bytes.Cut(body, idField)
	end := bytes.IndexByte(after, '"')
	if !found || end < 0 {
		return nil
	}
	return after[:end]
}

func isPreview(body []byte) bool { return bytes.Contains(body, previewField) }
