package main

import (
	_ "embed" // embeds the policy
	"fmt"

	"verdict/internal/engine"
	"verdict/internal/engine/analysis"
	"verdict/internal/field"
	"verdict/internal/rule"
)

//go:embed policy.json
var policyJSON []byte

// readPolicy reads and checks the benchmark's policy.
func readPolicy(document []byte) *engine.Policy {
	p, err := engine.ParsePolicy(document, engine.Sources{Catalogue: field.Catalogue()})
	if err != nil {
		panic(fmt.Sprintf("the benchmark's policy: %v", err))
	}
	return p
}

// activate does the computations of activating a policy: it reads, checks, analyses
// and compiles the document.
func activate(document []byte) (*engine.Plan, []analysis.Finding) {
	p := readPolicy(document)
	findings := analysis.Run(p, field.Catalogue())
	return engine.Compile(p, field.Catalogue()), findings
}

// compiled returns the plan of a policy. It does not analyse the policy.
func compiled(document []byte) *engine.Plan {
	return engine.Compile(readPolicy(document), field.Catalogue())
}

// fieldIDs holds the catalogue's ids, in the order in which fill adds the facts.
var fieldIDs = func() (ids []rule.FieldID) {
	for _, name := range fieldNames() {
		id, ok := field.Catalogue().Lookup(name)
		if !ok {
			panic("not in the catalogue: " + name)
		}
		ids = append(ids, id)
	}
	return ids
}()

// fill converts a typed application to facts in the same way as a decoder for this
// kind of request: by id, without looking up names.
func fill(f *rule.Facts, a *Applicant) {
	f.Reset()
	ids := fieldIDs[:32]
	num := func(i, n int) { f.Add(ids[i], rule.Num(rule.Int(int64(n)))) }
	ratio := func(i int, x float64) { f.Add(ids[i], rule.Num(rule.Number(x*micros+0.5))) }
	text := func(i int, s string) { f.Add(ids[i], rule.Str(s)) }
	flag := func(i int, b bool) { f.Add(ids[i], rule.Bool(b)) }
	num(0, a.Age)
	text(1, a.EmploymentType)
	num(2, a.MonthlyIncome)
	ratio(3, a.FOIR)
	num(4, a.RequestedAmount)
	num(5, a.RequestedTenure)
	num(6, a.BureauScore)
	flag(7, a.BureauIsNTC)
	num(8, a.Enquiries6m)
	num(9, a.ActiveTradelines)
	num(10, a.MaxDPD12m)
	num(11, a.WrittenOff36m)
	flag(12, a.SuitOrWilful)
	num(13, a.OverdueAmount)
	num(14, a.UnsecuredOutstanding)
	ratio(15, a.CardUtilisation)
	num(16, a.LiveUnsecured)
	num(17, a.OldestAccountMonths)
	num(18, a.AvgBalance)
	num(19, a.IncomeMismatchPct)
	num(20, a.SalaryMonths)
	num(21, a.IssuedBounces90d)
	flag(22, a.IsEmulator)
	flag(23, a.IsRooted)
	flag(24, a.SIMNew)
	flag(25, a.LoanAppsExcess)
	flag(26, a.GPSPincodeMatch)
	text(27, a.IPCountry)
	text(28, a.PincodeRisk)
	num(29, a.PincodeRiskScore)
	num(30, a.FraudScore)
	flag(31, a.BeneficiaryReuse)
}

// prepared returns the facts of all applicants of a book. It is called before the
// measurement.
func prepared(book []Applicant) []*rule.Facts {
	list := make([]*rule.Facts, len(book))
	for i := range book {
		list[i] = rule.NewFacts(field.Catalogue())
		fill(list[i], &book[i])
	}
	return list
}

// core holds the fields that every application has.
var core = map[string]bool{
	field.BureauScore:     true,
	field.BureauIsNTC:     true,
	field.MonthlyIncome:   true,
	field.FOIR:            true,
	field.RequestedAmount: true,
}

// halved returns the facts without half of the optional fields. It removes the fields with an even number for
// one applicant and those with an odd number for the next, so that every field is sometimes present.
func halved(book []Applicant) []*rule.Facts {
	list := prepared(book)
	for i, f := range list {
		optional := 0
		for _, name := range fieldNames() {
			if core[name] {
				continue
			}
			if optional++; (optional+i)%2 == 0 {
				f.Set(name, rule.Value{})
			}
		}
	}
	return list
}
