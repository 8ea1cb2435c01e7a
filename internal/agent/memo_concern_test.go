package agent_test

import (
	"strings"

	"verdict/internal/rule"
)

// signalTexts lists the values of signals that are a concern, with the text of
// each, and whether a person must review it.
var signalTexts = []struct {
	field, value string
	hold         bool
	text         string
}{
	{"fraud_blocklisted", "true", true, "Something in the application is on the block list"},
	{"fraud_beneficiary_reuse", "true", true, "Other applicants named the same beneficiary account"},
	{"fraud_device_reuse", "true", true, "Other applicants used the same phone"},
	{"fraud_mobile_reuse", "true", true, "Other applicants gave the same mobile number"},
	{"fraud_email_reuse", "true", true, "Other applicants gave the same e-mail address"},
	{"fraud_ip_cluster", "true", true, "Too many applicants share the IP address"},
	{"fraud_agent_anomaly", "true", true, "The sourcing agent's applications are unusual"},
	{"fraud_pincode_spike", "true", false, "Applications from the pincode are far above their usual number"},
	{"device_is_emulator", "true", true, "The application came from an emulated phone"},
	{"device_is_rooted", "true", false, "The phone's protections have been removed"},
	{"device_sim_new", "true", false, "The SIM card is new"},
	{"device_loan_apps_excess", "true", false, "Many loan apps are installed"},
	{"location_pincode_risk", "BLOCKED", true, "The pincode is blocked"},
	{"location_pincode_risk", "HIGH", false, "The pincode is of high risk"},
	{"location_gps_pincode_match", "false", false, "The phone's position is not in the declared pincode"},
	{"location_ip_allowed", "false", false, "The IP address belongs to a country that is not allowed"},
	{"location_permission_denied", "true", false, "The phone's position was not shared"},
}

// bankTexts lists the limits with which the facts of a bank statement are
// compared. A limit is fixed, or is computed from another fact.
var bankTexts = []struct {
	field, against string
	limit          func(declared rule.Number) rule.Number
	concern        func(n, limit rule.Number) bool
	hold           bool
	text           string
}{
	{
		"bank_income_mismatch_pct", "bank_summary.declared_monthly_income", fixed(20), beyond, false,
		"Income in the statement differs from the income declared, in percent",
	},
	{
		"bank_undeclared_emi", "bank_detected_emi", fixed(0), above, false,
		"Instalments were found that were not declared",
	},
	{"bank_bounces", "", fixed(2), above, false, "Payments bounced"},
	{
		"bank_issued_bounces_90d", "", fixed(1), above, false,
		"The borrower's own payments were returned in the last 90 days",
	},
	{"bank_negative_days_90d", "", fixed(5), above, false, "Days of the last 90 ended with a negative balance"},
	{"bank_statement_age_days", "", fixed(30), above, false, "The statement ends long ago, in days"},
	{"bank_balance_breaks", "", fixed(0), above, true, "Balances of the statement do not follow from its transactions"},
	{"bank_foir", "foir", fiveMore, above, false, "Obligations in the statement, held against those declared"},
	{
		"bank_detected_foir", "foir", fiveMore, above, false,
		"Obligations found in the statement, held against those declared",
	},
	{
		"bank_income", "monthly_income", fourFifths, below, false,
		"Income in the statement, held against the income declared",
	},
}

func fixed(n int64) func(rule.Number) rule.Number {
	return func(rule.Number) rule.Number { return rule.Int(n) }
}
func fiveMore(declared rule.Number) rule.Number   { return declared + 5*rule.One/100 }
func fourFifths(declared rule.Number) rule.Number { return declared * 4 / 5 }
func above(n, limit rule.Number) bool             { return n > limit }
func below(n, limit rule.Number) bool             { return n < limit }
func beyond(n, limit rule.Number) bool            { return n > limit || n < -limit }

// concern is a doubt that the stored facts raise.
type concern struct {
	field, text string
	hold        bool
	rules       []string
	cites       []string
}

// signals returns the concerns from the device, location and fraud blocks.
func (a *account) signals() (out []concern) {
	for _, s := range signalTexts {
		if v := a.facts.Get(s.field); v.Type() == rule.Absent || v.String() != s.value {
			continue
		}
		c := concern{
			field: s.field,
			text:  s.text,
			hold:  s.hold,
			rules: a.hitOver(s.field),
			cites: []string{s.field + " = " + s.value},
		}
		for _, id := range c.rules {
			c.cites = append(c.cites, "rule = "+id)
		}
		out = append(out, c)
	}
	return out
}

// hitOver returns the ids of the knockouts that fired and read the field called name.
func (a *account) hitOver(name string) (ids []string) {
	for _, fired := range list(a.decision, "explanation.fired_rules") {
		if result := text(fired, "result"); result != "fail" && result != "refer" {
			continue
		}
		for _, k := range a.plan.Policy().Knockouts {
			over := false
			k.Condition.Fields(func(ref rule.Ref) { over = over || ref.Name == name })
			if over && k.ID == text(fired, "id") {
				ids = append(ids, k.ID)
			}
		}
	}
	return ids
}

// bank returns the concerns from a bank statement.
func (a *account) bank() (out []concern) {
	for _, b := range bankTexts {
		v, against := a.facts.Get(b.field), a.facts.Get(b.against)
		limit := b.limit(against.Number())
		comparing := b.field == "bank_income" || strings.HasSuffix(b.field, "foir")
		if v.Type() == rule.Absent || comparing && against.Type() == rule.Absent || !b.concern(v.Number(), limit) {
			continue
		}
		c := concern{field: b.field, text: b.text, hold: b.hold, cites: []string{b.field + " = " + v.String()}}
		if b.against != "" && against.Type() != rule.Absent {
			c.cites = append(c.cites, b.against+" = "+against.String())
		}
		c.cites = append(c.cites, "check at = "+limit.String())
		out = append(out, c)
	}
	return out
}

func (a *account) concerns() {
	for _, c := range append(a.signals(), a.bank()...) {
		a.say("Checks", c.text+".", c.cites...)
	}
}
