package main

import (
	"math"
)

// Applicant is one application in the form that a program for a single policy would
// use: typed, and with every field present. Amounts are whole rupees. The tags are the
// names of the catalogue, by which expr and cel-go refer to the fields.
type Applicant struct {
	Age                  int     `expr:"age"`
	EmploymentType       string  `expr:"employment_type"`
	MonthlyIncome        int     `expr:"monthly_income"`
	FOIR                 float64 `expr:"foir"`
	RequestedAmount      int     `expr:"requested_amount"`
	RequestedTenure      int     `expr:"requested_tenure_months"`
	BureauScore          int     `expr:"bureau_score"`
	BureauIsNTC          bool    `expr:"bureau_is_ntc"`
	Enquiries6m          int     `expr:"enquiries_6m"`
	ActiveTradelines     int     `expr:"active_tradelines"`
	MaxDPD12m            int     `expr:"max_dpd_12m"`
	WrittenOff36m        int     `expr:"bureau_written_off_36m"`
	SuitOrWilful         bool    `expr:"bureau_suit_or_wilful"`
	OverdueAmount        int     `expr:"bureau_overdue_amount"`
	UnsecuredOutstanding int     `expr:"bureau_unsecured_outstanding"`
	CardUtilisation      float64 `expr:"bureau_card_utilisation"`
	LiveUnsecured        int     `expr:"bureau_live_unsecured"`
	OldestAccountMonths  int     `expr:"bureau_oldest_account_months"`
	AvgBalance           int     `expr:"bank_avg_balance"`
	IncomeMismatchPct    int     `expr:"bank_income_mismatch_pct"`
	SalaryMonths         int     `expr:"bank_salary_months"`
	IssuedBounces90d     int     `expr:"bank_issued_bounces_90d"`
	IsEmulator           bool    `expr:"device_is_emulator"`
	IsRooted             bool    `expr:"device_is_rooted"`
	SIMNew               bool    `expr:"device_sim_new"`
	LoanAppsExcess       bool    `expr:"device_loan_apps_excess"`
	GPSPincodeMatch      bool    `expr:"location_gps_pincode_match"`
	IPCountry            string  `expr:"location_ip_country"`
	PincodeRisk          string  `expr:"location_pincode_risk"`
	PincodeRiskScore     int     `expr:"location_pincode_risk_score"`
	FraudScore           int     `expr:"fraud_score"`
	BeneficiaryReuse     bool    `expr:"fraud_beneficiary_reuse"`
}

// applicantCount is large enough that the branch predictor cannot memorize the book,
// and small enough that the prepared facts stay in the processor's cache.
const applicantCount = 2500

// applicants generates the synthetic book, which is the same on every machine. A hidden
// quality correlates good scores, clean repayment and low obligations, so that
// knockouts, points and prices occur in realistic proportions.
func applicants() []Applicant {
	r := random{state: 20261115}
	book := make([]Applicant, applicantCount)
	for i := range book {
		book[i] = r.applicant()
	}
	return book
}

