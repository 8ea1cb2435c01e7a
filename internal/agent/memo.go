package agent

import (
	"fmt"
	"strings"

	"verdict/internal/advice"
	"verdict/internal/engine"
	"verdict/internal/rule"
)

// statement is one line of the memo with its evidence: fields and their stored
// values, rules, thresholds, and members of the decision.
type statement struct {
	section string
	text    string
	cites   []cite
}

type cite struct{ key, value string }

// The sections of the memo.
const (
	aboutDecision = "Decision"
	aboutReasons  = "Reasons"
	aboutChecks   = "Checks"
	aboutMissing  = "Missing"
	aboutOffers   = "Counter-offers"
	aboutChanges  = "Changes that would help"
	aboutCollect  = "To collect"
)

// memoWriter makes the statements of a memo from a study and its decision.
type memoWriter struct {
	study      *study
	decision   *engine.Decision
	statements []statement
}

// composeMemo returns the statements of the memo. The statements share no memory
// with d.
func composeMemo(st *study, d *engine.Decision) []statement {
	m := memoWriter{study: st, decision: d}
	m.sayDecision()
	if st.ask.edition >= secondEdition {
		m.sayBureau()
		m.sayPeople()
		m.sayIncome()
	}
	for i := range st.reasons {
		m.sayReason(&st.reasons[i])
	}
	if st.ask.edition >= secondEdition {
		m.sayStrengths()
	}
	for _, list := range [][]finding{st.signals, st.bank} {
		for i := range list {
			if list[i].concern {
				m.sayFinding(&list[i])
			}
		}
	}
	m.sayMissing()
	m.sayChanges()
	m.sayCollect()
	return m.statements
}

func (m *memoWriter) say(section, text string, cites ...cite) {
	m.statements = append(m.statements, statement{section: section, text: text, cites: cites})
}

// sayDecision adds the outcome, the offer and the stated purpose.
func (m *memoWriter) sayDecision() {
	d := m.decision
	m.say(aboutDecision,
		fmt.Sprintf("The application was %s with grade %s and a score of %s.",
			statusWords[d.Status], d.Grade, d.FinalScore),
		cite{"decision.status", d.Status.String()},
		cite{"decision.grade", d.Grade},
		cite{"decision.explanation.final_score", d.FinalScore.String()},
	)
	if o := &d.Offer; o.Made {
		kind := "The offer"
		if o.Indicative {
			kind = "The indicative offer"
		}
		m.say(aboutDecision, fmt.Sprintf("%s is %s over %d months.", kind, rule.Rupees(o.LimitPaise), o.TenureMonths),
			cite{"decision.offer.limit", rule.Rupees(o.LimitPaise).String()},
			cite{"decision.offer.tenure_months", fmt.Sprint(o.TenureMonths)},
			cite{"decision.offer.interest_rate", rule.Rupees(o.RateBP).String()},
			cite{"decision.offer.emi", rule.Rupees(o.InstalmentPaise).String()},
			cite{"decision.offer.pricing_band_id", o.BandID},
			cite{"decision.offer.binding_constraint", o.Binding.String()},
		)
		if o.LimitCapID != "" {
			m.say(aboutDecision, fmt.Sprintf("The limit cap %s determined the amount.", o.LimitCapID),
				cite{"decision.offer.limit_cap_id", o.LimitCapID})
		}
	}
	if purpose := m.study.ask.purpose; purpose != "" {
		m.say(aboutDecision, "The purpose was stated as: "+purpose, cite{"request", "purpose"})
	}
}

// sayChanges adds the counter-offers and the changes that would help.
func (m *memoWriter) sayChanges() {
	for i := range m.study.offers {
		v := &m.study.offers[i]
		text := fmt.Sprintf("%s over %d months at %s percent, instalments of %s.",
			rule.Rupees(v.limitPaise), v.tenure, rule.Rupees(v.rateBP), rule.Rupees(v.instalment))
		m.say(aboutOffers, text, changeCites(v.changes, v.status)...)
	}
	for i := range m.study.improvements {
		x := &m.study.improvements[i]
		m.say(aboutChanges, improvementText(x)+".", changeCites(x.Changes, x.Status)...)
	}
}

// sayCollect adds the conditions of the offer and the documents to collect.
func (m *memoWriter) sayCollect() {
	for _, text := range m.study.terms {
		m.say(aboutCollect, text, cite{"decision.offer.conditions", text})
	}
	for _, doc := range m.study.documents {
		m.say(aboutCollect, doc.text, cite{"field", doc.field})
	}
}

func (m *memoWriter) sayReason(r *reason) {
	cites := []cite{{"reason", r.code}}
	switch {
	case r.detail.Value.Type() != rule.Absent:
		cites = append(cites, cite{m.nameOf(r.detail.Field), r.detail.Value.String()})
	case r.detail.Field != "":
		cites = append(cites, cite{"missing", r.detail.Field})
	}
	if r.detail.RuleID != "" {
		cites = append(cites, cite{"rule", r.detail.RuleID})
	}
	if r.detail.Threshold.Type() != rule.Absent {
		cites = append(cites, cite{"threshold", r.detail.Threshold.String()})
	}
	text := r.message
	if r.detail.Text != "" {
		text += ": " + r.detail.Text
	}
	m.say(aboutReasons, text+".", cites...)
}

