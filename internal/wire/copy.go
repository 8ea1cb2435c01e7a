package wire

// Raw writes a value that is already encoded, such as a stored document.
// document must be one complete JSON value; Raw does not check it.
func (w *Writer) Raw(document []byte) *Writer {
	w.lead()
	w.Buf = append(w.Buf, document...)
	return w
}

// Value writes a parsed value: members in document order, numbers as they were
// written, null as null, and strings in the form of AppendString. A Missing
// value is written as null too, because the name of the member may already have
// been written.
func (w *Writer) Value(v Value) *Writer {
	switch v.Kind() {
	case Object:
		w.Object()
		for name, member := range v.Members() {
			w.Name(name).Value(member)
		}
		return w.EndObject()
	case Array:
		w.Array()
		for _, element := range v.Elements() {
			w.Value(element)
		}
		return w.EndArray()
	case String:
		return w.String(v.Text())
	case Number:
		w.lead()
		w.Buf = append(w.Buf, v.Text()...)
		return w
	case Bool:
		return w.Bool(v.IsTrue())
	case Missing, Null:
	}
	return w.Null()
}
