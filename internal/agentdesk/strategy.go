package agentdesk

import (
	"context"
	"errors"
	"fmt"

	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/recovery"
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
	UpdatedMicros int64
	UpdatedBy     string
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

// ChangeCollectionsStrategy changes the strategy and keeps it as a new version.
// change gets the strategy as it stands; it may be called more than once, because
// a transaction may be tried again. The expected version, unless AnyVersion, must
// be the present one.
func (s *Service) ChangeCollectionsStrategy(
	ctx context.Context, p tenant.Principal, change func(recovery.Strategy) (recovery.Strategy, error), expected int64,
) (Strategy, error) {
	if err := p.Require(tenant.PolicyWrite); err != nil {
		return Strategy{}, err
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
		next, err := change(current.Recovery)
		if err != nil {
			return err
		}
		// The change was made to the version that it replaces.
		var w wire.Writer
		next.Write(&w)
		put, err := tx.Strategies().Put(store.Strategy{
			Document:      w.Buf,
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
