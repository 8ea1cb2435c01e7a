package agent_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// told is a statement that a memo must contain, with everything that it cites.
type told struct {
	Section, Text string
	Cites         []string // as "key = value", in order
}

// account derives a memo a second time, independently of the agent: from the stored decision and facts, the policy, and
// the engine. From the run it uses only the recommendation, the changes that were tried, the inputs to ask for, and the
// outcomes to which a missing monthly obligation could lead.
type account struct {
	*house
	body, run, decision map[string]any
	facts               *rule.Facts
	plan                *engine.Plan
	open                []engine.NotEvaluated
	said                []told
	countsOther         bool // the bureau score that counts is the co-applicant's
}

// accountOf reads a stored run and derives the statements that its memo must
// contain.
func (h *house) accountOf(body string, run map[string]any) *account {
	h.Helper()
	stored, err := h.cases.Agents.AgentRun(h.Context(), h.caller, text(run, "run_id"))
	if err != nil {
		h.Fatal(err)
	}
	u, head, err := h.cases.Agents.Underwritten(h.Context(), h.caller, stored)
	if err != nil || u == nil {
		h.Fatalf("the decision of the run: %v", err)
	}
	explained, err := h.cases.Decisions.Decision(h.Context(), h.caller, stored.DecisionID)
	if err != nil || !explained.Again.Verified {
		h.Fatalf("the stored decision: %v %s", err, explained.Response)
	}
	a := &account{
		house: h, body: tree(h, []byte(body)), run: run, decision: tree(h, head.Decision),
		facts: u.Facts, plan: u.Plan, open: u.Decision.NotEvaluated(),
	}
	if encode(a.decision) != encode(run["decision"]) {
		h.Errorf("the run has another decision than is stored: %s", encode(run["decision"]))
	}
	a.outcome()
	a.bureau()
	a.people()
	a.income()
	for i, r := range list(a.decision, "reasons") {
		a.reason(i, r)
	}
	a.strengths()
	a.concerns()
	a.missing()
	for _, o := range list(run, "counter_offers") {
		a.counterOffer(o)
	}
	for _, x := range list(run, "improvements") {
		a.say("Changes that would help", a.improvement(x)+".", a.changed(list(x, "changes"), text(x, "effect"))...)
	}
	a.collect()
	return a
}

func (a *account) say(section, text string, cites ...string) {
	a.said = append(a.said, told{Section: section, Text: text, Cites: cites})
}

func list(v any, path string) []any {
	l, _ := member(v, path).([]any)
	return l
}

var outcomeWords = map[string]string{"APPROVED": "approved", "REFERRED": "referred to a person", "DECLINED": "declined"}

// headline returns the sentence that both the summary and the first statement
// contain.
func (a *account) headline() string {
	return fmt.Sprintf("The application was %s with grade %s and a score of %s.",
		outcomeWords[text(a.decision, "status")], text(a.decision, "grade"),
		text(a.decision, "explanation.final_score"))
}

func (a *account) outcome() {
	cited := func(paths ...string) (cites []string) {
		for _, path := range paths {
			cites = append(cites, "decision."+path+" = "+text(a.decision, path))
		}
		return cites
	}
	a.say("Decision", a.headline(), cited("status", "grade", "explanation.final_score")...)
	if months := text(a.decision, "offer.tenure_months"); months != "" {
		kind := "The offer"
		if text(a.decision, "status") == "REFERRED" {
			kind = "The indicative offer"
		}
		a.say("Decision", fmt.Sprintf("%s is %s over %s months.", kind, text(a.decision, "offer.limit"), months),
			cited("offer.limit", "offer.tenure_months", "offer.interest_rate", "offer.emi", "offer.pricing_band_id",
				"offer.binding_constraint")...)
	}
	if purpose := text(a.body, "purpose"); purpose != "" {
		a.say("Decision", "The purpose was stated as: "+purpose, "request = purpose")
	}
}

