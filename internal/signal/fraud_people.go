package signal

import (
	"slices"

	"verdict/internal/rule"
)

// ObserveOther returns the entities in the facts of a person other than the primary applicant. ref is the person's
// reference. earlier are the people of the application who were observed before. repeated are the entities that are
// left out because they were observed already.
//
// ObserveOther leaves out a pincode or an IP address that a counted person of the application already has. The
// people of one application often live and apply in one place, and the counts of pincodes and IP addresses are
// about applications. It also leaves out the agent, because an agent belongs to the application and not to a
// person.
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

// IncludeRepeated sets the fact about the block list for a person with repeated entities. These entities were looked
// up as entities of other people of the application.
func (p *PersonFraud) IncludeRepeated(repeated []Entity, others []Fraud) {
	if len(repeated) == 0 {
		return
	}
	blocked := slices.ContainsFunc(others, func(f Fraud) bool {
		return slices.ContainsFunc(f.Blocklisted,
			func(e Entity) bool { return (Observation{Entities: repeated}).has(e) })
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

// PartyKinds returns the kinds of entities that a household often shares. If only people who applied together share
// such an entity, they count as one person.
func PartyKinds() []string {
	return []string{KindBeneficiaryAccount, KindDevice, KindMobile, KindEmail}
}

// SharedWith returns the number of accounts, devices, mobile numbers and e-mail addresses of o that at least one of
// the other people has too.
func (o Observation) SharedWith(others []Observation) (n int64) {
	for _, e := range o.Entities {
		if slices.Contains(PartyKinds(), e.Kind) &&
			slices.ContainsFunc(others, func(other Observation) bool { return other.has(e) }) {
			n++
		}
	}
	return n
}

// AddShared adds the fact that says how many identifiers the person shares with other people of the application.
func (p *PersonFraud) AddShared(n int64) {
	p.facts = append(p.facts, rule.NamedValue{Name: "fraud_shared_in_application", Value: integer(n)})
}
