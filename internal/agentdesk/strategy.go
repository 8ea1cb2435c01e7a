package agentdesk

import (
	"context"
	"errors"
	"fmt"

	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/recovery"
	"verdict/internal/signal"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// EndpointCollections is what a run of the collections agent is billed as.
const EndpointCollections = "POST /v1/agents/collections"

// AgentCollections is the agent's name in stored runs.
const AgentCollections = "collections"

// Strategy is how a tenant collects, in one of its versions.
type Strategy struct {
	Version       int64 // 0 while nobody has changed it
	Recovery      recovery.Strategy
	updatedMicros int64
	updatedBy     string
}

// CollectionsStrategy reads the strategy as it stands.
func (s *Service) CollectionsStrategy(ctx context.Context, p tenant.Principal) (Strategy, error) {
	if err := p.Require(tenant.Read); err != nil {
		return Strategy{}, err
	}
	return s.strategy(ctx, p)
}

// StrategyInForce is the strategy as it stands, for an agent that a caller may
// run and that shows nothing of it but its outcome.
func (s *Service) StrategyInForce(ctx context.Context, p tenant.Principal) (Strategy, error) {
	if err := p.Require(tenant.Decide); err != nil {
		return Strategy{}, err
	}
	return s.strategy(ctx, p)
}

// StrategyAt is one version, nil when it cannot be read any more. An error is a
// failure of storage.
func (s *Service) StrategyAt(ctx context.Context, p tenant.Principal, version int64) (*Strategy, error) {
	if err := p.Require(tenant.Read); err != nil {
		return nil, err
	}
	stored, err := store.Strategy{}, error(nil)
	if version > 0 {
		stored, err = s.core.Scope(p).Strategies(ctx).At(version)
	}
	var out Strategy
	if err = operation.MissingIsDefect(err); err == nil {
		out, err = readStrategy(stored)
	}
	var unreadable operation.Defect
	switch {
	case errors.As(err, &unreadable):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("version %d of the strategy: %w", version, err)
	}
	return &out, nil
}

func (s *Service) strategy(ctx context.Context, p tenant.Principal) (Strategy, error) {
	stored, err := s.core.Scope(p).Strategies(ctx).Latest()
	if err != nil {
		return Strategy{}, err
	}
	return readStrategy(stored)
}

// readStrategy reads what is stored, else what every tenant starts with.
func readStrategy(stored store.Strategy) (Strategy, error) {
	out := Strategy{stored.Version, recovery.DefaultStrategy(), stored.UpdatedMicros, stored.UpdatedBy}
	if stored.Version == 0 {
		return out, nil
	}
	document, err := wire.Parse(stored.Document)
	if err == nil {
		out.Recovery, err = recovery.ReadStrategy(document)
	}
	// A strategy that was kept before there was a choice ranks as it did then.
	if err == nil && !document.Get("priority").Get("basis").Given() {
		out.Recovery.Priority.Basis = recovery.ByRecovery
	}
	if err != nil {
		return Strategy{}, fmt.Errorf("version %d of the strategy: %w", stored.Version, operation.AsDefect(err))
	}
	return out, nil
}

// ChangeCollectionsStrategy merges a patch into the strategy, checks the whole,
// and keeps it as a new version. The expected version, unless AnyVersion, must
// be the present one.
func (s *Service) ChangeCollectionsStrategy(ctx context.Context, p tenant.Principal, patch wire.Value, expected int64) (Strategy, error) {
	if err := p.Require(tenant.PolicyWrite); err != nil {
		return Strategy{}, err
	}
	if patch.Kind() != wire.Object {
		return Strategy{}, operation.Invalid("", fault.CodeWrongType, "must be an object")
	}
	now := s.core.Moment()
	var out Strategy
	err := s.core.Scope(p).Write(ctx, func(tx *store.Tx) error {
		stored, err := tx.Strategies().Latest()
		if err != nil {
			return err
		}
		if expected != operation.AnyVersion && expected != stored.Version {
			return fault.New(fault.Precondition, fault.CodePreconditionFailed,
				"the strategy has another version than the expected one")
		}
		current, err := readStrategy(stored)
		if err != nil {
			return err
		}
		next, err := patched(current.Recovery, patch)
		if err != nil {
			return err
		}
		// What the patch was merged into must be what it replaces.
		put, err := tx.Strategies().Put(store.Strategy{
			Document:      strategyDocument(next),
			UpdatedMicros: now.UnixMicro(),
			UpdatedBy:     operation.Actor(p),
		}, stored.Version)
		if err != nil {
			return err
		}
		out = Strategy{put.Version, next, put.UpdatedMicros, put.UpdatedBy}
		note := fmt.Sprintf("version %d", put.Version)
		return tx.Audit().Add(s.core.Audit(p, now, operation.ActionStrategy, "collections_strategy", note))
	})
	return out, err
}

func patched(current recovery.Strategy, patch wire.Value) (recovery.Strategy, error) {
	document, err := wire.Parse(strategyDocument(current))
	if err != nil {
		return recovery.Strategy{}, operation.AsDefect(err)
	}
	whole, err := wire.Parse(signal.Merge(document, patch))
	if err != nil {
		return recovery.Strategy{}, err
	}
	return recovery.ReadStrategy(whole)
}

func strategyDocument(r recovery.Strategy) []byte {
	var w wire.Writer
	r.Write(&w)
	return w.Buf
}

// Write writes the strategy.
func (s Strategy) Write(w *wire.Writer) {
	w.Object().Key("version").Int(s.Version)
	operation.OptionalTime(w, "updated_at", s.updatedMicros)
	operation.Optional(w, "updated_by", s.updatedBy)
	w.Members(strategyDocument(s.Recovery)).EndObject()
}