// reason derives the statement about a stored reason, and checks the reason
// against the facts, the rules that fired and the policy.
func (a *account) reason(at int, r any) {
	name, value := text(r, "detail.field"), text(r, "detail.value")
	ruleID, threshold := text(r, "detail.rule_id"), text(r, "detail.threshold")
	cites := []string{"reason = " + text(r, "code")}
	switch {
	case value != "":
		cited := name
		if a.countsOther && name == field.BureauScore {
			cited, name = "counted_bureau_score", "co_applicant.bureau_score"
		}
		cites = append(cites, cited+" = "+value)
		a.holdsValue(name, value, text(r, "detail.text"))
		name = text(r, "detail.field")
	case name != "":
		cites = append(cites, "missing = "+name)
		for one := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == ',' || r == ' ' || r == '|' }) {
			if a.facts.Get(one).Type() != rule.Absent {
				a.Errorf("%s is said to be missing and is %s", one, a.facts.Get(one))
			}
		}
	}
	if ruleID != "" {
		cites = append(cites, "rule = "+ruleID)
		a.holdsRule(ruleID)
	}
	if threshold != "" {
		cites = append(cites, "threshold = "+threshold)
		if !slices.Contains(a.thresholds(ruleID, name), threshold) {
			a.Errorf("%s is no threshold of %s, which has %v", threshold, ruleID+name, a.thresholds(ruleID, name))
		}
	}
	principal := list(a.run, "principal_reasons")
	if at >= len(principal) || text(principal[at], "code") != text(r, "code") ||
		text(principal[at], "message") != text(r, "message") {
		a.Errorf("reason %d is told as %s", at, encode(principal))
	}
	words := text(r, "message")
	if detail := text(r, "detail.text"); detail != "" {
		words += ": " + detail
	}
	a.say("Reasons", words+".", cites...)
}

// value returns a stored fact, or the value that the engine derives from the
// stored facts.
func (a *account) value(name string) rule.Value {
	for _, derived := range a.decided(nil).Derived() {
		if derived.Name == name {
			return derived.Value
		}
	}
	return a.facts.Get(name)
}

// holdsValue checks a reason's value against the facts or the engine's result.
func (a *account) holdsValue(name, value, detail string) {
	want := a.value(name).String()
	switch name {
	case field.FinalScore:
		want = text(a.decision, "explanation.final_score")
	case field.OfferLimit:
		want = text(a.decision, "offer.limit")
		// A limit that was computed but not offered is stated only in the reason.
		if want == "0" && strings.Contains(detail, " "+value) {
			want = value
		}
	}
	if value != want {
		a.Errorf("a reason says that %s is %s, and it is %s", name, value, want)
	}
}

// holdsRule checks that a rule had an effect on the application.
func (a *account) holdsRule(id string) {
	for _, fired := range list(a.decision, "explanation.fired_rules") {
		if text(fired, "id") == id && text(fired, "result") != "pass" {
			return
		}
	}
	for _, open := range a.open { // a rule can be set to hit if it cannot be evaluated
		if open.ID == id {
			return
		}
	}
	a.Errorf("rule %s did nothing: %s", id, encode(member(a.decision, "explanation.fired_rules")))
}

// thresholds returns the values that a rule compares a field with or, if no rule is the reason, the limits of the
// pricing bands of the grade.
func (a *account) thresholds(ruleID, name string) (out []string) {
	policy := a.plan.Policy()
	for i := range policy.Knockouts {
		if policy.Knockouts[i].ID != ruleID {
			continue
		}
		policy.Knockouts[i].Condition.Walk(func(c *rule.Condition) {
			if c.Left.Field.Name != name {
				return
			}
			out = append(out, c.Right.Value.String(), a.facts.Get(c.Right.Field.Name).String())
			for _, v := range c.Values {
				out = append(out, v.String())
			}
		})
	}
	for i := range policy.Bands {
		if b := &policy.Bands[i]; ruleID == "" && b.Grade == text(a.decision, "grade") {
			out = append(out, b.FOIRCap.String(), amount(b.MinLimitPaise), amount(b.MaxLimitPaise),
				amount(b.DefaultLimitPaise))
		}
	}
	return out
}

func amount(paise int64) string { return (rule.Number(paise) * (rule.One / 100)).String() }

// with returns a copy of the stored facts with the changes applied.
func (a *account) with(changes map[string]rule.Value) *rule.Facts {
	facts := rule.NewFacts(field.Catalogue())
	for _, fact := range a.facts.Sorted() {
		facts.Set(fact.Name, fact.Value)
	}
	for name, v := range changes {
		if name == "foir_effective" {
			a.repay(facts, v)
			continue
		}
		facts.Set(name, v)
	}
	return facts
}

// repay lowers every source of obligations to at most the given share of the
// income.
func (a *account) repay(facts *rule.Facts, share rule.Value) {
	income := rational(facts.Get("monthly_income").String())
	owed, _, _ := rule.ParseNumber(new(big.Rat).Mul(income, rational(share.String())).FloatString(6))
	for name, most := range map[string]rule.Number{
		"foir":           share.Number(),
		"applicant.foir": share.Number(),
		"bureau_own_emi": owed,
		"bank_due_emi":   owed,
	} {
		if v := facts.Get(name); v.Type() != rule.Absent && v.Number() > most {
			facts.Set(name, rule.Num(most))
		}
	}
}

