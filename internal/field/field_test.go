package field

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"verdict/internal/feature"
	"verdict/internal/rule"
)

func lookup(t *testing.T, name string) *rule.Field {
	t.Helper()
	id, ok := Catalogue().Lookup(name)
	if !ok {
		t.Fatalf("the catalogue does not know %s", name)
	}
	return Catalogue().Field(id)
}

// contractNames repeats the names of the contract, so that renaming or removing
// a field makes a test fail. It leaves out the features and those bureau_report
// paths that the test derives.
const contractNames = `
	bureau bureau_score bureau_is_ntc bureau_ntc_index age employment_type monthly_income foir requested_amount
	requested_tenure_months enquiries_6m active_tradelines max_dpd_12m
	income_effective foir_effective
	bureau_written_off_36m bureau_suit_or_wilful bureau_overdue_amount bureau_total_outstanding
	bureau_unsecured_outstanding bureau_total_emi bureau_card_utilisation bureau_live_unsecured
	bureau_oldest_account_months bureau_months_since_30dpd bureau_report_age_days

	max_dpd_24m max_dpd_36m
	bureau_own_active_tradelines bureau_own_live_unsecured bureau_own_emi bureau_own_outstanding
	bureau_own_unsecured_outstanding bureau_own_overdue_amount bureau_own_card_utilisation
	bureau_own_oldest_account_months bureau_own_max_dpd_12m bureau_own_max_dpd_24m bureau_own_max_dpd_36m
	bureau_own_months_since_30dpd bureau_own_written_off_36m bureau_own_suit_or_wilful
	bureau_own_written_off_count bureau_own_written_off_amount bureau_own_written_off_card_amount
	bureau_own_written_off_loan_amount bureau_own_written_off_months_since
	bureau_own_settled_count bureau_own_settled_amount bureau_own_settled_card_amount
	bureau_own_settled_loan_amount bureau_own_settled_months_since
	bureau_own_microfinance_accounts bureau_own_microfinance_emi bureau_own_microfinance_outstanding
	bureau_own_microfinance_overdue_amount bureau_own_microfinance_max_dpd_12m
	bureau_guaranteed_accounts bureau_guaranteed_emi bureau_guaranteed_outstanding
	bureau_guaranteed_overdue_amount bureau_guaranteed_max_dpd_12m
	bureau_addon_accounts bureau_addon_outstanding bureau_addon_overdue_amount bureau_addon_max_dpd_12m

	bank_income bank_emi bank_avg_balance bank_bounces bank_foir bank_abb_to_emi bank_detected_income bank_detected_emi
	bank_income_mismatch_pct bank_emi_mismatch_pct bank_undeclared_emi bank_salary_months bank_last_salary_age_days
	bank_issued_bounces_90d bank_negative_days_90d bank_detected_foir bank_statement_days bank_statement_age_days
	bank_balance_breaks bank_due_emi bank_due_foir

	device_is_emulator device_is_rooted device_sim_new device_loan_apps_excess
	location_gps_pincode_match location_ip_country location_ip_allowed location_pincode_risk
	location_pincode_risk_score location_permission_denied
	fraud_score fraud_pincode_spike fraud_ip_cluster fraud_beneficiary_reuse fraud_beneficiary_applicants
	fraud_agent_anomaly fraud_agent_pincodes fraud_device_reuse fraud_device_applicants fraud_mobile_reuse
	fraud_mobile_applicants fraud_email_reuse fraud_email_applicants fraud_ring_size fraud_ring_links
	fraud_ring_truncated fraud_blocklisted

	final_score grade offer_limit offer_emi offer_apr post_offer_foir

	applicant.id applicant.monthly_income applicant.foir applicant.age applicant.employment_type
	applicant.requested_amount applicant.tenure_months
	bureau_report.score bureau_report.enquiries_6m bureau_report.active_tradelines bureau_report.max_dpd_12m
	bureau_report.written_off_36m bureau_report.suit_or_wilful bureau_report.overdue_amount
	bureau_report.total_outstanding bureau_report.unsecured_outstanding bureau_report.total_emi
	bureau_report.card_utilisation bureau_report.live_unsecured bureau_report.oldest_account_months
	bureau_report.months_since_30dpd bureau_report.report_age_days
	report.scoreData.score report.demographics.age report.demographics.employmentType
	report.incomeAssessment.monthlyIncome report.incomeAssessment.foir report.requestedAmount
	report.requestedTenureMonths report.reportDate
	device.model device.os_version device.is_rooted device.is_emulator device.sim_age_days
	device.loan_apps_installed_count device.app_install_age_days device.device_id
	location.lat location.lng location.ip location.declared_pincode location.permission_denied
	fraud.applicant_ref fraud.pincode fraud.ip fraud.beneficiary_account fraud.agent_id fraud.mobile fraud.email
	bank_summary.income bank_summary.emi bank_summary.balance bank_summary.bounces bank_summary.months
	bank_summary.declared_monthly_income bank_summary.declared_emi
	own_reference own_open_offer own_other_open_offer own_approved_amount_30d own_approved_amount_90d
	own_approved_amount_365d own_declines_30d own_days_since_decline own_last_status own_outstanding own_emi own_max_dpd
	own_guaranteed_offer own_guaranteed_outstanding
`

