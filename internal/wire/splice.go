package wire

// Members writes the members of an encoded object into the object that is open,
// so that members can be added to a stored response without parsing it. The
// document must be an object as Writer writes it.
func (w *Writer) Members(document []byte) *Writer {
	if len(document) <= len("{}") {
		return w
	}
	w.lead()
	w.Buf = append(w.Buf, document[1:len(document)-1]...)
	return w
}
