package agentdesk

import (
	"context"
	"errors"
	"fmt"

	"verdict/internal/operation"
	"verdict/internal/recovery"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// EndpointCollections is the endpoint for which a run of the collections agent is billed.
const EndpointCollections = "POST /v1/agents/collections"

// AgentCollections is the name of the collections agent in stored runs.
const AgentCollections = "collections"

// Strategy is one version of a tenant's collections strategy.
type Strategy struct {
	Version       int64 // 0 for the default strategy, which applies until somebody changes it
	Recovery      recovery.Strategy
	UpdatedMicros int64
	UpdatedBy     string
}

// CollectionsStrategy returns the current strategy.
func (s *Service) CollectionsStrategy(ctx context.Context, p tenant.Principal) (Strategy, error) {
	if err := p.Require(tenant.Read); err != nil {
		return Strategy{}, err
	}
	return s.strategy(ctx, p)
}

// StrategyInForce returns the current strategy to the collections agent. The caller needs
// the permission to run the agent, but not the permission to read the strategy, because
// the agent shows only its result.
func (s *Service) StrategyInForce(ctx context.Context, p tenant.Principal) (Strategy, error) {
	if err := p.Require(tenant.Decide); err != nil {
		return Strategy{}, err
	}
	return s.strategy(ctx, p)
}

// StrategyAt returns a version of the strategy, or nil if it can no longer be read. An
// error is Forbidden or a failure of storage.
func (s *Service) StrategyAt(ctx context.Context, p tenant.Principal, version int64) (*Strategy, error) {
	if err := p.Require(tenant.Read); err != nil {
		return nil, err
	}
	stored, err := store.ConfigVersion{}, error(nil)
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
		return nil, fmt.Errorf("read version %d of the strategy: %w", version, err)
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

// readStrategy reads a stored strategy. It returns the default strategy if stored is
// empty.
func readStrategy(stored store.ConfigVersion) (Strategy, error) {
	out := Strategy{stored.Version, recovery.DefaultStrategy(), stored.UpdatedMicros, stored.UpdatedBy}
	if stored.Version == 0 {
		return out, nil
	}
	document, err := wire.Parse(stored.Document)
	if err == nil {
		out.Recovery, err = recovery.ReadStrategy(document)
	}
	// A stored strategy without "basis" is older than that setting. At that time loans
	// were ranked by recovery.
	if err == nil && !document.Get("priority").Get("basis").Given() {
		out.Recovery.Priority.Basis = recovery.ByRecovery
	}
	if err != nil {
		return Strategy{}, fmt.Errorf("read version %d of the strategy: %w", stored.Version, operation.AsDefect(err))
	}
	return out, nil
}

// ChangeCollectionsStrategy calls change with the current strategy and stores the
// strategy that change returns as a new version. It fails unless expected is the current
// version or AnyVersion.
//
// change runs before the transaction, because the writes of every tenant wait while a
// transaction runs. If somebody else has stored a version by the time of the
// transaction, ChangeCollectionsStrategy reads the strategy again, so change can be
// called more than once.
func (s *Service) ChangeCollectionsStrategy(
	ctx context.Context, p tenant.Principal, change func(recovery.Strategy) (recovery.Strategy, error), expected int64,
) (Strategy, error) {
	if err := p.Require(tenant.PolicyWrite); err != nil {
		return Strategy{}, err
	}
	var out Strategy
	err := operation.RetryChange(func() (lost bool, err error) {
		stored, err := s.core.Scope(p).Strategies(ctx).Latest()
		if err != nil {
			return false, err
		}
		if err := operation.CheckVersion("strategy", stored.Version, expected); err != nil {
			return false, err
		}
		current, err := readStrategy(stored)
		if err != nil {
			return false, err
		}
		next, err := change(current.Recovery)
		if err != nil {
			return false, err
		}
		out, err = s.putStrategy(ctx, p, next, current.Version)
		return operation.IsLost(err), err
	})
	return out, err
}

// putStrategy stores a strategy as version+1 if version is still the latest version.
func (s *Service) putStrategy(
	ctx context.Context, p tenant.Principal, next recovery.Strategy, version int64,
) (Strategy, error) {
	now := s.core.Moment()
	var w wire.Writer
	next.Write(&w)
	record := store.ConfigVersion{
		Document:      w.Buf,
		UpdatedMicros: now.UnixMicro(),
		UpdatedBy:     operation.Actor(p),
	}
	note := fmt.Sprintf("version %d", version+1)
	audit := s.core.Audit(p, now, operation.ActionStrategy, "collections_strategy", note)
	err := s.core.Scope(p).Write(ctx, func(tx *store.Tx) error {
		put, err := tx.Strategies().Put(record, version)
		if err == nil {
			err = operation.CheckStored(tx, p.Plan)
		}
		if err != nil {
			return err
		}
		record.Version = put.Version
		return tx.Audit().Add(audit)
	})
	if err != nil {
		return Strategy{}, err
	}
	return Strategy{record.Version, next, record.UpdatedMicros, record.UpdatedBy}, nil
}