func (r *random) applicant() (a Applicant) {
	quality := r.normal()
	bad := func(odds float64) bool { return r.chance(odds * math.Exp2(-1.6*quality)) }

	a.Age = r.between(20, 58)
	a.EmploymentType = employmentTypes[r.below(len(employmentTypes))]
	a.MonthlyIncome = 100 * int(math.Exp2(8.7+0.9*r.normal()+0.25*quality))
	a.FOIR = math.Round(1000*min(max(0.31-0.05*quality+0.12*r.normal(), 0), 1.2)) / 1000
	a.RequestedAmount = 10_000 * r.between(5, 15+a.MonthlyIncome/900)
	a.RequestedTenure = tenuresAsked[r.below(len(tenuresAsked))]

	a.BureauScore = int(min(max(738+48*quality+22*r.normal(), 300), 900))
	a.Enquiries6m = int(math.Exp2(0.9-0.4*quality+1.1*r.normal()) - 0.4)
	a.ActiveTradelines = int(max(4+3*r.normal(), 0))
	if bad(0.09) {
		a.MaxDPD12m = r.between(1, 95)
	}
	if bad(0.008) {
		a.WrittenOff36m = r.between(1, 2)
	}
	a.SuitOrWilful = bad(0.002)
	if bad(0.04) {
		a.OverdueAmount = r.between(500, 20_000)
	}
	a.LiveUnsecured = r.below(a.ActiveTradelines + 1)
	a.UnsecuredOutstanding = a.LiveUnsecured * r.between(0, 4*a.MonthlyIncome)
	a.CardUtilisation = math.Round(100*min(max(0.36-0.11*quality+0.24*r.normal(), 0), 1.1)) / 100
	a.OldestAccountMonths = int(max(54+18*quality+36*r.normal(), 1))

	a.AvgBalance = int(float64(a.MonthlyIncome) * (0.35 + 0.12*quality + 0.3*r.normal()))
	a.IncomeMismatchPct = int(min(max(2-4*quality+14*r.normal(), -80), 100))
	a.SalaryMonths = 6
	if r.chance(0.1) {
		a.SalaryMonths = r.below(6)
	}
	if bad(0.12) {
		a.IssuedBounces90d = r.between(1, 6)
	}
	r.signals(&a, bad)
	return a
}

// signals sets the fields that are derived from the optional blocks.
func (r *random) signals(a *Applicant, bad func(float64) bool) {
	a.IsEmulator, a.IsRooted = r.chance(0.006), r.chance(0.03)
	a.SIMNew, a.LoanAppsExcess = r.chance(0.05), bad(0.06)
	a.GPSPincodeMatch = r.chance(0.9)
	a.IPCountry = "IN"
	if r.chance(0.02) {
		a.IPCountry = countries[r.below(len(countries))]
	}
	a.PincodeRiskScore = min(r.below(101), r.below(101))
	switch score := a.PincodeRiskScore; {
	case score < 34:
		a.PincodeRisk = "LOW"
	case score < 67:
		a.PincodeRisk = "MEDIUM"
	case score < 95:
		a.PincodeRisk = "HIGH"
	default:
		a.PincodeRisk = "BLOCKED"
	}
	a.FraudScore = min(r.below(101), r.below(101), r.below(101))
	a.BeneficiaryReuse = r.chance(0.01)
}

var (
	employmentTypes = []string{
		"SALARIED", "SALARIED", "SALARIED", "SALARIED", "SALARIED", "SALARIED", "SALARIED", "SALARIED",
		"SALARIED", "SALARIED", "SALARIED", "SALARIED", "SALARIED", "SALARIED", "SALARIED", "SALARIED",
		"SELF_EMPLOYED", "SELF_EMPLOYED", "SELF_EMPLOYED", "SELF_EMPLOYED", "SELF_EMPLOYED",
		"SELF_EMPLOYED_PROFESSIONAL", "SELF_EMPLOYED_PROFESSIONAL", "SELF_EMPLOYED_PROFESSIONAL",
		"NON_SALARIED", "RETIRED", "OTHER", "STUDENT", "HOMEMAKER",
	}
	tenuresAsked = []int{12, 24, 24, 36, 36, 36, 48, 48, 60, 18, 30}
	countries    = []string{"AE", "SG", "US", "GB", "RU", "NP", "HK"}
)

// random is a splitmix64 generator. It is small, and its sequence never changes.
type random struct{ state uint64 }

func (r *random) next() uint64 {
	r.state += 0x9e3779b97f4a7c15
	z := r.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// unit returns a number from 0 up to, but not including, 1.
func (r *random) unit() float64 { return float64(r.next()>>11) / (1 << 53) }

func (r *random) chance(p float64) bool { return r.unit() < p }

// below returns a number from 0 to n-1. The bias of the remainder is negligible here.
func (r *random) below(n int) int { return int(r.next() % uint64(n)) }

// between returns a number from least to most, both included.
func (r *random) between(least, most int) int { return least + r.below(most-least+1) }

// normal returns an approximately normal number with mean 0 and variance 1. It is the
// sum of twelve uniform numbers less 6.
func (r *random) normal() float64 {
	sum := -6.0
	for range 12 {
		sum += r.unit()
	}
	return sum
}
