package main

import (
	"verdict/internal/engine"
)

// decideByHand decides with code that is written for this one policy, with all fields
// present, and only for speed. It is the limit: no engine that reads its policy as
// data can be expected to be faster.
func decideByHand(a *Applicant, o *Outcome) {
	worst := max(ruleBureau(a, o), ruleSignals(a, o))
	adjust(a, o)
	points(a, o)
	wanted := [termCount]bool{
		true,
		a.RequestedAmount >= 750_000 || a.EmploymentType != "SALARIED",
		a.CardUtilisation > 0.8 && a.LiveUnsecured >= 3,
	}
	o.conclude(a, worst, &wanted)
}

// set records the result of a rule. The compiler inlines set, so result is a constant.
func set(o *Outcome, i int, hit bool, result engine.Result, worst *engine.Status) {
	o.Rules[i].Result = engine.ResultPass
	if hit {
		o.Rules[i].Result = result
		*worst = max(*worst, engine.Status(result)) // refer and referred are both 1, fail and declined both 2
	}
}

func ruleBureau(a *Applicant, o *Outcome) (worst engine.Status) {
	const fail = engine.ResultFail
	set(o, 0, a.BureauScore < 600, fail, &worst)
	set(o, 1, a.Age < 21 || a.Age > 60, fail, &worst)
	unfit := false
	switch a.EmploymentType {
	case "UNEMPLOYED", "STUDENT", "HOMEMAKER":
		unfit = true
	}
	set(o, 2, unfit, fail, &worst)
	set(o, 3, a.MonthlyIncome < 15_000 || a.MonthlyIncome < 20_000 && a.FOIR >= 0.4, fail, &worst)
	set(o, 4, a.FOIR >= 0.65 || a.FOIR >= 0.55 && a.MonthlyIncome < 40_000, fail, &worst)
	set(o, 5, a.MaxDPD12m >= 90 || a.MaxDPD12m >= 60 && a.BureauScore < 760, fail, &worst)
	set(o, 6, a.Enquiries6m > 12 || a.Enquiries6m > 9 && a.BureauScore < 700, fail, &worst)
	set(o, 7, a.WrittenOff36m > 0, fail, &worst)
	set(o, 8, a.SuitOrWilful, fail, &worst)
	set(o, 9, a.BureauScore < 780 && a.UnsecuredOutstanding > a.MonthlyIncome*20, fail, &worst)
	set(o, 10, a.CardUtilisation > 0.95 && a.LiveUnsecured >= 5, fail, &worst)
	set(o, 11, a.OldestAccountMonths < 6 && a.ActiveTradelines < 2 && a.RequestedAmount > 100_000 &&
		a.EmploymentType != "SALARIED", fail, &worst)
	return worst
}

func ruleSignals(a *Applicant, o *Outcome) (worst engine.Status) {
	const fail, refer = engine.ResultFail, engine.ResultRefer
	set(o, 12, a.IssuedBounces90d > 4 || a.IssuedBounces90d > 2 && a.AvgBalance < 5000, fail, &worst)
	set(o, 13, a.IncomeMismatchPct >= 40 && a.IncomeMismatchPct <= 100 &&
		a.EmploymentType != "SELF_EMPLOYED" && a.EmploymentType != "SELF_EMPLOYED_PROFESSIONAL", fail, &worst)
	set(o, 14, a.PincodeRisk == "BLOCKED" ||
		a.PincodeRisk == "HIGH" && a.BureauScore < 680 && !a.GPSPincodeMatch, fail, &worst)
	abroad := false
	switch a.IPCountry {
	case "IN", "AE", "SG", "US", "GB":
	default:
		abroad = true
	}
	set(o, 15, abroad, fail, &worst)
	set(o, 16, a.IsEmulator, fail, &worst)
	set(o, 17, a.BeneficiaryReuse, fail, &worst)
	set(o, 18, a.FraudScore >= 85 || a.FraudScore >= 70 && a.IsRooted, fail, &worst)
	set(o, 19, a.IsRooted && (a.SIMNew || a.FraudScore > 40), fail, &worst)
	set(o, 20, a.MaxDPD12m >= 30 && a.MaxDPD12m <= 59 || a.OverdueAmount > 5000, refer, &worst)
	set(o, 21, a.Enquiries6m > 6 && (a.BureauScore < 780 || a.BureauIsNTC), refer, &worst)
	set(o, 22, a.LoanAppsExcess && a.BureauScore < 790, refer, &worst)
	set(o, 23, a.SalaryMonths < 3 && a.EmploymentType == "SALARIED", refer, &worst)
	set(o, 24, a.RequestedAmount > 1_500_000 && (a.OldestAccountMonths < 24 || a.BureauScore < 740), refer, &worst)
	return worst
}

