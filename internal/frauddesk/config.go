package frauddesk

import (
	"context"

	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/signal"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// Config holds a tenant's thresholds.
type Config struct {
	Version       int64 // 0 if nobody has changed the thresholds yet
	UpdatedMicros int64
	UpdatedBy     string
	Values        signal.Config
}

// Config reads the thresholds.
func (s *Service) Config(ctx context.Context, p tenant.Principal) (Config, error) {
	if err := p.Require(tenant.Read); err != nil {
		return Config{}, err
	}
	key, err := s.core.Keyed(ctx, operation.ScopeOf(p))
	if err != nil {
		return Config{}, err
	}
	stored, err := s.core.Scope(p).FraudConfigs(ctx).Get()
	if err != nil {
		return Config{}, err
	}
	config, err := effective(stored, key)
	return Config{
		Version:       stored.Version,
		UpdatedMicros: stored.UpdatedMicros,
		UpdatedBy:     stored.UpdatedBy,
		Values:        config,
	}, err
}

// effective returns the stored configuration, or the default one if nothing is stored.
func effective(stored store.FraudConfig, key func(kind, value string) string) (signal.Config, error) {
	if stored.Version == 0 {
		return signal.DefaultConfig(), nil
	}
	config, err := readStoredConfig(stored, key)
	if err != nil {
		return signal.Config{}, operation.AsDefect(err)
	}
	return config, nil
}

// ChangeConfig calls change with the current thresholds and stores the thresholds that
// change returns. It fails unless expected is the current version or AnyVersion.
// change can be called more than once, because a transaction can be retried.
func (s *Service) ChangeConfig(
	ctx context.Context, p tenant.Principal, change func(signal.Config) (signal.Config, error), expected int64,
) (Config, error) {
	if err := p.Require(tenant.PolicyWrite); err != nil {
		return Config{}, err
	}
	id := operation.ScopeOf(p)
	key, err := s.core.Keyed(ctx, id)
	if err != nil {
		return Config{}, err
	}

	now := s.core.Moment()
	var out Config
	err = s.core.Scope(p).Write(ctx, func(tx *store.Tx) error {
		stored, err := tx.FraudConfigs().Get()
		if err != nil {
			return err
		}
		if expected != operation.AnyVersion && expected != stored.Version {
			return fault.New(fault.Precondition, fault.CodePreconditionFailed,
				"the current version of the configuration is not the expected one")
		}

		current, err := effective(stored, key)
		if err != nil {
			return err
		}
		config, err := change(current)
		if err != nil {
			return err
		}
		var faults fault.List
		config.Check(&faults)
		if err := faults.Err(); err != nil {
			return err
		}
		if config, err = config.Sealed(key, current.Fraud.Allowed()); err != nil {
			return err
		}
		if p.Environment == tenant.Live && config.Fraud.PincodeSpike.MinBaselineDays == 0 {
			return operation.Invalid("/fraud/pincode_spike/min_baseline_days", fault.CodeOutOfRange,
				"must be at least 1 in live; 0, which needs no history to compare with, is allowed only in the sandbox")
		}

		var w wire.Writer
		config.WriteStored(&w)
		next, err := tx.FraudConfigs().Put(store.FraudConfig{
			Document:      w.Buf,
			Accounts:      writeAccounts(config.Fraud.Allowed()),
			UpdatedMicros: now.UnixMicro(),
			UpdatedBy:     operation.Actor(p),
		}, stored.Version)
		if err != nil {
			return err
		}
		out = Config{
			Version:       next.Version,
			UpdatedMicros: next.UpdatedMicros,
			UpdatedBy:     next.UpdatedBy,
			Values:        config,
		}
		return tx.Audit().Add(s.core.Audit(p, now, operation.ActionFraudConfig, "fraud_config", ""))
	})
	s.changes.Forget(id)
	return out, err
}
