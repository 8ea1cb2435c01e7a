package console

import (
	"strings"

	"verdict/internal/wire"
)

// indented returns a document as readable JSON with two spaces of indentation.
// Members keep their order, and numbers their spelling.
func indented(v wire.Value) string {
	var b strings.Builder
	indent(&b, v, 0)
	return b.String()
}

func indent(b *strings.Builder, v wire.Value, level int) {
	open, closed := "{", "}"
	switch v.Kind() {
	case wire.Array:
		open, closed = "[", "]"
	case wire.Object:
	default:
		var w wire.Writer
		b.Write(w.Value(v).Buf)
		return
	}
	if v.Len() == 0 {
		b.WriteString(open + closed)
		return
	}
	b.WriteString(open)
	line, first := "\n"+strings.Repeat("  ", level+1), true
	begin := func() {
		if !first {
			b.WriteByte(',')
		}
		first = false
		b.WriteString(line)
	}
	for name, member := range v.Members() {
		begin()
		b.Write(append(wire.AppendString(nil, name), ": "...))
		indent(b, member, level+1)
	}
	for _, element := range v.Elements() {
		begin()
		indent(b, element, level+1)
	}
	b.WriteString("\n" + strings.Repeat("  ", level) + closed)
}
