package signal

import (
	"slices"

	"verdict/internal/rule"
)

// ObserveOther returns the entities in the facts of a person other than the primary applicant. ref is the person's
// reference. earlier are the people of the application who were observed before. repeated are the entities that are
// left out because they were observed already.
//
// ObserveOther leaves out a pincode or an IP address that a counted person of the application already has. The people
// of one application often live and apply in one place, and the counts of pincodes and IP addresses are about
// applications. It also leaves out the agent, who brings the application and not the person.
func ObserveOther(
	facts *rule.Facts, ref string, earlier []Observation, key func(kind, value string) string,
) (o Observation, repeated []Entity) {
	o = Observe(facts, key)
	o.ApplicantRef = ref
	o.Entities = slices.DeleteFunc(o.Entities, func(e Entity) bool {
		switch e.Kind {
		case KindAgent:
			return true
		case KindPincode, KindIP:
			if slices.ContainsFunc(earlier, func(before Observation) bool {
				return before.ApplicantRef != "" && before.has(e)
			}) {
				repeated = append(repeated, e)
				return true
			}
		}
		return false
	})
	return o, repeated
}

// IncludeRepeated sets the fact about the block list for a person with entities that were looked up as those of other
// people of the application.
func (p *PersonFraud) IncludeRepeated(repeated []Entity, others []Fraud) {
	if len(repeated) == 0 {
		return
	}
	blocked := slices.ContainsFunc(others, func(f Fraud) bool {
		return slices.ContainsFunc(f.Blocklisted, func(e Entity) bool { return (Observation{Entities: repeated}).has(e) })
	})
	switch at := p.factAt(factBlocklisted); {
	case at < 0:
		p.facts = append(p.facts, rule.NamedValue{Name: factBlocklisted, Value: rule.Bool(blocked)})
	case blocked:
		p.facts[at].Value = rule.Bool(true)
	}
}

func (o Observation) has(e Entity) bool {
	same, sent := o.Entity(e.Kind)
	return sent && same.Key == e.Key
}

// PartyKinds returns the kinds of entities that a household often shares: people who applied together count as one for
// an entity that only they share.
func PartyKinds() []string {
	return []string{KindBeneficiaryAccount, KindDevice, KindMobile, KindEmail}
}

// SharedWith returns how many accounts, devices, mobile numbers and e-mail addresses of o one of the other people has
// too.
func (o Observation) SharedWith(others []Observation) (n int64) {
	for _, e := range o.Entities {
		if slices.Contains(PartyKinds(), e.Kind) &&
			slices.ContainsFunc(others, func(other Observation) bool { return other.has(e) }) {
			n++
		}
	}
	return n
}

// AddShared adds the fact how many identifiers the person shares with other people of the application.
func (p *PersonFraud) AddShared(n int64) {
	p.facts = append(p.facts, rule.NamedValue{Name: "fraud_shared_in_application", Value: integer(n)})
}
