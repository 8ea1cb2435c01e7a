package recovery

import "verdict/internal/fault"

// units compares the amounts and the rate of a loan. It warns if one of them was
// probably sent in another unit, such as a rate as a ratio or an amount in paise.
// It does not refuse the request, because an unusual loan is not necessarily
// wrong.
func (r *reader) units(at string) {
	l := &r.c.Loan
	doubt := func(member, text string) { r.warnings.Add(at+"/"+member, fault.CodeUnitDoubtful, "%s", text) }

	const onePercent = 100 // in hundredths of a percent
	if l.HasRate && l.RateBP > 0 && l.RateBP < onePercent {
		l.RateDoubtful = true
		doubt("interest_rate",
			"is below 1 percent a year: send 16 for 16 %, not 0.16. No restructured schedule was worked out with it")
	}
	// Interest and charges raise the overdue amount and part payments lower it, but not by a factor of ten.
	const far = 10
	missed := l.EMIPaise * int64(l.MissedEMIs)
	switch {
	case l.HasMissed && missed > 0 && l.OverduePaise > 0 &&
		(l.OverduePaise > missed*far || l.OverduePaise*far < missed):
		doubt("overdue_amount",
			"is more than ten times off from missed_emis × emi: all amounts are rupees, none is paise or thousands")
	case l.OverduePaise > l.PrincipalPaise:
		doubt("overdue_amount",
			"is above principal_outstanding: both are rupees, and principal_outstanding counts what is overdue too")
	}
}