func (m *memoWriter) sayFinding(f *finding) {
	cites := []cite{{f.field, f.value.String()}}
	if f.against != "" && f.opposite.Type() != rule.Absent {
		cites = append(cites, cite{f.against, f.opposite.String()})
	}
	if f.threshold.Type() == rule.NumberType {
		cites = append(cites, cite{"check at", f.threshold.String()})
	}
	for _, id := range f.rules {
		cites = append(cites, cite{"rule", id})
	}
	m.say(aboutChecks, f.text+".", cites...)
}

func (m *memoWriter) sayMissing() {
	for i := range m.study.complete.Missing {
		input := &m.study.complete.Missing[i]
		if !input.Matters || !input.Ask {
			continue
		}
		cites := []cite{{"missing", input.Field}}
		for _, id := range input.Rules {
			cites = append(cites, cite{"rule", id})
		}
		text := fmt.Sprintf("%s was not given, and could lead to anything from %s to %s.",
			input.Field, input.Best, input.Worst)
		m.say(aboutMissing, text, cites...)
	}
}

// changeCites returns the evidence for each change and for the outcome.
func changeCites(changes []advice.Change, then engine.Status) []cite {
	var cites []cite
	for _, c := range changes {
		if c.From.Type() != rule.Absent {
			cites = append(cites, cite{c.Field, c.From.String()})
		}
		cites = append(cites, cite{"change " + c.Field, c.To.String()})
		if c.PayOff.Type() != rule.Absent {
			cites = append(cites, cite{"pay off a month", c.PayOff.String()})
		}
	}
	return append(cites, cite{"then", then.String()})
}

func improvementText(x *advice.Improvement) string {
	var parts []string
	for _, c := range x.Changes {
		part := fmt.Sprintf("%s at %s", c.Field, c.To)
		if c.From.Type() != rule.Absent {
			part += fmt.Sprintf(" instead of %s", c.From)
		}
		if c.Waiting {
			part += " (by waiting)"
		}
		if c.PayOff.Type() != rule.Absent {
			part += fmt.Sprintf(" (by paying off ₹%s a month of obligations)", c.PayOff)
		}
		parts = append(parts, part)
	}
	what := "would be " + statusWords[x.Status]
	if x.Full {
		what = "would be approved for the whole amount asked for"
	}
	return fmt.Sprintf("With %s the application %s", strings.Join(parts, " and "), what)
}

// summary returns the plain summary of the memo. The summary names no person and
// repeats no text that an applicant wrote, so it may be sent to a model.
func (st *study) summary() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Recommendation %s, with %s confidence. %s",
		st.recommendation, st.confidence, st.statements[0].text)
	var safe []string
	for _, r := range st.reasons {
		safe = append(safe, r.message)
	}
	if len(safe) > 0 {
		fmt.Fprintf(&b, " Principal reasons: %s.", strings.Join(safe, "; "))
	}
	if len(st.offers) > 0 {
		v := &st.offers[0]
		fmt.Fprintf(&b, " %s over %d months could be offered instead.", rule.Rupees(v.limitPaise), v.tenure)
	}
	if len(st.improvements) > 0 {
		fmt.Fprintf(&b, " %s.", improvementText(&st.improvements[0]))
	}
	if held := st.held(); len(held) > 0 {
		fmt.Fprintf(&b, " A person has to look at %s.", strings.Join(held, ", "))
	}
	if next := st.complete.AskNext(); len(next) > 0 {
		fmt.Fprintf(&b, " Still to be asked for: %s.", strings.Join(next, ", "))
	}
	return b.String()
}

// memo renders the credit memo in Markdown. A model's text can replace only the
// summary; the agent always writes the statements below it.
func (st *study) memo() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Credit memo: %s\n\n", st.recommendation)
	if st.narrated != "" {
		b.WriteString(escape(st.narrated))
	} else {
		b.WriteString(escape(st.summary()))
	}
	b.WriteString("\n")
	section := ""
	for _, s := range st.statements {
		if s.section != section {
			section = s.section
			fmt.Fprintf(&b, "\n## %s\n\n", section)
		}
		b.WriteString("- " + escape(s.text) + " [")
		for i, c := range s.cites {
			if i > 0 {
				b.WriteString("; ")
			}
			b.WriteString(escape(c.key) + " = " + escape(c.value))
		}
		b.WriteString("]\n")
	}
	return b.String()
}

// escape escapes a text for Markdown, because the text may contain words of an
// applicant or a policy author.
func escape(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r < ' ' || r == 0x7f || r == 0x2028 || r == 0x2029:
			b.WriteByte(' ')
		case strings.ContainsRune("\\`*[]<", r):
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
