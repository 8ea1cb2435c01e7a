package agent_test

import (
	"fmt"
	"slices"
	"strings"

	"verdict/internal/engine"
	"verdict/internal/rule"
)

// sweeps has the values to try for each input. They are so close together that
// the default policy treats all values between two neighbours alike.
var sweeps = map[string]func() []rule.Value{
	"bureau_overdue_amount": steps(0, 20_000, 1_000, 1),
	"bureau_written_off_36m": steps(0, 5, 1,
		1), "bureau_suit_or_wilful": flags,
	"active_tradelines": steps(0, 30, 1, 1), "enquiries_6m": steps(0, 30, 1, 1), "max_dpd_12m": steps(0, 120, 1, 1),
	"age": steps(18, 90, 1, 1), "foir": steps(0, 100, 1, 100), "monthly_income": steps(1_000, 1_500_000, 1_000, 1),
	"requested_amount": steps(1_000, 1_500_000, 1_000, 1),
	"requested_tenure_months": steps(1, 84, 1,
		1), "employment_type": occupations,
	"bank_issued_bounces_90d": steps(0, 20, 1, 1), "bureau_own_active_tradelines": steps(0, 30, 1, 1),
	"bureau_own_max_dpd_12m": steps(0, 120, 1, 1), "bureau_own_overdue_amount": steps(0, 20_000, 1_000, 1),
	"bureau_own_written_off_36m": steps(0, 5, 1, 1), "bureau_own_suit_or_wilful": flags,
	"bureau_own_emi": steps(0, 500_000, 500, 1), "bank_due_emi": steps(0, 500_000, 500, 1),
}

func steps(from, to, by, parts int64) func() []rule.Value {
	return func() (out []rule.Value) {
		for n := from; n <= to; n += by {
			out = append(out, rule.Num(rule.Int(n)/rule.Number(parts)))
		}
		return out
	}
}

func flags() []rule.Value { return []rule.Value{rule.Bool(false), rule.Bool(true)} }

func occupations() (out []rule.Value) {
	for _, name := range []string{
		"SALARIED", "SELF_EMPLOYED", "SELF_EMPLOYED_PROFESSIONAL", "NON_SALARIED", "UNEMPLOYED", "STUDENT",
		"HOMEMAKER", "RETIRED", "OTHER",
	} {
		out = append(out, rule.Str(name))
	}
	return out
}

// missing derives which absent inputs could change the outcome. It tries the
// values of sweeps for each input.
func (a *account) missing() {
	now := a.decided(nil).Status
	var trial engine.Decision
	for _, name := range a.asked() {
		sweep := sweeps[name]
		if sweep == nil || a.facts.Get(name).Type() != rule.Absent {
			a.Errorf("%s is asked for: it is %s, and nobody knows what to try it with", name, a.facts.Get(name))
			continue
		}
		best, worst := now, now
		facts := a.with(nil)
		for _, v := range sweep() {
			facts.Set(name, v)
			a.plan.Decide(facts, &trial)
			best, worst = min(best, trial.Status), max(worst, trial.Status)
		}
		// The agent tries only a few values of an amount that no rule names. Its range of
		// outcomes may be narrower than that of the sweep, but must not be wider.
		if best, worst = a.claimed(name, best, worst); best > now || worst < now {
			a.Errorf("%s leaves out what is so without it", name)
		}
		cites := []string{"missing = " + name}
		for _, open := range a.open {
			if slices.Contains(open.Missing, name) {
				cites = append(cites, "rule = "+open.ID)
			}
		}
		a.say("Missing", fmt.Sprintf("%s was not given, and could lead to anything from %s to %s.", name, best, worst),
			cites...)
		if best == now && worst == now {
			a.Errorf("%s is asked for and changes nothing", name)
		}
	}
}

// claimed returns the range of outcomes that the run claims for a monthly
// obligation, if it is within the range of the sweep. For other fields it returns
// the range of the sweep.
func (a *account) claimed(name string, best, worst engine.Status) (least, most engine.Status) {
	if name != "bureau_own_emi" && name != "bank_due_emi" {
		return best, worst
	}
	least, most = worst, best
	for _, m := range list(a.run, "completeness.missing") {
		for s := best; s <= worst && text(m, "field") == name; s++ {
			if s.String() == text(m, "best") {
				least = s
			}
			if s.String() == text(m, "worst") {
				most = s
			}
		}
	}
	return least, most
}