func TestCatalogueIsTheContracts(t *testing.T) {
	t.Parallel()
	want := map[string]bool{}
	for _, name := range strings.Fields(contractNames) {
		want[name] = true
	}
	for _, e := range append(bureauOwnFacts(), days("max_dpd_24m", ""), days("max_dpd_36m", "")) {
		want["bureau_report."+strings.TrimPrefix(e.Name, "bureau_")] = true
	}
	for _, role := range []string{CoApplicant, Guarantor} {
		// Each role has the facts of the applicant, the bureau, the bank, the lender's own exposure and the fraud
		// checks. It does not have the facts about agents, the request and the reference. It also has the facts about
		// consent and about values that people of the application share.
		for name := range maps.Clone(want) {
			if f := lookup(t, name); f.Group == "applicant" || f.Group == "bureau" || f.Group == "bank" ||
				f.Group == "own" || f.Group == "fraud" && !strings.HasPrefix(name, "fraud_agent_") {
				want[OfRole(role, name)] = true
			}
		}
		delete(want, OfRole(role, RequestedAmount))
		delete(want, OfRole(role, RequestedTenureMonths))
		delete(want, OfRole(role, OwnReference))
		want[OfRole(role, "fraud_shared_in_application")] = true
		want[OfRole(role, ConsentID)], want[OfRole(role, ConsentAt)] = true, true
	}
	want[HasCoApplicant] = true
	features := 0
	for f := range withPrefix("") {
		if _, ok := feature.Parse(f.Name); ok {
			features++
			continue
		}
		if !want[f.Name] {
			t.Errorf("%s is not in the contract's lists", f.Name)
		}
		delete(want, f.Name)
	}
	for name := range want {
		t.Errorf("%s is missing", name)
	}
	if features != feature.Count {
		t.Errorf("%d features, want %d", features, feature.Count)
	}
}

// TestNoTwoFieldsAlike checks that all fields and groups have different names.
// It reads the tables, because building the catalogue would panic instead of
// reporting duplicates.
func TestNoTwoFieldsAlike(t *testing.T) {
	t.Parallel()
	names, groups := map[string]bool{}, map[string]bool{}
	for _, s := range sections() {
		if groups[s.group] {
			t.Errorf("two sections are called %s", s.group)
		}
		groups[s.group] = true
		for _, e := range s.fields {
			if names[e.Name] {
				t.Errorf("%s is defined twice", e.Name)
			}
			names[e.Name] = true
		}
	}
}

func TestFieldsAreDescribed(t *testing.T) {
	t.Parallel()
	sentence := regexp.MustCompile(`^[A-Z].*\.$`)
	for f := range withPrefix("") {
		if f.Group == "" || f.Supply == 0 {
			t.Errorf("%s: group %q, supply %d", f.Name, f.Group, f.Supply)
		}
		if !sentence.MatchString(f.Meaning) || strings.ContainsAny(f.Meaning, "|\n") {
			t.Errorf("%s: the meaning is not a sentence for a table: %q", f.Name, f.Meaning)
		}
		if (f.Type == rule.NumberType) != (f.Unit != "") {
			t.Errorf("%s is a %s with unit %q", f.Name, f.Type, f.Unit)
		}
		if len(f.Name) > maxNameBytes {
			t.Errorf("%s is too long a name", f.Name)
		}
	}
}

