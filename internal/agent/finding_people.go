package agent

import (
	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// watchedOfOthers lists the fraud facts of a co-applicant or a guarantor that are a concern if they are true. hold
// says whether a person must review the fact. text is the part of a memo's sentence after the name of the role.
var watchedOfOthers = []struct {
	field string
	hold  bool
	text  string
}{
	{"fraud_blocklisted", true, "an identifier is on the block list"},
	{"fraud_beneficiary_reuse", true, "other applicants named the same account"},
	{"fraud_device_reuse", true, "other applicants used the same phone"},
	{"fraud_mobile_reuse", true, "other applicants gave the same mobile number"},
	{"fraud_email_reuse", true, "other applicants gave the same e-mail address"},
	{"fraud_ip_cluster", true, "too many applicants share the IP address"},
	{"fraud_pincode_spike", false, "applications from the pincode are far above their usual number"},
}

// lookAtOthers records the concerns from the identifiers of the co-applicant and the guarantor. It returns how many
// facts were known, which is 0 for an application without such identifiers.
func (st *study) lookAtOthers(d *engine.Decision) (seen int) {
	for _, person := range []struct{ role, who string }{
		{field.CoApplicant, "Co-applicant"}, {field.Guarantor, "Guarantor"},
	} {
		for _, s := range watchedOfOthers {
			name := field.OfRole(person.role, s.field)
			v := st.facts.Get(name)
			if v.Type() == rule.Absent {
				continue
			}
			seen++
			if v.IsTrue() {
				st.signals = append(st.signals, finding{
					field:     name,
					value:     v,
					threshold: rule.Bool(true),
					concern:   true,
					hold:      s.hold,
					text:      person.who + ": " + s.text,
					rules:     st.hitBy(d, name),
				})
			}
		}
	}
	return seen
}
