package signal

// Region counts a tenant's entries of each class for the pincodes that begin
// with the same two digits: a postal region or a part of one.
type Region struct {
	Digits                     string
	Low, Medium, High, Blocked int64
}

// regionSize is the number of digits that identify a region.
const regionSize = 2

// Regions counts the entries that are valid at a time. The regions are sorted by
// digits, and regions without entries are left out.
func (t *PincodeTable) Regions(atMicros int64) []Region {
	if t == nil {
		return nil
	}
	var all [100]Region
	for digits, e := range t.byPrefix {
		if e.ExpiresMicros != 0 && atMicros >= e.ExpiresMicros {
			continue
		}
		r := &all[(digits[0]-'0')*10+digits[1]-'0']
		r.Digits = digits[:regionSize]
		switch e.Risk {
		case RiskBlocked:
			r.Blocked++
		case RiskHigh:
			r.High++
		case RiskMedium:
			r.Medium++
		default:
			r.Low++
		}
	}
	var list []Region
	for _, r := range all {
		if r.Digits != "" {
			list = append(list, r)
		}
	}
	return list
}