func TestDomainsAreSane(t *testing.T) {
	t.Parallel()
	for f := range withPrefix("") {
		numeric := f.Integer || f.BoundedBelow || f.BoundedAbove
		switch {
		case f.Type == rule.Absent:
			t.Errorf("%s has no type", f.Name)
		case numeric && f.Type != rule.NumberType:
			t.Errorf("%s is a %s with a numeric domain", f.Name, f.Type)
		case len(f.Values) > 0 && f.Type != rule.StringType:
			t.Errorf("%s is a %s with a vocabulary", f.Name, f.Type)
		case f.BoundedBelow && f.BoundedAbove && f.Min >= f.Max:
			t.Errorf("%s runs from %s to %s", f.Name, f.Min, f.Max)
		case f.Integer && (!f.Min.HasPlaces(0) || !f.Max.HasPlaces(0)):
			t.Errorf("%s is whole and has a domain that is not", f.Name)
		case f.BoundedBelow && f.Unit == "₹" && f.Min < 0:
			t.Errorf("%s can be negative rupees; say so without a bound", f.Name)
		}
		if slices.Contains(f.Values, "") ||
			len(slices.Compact(slices.Sorted(slices.Values(f.Values)))) != len(f.Values) {
			t.Errorf("%s has an empty or double value: %q", f.Name, f.Values)
		}
	}
}

func TestDomainsOfTheContract(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"bureau_score":                       "whole, 300 to 900",
		"bureau_ntc_index":                   "whole, 1 to 6",
		"bureau_report.score":                "whole, -1 to 900",
		"report.scoreData.score":             "whole, -1 to 900",
		"age":                                "0 to 120",
		"foir":                               "0 to 5",
		"applicant.foir":                     "0 to 5",
		"report.incomeAssessment.foir":       "0 to 500",
		"monthly_income":                     "from 0",
		"requested_amount":                   "from 0.01",
		"requested_tenure_months":            "whole, 1 to 480",
		"enquiries_6m":                       "whole, from 0",
		"bank_avg_balance":                   "",
		"bank_income_mismatch_pct":           "up to 100",
		"bank_emi_mismatch_pct":              "-100 to 100",
		"location_pincode_risk":              "LOW, MEDIUM, HIGH, BLOCKED",
		"device_is_emulator":                 "",
		"enquiry__personal_loan__90d__count": "whole, from 0",
		"enquiry__personal_loan__90d__trend": "-1 to 1",
		"eod_balance__all__90d__avg":         "",
	} {
		if got := domain(lookup(t, name)); got != want {
			t.Errorf("%s has the domain %q, want %q", name, got, want)
		}
	}
}

func TestCoreFields(t *testing.T) {
	t.Parallel()
	want := strings.Fields("active_tradelines age bureau_score employment_type enquiries_6m foir foir_effective " +
		"income_effective max_dpd_12m monthly_income")
	var core []string
	for f := range withPrefix("") {
		if f.Core {
			core = append(core, f.Name)
		}
		if f.BureauScored != (f.Name == BureauScore) {
			t.Errorf("%s: BureauScored is %t", f.Name, f.BureauScored)
		}
	}
	if slices.Sort(core); !slices.Equal(core, want) {
		t.Errorf("core fields are %v, want %v", core, want)
	}
}

func TestSupply(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]rule.Supply{
		"bureau":                  rule.FromEvaluate,
		"bureau_score":            eitherRequest,
		"bureau_total_emi":        eitherRequest,
		"monthly_income":          eitherRequest,
		"applicant.id":            eitherRequest,
		"bureau_report.score":     rule.FromDecisions,
		"report.scoreData.score":  rule.FromEvaluate,
		"device_is_emulator":      rule.FromEvaluate,
		"bank_summary.income":     rule.FromEvaluate,
		"enquiry__all__7d__count": rule.FromEvaluate,
		"final_score":             rule.FromEngine,
		"post_offer_foir":         rule.FromEngine,
	} {
		if got := lookup(t, name).Supply; got != want {
			t.Errorf("%s is supplied by %b, want %b", name, got, want)
		}
	}
}

