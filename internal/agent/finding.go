package agent

import (
	"strings"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// finding is the result of one check.
type finding struct {
	field     string
	value     rule.Value
	against   string     // a related field, to be shown beside the value
	opposite  rule.Value // the value of that field
	threshold rule.Value // the limit of the check, or the value of a signal that is a concern
	concern   bool
	hold      bool     // a person must review the finding
	rules     []string // for a signal: the knockouts that hit and read the field
	text      string
}

// watched lists the signals to check. bad is the value that is a concern, and hold says whether a person must then
// review the application.
var watched = []struct {
	field string
	bad   rule.Value
	hold  bool
	text  string
}{
	{"fraud_blocklisted", rule.Bool(true), true, "Something in the application is on the block list"},
	{"fraud_beneficiary_reuse", rule.Bool(true), true, "Other applicants named the same beneficiary account"},
	{"fraud_device_reuse", rule.Bool(true), true, "Other applicants used the same phone"},
	{"fraud_mobile_reuse", rule.Bool(true), true, "Other applicants gave the same mobile number"},
	{"fraud_email_reuse", rule.Bool(true), true, "Other applicants gave the same e-mail address"},
	{"fraud_ip_cluster", rule.Bool(true), true, "Too many applicants share the IP address"},
	{"fraud_agent_anomaly", rule.Bool(true), true, "The sourcing agent's applications are unusual"},
	{"fraud_pincode_spike", rule.Bool(true), false, "Applications from the pincode are far above their usual number"},
	{"device_is_emulator", rule.Bool(true), true, "The application came from an emulated phone"},
	{"device_is_rooted", rule.Bool(true), false, "The phone's protections have been removed"},
	{"device_sim_new", rule.Bool(true), false, "The SIM card is new"},
	{"device_loan_apps_excess", rule.Bool(true), false, "Many loan apps are installed"},
	{"location_pincode_risk", rule.Str("BLOCKED"), true, "The pincode is blocked"},
	{"location_pincode_risk", rule.Str("HIGH"), false, "The pincode is of high risk"},
	{"location_gps_pincode_match", rule.Bool(false), false, "The phone's position is not in the declared pincode"},
	{"location_ip_allowed", rule.Bool(false), false, "The IP address belongs to a country that is not allowed"},
	{"location_permission_denied", rule.Bool(true), false, "The phone's position was not shared"},
}

// lookAtSignals records the concerns from the device, location and fraud blocks.
// A block that was not sent causes no concerns.
func (st *study) lookAtSignals(d *engine.Decision) {
	seen := 0
	for _, s := range watched {
		v := st.facts.Get(s.field)
		if v.Type() == rule.Absent {
			continue
		}
		seen++
		if v == s.bad {
			st.signals = append(st.signals, finding{
				field:     s.field,
				value:     v,
				threshold: s.bad,
				concern:   true,
				hold:      s.hold,
				text:      s.text,
				rules:     st.hitBy(d, s.field),
			})
		}
	}
	seen += st.lookAtOthers(d)
	st.trace.record(toolSignals, nil, summary(seen, st.signals))
}

func summary(seen int, found []finding) string {
	if seen == 0 {
		return "nothing was sent"
	}
	var names []string
	for i := range found {
		if found[i].concern {
			names = append(names, found[i].field)
		}
	}
	if len(names) == 0 {
		return "no concern"
	}
	return "concerns: " + strings.Join(names, ", ")
}

// hitBy returns the ids of the knockouts that hit and read the field with the given name.
func (st *study) hitBy(d *engine.Decision, name string) []string {
	var out []string
	policy := st.plan.Policy()
	for _, r := range d.Rules() {
		if r.Result == engine.ResultFail || r.Result == engine.ResultRefer {
			for k := range policy.Knockouts {
				if policy.Knockouts[k].ID == r.ID && reads(&policy.Knockouts[k].Condition, name) {
					out = append(out, r.ID)
				}
			}
		}
	}
	return out
}

func reads(c *rule.Condition, name string) bool {
	found := false
	c.Fields(func(ref rule.Ref) { found = found || ref.Name == name })
	return found
}

// bankChecks lists the checks of a bank statement. A value that exceeds the limit in the member "above" is a concern.
var bankChecks = []struct {
	field, against string
	above          rule.Number
	magnitude      bool // compare the absolute value
	hold           bool
	text           string
}{
	{
		"bank_income_mismatch_pct", "bank_summary.declared_monthly_income", rule.Int(20), true, false,
		"Income in the statement differs from the income declared, in percent",
	},
	{"bank_undeclared_emi", "bank_detected_emi", 0, false, false, "Instalments were found that were not declared"},
	{"bank_bounces", "", rule.Int(2), false, false, "Payments bounced"},
	{
		"bank_issued_bounces_90d", "", rule.Int(1), false, false,
		"The borrower's own payments were returned in the last 90 days",
	},
	{"bank_negative_days_90d", "", rule.Int(5), false, false, "Days of the last 90 ended with a negative balance"},
	{"bank_statement_age_days", "", rule.Int(30), false, false, "The statement ends long ago, in days"},
	{"bank_balance_breaks", "", 0, false, true, "Balances of the statement do not follow from its transactions"},
}

// overstated reports whether a ratio in the statement is more than 0.05 above
// the declared ratio.
func overstated(n, declared rule.Number) (limit rule.Number, concern bool) {
	limit = declared + rule.One/20
	return limit, n > limit
}

// understated reports whether an amount in the statement is less than four
// fifths of the declared amount.
func understated(n, declared rule.Number) (limit rule.Number, concern bool) {
	limit = declared / 5 * 4
	return limit, n < limit
}

// compareBank compares a figure of the statement with a declared figure. It
// returns the number of comparisons: 1 if both figures are known, and 0
// otherwise.
func (st *study) compareBank(name, against, text string, judge func(n, declared rule.Number) (rule.Number, bool)) int {
	n, ok := st.number(name)
	declared, known := st.number(against)
	if !ok || !known {
		return 0
	}
	limit, concern := judge(n, declared)
	st.bank = append(st.bank, finding{
		field:     name,
		value:     rule.Num(n),
		against:   against,
		opposite:  rule.Num(declared),
		threshold: rule.Num(limit),
		concern:   concern,
		text:      text,
	})
	return 1
}

// lookAtBank runs the bank checks and compares the statement with the declared
// figures.
func (st *study) lookAtBank() {
	seen := 0
	for _, c := range bankChecks {
		n, ok := st.number(c.field)
		if !ok {
			continue
		}
		seen++
		size := n
		if c.magnitude {
			size = max(n, -n)
		}
		f := finding{
			field:     c.field,
			value:     rule.Num(n),
			threshold: rule.Num(c.above),
			concern:   size > c.above,
			hold:      size > c.above && c.hold,
			text:      c.text,
		}
		if c.against != "" {
			f.against, f.opposite = c.against, st.facts.Get(c.against)
		}
		st.bank = append(st.bank, f)
	}
	seen += st.compareBank("bank_foir", field.FOIR,
		"Obligations in the statement, held against those declared", overstated)
	seen += st.compareBank("bank_detected_foir", field.FOIR,
		"Obligations found in the statement, held against those declared", overstated)
	seen += st.compareBank("bank_income", field.MonthlyIncome,
		"Income in the statement, held against the income declared", understated)
	st.trace.record(toolBank, nil, summary(seen, st.bank))
}

// writeFindings writes a list of findings under key.
func writeFindings(w *wire.Writer, key string, list []finding) {
	w.Key(key).Array()
	for i := range list {
		f := &list[i]
		w.Object().Key("field").String(f.field).Key("value")
		f.value.Write(w)
		if f.against != "" && f.opposite.Type() != rule.Absent {
			w.Key("against").String(f.against).Key("against_value")
			f.opposite.Write(w)
		}
		if f.threshold.Type() == rule.NumberType {
			w.Key("threshold")
			f.threshold.Write(w)
		}
		w.Key("concern").Bool(f.concern).Key("text").String(f.text)
		if len(f.rules) > 0 {
			w.Key("rules").Array()
			for _, id := range f.rules {
				w.String(id)
			}
			w.EndArray()
		}
		w.EndObject()
	}
	w.EndArray()
}

// held returns the fields whose findings a person must review.
func (st *study) held() []string {
	var out []string
	for _, list := range [][]finding{st.signals, st.bank} {
		for i := range list {
			if list[i].hold {
				out = append(out, list[i].field)
			}
		}
	}
	return out
}
