package analysis

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// examiner compares a policy's findings with actual decisions.
type examiner struct {
	t        *testing.T
	policy   *engine.Policy
	plan     *engine.Plan
	findings []Finding
	decision engine.Decision

	slots    *rule.Slots
	code     *rule.Code
	compiled map[*rule.Condition]rule.Test
	branches map[*Finding]*rule.Condition // the condition without the branch that the finding is about
	frame    rule.Frame
}

func newExaminer(t *testing.T, p *engine.Policy) *examiner {
	t.Helper()
	x := &examiner{
		t: t, policy: p, plan: engine.Compile(p, field.Catalogue()), findings: Run(p, field.Catalogue()),
		slots: rule.NewSlots(field.Catalogue()), compiled: map[*rule.Condition]rule.Test{},
		branches: map[*Finding]*rule.Condition{},
	}
	x.code = rule.NewCode(x.slots)
	return x
}

// place parses the pointer of a finding. It returns the section, the index in
// the section, the whole condition, and the path to the branch inside the
// condition.
func (x *examiner) place(f *Finding) (section string, index int, whole *rule.Condition, path []string) {
	parts := strings.Split(strings.TrimPrefix(f.Pointer, "/"), "/")
	section = parts[0]
	if section == "scorecard" {
		section, parts = "factors", parts[1:]
	}
	index, err := strconv.Atoi(parts[1])
	if err != nil {
		x.t.Fatalf("%s: %v", f.Pointer, err)
	}
	switch section {
	case "knockouts":
		whole = &x.policy.Knockouts[index].Condition
	case "adjustments":
		whole = &x.policy.Adjustments[index].Condition
	case "conditions":
		whole = &x.policy.Terms[index].Condition
	case "factors":
		whole = x.policy.Scorecard.Factors[index].When
	}
	if len(parts) > 3 {
		path = parts[3:]
	}
	return section, index, whole, path
}

// holds evaluates a condition on the facts and on the results of the current
// decision.
func (x *examiner) holds(c *rule.Condition, facts *rule.Facts) bool {
	test, ok := x.compiled[c]
	if !ok {
		test = x.code.Add(c)
		x.compiled[c] = test
	}
	x.slots.Load(facts, &x.frame)
	for name, v := range map[string]rule.Value{
		field.FinalScore: rule.Num(x.decision.FinalScore), field.Grade: rule.Str(x.decision.Grade),
	} {
		id, _ := field.Catalogue().Lookup(name)
		if slot, ok := x.slots.Find(rule.Ref{ID: id}); ok {
			x.slots.Put(&x.frame, slot, v)
		}
	}
	return x.code.Satisfied(test, &x.frame)
}

// hit returns the result of a knockout in the current decision: pass, refer or
// fail.
func (x *examiner) hit(id string) engine.Result {
	for _, r := range x.decision.Rules() {
		if r.ID == id && (r.Result == engine.ResultFail || r.Result == engine.ResultRefer) {
			return r.Result
		}
	}
	return engine.ResultPass
}

// examine decides one applicant and checks every finding against the decision.
func (x *examiner) examine(facts *rule.Facts) {
	x.plan.Decide(facts, &x.decision)
	for i := range x.findings {
		f := &x.findings[i]
		if why := x.refutes(f, facts); why != "" {
			x.t.Fatalf("%s %s: %s\n%s\nfacts %v, policy\n%s",
				f.Code, f.Pointer, why, f.Detail, facts.Sorted(), x.policy.Document())
		}
	}
}

var ruleID = regexp.MustCompile(`KO_\d+`)

// silencedRule matches the rules that a detail names as silenced by an absent
// field. A rule that is silenced only in part may still hit.
var silencedRule = regexp.MustCompile(`(` + inPart + `)?KO_\d+`)

const inPart = "a part of "

// refutes returns an explanation if an applicant proves a finding wrong,
// otherwise "".
func (x *examiner) refutes(f *Finding, facts *rule.Facts) string {
	switch f.Code {
	case fault.CodeNeverFires, fault.CodeUnsuppliedFields, fault.CodeContradictoryCondition:
		_, _, whole, path := x.place(f)
		if len(path) == 0 {
			if x.holds(whole, facts) {
				return "it holds"
			}
			return ""
		}
		if x.branches[f] == nil {
			without := cut(*whole, path, true)
			x.branches[f] = &without
		}
		if x.holds(whole, facts) != x.holds(x.branches[f], facts) {
			return "the branch makes a difference"
		}
	case fault.CodeAlwaysFires:
		_, _, whole, _ := x.place(f)
		if suppliesAll(whole, facts) && !x.holds(whole, facts) {
			return "it does not hold"
		}
	case fault.CodeImpliedBy, fault.CodeDuplicateCondition:
		section, _, _, _ := x.place(f)
		if section != "knockouts" {
			return ""
		}
		ids := ruleID.FindAllString(f.Detail, 2)
		first, second := x.hit(ids[0]), x.hit(ids[1])
		if first > second {
			return "the other one does not hit, or is milder"
		}
		if f.Code == fault.CodeDuplicateCondition && (first == engine.ResultPass) != (second == engine.ResultPass) {
			return "only one of them hits"
		}
	case fault.CodeSilentForNTC:
		_, index, _, _ := x.place(f)
		if facts.Get(field.BureauIsNTC).IsTrue() && x.hit(x.policy.Knockouts[index].ID) != engine.ResultPass {
			return "it hits somebody new to credit"
		}
	case fault.CodeSilentWhenAbsent:
		if slices.ContainsFunc(f.Fields, func(name string) bool { return facts.Get(name).Type() != rule.Absent }) {
			return ""
		}
		for _, id := range silencedRule.FindAllString(f.Detail, -1) {
			if !strings.HasPrefix(id, inPart) && x.hit(id) != engine.ResultPass {
				return "it hits without the field"
			}
		}
	case fault.CodeUnreachableGrade:
		if x.decision.Grade == strings.Fields(f.Detail)[1] {
			return "the grade came out"
		}
	}
	return ""
}

