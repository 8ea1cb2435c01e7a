package prover

import (
	"slices"
	"strings"

	"verdict/internal/application"
	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// Standing says what is known about a guarantee.
type Standing string

// The standings.
const (
	Proved    Standing = "proved"    // the guarantee holds for every applicant whom it covers
	Refuted   Standing = "refuted"   // the policy has decided an applicant for whom the guarantee does not hold
	Undecided Standing = "undecided" // neither proved nor refuted
)

// Proof is the result of proving a guarantee.
type Proof struct {
	ID, Text string
	Standing Standing
	// Why has one sentence for each reason why a guarantee is undecided.
	Why []string
	// NotCovered lists fields that the guarantee reads but the policy does not require. The guarantee says nothing
	// about an applicant who lacks one of these fields.
	NotCovered []string
	// Applicants are the applicants for whom a refuted guarantee does not hold. There is one, or two for a monotone
	// guarantee: before and after the change of the field.
	Applicants []Applicant
	States     int // states that were explored
}

// Applicant is an applicant of a proof, with the policy's decision.
type Applicant struct {
	Facts   []rule.NamedValue
	Decided Decided
	// Request is a body of POST /v1/decisions that gives the same result. It is nil if no request body can state the
	// facts.
	Request []byte
}

// ProveAll proves the guarantees of a plan's policy, in order. The options bound each proof. If Options.Check returns
// ErrOutOfTime, the remaining guarantees are undecided.
func ProveAll(plan *engine.Plan, o Options) ([]Proof, error) {
	list := plan.Policy().Guarantees
	proofs := make([]Proof, len(list))
	for i := range list {
		p, err := Prove(plan, &list[i], o)
		if err != nil {
			return nil, err
		}
		proofs[i] = p
	}
	return proofs, nil
}

// Prove proves or refutes a guarantee of the plan's policy for all applicants. It returns only errors of
// Options.Check, and never ErrOutOfTime.
func Prove(plan *engine.Plan, g *engine.Guarantee, o Options) (Proof, error) {
	p := Proof{ID: g.ID, Text: g.Text, NotCovered: notCoveredWhenAbsent(plan.Policy(), g)}
	var abort error
	o = o.complete(&abort)
	if g.Monotone != nil {
		p.monotone(plan, g.Monotone, o)
	} else {
		p.never(plan, g, o)
	}
	return p, abort
}

// undecided marks the guarantee as undecided and adds the reasons.
func (p *Proof) undecided(why ...string) {
	p.Standing = Undecided
	for _, text := range why {
		text = asProof(text)
		if !slices.Contains(p.Why, text) {
			p.Why = append(p.Why, text)
		}
	}
}

// asProof converts the reason why a comparison is not complete into the reason why a guarantee is undecided.
func asProof(why string) string { return strings.Replace(why, "the comparison", "the proof", 1) }

// Late reports whether the guarantee is undecided because the time ran out.
func (p *Proof) Late() bool { return slices.Contains(p.Why, asProof(ErrOutOfTime.Error())) }

// notCoveredWhenAbsent returns the facts that a guarantee compares and that the policy does not require.
func notCoveredWhenAbsent(policy *engine.Policy, g *engine.Guarantee) (list []string) {
	required := func(name string) bool {
		return slices.ContainsFunc(policy.Required, func(r engine.Requirement) bool {
			return len(r.Any) == 1 && r.Any[0].Name == name
		})
	}
	add := func(ref rule.Ref) {
		if !required(ref.Name) && !slices.Contains(list, ref.Name) {
			list = append(list, ref.Name)
		}
	}
	catalogue := field.Catalogue()
	for _, c := range []*rule.Condition{g.When, g.Never} {
		if c == nil {
			continue
		}
		c.Walk(func(n *rule.Condition) {
			if n.Op == rule.Exists || n.Op == rule.IsAbsent {
				return
			}
			n.Operands(func(ref rule.Ref) {
				if id, ok := catalogue.Lookup(ref.Name); !isOutcome(ref.Name) &&
					!(ok && catalogue.Field(id).Supply == rule.FromEngine) {
					add(ref)
				}
			})
		})
	}
	if g.Monotone != nil {
		add(g.Monotone.Field)
	}
	slices.Sort(list)
	return list
}

// isOutcome reports whether a name is part of an outcome and not a field of the catalogue.
func isOutcome(name string) bool {
	return name == engine.OutcomeStatus || name == engine.OutcomeRate || name == engine.OutcomeAPR
}

// goal is a question that the automaton answers instead of comparing two policies.
type goal interface {
	// finished reports whether a state need not be explored further, because no continuation can answer the
	// question. If known is false, the automaton's own test applies: whether both sides must come to the same
	// decision.
	finished(a *automaton, p *pairState) (done, known bool)
	// kinds calls visit for every kind that the goal looks for and that can occur within a box of a leaf. It may call
	// visit for kinds that do not occur.
	kinds(s *search, p *pairState, b *box, visit func(Kind))
	// judge decides an applicant that was built from cells. If the decision is of a kind that the goal looks for,
	// judge records a witness and returns true.
	judge(s *search, facts *rule.Facts, cells []int32) bool
}

// kinds calls visit for the kinds that can occur within a box of a leaf.
func (s *search) kinds(p *pairState, b *box, visit func(Kind)) {
	if s.goal != nil {
		s.goal.kinds(s, p, b, visit)
		return
	}
	s.pricing.kinds(p, b, visit)
}

// pursue explores a model for a goal. found reports whether an applicant was found. If none was found and why is
// empty, no such applicant exists.
func (p *Proof) pursue(m *model, g goal, o Options) (found bool, why []string) {
	if m.divide(); m.tooLarge != "" {
		return false, append(m.unknown, m.tooLarge)
	}
	a := newAutomaton(m, o)
	a.goal = g
	a.explore()
	s := &search{pricing: newPricing(a), byKind: map[Kind]int{}}
	for i := range s.decisions {
		s.decisions[i].KeepQuotes()
	}
	s.collect()
	s.settle()
	p.States += a.total
	open := false
	for _, c := range s.classes {
		if c.witness != nil {
			return true, nil
		}
		open = open || !c.dropped
	}
	why = append(why, m.unknown...)
	if s.truncated != "" {
		why = append(why, s.truncated)
	} else if open {
		why = append(why, openReason(s))
	}
	return false, why
}

// openReason returns the reason why no applicant was found although not all applicants could be excluded.
func openReason(s *search) string {
	for _, v := range s.vars {
		if v.kind == freeVariable {
			return "no applicant was found and not all were excluded: " + v.name +
				" is arithmetic, compares two fields, or tests a part of a text"
		}
	}
	return "no applicant was found, and not all were excluded"
}

// record records the facts as the witness of a kind. It returns false if the kind already has a witness or cannot be
// listed.
func (s *search) record(k Kind, facts *rule.Facts) bool {
	at := s.class(k)
	if at < 0 || s.classes[at].witness != nil {
		return false
	}
	s.classes[at].witness = &Witness{Facts: facts.Sorted()}
	return true
}

// requestOf returns a request body that states the facts, and the facts that the service reads from that body. ok is
// false if there is no such body.
func requestOf(plan *engine.Plan, facts *rule.Facts) (body []byte, read *rule.Facts, ok bool) {
	if plan.Catalogue() != field.Catalogue() {
		return nil, nil, false // a test uses its own catalogue, whose fields no request has
	}
	if body, ok = application.Body(facts.Sorted()); !ok {
		return nil, nil, false
	}
	v, err := wire.Parse(body)
	if err != nil {
		return nil, nil, false
	}
	policy := plan.Policy()
	request, err := application.ReadDecision(v, application.Options{
		Inputs: policy.InputTypes(), FeaturesAuto: policy.FeaturesAuto, NoScore: !policy.NeedsScore(),
	})
	if err != nil {
		return nil, nil, false
	}
	return body, request.Facts, true
}
