package decisioning

import (
	"context"
	"slices"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/operation"
	"verdict/internal/rule"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// Explained is a stored decision, explained again.
type Explained struct {
	Response []byte // as it was answered
	Again    ReExplanation
	Facts    *rule.Facts // identifiers masked; nil unless asked for and readable
	Reviews  []Review    // oldest first
}

// Decision is a stored decision, the bytes it was answered with, explained
// anew: the engine runs again on the stored facts and the stored policy, and
// the result says whether it came to the same. WithFacts adds the facts it was
// decided on, which need a scope of their own.
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
		return Explained{}, operation.Missing("decision")
	}
	scope := s.core.Scope(p)
	var stored store.Decision
	var reviews []store.Review
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
	out := Explained{Response: stored.Response}
	if out.Again, err = s.reexplain(ctx, scope, &stored); err != nil {
		return Explained{}, err
	}
	if facts {
		// Facts that cannot be read any more are why the decision is not
		// verified, and the re-explanation says so.
		if policy, kept, why, err := s.replayable(ctx, scope, &stored); err == nil && why == "" {
			o := borrow()
			policy.Plan.Decide(kept, &o.Decision)
			out.Facts = shown(kept, &o.Decision)
			o.Release()
		}
	}
	for _, r := range reviews {
		out.Reviews = append(out.Reviews, Review(r))
	}
	return out, nil
}

// ReExplanation is what the engine says of a stored decision today.
type ReExplanation struct {
	Verified       bool
	RecomputedHash string
	PolicyVersion  int64
	EngineVersion  string // that explained it
	Text           []string
	NotEvaluated   []engine.NotEvaluated
}

// reexplain runs the engine on stored facts and a stored policy. Three hashes
// must agree: the one that was stored, the one the engine comes to now, and
// that of the answer as it is stored. What cannot be read any more is not
// verified, and says so; an error is a failure of storage.
func (s *Service) reexplain(ctx context.Context, scope *store.Scope, stored *store.Decision) (ReExplanation, error) {
	policy, facts, why, err := s.replayable(ctx, scope, stored)
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
	response, err := wire.Parse(stored.Response)
	if err != nil || engine.ResponseHash(response) != stored.Hash {
		out.Verified = false
		out.Text = append(out.Text, "The stored answer is not the one that was decided")
	}
	return out, nil
}

func unverified(stored *store.Decision, why string) ReExplanation {
	return ReExplanation{PolicyVersion: stored.PolicyVersion, EngineVersion: engine.Version, Text: []string{why}}
}

// ReadFacts reads facts as they are stored.
func ReadFacts(document []byte) (*rule.Facts, error) {
	v, err := wire.Parse(document)
	if err != nil {
		return nil, err
	}
	return rule.ReadFacts(v, field.Catalogue())
}