// cut replaces the branch at the end of path with a condition that never holds
// there: false, or true if the number of negations above the branch is odd.
func cut(c rule.Condition, path []string, positive bool) rule.Condition {
	if len(path) == 0 {
		if positive {
			return rule.Condition{Op: rule.False}
		}
		return rule.Condition{Op: rule.True}
	}
	c.Args = slices.Clone(c.Args)
	if path[0] == "arg" {
		c.Args[0] = cut(c.Args[0], path[1:], !positive)
		return c
	}
	i, _ := strconv.Atoi(path[1])
	c.Args[i] = cut(c.Args[i], path[2:], positive)
	return c
}

// suppliesAll reports whether every field whose value the condition reads is
// given with the right type. It ignores fields that the engine computes.
func suppliesAll(c *rule.Condition, facts *rule.Facts) bool {
	all := true
	c.Walk(func(n *rule.Condition) {
		if n.Op == rule.Exists || n.Op == rule.IsAbsent || len(n.Args) > 0 {
			return
		}
		n.Fields(func(ref rule.Ref) {
			if ref.ID >= 0 && field.Catalogue().Field(ref.ID).Supply == rule.FromEngine {
				return
			}
			all = all && facts.Get(ref.Name).Type() == ref.Type
		})
	})
	return all
}

// witnesses checks that every witness is a valid example of its finding, and
// returns the number of witnesses.
func (x *examiner) witnesses() (seen int) {
	for i := range x.findings {
		f := &x.findings[i]
		if len(f.Witness) == 0 {
			continue
		}
		seen++
		facts := rule.NewFacts(field.Catalogue())
		for _, nv := range f.Witness {
			if !fits(nv.Name, nv.Value) {
				x.t.Fatalf("%s: %s cannot be %s", f.Code, nv.Name, nv.Value)
			}
			facts.Set(nv.Name, nv.Value)
		}
		if facts.Get(field.BureauIsNTC).IsTrue() && facts.Get(field.BureauScore).Type() != rule.Absent {
			x.t.Fatalf("%s: nobody is like %v", f.Code, f.Witness)
		}
		x.examine(facts)
		if f.Code == fault.CodeNoNTCBand {
			continue
		}
		section, _, whole, _ := x.place(f)
		hits := x.holds(whole, facts)
		wants := f.Code != fault.CodeSilentForNTC && f.Code != fault.CodeSilentWhenAbsent
		if hits != wants {
			x.t.Fatalf("%s %s: the witness %v does not show it\n%s\n%s",
				f.Code, f.Pointer, f.Witness, f.Detail, x.policy.Document())
		}
		if section == "knockouts" && f.Code == fault.CodeImpliedBy {
			for _, id := range ruleID.FindAllString(f.Detail, 2) {
				if x.hit(id) == engine.ResultPass {
					x.t.Fatalf("%s: the witness %v is not hit by %s", f.Detail, f.Witness, id)
				}
			}
		}
	}
	return seen
}

// TestAnalysisIsSound compares every finding about random policies with the
// decisions for random applicants whose values are near the thresholds. It also
// checks every witness with the engine.
func TestAnalysisIsSound(t *testing.T) {
	t.Parallel()
	const policies, applicants = 700, 40
	said := map[string]int{}
	witnesses := 0
	for seed := range uint64(policies) {
		l := newLab(seed)
		x := newExaminer(t, l.policy(t))
		for _, f := range x.findings {
			said[f.Code]++
		}
		witnesses += x.witnesses()
		for range applicants {
			x.examine(l.applicant())
		}
	}
	t.Logf("findings %v, witnesses %d", said, witnesses)
	for _, code := range []string{
		fault.CodeNeverFires, fault.CodeAlwaysFires, fault.CodeImpliedBy, fault.CodeDuplicateCondition,
		fault.CodeContradictoryCondition, fault.CodeUnsuppliedFields, fault.CodeSilentForNTC,
		fault.CodeSilentWhenAbsent, fault.CodeUnreachableGrade,
	} {
		if said[code] < 20 {
			t.Errorf("%s was said %d times: too seldom to be tested", code, said[code])
		}
	}
}
