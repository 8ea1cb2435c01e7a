package policydesk

// Compare holds the place of a comparison of a tenant, and returns the function that gives it back.
func (s *Service) Compare(tenant string) (end func()) {
	s.comparing.Take(tenant, 1)
	return func() { s.comparing.Give(tenant, 1) }
}

// Prove holds the place of a proof of a tenant, and returns the function that gives it back.
func (s *Service) Prove(tenant string) (end func()) {
	s.proving.Take(tenant, 1)
	return func() { s.proving.Give(tenant, 1) }
}
