package wire

// Members writes the members of an encoded object into the object that is open.
// It is used to add members to a stored response without parsing it. document
// must be an object that a Writer wrote.
func (w *Writer) Members(document []byte) *Writer {
	if len(document) <= len("{}") {
		return w
	}
	w.lead()
	w.Buf = append(w.Buf, document[1:len(document)-1]...)
	return w
}
