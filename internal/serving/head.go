package serving

import (
	"bytes"
)

// Head holds the parts of a request that ParseHead reads. Its slices point into the parsed data.
type Head struct {
	Method        []byte
	Path          []byte
	Authorization []byte // nil if the header is missing
	Size          int64  // length of the request with its body
}

// maxLengthDigits is the maximum number of digits in Content-Length, so that the length cannot overflow.
const maxLengthDigits = 12

// ParseHead reads the head of an HTTP/1.1 request at the beginning of data. It returns false for every request whose
// length is not certain. It also returns false for some valid requests: those with a query, an escaped path, a transfer
// coding, an expectation, an incomplete head, or a Connection header other than keep-alive. The caller must leave such
// requests to net/http, which also writes the refusal if they are malformed.
func ParseHead(data []byte) (h Head, ok bool) {
	line, rest, ok := cutLine(data)
	if !ok || !h.requestLine(line) {
		return Head{}, false
	}
	fields := fields{length: -1}
	for {
		if line, rest, ok = cutLine(rest); !ok {
			return Head{}, false
		}
		if len(line) == 0 {
			break
		}
		if !fields.add(line) {
			return Head{}, false
		}
	}
	if fields.hosts != 1 {
		return Head{}, false
	}
	h.Authorization = fields.authorization
	h.Size = int64(len(data)-len(rest)) + max(fields.length, 0) // without a length there is no body
	return h, true
}

// cutLine cuts a line that ends with CR LF from the beginning of data.
func cutLine(data []byte) (line, rest []byte, ok bool) {
	end := bytes.IndexByte(data, '\n')
	if end < 1 || data[end-1] != '\r' {
		return nil, nil, false
	}
	return data[:end-1], data[end+1:], true
}

func (h *Head) requestLine(line []byte) (ok bool) {
	var version []byte
	if h.Method, line, ok = bytes.Cut(line, space); !ok {
		return false
	}
	if h.Path, version, ok = bytes.Cut(line, space); !ok {
		return false
	}
	return len(h.Method) > 0 && only(h.Method, isUpper) && len(h.Path) > 0 && h.Path[0] == '/' &&
		only(h.Path, isPlainPath) && string(version) == "HTTP/1.1"
}

// fields holds the header fields that ParseHead needs.
type fields struct {
	hosts         int
	length        int64 // -1 if Content-Length is missing
	authorization []byte
}

// add reads a header field. It returns false if the request must be left to net/http.
func (f *fields) add(line []byte) bool {
	name, value, found := bytes.Cut(line, colon)
	if !found || len(name) == 0 || !only(name, isToken) || !only(value, isValue) {
		return false
	}
	value = bytes.Trim(value, " \t")
	switch {
	case named(name, "Content-Length"):
		return f.length < 0 && f.readLength(value)
	case named(name, "Authorization"):
		if f.authorization != nil {
			return false
		}
		f.authorization = value
	case named(name, "Host"):
		f.hosts++
		return len(value) > 0 && only(value, isHost)
	case named(name, "Connection"):
		return bytes.EqualFold(value, keepAlive)
	case named(name, "Transfer-Encoding"), named(name, "Expect"), named(name, "Upgrade"), named(name, "Trailer"):
		return false
	}
	return true
}

func (f *fields) readLength(digits []byte) bool {
	if len(digits) == 0 || len(digits) > maxLengthDigits {
		return false
	}
	f.length = 0
	for _, c := range digits {
		if !isDigit(c) {
			return false
		}
		f.length = 10*f.length + int64(c-'0')
	}
	return true
}

var (
	space     = []byte(" ")
	colon     = []byte(":")
	keepAlive = []byte("keep-alive")
)

// named reports whether a header name equals want, ignoring case.
func named(name []byte, want string) bool {
	return len(name) == len(want) && bytes.EqualFold(name, []byte(want))
}

func only(text []byte, allowed func(byte) bool) bool {
	for _, c := range text {
		if !allowed(c) {
			return false
		}
	}
	return true
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isAlnum(c byte) bool { return isUpper(c) || 'a' <= c && c <= 'z' || isDigit(c) }

func isPlainPath(c byte) bool { return isAlnum(c) || c == '/' || c == '-' || c == '_' }
func isHost(c byte) bool {
	return isAlnum(c) || c == '.' || c == '-' || c == ':' || c == '[' || c == ']'
}
func isToken(c byte) bool { return isAlnum(c) || c == '-' || c == '_' }
func isValue(c byte) bool { return ' ' <= c && c <= '~' || c == '\t' }