// TestReasonCodes checks that every default reason code is a known one, that
// the fields for which the contract states a code have it, and that exactly the
// metrics of features have a code in featureReasons.
func TestReasonCodes(t *testing.T) {
	t.Parallel()
	known := strings.Fields(`BUR_SCORE BUR_NTC BUR_DPD BUR_ENQ BUR_TRADELINES BUR_WRITEOFF BUR_SUIT INC_LOW FOIR_HIGH
		AGE_RANGE EMP_TYPE AMT_MIN BANK_BOUNCE BANK_MISMATCH BANK_ABB DEV_ROOTED FR_EMULATOR FR_MULE FR_RING
		LOC_PINCODE LOC_MISMATCH BUR_OVERDUE BUR_THIN_FILE EXPOSURE_CAP OWN_HISTORY MISSING_REQUIRED_INPUT
		CO_APPLICANT GUARANTOR`)
	for f := range withPrefix("") {
		if f.ReasonCode != "" && !slices.Contains(known, f.ReasonCode) {
			t.Errorf("%s gives the reason %s, which no catalogue has", f.Name, f.ReasonCode)
		}
	}
	for name, want := range map[string]string{
		"foir": "FOIR_HIGH", "monthly_income": "INC_LOW", "bureau_score": "BUR_SCORE", "enquiries_6m": "BUR_ENQ",
		"active_tradelines": "BUR_TRADELINES", "max_dpd_12m": "BUR_DPD", "age": "AGE_RANGE",
		"employment_type": "EMP_TYPE", "requested_amount": "AMT_MIN", "bureau_written_off_36m": "BUR_WRITEOFF",
		"bureau_suit_or_wilful": "BUR_SUIT", "bureau_overdue_amount": "BUR_OVERDUE", "bureau_is_ntc": "BUR_NTC",
		"bureau_ntc_index": "BUR_NTC", "bureau_oldest_account_months": "BUR_THIN_FILE", "bank_bounces": "BANK_BOUNCE",
		"bank_income_mismatch_pct": "BANK_MISMATCH", "bank_abb_to_emi": "BANK_ABB", "bank_avg_balance": "BANK_ABB",
		"device_is_rooted": "DEV_ROOTED", "device_is_emulator": "FR_EMULATOR", "fraud_beneficiary_reuse": "FR_MULE",
		"fraud_ip_cluster": "FR_RING", "location_pincode_risk": "LOC_PINCODE",
		"location_gps_pincode_match": "LOC_MISMATCH", "enquiry__all__30d__sum": "BUR_ENQ",
		"dpd_90plus__all__365d__max": "BUR_DPD",
	} {
		if got := lookup(t, name).ReasonCode; got != want {
			t.Errorf("%s gives the reason %q, want %s", name, got, want)
		}
	}
	metrics := maps.Clone(featureReasons)
	for m := range feature.Metrics() {
		if metrics[m.Name] == "" {
			t.Errorf("the metric %s has no reason", m.Name)
		}
		delete(metrics, m.Name)
	}
	if len(metrics) > 0 {
		t.Errorf("reasons for metrics that do not exist: %v", metrics)
	}
}

func TestEngineNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		BureauScore, BureauIsNTC, MonthlyIncome, FOIR, RequestedAmount, RequestedTenureMonths,
		FinalScore, Grade, OfferLimit, OfferEMI, OfferAPR, PostOfferFOIR,
	} {
		lookup(t, name)
	}
}

func TestDeclarable(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"applicant.employer_category":              true,
		"report.scoreData.scoreVersion2":           true,
		"report.a.b.c.d.e.f.g":                     true,
		"report.a.b.c.d.e.f.g.h":                   false, // nine segments
		"report." + strings.Repeat("x", 121):       true,
		"report." + strings.Repeat("x", 122):       false, // 129 characters
		"applicant.foir":                           false, // already known
		"report.scoreData.score":                   false, // already known
		"applicant":                                false,
		"applicant.":                               false,
		".applicant":                               false,
		"applicant..x":                             false,
		"applicant.x.":                             false,
		"applicant.1x":                             false,
		"applicant._x":                             false,
		"applicant.x-y":                            false,
		"applicant.x y":                            false,
		"applicant.é":                              false,
		"reports.x":                                false,
		"bureau_report.x":                          false,
		"device.colour":                            false,
		"employer_category":                        false,
		"":                                         false,
		"applicant.employer_category\n":            false,
		strings.Repeat("applicant.", 20) + "x":     false,
		"Applicant.employer_category":              false,
		"report.enquiry__personal_loan__90d__coun": true,
	} {
		if got := Declarable(name); got != want {
			t.Errorf("Declarable(%q) = %t", name, got)
		}
	}
}