// decided returns the engine's decision on the stored facts with the changes
// applied.
func (a *account) decided(changes map[string]rule.Value) *engine.Decision {
	d := new(engine.Decision)
	a.plan.Decide(a.with(changes), d)
	return d
}

func number(v any) rule.Value {
	n, _, _ := rule.ParseNumber(fmt.Sprint(v))
	return rule.Num(n)
}

// counterOffer derives the statement about an offer from the decision with the
// offer's changes.
func (a *account) counterOffer(o any) {
	changes, _ := member(o, "changes").(map[string]any)
	var named []any
	for name, to := range changes {
		if name == "tenure_months" {
			name = field.RequestedTenureMonths
		}
		named = append(named, map[string]any{"field": name, "to": to})
	}
	slices.SortFunc(named, func(x, y any) int { return strings.Compare(text(x, "field"), text(y, "field")) })
	cites := a.changed(named, "APPROVED")
	made := a.decided(a.values(named)).Offer
	a.say("Counter-offers", fmt.Sprintf("%s over %d months at %s percent, instalments of %s.",
		amount(made.LimitPaise), made.TenureMonths, amount(made.RateBP), amount(made.InstalmentPaise)), cites...)
}

func (a *account) values(changes []any) map[string]rule.Value {
	out := map[string]rule.Value{}
	for _, c := range changes {
		out[text(c, "field")] = number(member(c, "to"))
	}
	return out
}

// changed returns the citations of changes: the stored value, the new value, and
// the outcome that the engine gives for the new values.
func (a *account) changed(changes []any, then string) (cites []string) {
	for _, c := range changes {
		name := text(c, "field")
		if was := a.value(name); was.Type() != rule.Absent {
			cites = append(cites, name+" = "+was.String())
		}
		cites = append(cites, "change "+name+" = "+number(member(c, "to")).String())
		if amount := a.paidOff(c); amount != "" {
			cites = append(cites, "pay off a month = "+amount)
		}
	}
	if got := a.decided(a.values(changes)).Status.String(); got != then {
		a.Errorf("%v promises %s, and the engine says %s", changes, then, got)
	}
	return append(cites, "then = "+then)
}

// paidOff returns how many whole rupees of monthly obligations must be paid off until no source that the policy counts
// exceeds the new share of the income. It returns "" for a change of another field, or if the income is not known.
func (a *account) paidOff(change any) string {
	if text(change, "field") != "foir_effective" || a.facts.Get("monthly_income").Type() == rule.Absent {
		return ""
	}
	income, to := rational(a.facts.Get("monthly_income").String()), rational(number(member(change, "to")).String())
	most := new(big.Rat)
	for _, source := range a.plan.Policy().Affordability.Obligations.Of {
		owed := a.facts.Get(map[string]string{
			"declared": "foir",
			"bureau":   "bureau_own_emi",
			"bank":     "bank_due_emi",
		}[source])
		if owed.Type() == rule.Absent {
			continue
		}
		amount := rational(owed.String())
		if source == "declared" {
			amount.Mul(amount, income)
		}
		if amount.Sub(amount, new(big.Rat).Mul(to, income)); amount.Cmp(most) > 0 {
			most = amount
		}
	}
	up := new(big.Int).Neg(new(big.Int).Div(new(big.Int).Neg(most.Num()), most.Denom()))
	if got := number(member(change, "pay_off_monthly")).String(); got != up.String() {
		a.Errorf("%v pays off %s, and %s is owed too much", change, got, up)
	}
	return up.String()
}

// improvement returns the sentence about one improvement, without its full stop.
func (a *account) improvement(x any) string {
	changes := list(x, "changes")
	parts := make([]string, len(changes))
	for i, c := range changes {
		name := text(c, "field")
		parts[i] = fmt.Sprintf("%s at %s", name, number(member(c, "to")))
		if was := a.value(name); was.Type() != rule.Absent {
			parts[i] += " instead of " + was.String()
		}
		if name == "enquiries_6m" { // only time reduces the number of enquiries
			parts[i] += " (by waiting)"
		}
		if amount := a.paidOff(c); amount != "" {
			parts[i] += " (by paying off ₹" + amount + " a month of obligations)"
		}
	}
	d := a.decided(a.values(changes))
	then := outcomeWords[d.Status.String()]
	if text(a.decision, "status") == "APPROVED" { // the application was approved, but for less than was requested
		if d.Offer.CounterOffer {
			a.Errorf("%s promises the whole amount and gives less", parts)
		}
		then = "approved for the whole amount asked for"
	}
	return fmt.Sprintf("With %s the application would be %s", strings.Join(parts, " and "), then)
}

func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // cannot fail: the value was decoded from JSON
	}
	return string(b)
}