func adjust(a *Applicant, o *Outcome) {
	o.Adjust[0].Applied = a.Enquiries6m >= 2 && a.ActiveTradelines >= 4
	o.Adjust[1].Applied = a.FOIR >= 0.45 && a.Enquiries6m >= 4
	o.Adjust[2].Applied = a.BureauScore >= 780 && a.MaxDPD12m == 0 && a.Enquiries6m <= 1
}

func points(a *Applicant, o *Outcome) {
	p := &o.Points
	p[0].Points = scorePoints[over6(a.BureauScore, 600, 650, 700, 740, 775, 800)]
	p[1].Points = foirPoints[over5(a.FOIR, 0.15, 0.25, 0.35, 0.45, 0.55)]
	p[2].Points = incomePoints[over5(a.MonthlyIncome, 20_000, 30_000, 45_000, 75_000, 150_000)]
	p[3].Points = enquiryPoints[over5(a.Enquiries6m, 1, 2, 4, 6, 9)]
	p[4].Points = dpdPoints[over4(a.MaxDPD12m, 1, 8, 30, 60)]
	p[5].Points = tradelinePoints[over4(a.ActiveTradelines, 1, 3, 7, 11)]
	p[6].Points = vintagePoints[over5(a.OldestAccountMonths, 6, 12, 24, 48, 96)]
	p[7].Points = utilisationPoints[over5(a.CardUtilisation, 0.1, 0.3, 0.5, 0.7, 0.9)]
	p[8].Points = balancePoints[over5(a.AvgBalance, 0, 2000, 10_000, 25_000, 75_000)]
	p[9].Points = bouncePoints[over4(a.IssuedBounces90d, 1, 2, 3, 5)]
	p[10].Points = pincodePoints[over4(a.PincodeRiskScore, 20, 40, 60, 80)]
	switch a.EmploymentType {
	case "SALARIED":
		p[11].Points = 14
	case "SELF_EMPLOYED_PROFESSIONAL":
		p[11].Points = 10
	case "SELF_EMPLOYED":
		p[11].Points = 4
	case "NON_SALARIED", "OTHER":
		p[11].Points = -4
	case "RETIRED":
		p[11].Points = -8
	default:
		p[11].Points = -20
	}
}

var (
	scorePoints       = [...]int{-45, -20, 5, 28, 46, 60, 70}
	foirPoints        = [...]int{20, 14, 8, 0, -12, -26}
	incomePoints      = [...]int{-18, -6, 4, 12, 18, 22}
	enquiryPoints     = [...]int{14, 9, 2, -8, -18, -30}
	dpdPoints         = [...]int{16, 4, -12, -30, -50}
	tradelinePoints   = [...]int{-12, 4, 12, 6, -8}
	vintagePoints     = [...]int{-15, -6, 2, 8, 14, 18}
	utilisationPoints = [...]int{12, 14, 6, -4, -14, -25}
	balancePoints     = [...]int{-25, -16, -4, 4, 10, 14}
	bouncePoints      = [...]int{10, 0, -12, -24, -40}
	pincodePoints     = [...]int{10, 5, 0, -9, -20}
)

// The functions below count the bounds that a value has reached. The bin of a value is
// unpredictable, so they count without branches.

type ordered interface{ ~int | ~float64 }

func reached[T ordered](x, bound T) (n int) {
	if x >= bound {
		n = 1
	}
	return n
}

func over4[T ordered](x, a, b, c, d T) int {
	return reached(x, a) + reached(x, b) + reached(x, c) + reached(x, d)
}

func over5[T ordered](x, a, b, c, d, e T) int { return over4(x, a, b, c, d) + reached(x, e) }

func over6[T ordered](x, a, b, c, d, e, f T) int { return over5(x, a, b, c, d, e) + reached(x, f) }
