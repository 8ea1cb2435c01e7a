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
	Proved    Standing = "proved"    // it holds for every applicant whom it covers
	Refuted   Standing = "refuted"   // the policy has decided an applicant for whom it does not hold
	Undecided Standing = "undecided" // neither
)

// Proof is the result of proving a guarantee.
type Proof struct {
	ID, Text string
	Standing Standing
	// Why says why a guarantee is undecided, one sentence for each reason.
	Why []string
	// NotCovered lists fields that the guarantee reads but the policy does not require. The guarantee says nothing
	// about an applicant without one of them.
	NotCovered []string
	// Applicants are those for whom a refuted guarantee does not hold: one, or two for a monotone guarantee, before and
	// after the change of the field.
	Applicants []Applicant
	States     int // states that were explored
}

// Applicant is an applicant of a proof and what the policy has decided.
type Applicant struct {
	Facts   []rule.NamedValue
	Decided Decided
	// Request is a body of POST /v1/decisions that gives the same result, or nil if the facts cannot be stated in one.
	Request []byte
}

// ProveAll proves the guarantees of a plan's policy, in order. The options bound each proof. If Options.Check returns
// ErrOutOfTime, the guarantees that are left are undecided.
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

// Prove proves or refutes a guarantee of the plan's policy for all applicants. The only possible errors are those of
// Options.Check, except ErrOutOfTime.
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

// undecided records why a guarantee is undecided.
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

// Late reports whether the guarantee is undecided because the time was not enough.
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

// goal replaces the comparison of two policies by another question.
type goal interface {
	// finished reports whether no continuation of a state answers the question. known is false if that holds only
	// when both sides come to the same end.
	finished(a *automaton, p *pairState) (done, known bool)
	// kinds calls visit for the kinds that are looked for and can occur within a box of a leaf. It never misses one.
	kinds(s *search, p *pairState, b *box, visit func(Kind))
	// judge decides an applicant that was built from cells. It records a witness and returns true if the decision is of
	// a kind that is looked for.
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

// pursue explores a model for a goal. found says that an applicant was found. If none was found and why is empty, there
// is none.
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

// openReason says why neither an applicant was found nor all were excluded.
func openReason(s *search) string {
	for _, v := range s.vars {
		if v.kind == freeVariable {
			return "no applicant was found and not all were excluded: " + v.name +
				" is arithmetic, compares two fields, or tests a part of a text"
		}
	}
	return "no applicant was found, and not all were excluded"
}

// record records a witness of a kind.
func (s *search) record(k Kind, facts *rule.Facts) bool {
	at := s.class(k)
	if at < 0 || s.classes[at].witness != nil {
		return false
	}
	s.classes[at].witness = &Witness{Facts: facts.Sorted()}
	return true
}

// requestOf returns a request body that states facts, and the facts that the service reads from it. ok is false if
// there is none.
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
