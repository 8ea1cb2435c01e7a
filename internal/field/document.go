package field

import (
	"fmt"
	"io"
	"iter"
	"strings"
	"text/tabwriter"

	"verdict/internal/rule"
	"verdict/internal/wire"
)

// domain describes in a few words which values a field can have. It returns "" if
// the field can have every value of its type.
func domain(f *rule.Field) string {
	if len(f.Values) > 0 {
		return strings.Join(f.Values, ", ")
	}
	var words []string
	if f.Integer {
		words = append(words, "whole")
	}
	switch {
	case f.BoundedBelow && f.BoundedAbove:
		words = append(words, f.Min.String()+" to "+f.Max.String())
	case f.BoundedBelow:
		words = append(words, "from "+f.Min.String())
	case f.BoundedAbove:
		words = append(words, "up to "+f.Max.String())
	}
	return strings.Join(words, ", ")
}

// supplyNames are the sources of a field's value, as the JSON form names them.
var supplyNames = []struct {
	supply rule.Supply
	name   string
}{
	{rule.FromDecisions, "decisions"},
	{rule.FromEvaluate, "evaluate"},
	{rule.FromEngine, "engine"},
}

// WriteText writes one line for every field whose name begins with prefix,
// including features; an empty prefix matches all.
func WriteText(w io.Writer, prefix string) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for f := range withPrefix(prefix) {
		if _, err := fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\n", f.Name, f.Type, f.Unit, domain(f),
			plain(f.Meaning)); err != nil {
			return err
		}
	}
	return tw.Flush()
}

// WriteJSON writes an array with an object for every field whose name begins
// with prefix, including features, in catalogue order.
func WriteJSON(w io.Writer, prefix string) error {
	buf := []byte{'['}
	for f := range withPrefix(prefix) {
		// Write one line for each field, so that versions can be compared with diff.
		if len(buf) > 1 {
			buf = append(buf, ',')
		}
		out := wire.Writer{Buf: append(buf, '\n')}
		writeField(&out, f)
		buf = out.Buf
	}
	_, err := w.Write(append(buf, "\n]\n"...))
	return err
}

func writeField(w *wire.Writer, f *rule.Field) {
	w.Object()
	w.Key("name").String(f.Name)
	w.Key("type").String(f.Type.String())
	w.Key("group").String(f.Group)
	if f.Unit != "" {
		w.Key("unit").String(f.Unit)
	}
	if f.BoundedBelow {
		w.Key("min").Decimal(int64(f.Min), rule.Places)
	}
	if f.BoundedAbove {
		w.Key("max").Decimal(int64(f.Max), rule.Places)
	}
	if f.Integer {
		w.Key("integer").Bool(true)
	}
	if len(f.Values) > 0 {
		w.Key("values").Strings(f.Values)
	}
	w.Key("supply").Array()
	for _, s := range supplyNames {
		if f.Supply&s.supply != 0 {
			w.String(s.name)
		}
	}
	w.EndArray()
	if f.Core {
		w.Key("core").Bool(true)
	}
	if f.ReasonCode != "" {
		w.Key("reason_code").String(f.ReasonCode)
	}
	w.Key("meaning").String(plain(f.Meaning))
	w.EndObject()
}

// withPrefix yields the fields whose names begin with prefix.
func withPrefix(prefix string) iter.Seq[*rule.Field] {
	return func(yield func(*rule.Field) bool) {
		c := Catalogue()
		for id := range rule.FieldID(c.Len()) {
			if f := c.Field(id); strings.HasPrefix(f.Name, prefix) && !yield(f) {
				return
			}
		}
	}
}

// plain removes the Markdown from a text.
func plain(s string) string { return strings.ReplaceAll(s, "`", "") }
