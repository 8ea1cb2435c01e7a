package store

import (
	"context"

	"verdict/internal/fault"
)

// Strategy is one version of how a scope collects, in the form its owner gives
// it.
type Strategy struct {
	Version       int64 // 0 before the first; given by PutStrategy
	Document      []byte
	UpdatedMicros int64
	UpdatedBy     string
}

const strategyColumns = "version, document, updated_micros, updated_by"

func (s *Strategy) fields() []any {
	return []any{&s.Version, &s.Document, &s.UpdatedMicros, &s.UpdatedBy}
}

// Strategy is the scope's latest strategy, with version 0 and no document when
// it has none.
func (tx *Tx) Strategy() (Strategy, error) {
	var s Strategy
	err := tx.one(s.fields(), "SELECT "+strategyColumns+` FROM collections_strategies
		WHERE tenant_id = $1 AND environment = $2 ORDER BY version DESC LIMIT 1`)
	return s, ignoreAbsent(err)
}

// StrategyAt is one version of the scope's strategy. NotFound when there was
// none.
func (tx *Tx) StrategyAt(version int64) (Strategy, error) {
	var s Strategy
	err := tx.one(s.fields(), "SELECT "+strategyColumns+` FROM collections_strategies
		WHERE tenant_id = $1 AND environment = $2 AND version = $3`, version)
	return s, oneOf("strategy", err)
}

// PutStrategy adds a version and returns it with its number, one more than the
// last. Precondition precondition_failed when the last is not the expected one;
// below 0 any is.
func (tx *Tx) PutStrategy(s Strategy, expectedVersion int64) (Strategy, error) {
	if err := tx.lockScope(); err != nil {
		return Strategy{}, err
	}
	before, err := tx.Strategy()
	if err != nil {
		return Strategy{}, err
	}
	if expectedVersion >= 0 && expectedVersion != before.Version {
		return Strategy{}, fault.New(fault.Precondition, fault.CodePreconditionFailed,
			"the strategy was changed in the meantime; read it again")
	}
	s.Version = before.Version + 1
	_, err = tx.exec(`INSERT INTO collections_strategies (tenant_id, environment, `+strategyColumns+`)
		VALUES ($1, $2, $3, $4, $5, $6)`, s.Version, present(s.Document), s.UpdatedMicros, s.UpdatedBy)
	return s, err
}

// Strategy is Tx.Strategy in a transaction of its own.
func (s *Scope) Strategy(ctx context.Context) (Strategy, error) {
	return inRead(ctx, s, (*Tx).Strategy)
}

// StrategyAt is Tx.StrategyAt in a transaction of its own.
func (s *Scope) StrategyAt(ctx context.Context, version int64) (Strategy, error) {
	return inRead(ctx, s, func(tx *Tx) (Strategy, error) { return tx.StrategyAt(version) })
}
