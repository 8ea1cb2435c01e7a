package decisioning

import (
	"context"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/operation"
	"verdict/internal/rule"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// Decision is a stored decision, the bytes it was answered with, explained
// anew: the engine runs again on the stored facts and the stored policy, and
// the answer says whether it came to the same. WithFacts adds the facts it was
// decided on, which need a scope of their own.
func (s *Service) Decision(ctx context.Context, p tenant.Principal, id string, how ...Option) (operation.Answer, error) {
	if err := p.Require(tenant.Read); err != nil {
		return operation.Answer{}, err
	}
	facts := all(how)&WithFacts != 0
	if facts {
		if err := p.Require(tenant.FactsRead); err != nil {
			return operation.Answer{}, err
		}
	}
	if !tenant.Valid(tenant.KindDecision, id) {
		return operation.Answer{}, operation.Missing("decision")
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
		return operation.Answer{}, err
	}
	again, err := s.reexplain(ctx, scope, &stored)
	if err != nil {
		return operation.Answer{}, err
	}
	w := wire.Writer{Buf: make([]byte, 0, len(stored.Response)+2<<10)}
	w.Object().Members(stored.Response).Key("re_explanation")
	again.Write(&w)
	if facts {
		// Facts that cannot be read any more are why the decision is not
		// verified, and re_explanation says so.
		if policy, kept, why, err := s.replayable(ctx, scope, &stored); err == nil && why == "" {
			d := borrow()
			policy.Plan.Decide(kept, d)
			writeFacts(&w, kept, d)
			decisions.Put(d)
		}
	}
	if len(reviews) > 0 {
		w.Key("reviews").Array()
		for _, r := range reviews {
			writeReview(&w, Review(r))
		}
		w.EndArray()
	}
	w.EndObject()
	return operation.Answer{Status: operation.StatusOK, Body: w.Buf}, nil
}

// ReExplanation is what the engine says of a stored decision today.
type ReExplanation struct {
	Verified       bool
	RecomputedHash string
	PolicyVersion  int64
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
	d := borrow()
	defer decisions.Put(d)
	policy.Plan.Decide(facts, d)
	hash := d.Hash()
	out := ReExplanation{
		Verified: hash == stored.Hash, RecomputedHash: hash, PolicyVersion: stored.PolicyVersion,
		Text: d.Text(), NotEvaluated: d.NotEvaluated(),
	}
	response, err := wire.Parse(stored.Response)
	if err != nil || engine.ResponseHash(response) != stored.Hash {
		out.Verified = false
		out.Text = append(out.Text, "The stored answer is not the one that was decided")
	}
	return out, nil
}

func unverified(stored *store.Decision, why string) ReExplanation {
	return ReExplanation{PolicyVersion: stored.PolicyVersion, Text: []string{why}}
}

func ReadFacts(document []byte) (*rule.Facts, error) {
	v, err := wire.Parse(document)
	if err != nil {
		return nil, err
	}
	return rule.ReadFacts(v, field.Catalogue())
}

// Write writes the re-explanation.
func (r ReExplanation) Write(w *wire.Writer) {
	w.Object().Key("verified").Bool(r.Verified)
	operation.Optional(w, "recomputed_hash", r.RecomputedHash)
	w.Key("policy_version").Int(r.PolicyVersion).Key("engine_version").String(engine.Version)
	w.Key("text").Array()
	for _, line := range r.Text {
		w.String(line)
	}
	w.EndArray().Key("not_evaluated")
	engine.WriteNotEvaluated(w, r.NotEvaluated)
	w.EndObject()
}

func writeReview(w *wire.Writer, r Review) {
	w.Object().Key("id").String(r.ID).Key("decision_id").String(r.DecisionID).Key("outcome").String(r.Outcome)
	operation.Optional(w, "reason_code", r.ReasonCode)
	operation.Optional(w, "note", r.Note)
	w.Key("actor").String(r.Actor).Key("created_at").String(operation.Clock(r.CreatedMicros)).EndObject()
}
