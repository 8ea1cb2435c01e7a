package engine

import (
	"slices"
	"strings"
	"sync"

	"verdict/internal/field"
	"verdict/internal/rule"
)

// namedInput is an input of the applicant or the report that the policy names.
type namedInput struct {
	name string
	slot int32
	// scored marks what a score that was read settles: an applicant is new to
	// credit or has a score, and the absence of the other is no gap.
	scored bool
	// card marks an input of the scorecard.
	card bool
	// derived marks what the engine works out of other inputs, which are told
	// in its place.
	derived bool
}

// scoreFields are the facts that only a bureau score gives, and the raw paths
// it is sent under.
var scoreFields = []string{
	field.BureauScore, field.BureauIsNTC, "bureau_ntc_index", "bureau_report.score", "report.scoreData.score",
}

// NeedsScore reports whether the policy reads the bureau score, whether an
// applicant is new to credit, or anything that follows from them: a request
// without a score is then refused.
func (p *Policy) NeedsScore() bool {
	for i := range p.Bands {
		if p.Bands[i].NTC {
			return true
		}
	}
	return slices.ContainsFunc(p.ReferencedFields(), func(name string) bool { return slices.Contains(scoreFields, name) })
}

// namedInputs are worked out when a decision first asks: a backtest compiles
// many plans that nobody is warned about.
type namedInputs struct {
	once sync.Once
	list []namedInput
}

// namedInputs returns the inputs of the applicant and the report that the
// policy names, in name order. What an optional block or a feature gives is not
// among them: leaving a block out must leave no trace.
func (p *Plan) namedInputs() []namedInput {
	p.named.once.Do(p.findNamed)
	return p.named.list
}

func (p *Plan) findNamed() {
	for _, name := range p.policy.namedWithSources() {
		ref, ok := p.ref(name)
		derived := name == field.IncomeEffective || name == field.FOIREffective
		if !ok || ref.ID >= 0 && !derived && !field.OfApplicantOrReport(p.catalogue.Field(ref.ID)) || ofOthers(name) {
			continue
		}
		slot, ok := p.slots.Find(ref)
		if !ok {
			continue
		}
		inCard := slices.ContainsFunc(p.policy.Scorecard.Factors, func(f Factor) bool { return f.Field.Name == name })
		p.named.list = append(p.named.list, namedInput{
			name: name, slot: slot, scored: slices.Contains(scoreFields, name), card: inCard, derived: derived,
		})
	}
}

// ofOthers reports whether a field is about accounts of others that the
// applicant guarantees or uses. A report that has none has no such figure, and
// nobody left it out.
func ofOthers(name string) bool {
	return strings.HasPrefix(name, "bureau_guaranteed_") || strings.HasPrefix(name, "bureau_addon_")
}

// namedWithSources lists the fields that the policy names, and the sources of
// the income and the obligations that it counts with, in name order.
func (p *Policy) namedWithSources() []string {
	names := p.ReferencedFields()
	sources := p.Affordability
	if sources == nil {
		alone := declaredAlone()
		sources = &alone
	}
	if p.Affordability != nil || slices.Contains(names, field.IncomeEffective) {
		names = append(names, sources.Income.Of...)
	}
	if p.Affordability != nil || slices.Contains(names, field.FOIREffective) {
		for _, source := range sources.Obligations.Of {
			if source == obligationsDeclared {
				names = append(names, field.FOIR)
			} else {
				names = append(names, obligationFields[source])
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// AbsentInputs lists the inputs of the applicant and the report that the policy
// names and the application does not have, by name; nil when there are none.
// card is set when all of the scorecard's inputs of that kind are among them.
func (d *Decision) AbsentInputs() (names []string, card bool) {
	plan := d.plan
	scored := plan.inputs.ntc >= 0 && d.frame.Given(plan.inputs.ntc)
	ofCard, given := 0, 0
	list := plan.namedInputs()
	for i := range list {
		n := &list[i]
		switch {
		case d.frame.Given(n.slot):
			if n.card {
				given++
			}
		case n.scored && scored:
		default:
			if n.card {
				ofCard++
			}
			if n.derived {
				continue
			}
			if names == nil {
				names = make([]string, 0, len(list)-i)
			}
			names = append(names, n.name)
		}
	}
	return names, ofCard > 0 && given == 0
}

// AbsentBankFigures lists the figures of the bank statement that the policy's
// affordability would count with and that the application does not have; nil
// when there are none. A source after the one that is taken is not asked for.
func (p *Policy) AbsentBankFigures(facts *rule.Facts) (names []string) {
	if p.Affordability == nil {
		return nil
	}
	given := func(name string) bool { return facts.Get(name).Type() != rule.Absent }
	for _, of := range []*Source{&p.Affordability.Income, &p.Affordability.Obligations} {
		for _, source := range of.Of {
			name := source
			switch source {
			case obligationsDeclared:
				name = field.FOIR
			case obligationsBureau, obligationsBank:
				name = obligationFields[source]
			}
			if given(name) && of.Take == TakeFirst {
				break
			}
			if !given(name) && strings.HasPrefix(name, "bank_") {
				names = append(names, name)
			}
		}
	}
	return names
}
