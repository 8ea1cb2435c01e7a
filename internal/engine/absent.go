package engine

import (
	"slices"
	"strings"
	"sync"

	"verdict/internal/field"
	"verdict/internal/rule"
)

// namedInput is an input of the applicant or the report that a policy names.
type namedInput struct {
	name string
	slot int32
	// scored marks an input that only a bureau score gives. Its absence is not reported if the application says
	// whether the applicant is new to credit.
	scored bool
	// card marks an input of the scorecard.
	card bool
	// derived marks an input that the engine computes from other inputs. If it is absent, those other inputs are
	// listed instead.
	derived bool
}

// scoreFields lists the request paths of the bureau score itself, and the facts that only a bureau score gives.
var scoreFields = []string{
	field.BureauScore, field.BureauIsNTC, "bureau_ntc_index", "bureau_report.score", "report.scoreData.score",
}

// InputTypes returns the types of the inputs that the policy declares, by name.
func (p *Policy) InputTypes() map[string]rule.Type {
	types := make(map[string]rule.Type, len(p.Inputs))
	for _, in := range p.Inputs {
		types[in.Name] = in.Type
	}
	return types
}

// NeedsScore reports whether the policy reads the bureau score, the new-to-credit
// flag, or a fact derived from either. If so, a request without a score is rejected.
func (p *Policy) NeedsScore() bool {
	for i := range p.Bands {
		if p.Bands[i].NTC {
			return true
		}
	}
	return slices.ContainsFunc(p.ReferencedFields(),
		func(name string) bool { return slices.Contains(scoreFields, name) })
}

// NamedInputs returns the inputs of the applicant and the report that the policy names, in name order. Inputs that the
// engine computes from others are not included.
func (p *Plan) NamedInputs() (names []string) {
	for _, n := range p.namedInputs() {
		if !n.derived {
			names = append(names, n.name)
		}
	}
	return names
}

// namedInputs is the list of named inputs. It is computed on first use, because a
// backtest compiles many plans that never use it.
type namedInputs struct {
	once sync.Once
	list []namedInput
}

// namedInputs returns the inputs of the applicant and the report that the
// policy names, in name order. Inputs from optional blocks and features are not
// included: leaving a block out must have no effect.
func (p *Plan) namedInputs() []namedInput {
	p.named.once.Do(p.findNamed)
	return p.named.list
}

func (p *Plan) findNamed() {
	for _, name := range p.policy.namedWithSources() {
		ref, ok := p.ref(name)
		if _, _, column := rule.ParseTableFact(name); column {
			continue // it is absent because the request lacks a key of the table or no row matches
		}
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
			name:    name,
			slot:    slot,
			scored:  slices.Contains(scoreFields, name),
			card:    inCard,
			derived: derived,
		})
	}
}

// ofOthers reports whether a field is about other people's accounts that the applicant guarantees or uses. Most
// reports have no such accounts, so the absence of the field is not reported.
func ofOthers(name string) bool {
	return strings.HasPrefix(name, "bureau_guaranteed_") || strings.HasPrefix(name, "bureau_addon_")
}

// namedWithSources lists, in name order, the fields that the policy names and the
// sources from which it takes income and obligations.
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

// AbsentInputs lists, in name order, the inputs of the applicant and the report that the policy names and the
// application lacks. It returns nil if there are none. card is true if the scorecard reads inputs of
// the applicant or the report, and all of them are absent.
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

// AbsentBankFigures lists the bank statement figures that the policy's affordability
// would count and the application lacks. It returns nil if there are none. If the
// policy takes the first given source, the list stops at that source.
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
			case obligationsBureau, obligationsBank, obligationsOwn:
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
