package decisioning

import (
	"context"
	"slices"

	"verdict/internal/exposure"
	"verdict/internal/field"
	"verdict/internal/operation"
	"verdict/internal/rule"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// PersonRef names a person of a decision.
type PersonRef struct{ Role, Ref string }

// peopleOf returns the people of a stored decision other than the primary applicant.
func peopleOf(d *store.Decision) (people []PersonRef) {
	for _, p := range d.People {
		people = append(people, PersonRef{Role: p.Role, Ref: p.Ref})
	}
	return people
}

// RoleSummary is a decision in which somebody is not the primary applicant.
type RoleSummary struct {
	DecisionID    string
	Role          string
	CreatedMicros int64
	Status        string
	PrimaryRef    string // "" if the primary applicant is not named
	Review        string // the outcome of the last final review, "" if there is none
}

// StatusAfterReview returns the status after the last final review.
func (r *RoleSummary) StatusAfterReview() string { return exposure.StatusAfter(r.Status, r.Review) }

// OtherRoles returns the newest decisions in which the person with a reference is not the primary applicant. It
// returns at most limit decisions, sorted from the oldest to the newest.
func (s *Service) OtherRoles(
	ctx context.Context, p tenant.Principal, ref string, limit int,
) (list []RoleSummary, err error) {
	if err := p.Require(tenant.Read); err != nil {
		return nil, err
	}
	found, _, err := s.core.Scope(p).Erasures(ctx).Roles(ref, limit)
	for _, r := range found {
		list = append(list, RoleSummary(r))
	}
	return list, err
}

// Role has the data that is stored about a person in a decision about another primary applicant. Of the other people
// it has only the roles and references.
type Role struct {
	RoleSummary
	People      []PersonRef // the other people
	Facts       *rule.Facts // about the person, with identifiers masked; nil unless requested
	FactsErased bool        // the facts were erased at the end of their retention period
}

// rolePrimary is the role of the primary applicant among the people of a decision.
const rolePrimary = "primary"

// Roles returns the data that is stored about a person in the newest decisions in which the person is not the primary
// applicant. It returns at most limit of them, oldest first, and the total number of such decisions. WithFacts adds
// the facts about the person; the caller needs the scope tenant.FactsRead for them.
func (s *Service) Roles(
	ctx context.Context, p tenant.Principal, ref string, limit int, how ...Option,
) (list []Role, count int64, err error) {
	facts := slices.Contains(how, WithFacts)
	scopes := tenant.Read
	if facts {
		scopes |= tenant.FactsRead
	}
	if err := p.Require(scopes); err != nil {
		return nil, 0, err
	}
	scope := s.core.Scope(p)
	found, count, err := scope.Erasures(ctx).Roles(ref, limit)
	if err != nil {
		return nil, 0, err
	}
	for i := range found {
		role, err := s.role(ctx, scope, RoleSummary(found[i]), facts)
		if err != nil {
			return nil, 0, err
		}
		list = append(list, role)
	}
	return list, count, nil
}

// role reads the data that is stored about a person in one decision.
func (s *Service) role(ctx context.Context, scope *store.Scope, r RoleSummary, facts bool) (Role, error) {
	out := Role{RoleSummary: r}
	if r.PrimaryRef != "" {
		out.People = append(out.People, PersonRef{Role: rolePrimary, Ref: r.PrimaryRef})
	}
	stored, err := scope.Decisions(ctx).Get(r.DecisionID)
	if err != nil {
		return out, err
	}
	for _, p := range peopleOf(&stored) {
		if p.Role != r.Role {
			out.People = append(out.People, p)
		}
	}
	i := slices.IndexFunc(stored.People, func(p store.DecisionPerson) bool { return p.Role == r.Role })
	if i < 0 {
		return out, nil // the decision was changed after the list was read
	}
	if out.FactsErased = len(stored.People[i].Facts) == 0; out.FactsErased || !facts {
		return out, nil
	}
	// Only the person's own document is decrypted, so it does not matter whether the other people were erased.
	stored.Response, stored.Facts, stored.People = nil, nil, stored.People[i:i+1]
	if err := s.core.OpenDecision(ctx, scope, &stored, nil); err != nil {
		return out, err
	}
	if out.Facts, err = ReadFacts(stored.People[0].Facts); err != nil {
		return out, operation.AsDefect(err)
	}
	mask(out.Facts)
	return out, nil
}

// WithoutOthers returns the decision without the facts about people other than the primary applicant. Their roles and
// references remain.
func (e Explained) WithoutOthers() Explained {
	if e.Facts != nil {
		e.Facts.Change(func(name string, v rule.Value) rule.Value {
			if field.IsOfRole(name) {
				return rule.Value{}
			}
			return v
		})
	}
	return e
}

// FactsOf returns the facts in the unencrypted or decrypted documents of a stored decision. primary has the facts about
// the primary applicant and the combined facts; others has the facts about the other people. The document of an erased
// person is empty and is skipped. FactsOf returns an error if a document is malformed.
func FactsOf(primary []byte, others [][]byte) (*rule.Facts, error) {
	facts, err := ReadFacts(primary)
	if err != nil {
		return nil, err
	}
	for _, document := range others {
		if len(document) == 0 {
			continue
		}
		other, err := ReadFacts(document)
		if err != nil {
			return nil, err
		}
		for _, fact := range other.Sorted() {
			facts.Set(fact.Name, fact.Value)
		}
	}
	return facts, nil
}
