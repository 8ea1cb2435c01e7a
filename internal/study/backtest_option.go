package study

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/wire"
)

// BacktestOptions converts options from a query or a form into the members of a JSON
// body, and adds them to the members of body.
func BacktestOptions(options map[string]string, body wire.Value) (wire.Value, error) {
	var w wire.Writer
	w.Object()
	for name, member := range body.Members() {
		if member.Given() {
			w.Name(name).Value(member)
		}
	}
	for _, name := range BacktestMembers() {
		text, given := options[name]
		if !given {
			continue
		}
		text = strings.ToValidUTF8(text, "\uFFFD")
		switch w.Key(name); name {
		case "map":
			WriteColumnMap(&w, text)
		case "bad_values", "good_values":
			WriteTexts(&w, text)
		case "lgd", "funding_rate":
			WriteNumber(&w, text)
		default:
			w.String(text)
		}
	}
	w.EndObject()
	return wire.Parse(w.Buf)
}

// WriteNumber writes a number, and any other text as a string, so that the reader
// reports that it is not a number.
func WriteNumber(w *wire.Writer, text string) {
	if v, err := wire.Parse([]byte(text)); err == nil && v.Kind() == wire.Number {
		w.Value(v)
		return
	}
	w.String(strings.ToValidUTF8(text, "\uFFFD"))
}

// WriteTexts writes comma-separated texts as an array.
func WriteTexts(w *wire.Writer, text string) {
	w.Array()
	for one := range strings.SplitSeq(text, ",") {
		w.String(strings.TrimSpace(one))
	}
	w.EndArray()
}

// WriteNumbers writes comma-separated numbers as an array.
func WriteNumbers(w *wire.Writer, text string) {
	w.Array()
	for one := range strings.SplitSeq(text, ",") {
		WriteNumber(w, strings.TrimSpace(one))
	}
	w.EndArray()
}

// WriteColumnMap writes a map of columns. The text is a JSON object, or pairs such as
// "cibil=score,income=monthly_income".
func WriteColumnMap(w *wire.Writer, text string) {
	if v, err := wire.Parse([]byte(text)); err == nil {
		w.Value(v)
		return
	}
	w.Object()
	for pair := range strings.SplitSeq(text, ",") {
		column, field, _ := strings.Cut(pair, "=")
		w.Name(strings.TrimSpace(column)).String(strings.TrimSpace(field))
	}
	w.EndObject()
}

// Unpacked returns the decompressed file. The first bytes tell whether a file is
// compressed. If packed says that it is, but the first bytes do not, it is refused.
func Unpacked(body io.Reader, packed bool) (io.Reader, error) {
	buffered := bufio.NewReaderSize(body, 64<<10)
	magic, err := buffered.Peek(2)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if string(magic) != "\x1f\x8b" {
		if packed && len(magic) > 0 {
			return nil, fault.New(fault.Malformed, fault.CodeMalformedBody, "the body claims to be gzip and is not")
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
	var refusal *fault.Error
	if errors.As(err, &refusal) || errors.Is(err, context.Canceled) {
		return err
	}
	return fault.New(fault.Malformed, fault.CodeMalformedBody, "the file is not whole, or not gzip")
}
