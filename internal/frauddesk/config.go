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

// ChangeConfig calls the function change with the current thresholds and stores the thresholds that it returns.
// ChangeConfig fails unless expected is the current version or AnyVersion.
//
// The function change runs before the transaction, because the writes of every tenant wait while a transaction runs.
// If somebody else has changed the thresholds by the time of the transaction, ChangeConfig reads them again, so
// change can be called more than once.
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

	var out Config
	err = operation.RetryChange(func() (lost bool, err error) {
		stored, err := s.core.Scope(p).FraudConfigs(ctx).Get()
		if err != nil {
			return false, err
		}
		if err := operation.CheckVersion("configuration", stored.Version, expected); err != nil {
			return false, err
		}
		config, err := changed(stored, change, p.Environment, key)
		if err != nil {
			return false, err
		}
		out, err = s.putConfig(ctx, p, config, stored.Version)
		return operation.IsLost(err), err
	})
	s.changes.Forget(id)
	return out, err
}

// changed applies a change to the stored configuration and checks the result.
func changed(
	stored store.FraudConfig, change func(signal.Config) (signal.Config, error), environment tenant.Environment,
	key func(kind, value string) string,
) (signal.Config, error) {
	current, err := effective(stored, key)
	if err != nil {
		return signal.Config{}, err
	}
	config, err := change(current)
	if err != nil {
		return signal.Config{}, err
	}
	var faults fault.List
	config.Check(&faults)
	if err := faults.Err(); err != nil {
		return signal.Config{}, err
	}
	if config, err = config.Sealed(key, current.Fraud.Allowed()); err != nil {
		return signal.Config{}, err
	}
	if environment == tenant.Live && config.Fraud.PincodeSpike.MinBaselineDays == 0 {
		return signal.Config{}, operation.Invalid("/fraud/pincode_spike/min_baseline_days", fault.CodeOutOfRange,
			"must be at least 1 in live; 0, which needs no history to compare with, is allowed only in the sandbox")
	}
	return config, nil
}

// putConfig stores a configuration if the stored version is still the one that it was
// computed from.
func (s *Service) putConfig(
	ctx context.Context, p tenant.Principal, config signal.Config, version int64,
) (Config, error) {
	now := s.core.Moment()
	var w wire.Writer
	config.WriteStored(&w)
	record := store.FraudConfig{
		Document:      w.Buf,
		Accounts:      writeAccounts(config.Fraud.Allowed()),
		UpdatedMicros: now.UnixMicro(),
		UpdatedBy:     operation.Actor(p),
	}
	audit := s.core.Audit(p, now, operation.ActionFraudConfig, "fraud_config", "")
	err := s.core.Scope(p).Write(ctx, func(tx *store.Tx) error {
		put, err := tx.FraudConfigs().Put(record, version)
		if err != nil {
			return err
		}
		record.Version = put.Version
		return tx.Audit().Add(audit)
	})
	if err != nil {
		return Config{}, err
	}
	return Config{
		Version:       record.Version,
		UpdatedMicros: record.UpdatedMicros,
		UpdatedBy:     record.UpdatedBy,
		Values:        config,
	}, nil
}
