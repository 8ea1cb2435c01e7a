package evidencedesk

// Waiting returns the number of logs that the next call of Sign tries again.
func (s *Service) Waiting() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.again)
}