// asked returns the inputs that the run says to ask for next.
func (a *account) asked() (names []string) {
	for _, name := range list(a.run, "completeness.ask_next") {
		names = append(names, fmt.Sprint(name))
	}
	return names
}

// collect derives the list of documents to collect: the policy's conditions as
// stored with the offer, and the proofs that the application lacks.
func (a *account) collect() {
	for _, c := range list(a.decision, "offer.conditions") {
		a.say("To collect", text(c, "text"), "decision.offer.conditions = "+text(c, "text"))
	}
	if text(a.run, "recommendation") == "DECLINE" {
		return
	}
	known := func(name string) bool { return a.facts.Get(name).Type() != rule.Absent }
	if !known("bank_income") && !known("bank_detected_income") {
		a.say("To collect", "Salary slips, last 3 months", "field = monthly_income")
		a.say("To collect", "Bank statement, last 6 months", "field = bank_detected_income")
	}
	for _, name := range []string{"age", "employment_type"} {
		if !known(name) {
			a.say("To collect", "Proof of age and occupation", "field = "+name)
			break
		}
	}
	if !known("foir") {
		a.say("To collect", "Statement of existing loans and their instalments", "field = foir")
	}
	for _, c := range a.bank() {
		a.say("To collect",
			"Explanation in writing, with records: "+strings.ToLower(c.text[:1])+c.text[1:], "field = "+c.field)
	}
	for _, c := range a.signals() {
		if strings.HasPrefix(c.field, "location_") {
			a.say("To collect", "Proof of the present address", "field = "+c.field)
			break
		}
	}
}

// recommendation derives the recommendation and its confidence from the
// decision, the offers and the concerns.
func (a *account) recommendation() (recommended, confidence string, held []string) {
	doubts := min(len(a.asked()), 2)
	for _, c := range append(a.signals(), a.bank()...) {
		if c.hold {
			held = append(held, c.field)
		}
		if len(c.rules) == 0 {
			doubts++
		}
	}
	status, offers := text(a.decision, "status"), list(a.run, "counter_offers")
	if a.facts.Get("monthly_income").Type() == rule.Absent && status != engine.Declined.String() {
		doubts += 2
	}
	recommended = "APPROVE"
	switch {
	case status == "DECLINED" && len(offers) == 0:
		recommended = "DECLINE"
	case len(held) > 0:
		recommended = "REFER"
	case len(offers) > 0:
		recommended = "APPROVE_WITH_CHANGES"
	case status == "REFERRED":
		recommended = "REFER"
	}
	return recommended, []string{"high", "medium", "low"}[min(doubts, 2)], held
}

// summary returns the paragraph at the head of the memo.
func (a *account) summary() string {
	recommended, confidence, held := a.recommendation()
	parts := []string{fmt.Sprintf("Recommendation %s, with %s confidence. %s", recommended, confidence, a.headline())}
	var safe []string
	for _, r := range list(a.decision, "reasons") {
		safe = append(safe, text(r, "message"))
	}
	if len(safe) > 0 {
		parts = append(parts, "Principal reasons: "+strings.Join(safe, "; ")+".")
	}
	for _, s := range a.said { // use only the first counter-offer
		if offer, _, ok := strings.Cut(s.Text, " at "); ok && s.Section == "Counter-offers" {
			parts = append(parts, offer+" could be offered instead.")
			break
		}
	}
	if x := list(a.run, "improvements"); len(x) > 0 {
		parts = append(parts, a.improvement(x[0])+".")
	}
	if len(held) > 0 {
		parts = append(parts, "A person has to look at "+strings.Join(held, ", ")+".")
	}
	if asked := a.asked(); len(asked) > 0 {
		parts = append(parts, "Still to be asked for: "+strings.Join(asked, ", ")+".")
	}
	return strings.Join(parts, " ")
}
