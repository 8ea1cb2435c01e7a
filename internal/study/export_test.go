package study

// Hold takes places of backtests for a tenant, as running ones do, and
// returns what gives them back.
func (s *Backtests) Hold(tenantID string, n int64) (taken bool, giveBack func()) {
	return s.trying.Take(tenantID, n), func() { s.trying.Give(tenantID, n) }
}

// Hold takes the place of a fit for a tenant.
func (s *Fitting) Hold(tenantID string) (taken bool, giveBack func()) {
	return s.fitting.Take(tenantID, 1), func() { s.fitting.Give(tenantID, 1) }
}
