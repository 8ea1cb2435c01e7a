package prover

import (
	"verdict/internal/application"
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// realise returns a request body that states the facts of a witness. It returns nil if the decisions on such a
// request would be of another kind, for example because a fact is derived from data that is not part of the witness.
func (s *search) realise(facts []rule.NamedValue, kind *Kind) []byte {
	if s.catalogue != field.Catalogue() {
		return nil // a test uses its own catalogue, whose fields no request has
	}
	body, ok := application.Body(facts)
	if !ok {
		return nil
	}
	v, err := wire.Parse(body)
	if err != nil {
		return nil
	}
	for i, side := range s.sides {
		policy := side.policy
		read, err := application.ReadDecision(v, application.Options{
			Inputs: policy.InputTypes(), FeaturesAuto: policy.FeaturesAuto, NoScore: !policy.NeedsScore(),
		})
		if err != nil {
			return nil
		}
		side.plan.Decide(read.Facts, &s.decisions[i])
	}
	k := compare(&s.decisions[0], &s.decisions[1], s.terms)
	if k != *kind {
		return nil
	}
	return body
}

// rounded returns a lending fact of a witness, rounded if the result is still between the bounds. The variant decides
// how: to whole rupees or percents, as people state them; to paise, as the service reads requests; or not at all.
func rounded(n rule.Number, dim, variant int, least, most rule.Number) rule.Number {
	unit := rule.One
	switch {
	case variant%3 == 2 || variant%3 == 1 && dim == dimFOIR:
		return n
	case variant%3 == 1:
		unit = rule.Paisa
	case dim == dimFOIR:
		unit = rule.One / 100
	}
	nearest := (n + unit/2) - (n+unit/2)%unit
	for _, x := range []rule.Number{nearest, nearest - unit, nearest + unit} {
		if least <= x && x <= most {
			return x
		}
	}
	return n
}
