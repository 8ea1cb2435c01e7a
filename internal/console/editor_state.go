package console

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"hash/crc32"
	"io"
	"strconv"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/wire"
)

var errKept = fault.New(fault.Malformed, fault.CodeMalformedEdit, "the saved text cannot be read")

// editState is an edit between two steps, as the working copy stores it.
type editState struct {
	text  string // the document, valid or not
	open  string // the place of the open line, "" for none
	focus string // the id of the control that gets the focus
	fresh bool
	was   string
	gone  string
	row   string
}

// state returns the state of the edit after a step.
func (w *editing) state() (editState, error) {
	doc, err := w.draft.value()
	if err != nil {
		return editState{}, err
	}
	s := editState{text: indented(doc), focus: w.focus, fresh: w.fresh, was: w.was}
	if w.open.Section != "" {
		s.open = w.open.String()
	}
	if w.gone.Section != "" {
		s.gone, s.row = w.gone.String(), w.row
	}
	return s, nil
}

// load restores an edit. It returns an error if the text is not a document.
func (w *editing) load(s editState) error {
	doc, err := wire.Parse([]byte(s.text))
	if err != nil {
		return err
	}
	if w.draft, err = draftOf(doc); err != nil {
		return err
	}
	w.focus, w.fresh, w.was, w.row = s.focus, s.fresh, s.was, s.row
	w.open, _ = w.draft.placeOf(s.open)
	w.gone = w.draft.gap(s.gone)
	return nil
}

// encode encodes the edit as the difference from base, so that a packed step takes some hundred bytes. base is the text
// of the version that is edited.
func (s editState) encode(base string) []byte {
	var w wire.Writer
	w.Object().Key("d").String(delta(base, s.text)).Key("c").Int(int64(crc32.ChecksumIEEE([]byte(s.text))))
	for _, m := range []struct{ name, value string }{
		{"o", s.open},
		{"a", s.focus},
		{"w", s.was},
		{"g", s.gone},
		{"r", s.row},
	} {
		if m.value != "" {
			w.Key(m.name).String(m.value)
		}
	}
	if s.fresh {
		w.Key("f").Bool(true)
	}
	w.EndObject()
	return w.Buf
}

// openState decodes a text that encode and pack have encoded. It refuses a text that has more bytes than the
// parameter "most" allows.
func openState(base, sealed string, most int64) (editState, error) {
	data, err := unpack(sealed, most)
	if err != nil {
		return editState{}, err
	}
	v, err := wire.Parse(data)
	if err != nil {
		return editState{}, err
	}
	text, ok := patched(base, v.Get("d").Text(), most)
	if !ok || v.Get("c").Text() != strconv.FormatInt(int64(crc32.ChecksumIEEE([]byte(text))), 10) {
		return editState{}, errKept
	}
	return editState{
		text:  text,
		open:  v.Get("o").Text(),
		focus: v.Get("a").Text(),
		fresh: v.Get("f").IsTrue(),
		was:   v.Get("w").Text(),
		gone:  v.Get("g").Text(),
		row:   v.Get("r").Text(),
	}, nil
}

// pack compresses data and encodes it as text, for a working copy or a form. level is a level of package flate.
func pack(data []byte, level int) string {
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, level)
	if err != nil {
		panic("console: " + err.Error()) // callers pass constants of package flate
	}
	_, _ = w.Write(data) // a write to memory cannot fail
	_ = w.Close()
	return base64.RawURLEncoding.EncodeToString(out.Bytes())
}

// unpack decodes data that pack has encoded. It returns an error if the result has more bytes than the parameter
// "most" allows.
func unpack(packed string, most int64) ([]byte, error) {
	compressed, err := base64.RawURLEncoding.DecodeString(packed)
	if err != nil {
		return nil, errKept
	}
	data, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(compressed)), most+1))
	if err != nil || int64(len(data)) > most {
		return nil, errKept
	}
	return data, nil
}

// maxCandidates is the maximum number of equal lines that are tried as the start of a copy.
const maxCandidates = 64

// delta encodes a text as copied lines of base, "=from,count", and new lines, "+line".
func delta(base, text string) string {
	old, now := strings.Split(base, "\n"), strings.Split(text, "\n")
	places := map[string][]int{}
	for i, line := range old {
		if len(places[line]) < maxCandidates {
			places[line] = append(places[line], i)
		}
	}
	var out []string
	next := 0 // the line of base that follows the last copy
	for i := 0; i < len(now); {
		from, count := longest(old, now[i:], append([]int{next}, places[now[i]]...))
		if count == 0 {
			out = append(out, "+"+now[i])
			i++
			continue
		}
		out = append(out, "="+strconv.Itoa(from)+","+strconv.Itoa(count))
		i, next = i+count, from+count
	}
	return strings.Join(out, "\n")
}

// longest compares the lines of old that start at each candidate with the lines of now. It
// returns the candidate with the most equal lines, and their number. If several candidates have
// the most, it returns the first.
func longest(old, now []string, candidates []int) (from, count int) {
	for _, c := range candidates {
		n := 0
		for c+n < len(old) && n < len(now) && old[c+n] == now[n] {
			n++
		}
		if n > count {
			from, count = c, n
		}
	}
	return from, count
}

// patched decodes a text that delta has encoded. ok is false if changes is malformed, or if the text has more bytes
// than the parameter "most" allows.
func patched(base, changes string, most int64) (text string, ok bool) {
	old := strings.Split(base, "\n")
	var out []string
	size := int64(0)
	for op := range strings.SplitSeq(changes, "\n") {
		var lines []string
		switch first, count, _ := strings.Cut(strings.TrimPrefix(op, "="), ","); {
		case strings.HasPrefix(op, "+"):
			lines = []string{op[1:]}
		case strings.HasPrefix(op, "="):
			from, err := strconv.Atoi(first)
			n, err2 := strconv.Atoi(count)
			if err != nil || err2 != nil || from < 0 || n < 1 || from > len(old) || n > len(old)-from {
				return "", false
			}
			lines = old[from : from+n]
		default:
			return "", false
		}
		for _, line := range lines {
			size += int64(len(line)) + 1
		}
		if size > most+1 {
			return "", false
		}
		out = append(out, lines...)
	}
	return strings.Join(out, "\n"), true
}
