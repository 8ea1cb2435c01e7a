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

// Parts of the editor's address.
const (
	formWork    = "work"    // the edit
	formBy      = "by"      // the mark of whose it is
	formForeign = "foreign" // the address before held somebody else's edit
)

// maxKept is the longest edit that an address holds, in characters. Proxies
// commonly refuse a request line of more than 8 KiB. A changed rule takes about
// 150 characters.
const maxKept = 6_000

var (
	errLostEdit = fault.New(fault.Malformed, fault.CodeMalformedEdit,
		"the edit in this address can no longer be read; open the version and edit it again")
	errKept = fault.New(fault.Malformed, fault.CodeMalformedEdit, "the saved text cannot be read")
)

// editState is an edit between two steps. It is kept in the address of the page
// and nowhere else: the browser's history holds every step, and nothing
// unfinished is stored. The address carries a mark of whose edit it is, and for
// anybody else the page shows nothing of it.
type editState struct {
	text  string // the document, sound or not
	open  string // the place of the open line, "" for none
	focus string // the id of the control at which the page begins
	fresh bool
	was   string
	gone  string
	row   string
}

// state returns what the next page needs to go on.
func (w *work) state() (editState, error) {
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

// load takes up an edit. It fails when the text is no document.
func (w *work) load(s editState) error {
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

// seal writes the edit for an address, as what differs from the text of the
// version that it began from.
func (s editState) seal(base string) string {
	var w wire.Writer
	w.Object().Key("d").String(delta(base, s.text)).Key("c").Int(int64(crc32.ChecksumIEEE([]byte(s.text))))
	for _, m := range []struct{ name, value string }{{"o", s.open}, {"a", s.focus}, {"w", s.was}, {"g", s.gone}, {"r", s.row}} {
		if m.value != "" {
			w.Key(m.name).String(m.value)
		}
	}
	if s.fresh {
		w.Key("f").Bool(true)
	}
	w.EndObject()
	return pack(w.Buf, flate.BestCompression)
}

// openState reads what seal has written. The text is at most most bytes long.
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
		text: text, open: v.Get("o").Text(), focus: v.Get("a").Text(), fresh: v.Get("f").IsTrue(),
		was: v.Get("w").Text(), gone: v.Get("g").Text(), row: v.Get("r").Text(),
	}, nil
}

// pack compresses data at a level of flate, for an address or a form.
func pack(data []byte, level int) string {
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, level)
	if err != nil {
		panic("console: " + err.Error()) // the level is one that there is
	}
	_, _ = w.Write(data) // into memory
	_ = w.Close()
	return base64.RawURLEncoding.EncodeToString(out.Bytes())
}

// unpack reads what pack has written, unless it is larger than most bytes.
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

// maxCandidates bounds how many places of a line are tried for a copy.
const maxCandidates = 64

// delta writes a text as lines that are copied from base, "=from,count", and
// lines of its own, "+line".
func delta(base, text string) string {
	old, now := strings.Split(base, "\n"), strings.Split(text, "\n")
	places := map[string][]int{}
	for i, line := range old {
		if len(places[line]) < maxCandidates {
			places[line] = append(places[line], i)
		}
	}
	var out []string
	next := 0 // of base, after the last copy
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

// longest returns the candidate from which the most lines of base are those of
// now, the first of equal ones.
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

// patched reads what delta has written. ok is false for anything else, and for
// a text of more than most bytes.
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
