package privacydesk

// SetBatch sets how many decisions and runs are emptied in one transaction, and the function that is called after
// each batch except the last.
func (s *Service) SetBatch(n int, emptied func()) { s.batch, s.emptied = n, emptied }

// SetMaxTree sets the size at which a key tree is split.
func (s *Service) SetMaxTree(bytes int) { s.core.Keys.SetMaxTree(bytes) }

// SetFound sets the function that is called when a request has found something to erase.
func (s *Service) SetFound(found func()) { s.found = found }
