package study

// Hold takes n slots for the backtests of a tenant, like running backtests, and
// returns a function that releases them.
func (s *Backtests) Hold(tenantID string, n int64) (taken bool, giveBack func()) {
	return s.trying.Take(tenantID, n), func() { s.trying.Give(tenantID, n) }
}

// CountAtMost sets the maximum number of applications that a comparison counts.
func (s *Comparisons) CountAtMost(n int64) { s.most = n }

// Hold takes the slot for a fit of a tenant, and returns a function that
// releases it.
func (s *Fitting) Hold(tenantID string) (taken bool, giveBack func()) {
	return s.fitting.Take(tenantID, 1), func() { s.fitting.Give(tenantID, 1) }
}
