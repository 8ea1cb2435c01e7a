package wire

// Members writes the members of an object that was rendered before into the
// object that is open, so that a stored answer can be added to without being
// read again. The document must be an object as Writer writes one.
func (w *Writer) Members(document []byte) *Writer {
	if len(document) <= len("{}") {
		return w
	}
	w.lead()
	w.Buf = append(w.Buf, document[1:len(document)-1]...)
	return w
}
