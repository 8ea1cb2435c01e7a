package recovery

import (
	"fmt"

	"verdict/internal/exact"
	"verdict/internal/loan"
)

// Settlement states whether paying a part of the debt can settle it, and the
// amount.
type Settlement struct {
	Eligible   bool
	Reason     string
	Part       int64 // the smallest part of the debt, in ten-thousandths
	BasePaise  int64
	Paise      int64 // the smallest amount that settles the debt
	Instalment []int64
	Cooling    int
}

// Restructure states whether a longer schedule can be offered, and its terms.
type Restructure struct {
	Eligible  bool
	Reason    string // why the loan is not eligible
	Months    int
	EMIPaise  int64
	Remaining int   // months at the present instalment; 0 if that never repays the loan
	Reduction int64 // reduction of the instalment, in ten-thousandths
	Requires  string

	principalPaise, rateBP, currentPaise int64
}

// offers computes the settlement and the restructuring, or the reason why the loan is not eligible. Even if the
// loan is eligible, the plan need not offer them.
func (a *advisor) offers() {
	closed := ""
	if flags := a.c.Borrower.Flags; len(flags) > 0 && flags[0].closesOffers() {
		closed = "held: " + flags[0].String()
	}
	a.settle(closed)
	a.reshape(closed)
}

func (a *advisor) settle(closed string) {
	s, t := &a.Settlement, &a.s.Settlement
	s.BasePaise = max(a.c.Loan.PrincipalPaise, a.c.Loan.OverduePaise)
	for _, floor := range t.MinPercent {
		if floor.FromDPD <= a.Arrears.DPD {
			s.Part = floor.Part
		}
	}
	switch {
	case a.Arrears.DPD < t.FromDPD:
		s.Reason = fmt.Sprintf("below %d DPD", t.FromDPD)
		return
	case closed != "":
		s.Reason = closed
		return
	case s.BasePaise == 0:
		s.Reason = "nothing is outstanding"
		return
	case s.Part == 0:
		s.Reason = fmt.Sprintf("the strategy settles nothing at DPD %d", a.Arrears.DPD)
		return
	}
	s.Eligible, s.Cooling = true, t.CoolingMonths
	s.Reason = fmt.Sprintf("DPD %d is %d or more", a.Arrears.DPD, t.FromDPD)
	// Round up to whole rupees, so that the amount is not less than the required part
	// of the debt.
	const rupee = 100
	rupees := (s.BasePaise*s.Part + whole*rupee - 1) / (whole * rupee)
	s.Paise = rupees * rupee
	count := min(int64(t.MaxMonths), rupees)
	for i := range count {
		part := rupees / count
		if i == count-1 {
			part = rupees - part*(count-1)
		}
		s.Instalment = append(s.Instalment, part*rupee)
	}
}

// reshape finds the shortest schedule that reduces the instalment enough.
func (a *advisor) reshape(closed string) {
	l, r, t := &a.c.Loan, &a.Restructure, &a.s.Restructure
	switch {
	case a.Arrears.DPD < t.FromDPD:
		r.Reason = fmt.Sprintf("below %d DPD", t.FromDPD)
		return
	case closed != "":
		r.Reason = closed
		return
	case l.PrincipalPaise == 0 || l.EMIPaise == 0 || !l.HasRate:
		r.Reason = "principal_outstanding, emi and interest_rate are needed"
		return
	case l.RateDoubtful:
		r.Reason = "interest_rate looks like a ratio, so no schedule was worked out"
		return
	}
	r.principalPaise, r.rateBP, r.currentPaise = l.PrincipalPaise, l.RateBP, l.EMIPaise
	r.Remaining = remaining(l)
	for _, months := range t.Tenures {
		emi, ok := instalment(l, months)
		if !ok || months <= r.Remaining || emi == 0 || emi >= l.EMIPaise ||
			emi*whole > l.EMIPaise*(whole-t.MinReduction) {
			continue
		}
		r.Eligible, r.Months, r.EMIPaise, r.Requires = true, months, emi, t.Requires
		r.Reduction = exact.DivHalfAway((l.EMIPaise-emi)*whole, l.EMIPaise)
		return
	}
	r.Reason = "no tenure of the strategy takes enough off the instalment"
}

// instalment returns the instalment that repays the principal in the given
// number of months.
func instalment(l *Loan, months int) (paise int64, ok bool) {
	terms, err := loan.NewTerms(l.RateBP, months)
	if err != nil {
		return 0, false
	}
	return terms.Instalment(l.PrincipalPaise), true
}

// remaining returns the number of months in which the present instalment repays
// the principal, or 0 if maxMonths are not enough.
func remaining(l *Loan) int {
	low, high := 1, maxMonths
	if emi, ok := instalment(l, high); !ok || emi > l.EMIPaise {
		return 0
	}
	for low < high {
		middle := (low + high) / 2
		if emi, _ := instalment(l, middle); emi <= l.EMIPaise {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low
}
