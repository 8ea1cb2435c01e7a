package decisioning

import (
	"context"
	"slices"

	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// Explained is a stored decision, explained again.
type Explained struct {
	Response []byte // the stored answer; nil if it was erased
	Kept     *Kept  // what remains of an erased answer; nil if it was not erased
	Again    ReExplanation
	// InputsErased lists the zones that were erased, with the applicant or at the end of their retention
	// period. Without the answer or the facts the decision cannot be verified; Unverifiable is then set.
	InputsErased []string
	Unverifiable bool
	Facts        *rule.Facts // with identifiers masked; nil unless requested, and nil if erased
	Reviews      []Review    // oldest first
	// People are the people other than the primary applicant whom the request has named, in the order of their roles.
	People []PersonRef
}

// Decision returns a stored decision and explains it again: the engine runs on the
// stored facts and policy, and the result says whether this run reproduced the
// decision. WithFacts adds the facts; the caller needs the scope tenant.FactsRead
// for them. Decision returns NotFound if there is no such decision.
func (s *Service) Decision(ctx context.Context, p tenant.Principal, id string, how ...Option) (Explained, error) {
	if err := p.Require(tenant.Read); err != nil {
		return Explained{}, err
	}
	facts := slices.Contains(how, WithFacts)
	if facts {
		if err := p.Require(tenant.FactsRead); err != nil {
			return Explained{}, err
		}
	}
	if !tenant.Valid(tenant.KindDecision, id) {
		return Explained{}, fault.Missing("decision")
	}
	scope := s.core.Scope(p)
	var stored store.Decision
	var reviews []store.Review
	var out Explained
	err := scope.ReadOf(ctx, id, func(tx *store.Tx) (err error) {
		if stored, err = tx.Decisions().Get(id); err != nil {
			return err
		}
		reviews, err = tx.Decisions().Reviews(id)
		return err
	})
	if err != nil {
		return Explained{}, err
	}
	for _, r := range reviews {
		out.Reviews = append(out.Reviews, Review(r))
	}
	out.People = peopleOf(&stored)
	if out.Unverifiable = erased(&stored); len(stored.Response) == 0 {
		err := s.explainErased(ctx, scope, &stored, &out)
		return out, err
	}
	if out.InputsErased, err = emptiedZones(ctx, scope, &stored); err != nil {
		return Explained{}, err
	}
	if err := s.core.OpenDecision(ctx, scope, &stored, nil); err != nil {
		return Explained{}, err
	}
	out.Response = stored.Response
	if out.Unverifiable {
		why := whyExpired
		if len(stored.Facts) > 0 {
			why = whyPerson
		}
		out.Again = unverified(&stored, why)
		if facts && len(stored.Facts) > 0 {
			if left, err := FactsOf(stored.Facts, stored.OthersFacts()); err == nil { // Verify reports unreadable facts
				mask(left)
				out.Facts = left
			}
		}
		return out, nil
	}
	if out.Again, err = s.reexplain(ctx, scope, &stored); err != nil {
		return Explained{}, err
	}
	if facts {
		// If the facts can no longer be read, the re-explanation already says so.
		policy, kept, why, err := replayable(ctx, s.desk, scope, &stored)
		if err != nil {
			return Explained{}, err
		}
		if why == "" {
			o := borrow()
			policy.Plan.Decide(kept, &o.Decision)
			out.Facts = shown(kept, &o.Decision)
			o.Release()
		}
	}
	return out, nil
}

// ReExplanation is the result of running the engine again for a stored decision.
type ReExplanation struct {
	Verified       bool
	RecomputedHash string
	PolicyVersion  int64
	EngineVersion  string // the version of the engine that explained the decision now, not of the engine that decided
	Text           []string
	NotEvaluated   []engine.NotEvaluated
}

// reexplain runs the engine on stored facts and a stored policy. The decision is
// verified if three hashes agree: the stored hash, the hash of the new run, and the hash
// computed from the stored answer. If the policy or the facts can no longer be read, the
// decision is not verified and the text says why. An error is a failure of storage.
func (s *Service) reexplain(ctx context.Context, scope *store.Scope, stored *store.Decision) (ReExplanation, error) {
	policy, facts, why, err := replayable(ctx, s.desk, scope, stored)
	if err != nil {
		return ReExplanation{}, err
	}
	if why != "" {
		return unverified(stored, why), nil
	}
	o := borrow()
	defer o.Release()
	d := &o.Decision
	policy.Plan.Decide(facts, d)
	hash := d.Hash()
	out := ReExplanation{
		Verified:       hash == stored.Hash,
		RecomputedHash: hash,
		PolicyVersion:  stored.PolicyVersion,
		EngineVersion:  engine.Version,
		Text:           d.Text(),
		NotEvaluated:   d.NotEvaluated(),
	}
	if !answerMatches(stored) {
		out.Verified = false
		out.Text = append(out.Text, whyAnswerDiffers)
	}
	return out, nil
}

const whyAnswerDiffers = "The stored answer does not match the decision"

// answerMatches reports whether the stored answer has the stored hash.
func answerMatches(stored *store.Decision) bool {
	response, err := wire.Parse(stored.Response)
	return err == nil && engine.ResponseHash(response) == stored.Hash
}

func unverified(stored *store.Decision, why string) ReExplanation {
	return ReExplanation{PolicyVersion: stored.PolicyVersion, EngineVersion: engine.Version, Text: []string{why}}
}

// ReadFacts reads stored facts. It returns an error if the document is malformed.
func ReadFacts(document []byte) (*rule.Facts, error) {
	v, err := wire.Parse(document)
	if err != nil {
		return nil, err
	}
	return rule.ReadFacts(v, field.Catalogue())
}
