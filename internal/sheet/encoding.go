package sheet

import (
	"bytes"
	"errors"
	"io"
	"unicode/utf8"

	"verdict/internal/fault"
)

// Encoding is the character encoding of a file.
type Encoding uint8

// The encodings that a file may have. A file in PatchedUTF8 is UTF-8 except for a
// few invalid bytes, which are replaced.
const (
	UTF8 Encoding = iota
	Windows1252
	PatchedUTF8
)

// String returns the common name of the encoding.
func (e Encoding) String() string {
	if e == Windows1252 {
		return "Windows-1252"
	}
	return "UTF-8"
}

// maxUnreadable bounds the lines with unreadable bytes: at most one line in 100.
const maxUnreadable = 100

// Probe is the result of examining a file's encoding.
type Probe struct {
	Encoding Encoding
	Lines    int64
	Replaced int64 // lines with invalid bytes, which are replaced
}

// FindEncoding reads a file to its end and returns its encoding. Spreadsheet programs write Windows-1252 unless they
// are told to write UTF-8. Bytes that are invalid in the file's encoding may occur in at most 1 % of the lines; Decode
// replaces them by U+FFFD. If there are more, or if the file is UTF-16, FindEncoding returns a *fault.Error.
func FindEncoding(in io.Reader) (Probe, error) {
	var c census
	buffer := make([]byte, usualBlock)
	kept := 0 // bytes of an incomplete character, kept from the last read
	for idle := 0; ; idle++ {
		n, err := in.Read(buffer[kept:])
		if n > 0 {
			idle = 0
		}
		if idle == 100 {
			return Probe{}, io.ErrNoProgress
		}
		data := buffer[:kept+n]
		ended := errors.Is(err, io.EOF)
		if err != nil && !ended {
			return Probe{}, err
		}
		if c.bytes == 0 && (bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff"))) {
			return Probe{}, fault.New(fault.Malformed, fault.CodeBadUTF8,
				"the file is UTF-16 text; save it as CSV in UTF-8")
		}
		read := c.take(data, ended)
		kept = copy(buffer, data[read:])
		if ended {
			return c.verdict()
		}
	}
}

// Sniff finds the encoding of a file from its first size bytes and returns a
// reader of the whole file in UTF-8. It recognises only Windows-1252; any other
// file is returned unchanged, and invalid rows are reported when they are read.
func Sniff(in io.Reader, size int) (io.Reader, Encoding, error) {
	begin := make([]byte, size)
	n, err := io.ReadFull(in, begin)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, UTF8, err
	}
	whole := io.MultiReader(bytes.NewReader(begin[:n]), in)
	sample := begin[:n]
	if n == size { // drop the last line, which may be incomplete
		sample = sample[:bytes.LastIndexByte(sample, '\n')+1]
	}
	probe, err := FindEncoding(bytes.NewReader(sample))
	if err != nil || probe.Encoding != Windows1252 {
		return whole, UTF8, nil //nolint:nilerr // errors of single rows are more precise
	}
	return Windows1252.Decode(whole), Windows1252, nil
}

// census counts the characters and bytes that distinguish the encodings.
type census struct {
	bytes, lines  int64
	wide, invalid int64 // characters of several bytes, and bytes that are not UTF-8

	badUTF8, badWindows         bool // this line has bytes that are invalid in the encoding
	badUTF8Lines, badWindowsAll int64
}

// take counts data and returns how many bytes it counted. It leaves an incomplete
// character at the end for the next call.
func (c *census) take(data []byte, ended bool) (read int) {
	for read < len(data) {
		b := data[read]
		if b < utf8.RuneSelf {
			c.plain(b)
			read++
			continue
		}
		r, size := utf8.DecodeRune(data[read:])
		switch {
		case r != utf8.RuneError || size > 1:
			c.wide++
			for _, b := range data[read : read+size] {
				c.badWindows = c.badWindows || !inWindows1252(b)
			}
		case !ended && !utf8.FullRune(data[read:]):
			c.bytes += int64(read)
			return read
		default:
			c.invalid++
			c.badUTF8 = true
			c.badWindows = c.badWindows || !inWindows1252(b)
		}
		read += size
	}
	c.bytes += int64(read)
	return read
}

func (c *census) plain(b byte) {
	switch {
	case b == '\n' || b == '\r':
		c.endLine()
	case b == 0:
		c.badUTF8, c.badWindows = true, true
	case isControl(b):
		c.badWindows = true // text has no control characters
	}
}

