package agent

import (
	"fmt"

	"verdict/internal/engine"
	"verdict/internal/exact"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// The sections that only memos of the second and later editions have.
const (
	aboutBureau    = "Bureau profile"
	aboutIncome    = "Income and FOIR"
	aboutStrengths = "Strengths"
)

// bureauProfile lists the lines of a memo about the bureau report, in order. Each
// line states the first of its names that has a value. Figures for own and joint
// accounts come before figures for all accounts.
var bureauProfile = []struct {
	text  string
	names []string
}{
	{"The bureau score is %s.", []string{"bureau_score"}},
	{"Whether the applicant is new to credit: %s.", []string{"bureau_is_ntc"}},
	{"Live accounts: %s.", []string{"bureau_own_active_tradelines", "active_tradelines"}},
	{"Live unsecured accounts: %s.", []string{"bureau_own_live_unsecured", "bureau_live_unsecured"}},
	{
		"The oldest account is %s months old.",
		[]string{"bureau_own_oldest_account_months", "bureau_oldest_account_months"},
	},
	{"Owed in all: %s.", []string{"bureau_own_outstanding", "bureau_total_outstanding"}},
	{"Owed without security: %s.", []string{"bureau_own_unsecured_outstanding", "bureau_unsecured_outstanding"}},
	{"Share of card limits in use: %s.", []string{"bureau_own_card_utilisation", "bureau_card_utilisation"}},
	{"Most days past due in the last 12 months: %s.", []string{"bureau_own_max_dpd_12m", "max_dpd_12m"}},
	{"Most days past due in the last 36 months: %s.", []string{"bureau_own_max_dpd_36m"}},
	{"Overdue today: %s.", []string{"bureau_own_overdue_amount", "bureau_overdue_amount"}},
	{
		"Accounts written off or settled in the last 36 months: %s.",
		[]string{"bureau_own_written_off_36m", "bureau_written_off_36m"},
	},
	{
		"Whether a suit was filed or a wilful default reported: %s.",
		[]string{"bureau_own_suit_or_wilful", "bureau_suit_or_wilful"},
	},
	{"Enquiries in the last 6 months: %s.", []string{"enquiries_6m"}},
	{"Accounts of others that the applicant guarantees: %s.", []string{"bureau_guaranteed_accounts"}},
	{"The report is %s days old.", []string{"bureau_report_age_days"}},
}

// firstGiven returns the first of the named facts that has a value, and "" if
// none has.
func firstGiven(facts *rule.Facts, names ...string) (name string, v rule.Value) {
	for _, name = range names {
		if v = facts.Get(name); v.Type() != rule.Absent {
			return name, v
		}
	}
	return "", v
}

func (m *memoWriter) sayBureau() {
	for _, line := range bureauProfile {
		if name, v := firstGiven(m.study.facts, line.names...); name != "" {
			m.say(aboutBureau, fmt.Sprintf(line.text, v), cite{name, v.String()})
		}
	}
}

// incomeFacts lists the income and instalment figures that do not come from the
// applicant.
var incomeFacts = []struct{ text, name string }{
	{"Income found in the bank statement: %s a month.", field.BankDetectedIncome},
	{"Instalments on the bureau report: %s a month.", field.BureauOwnEMI},
	{"Instalments due by the bank statement: %s a month.", field.BankDueEMI},
}

// roleProfile lists facts about the co-applicant and the guarantor. Memos before the fifth edition state them in the
// section about income.
var roleProfile = []struct{ text, name string }{
	{"The co-applicant has a bureau score of %s.", field.OfRole(field.CoApplicant, field.BureauScore)},
	{"The co-applicant declares an income of %s a month.", field.OfRole(field.CoApplicant, field.MonthlyIncome)},
	{"Instalments on the co-applicant's report: %s a month.", field.OfRole(field.CoApplicant, field.BureauOwnEMI)},
	{"The guarantor has a bureau score of %s.", field.OfRole(field.Guarantor, field.BureauScore)},
	{"The guarantor declares an income of %s a month.", field.OfRole(field.Guarantor, field.MonthlyIncome)},
}

// sayIncome adds the statements that derive the FOIR, from the declared income to
// the amount left for the new instalment.
func (m *memoWriter) sayIncome() {
	st, d := m.study, m.decision
	income, hasIncome := st.number(field.MonthlyIncome)
	if hasIncome {
		m.say(aboutIncome, fmt.Sprintf("Declared income: %s a month.", income),
			cite{field.MonthlyIncome, income.String()})
	}
	if foir, ok := st.number(field.FOIR); ok && hasIncome {
		m.say(aboutIncome,
			fmt.Sprintf("Declared obligations: %s of it, which is %s a month.", foir, part(foir, income)),
			cite{field.FOIR, foir.String()}, cite{field.MonthlyIncome, income.String()})
	}
	for _, line := range incomeFacts {
		if n, ok := st.number(line.name); ok {
			m.say(aboutIncome, fmt.Sprintf(line.text, n), cite{line.name, n.String()})
		}
	}
	for _, line := range roleProfile {
		if st.ask.edition >= fifthEdition {
			break // sayPeople has stated these facts
		}
		if v := st.facts.Get(line.name); v.Type() != rule.Absent {
			m.say(aboutIncome, fmt.Sprintf(line.text, v), cite{line.name, v.String()})
		}
	}
	for _, line := range []struct{ text, name string }{
		{"Income that the policy counts with: %s a month.", field.IncomeEffective},
		{"Share of income that obligations take by the policy's count: %s.", field.FOIREffective},
	} {
		for _, derived := range d.Derived() {
			if derived.Name == line.name {
				m.say(aboutIncome, fmt.Sprintf(line.text, derived.Value), cite{derived.Name, derived.Value.String()})
			}
		}
	}
	o := &d.Offer
	if !o.Made {
		return
	}
	policy := st.plan.Policy()
	for i := range policy.Bands {
		if b := &policy.Bands[i]; b.ID == o.BandID {
			m.say(aboutIncome, fmt.Sprintf("The band lets all instalments together take %s of income.", b.FOIRCap),
				cite{"decision.offer.pricing_band_id", o.BandID}, cite{"foir_cap", b.FOIRCap.String()})
		}
	}
	if o.HasCapacity {
		left := rule.Rupees(o.CapacityPaise).String()
		m.say(aboutIncome, fmt.Sprintf("That leaves %s a month for a new instalment.", left),
			cite{"decision.offer.max_emi", left})
	}
	if o.HasPostFOIR {
		emi, then := rule.Rupees(o.InstalmentPaise).String(), o.PostFOIRRatio().String()
		m.say(aboutIncome, fmt.Sprintf("With the instalment of %s obligations take %s of income.", emi, then),
			cite{"decision.offer.emi", emi}, cite{"decision.offer.post_offer_foir", then})
	}
}

// part returns share times amount, rounded half up to the paisa. Neither argument
// may be negative.
func part(share, amount rule.Number) rule.Number {
	paise, _ := exact.MulDivHalfUp(uint64(share), uint64(amount), uint64(rule.One*rule.Paisa))
	return rule.Rupees(int64(paise))
}

// clean lists the facts that count as strengths of an applicant if their value is
// zero.
var clean = []struct {
	text  string
	names []string
}{
	{"No payment was late in the last 12 months.", []string{"bureau_own_max_dpd_12m", "max_dpd_12m"}},
	{"Nothing is overdue today.", []string{"bureau_own_overdue_amount", "bureau_overdue_amount"}},
	{
		"Nothing was written off or settled in the last 36 months.",
		[]string{"bureau_own_written_off_36m", "bureau_written_off_36m"},
	},
	{"There was no enquiry in the last 6 months.", []string{"enquiries_6m"}},
	{"No payment bounced.", []string{"bank_bounces"}},
}

// sayStrengths adds the strengths of the applicant: a clean record, scorecard
// factors that earned at least three quarters of their best points, and
// adjustments that added points.
func (m *memoWriter) sayStrengths() {
	for _, line := range clean {
		if name, v := firstGiven(m.study.facts, line.names...); name != "" && v == rule.Num(0) {
			m.say(aboutStrengths, line.text, cite{name, v.String()})
		}
	}
	policy := m.study.plan.Policy()
	for _, c := range m.decision.Contributions() {
		for i := range policy.Scorecard.Factors {
			f := &policy.Scorecard.Factors[i]
			if f.Name != c.Factor || c.Points <= 0 || 4*c.Points < 3*f.Best() {
				continue
			}
			m.say(aboutStrengths, fmt.Sprintf("%s earned %s of its best %s points.", f.Name, c.Points, f.Best()),
				cite{"factor", f.Name}, cite{"points", c.Points.String()})
		}
	}
	for _, r := range m.decision.Rules() {
		if r.Result == engine.ResultApplied && r.Delta > 0 {
			m.say(aboutStrengths, fmt.Sprintf("%s added %s points.", r.ID, r.Delta),
				cite{"rule", r.ID}, cite{"delta", r.Delta.String()})
		}
	}
}
