package journal

// SetMaxTree sets the size from which on a key tree gets no new names.
func (k *Keys) SetMaxTree(bytes int) { k.maxTree = bytes }