func isControl(b byte) bool { return b < ' ' && b != '\t' && b != '\n' && b != '\r' }

func (c *census) endLine() {
	c.lines++
	if c.badUTF8 {
		c.badUTF8Lines++
	}
	if c.badWindows {
		c.badWindowsAll++
	}
	c.badUTF8, c.badWindows = false, false
}

// verdict chooses the encoding. The high bytes of Windows-1252 text seldom form valid
// UTF-8 sequences. So if the data has more invalid bytes than multi-byte characters, it
// is Windows-1252; otherwise it is UTF-8 with some damaged lines.
func (c *census) verdict() (Probe, error) {
	c.endLine()
	p := Probe{Lines: c.lines}
	switch {
	case c.badUTF8Lines == 0:
		return p, nil
	case c.invalid > c.wide:
		p.Encoding, p.Replaced = Windows1252, c.badWindowsAll
	default:
		p.Encoding, p.Replaced = PatchedUTF8, c.badUTF8Lines
	}
	if p.Replaced*maxUnreadable > p.Lines {
		return p, fault.New(fault.Malformed, fault.CodeBadUTF8,
			"%d of %d lines contain bytes that are neither UTF-8 nor Windows-1252 text; save the file as CSV in UTF-8",
			p.Replaced, p.Lines)
	}
	return p, nil
}

// Decode returns a reader that converts in to UTF-8.
func (e Encoding) Decode(in io.Reader) io.Reader {
	if e == UTF8 {
		return in
	}
	return &decoder{in: in, encoding: e, raw: make([]byte, 64<<10)}
}

// decoder converts the bytes of an encoding to UTF-8.
type decoder struct {
	in       io.Reader
	encoding Encoding
	raw      []byte
	kept     int    // bytes of raw that are not decoded yet
	text     []byte // decoded and not read yet
	buffer   []byte
	err      error
}

// Read implements io.Reader.
func (d *decoder) Read(into []byte) (int, error) {
	for len(d.text) == 0 {
		if d.err != nil {
			return 0, d.err
		}
		n, err := d.in.Read(d.raw[d.kept:])
		d.err = err
		d.decode(d.raw[:d.kept+n])
	}
	n := copy(into, d.text)
	d.text = d.text[n:]
	return n, nil
}

func (d *decoder) decode(data []byte) {
	out := d.buffer[:0]
	read := 0
	for read < len(data) {
		b := data[read]
		switch {
		case b == 0 || d.encoding == Windows1252 && isControl(b):
			out = utf8.AppendRune(out, utf8.RuneError)
			read++
			continue
		case b < utf8.RuneSelf:
			out = append(out, b)
			read++
			continue
		case d.encoding == Windows1252:
			out = utf8.AppendRune(out, fromWindows1252(b))
			read++
			continue
		}
		if d.err == nil && !utf8.FullRune(data[read:]) {
			break // the rest of the character comes with the next read
		}
		r, size := utf8.DecodeRune(data[read:])
		out = utf8.AppendRune(out, r)
		read += size
	}
	d.kept = copy(d.raw, data[read:])
	d.buffer, d.text = out, out
}

// windows1252 holds the characters of the bytes 0x80 to 0x9f. Every other byte is
// the character with the same number.
var windows1252 = [32]rune{
	0x00: '€', 0x02: '‚', 0x03: 'ƒ', 0x04: '„', 0x05: '…', 0x06: '†', 0x07: '‡', 0x08: 'ˆ', 0x09: '‰', 0x0a: 'Š',
	0x0b: '‹', 0x0c: 'Œ', 0x0e: 'Ž', 0x11: '‘', 0x12: '’', 0x13: '“', 0x14: '”', 0x15: '•', 0x16: '–', 0x17: '—',
	0x18: '˜', 0x19: '™', 0x1a: 'š', 0x1b: '›', 0x1c: 'œ', 0x1e: 'ž', 0x1f: 'Ÿ',
}

func fromWindows1252(b byte) rune {
	switch {
	case b < 0x80 || b >= 0xa0:
		return rune(b)
	case windows1252[b-0x80] == 0:
		return utf8.RuneError
	}
	return windows1252[b-0x80]
}

func inWindows1252(b byte) bool { return fromWindows1252(b) != utf8.RuneError }
