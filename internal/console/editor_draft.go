package console

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/wire"
)

// draft is a policy document while it is edited. It may be invalid.
type draft struct{ root map[string]any }

// literal is a number in its original spelling.
type literal string

// draftOf returns a document as a draft. It returns an error if the document is not an
// object.
func draftOf(v wire.Value) (*draft, error) {
	root, is := editable(v).(map[string]any)
	if !is {
		return nil, fault.New(fault.Malformed, fault.CodeWrongType, "a policy document is an object")
	}
	return &draft{root}, nil
}

// editable converts a value into maps, lists and scalars, which can be changed.
func editable(v wire.Value) any {
	switch v.Kind() {
	case wire.Object:
		out := map[string]any{}
		for name, member := range v.Members() {
			if member.Given() { // leave out null
				out[name] = editable(member)
			}
		}
		return out
	case wire.Array:
		out := []any{}
		for _, e := range v.Elements() {
			out = append(out, editable(e))
		}
		return out
	case wire.Number:
		return literal(v.Text())
	case wire.String:
		return v.Text()
	case wire.Bool:
		return v.IsTrue()
	default:
		return nil
	}
}

// write writes a value as JSON with sorted member names, as in stored documents.
func write(w *wire.Writer, v any) {
	switch v := v.(type) {
	case map[string]any:
		w.Object()
		for _, name := range slices.Sorted(maps.Keys(v)) {
			w.Name(name)
			write(w, v[name])
		}
		w.EndObject()
	case []any:
		w.Array()
		for _, e := range v {
			write(w, e)
		}
		w.EndArray()
	case literal:
		w.Raw([]byte(v))
	case string:
		w.String(v)
	case bool:
		w.Bool(v)
	default:
		w.Null()
	}
}

func (d *draft) bytes() []byte {
	var w wire.Writer
	write(&w, d.root)
	return w.Buf
}

// value returns the draft as a parsed document.
func (d *draft) value() (wire.Value, error) { return wire.Parse(d.bytes()) }

// body converts the draft to the type that the use case takes. The new version is based on the rule set base.
func (d *draft) body(base string) (engine.Draft, error) {
	root := maps.Clone(d.root)
	root["base"] = base
	return engine.ParseDraft((&draft{root}).bytes())
}

// card returns the scorecard. It creates an empty scorecard if there is none.
func (d *draft) card() map[string]any {
	card, is := d.root["scorecard"].(map[string]any)
	if !is {
		card = map[string]any{}
		d.root["scorecard"] = card
	}
	return card
}

// list returns the lines of a section, and a function that replaces them.
func (d *draft) list(section string) (lines []any, set func([]any)) {
	holder := d.root
	name := section
	if section == sectionFactors {
		holder, name = d.card(), "factors"
	}
	lines, _ = holder[name].([]any)
	return lines, func(lines []any) { holder[name] = lines }
}

// row returns one line of a section, or false if the section has no line i.
func (d *draft) row(section string, i int) (map[string]any, bool) {
	lines, _ := d.list(section)
	if i < 0 || i >= len(lines) {
		return nil, false
	}
	row, is := lines[i].(map[string]any)
	return row, is
}

// place is the position of a line in the editor, such as "knockouts/3".
type place struct {
	Section string
	Index   int
}

// placeOf parses a place. ok is false if the draft has no such line.
func (d *draft) placeOf(text string) (at place, ok bool) {
	section, number, _ := strings.Cut(text, "/")
	i, err := strconv.Atoi(number)
	if _, known := sectionFields[section]; !known || err != nil {
		return place{}, false
	}
	_, ok = d.row(section, i)
	return place{section, i}, ok
}

func (p place) String() string { return p.Section + "/" + strconv.Itoa(p.Index) }

// pointer returns the JSON pointer of the line.
func (p place) pointer() string {
	if p.Section == sectionFactors {
		return "/scorecard/factors/" + strconv.Itoa(p.Index)
	}
	return "/" + p.Section + "/" + strconv.Itoa(p.Index)
}

// add appends a new line with its initial values.
func (d *draft) add(section string) place {
	lines, set := d.list(section)
	row := map[string]any{}
	for _, f := range sectionFields[section] {
		if f.begins != "" {
			f.put(row, f.begins)
		}
	}
	if section == sectionFactors {
		row["bins"] = []any{}
	}
	set(append(lines, row))
	return place{section, len(lines)}
}

func (d *draft) remove(at place) {
	lines, set := d.list(at.Section)
	set(slices.Delete(slices.Clone(lines), at.Index, at.Index+1))
}

// move swaps a line with its neighbour. The order matters: rules are evaluated, and bands are
// tried, in the order of their lines.
func (d *draft) move(at place, by int) place {
	lines, set := d.list(at.Section)
	to := at.Index + by
	if to < 0 || to >= len(lines) {
		return at
	}
	lines = slices.Clone(lines)
	lines[at.Index], lines[to] = lines[to], lines[at.Index]
	set(lines)
	return place{at.Section, to}
}
