package policydesk

// Compare takes the slot of a tenant for a comparison, and returns the function that
// releases it.
func (s *Service) Compare(tenant string) (end func()) {
	s.comparing.Take(tenant, 1)
	return func() { s.comparing.Give(tenant, 1) }
}

// Prove takes the slot of a tenant for a proof, and returns the function that releases
// it.
func (s *Service) Prove(tenant string) (end func()) {
	s.proving.Take(tenant, 1)
	return func() { s.proving.Give(tenant, 1) }
}
