package privacydesk

// SetBatch sets how many decisions and runs are emptied in one transaction, and what is called after
// each batch but the last.
func (s *Service) SetBatch(n int, emptied func()) { s.batch, s.emptied = n, emptied }
