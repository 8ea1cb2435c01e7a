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

// Config is a tenant's thresholds, as they are shown.
type Config struct {
	Version       int64 // 0 while nobody has changed them
	updatedMicros int64
	updatedBy     string
	config        signal.Config
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
	return Config{stored.Version, stored.UpdatedMicros, stored.UpdatedBy, config}, err
}

// effective is the configuration that holds: what is stored, else what every
// tenant starts with.
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

// ChangeConfig merges a patch into the thresholds, checks the whole, and
// keeps it. The expected version, unless AnyVersion, must be the present one.
func (s *Service) ChangeConfig(ctx context.Context, p tenant.Principal, patch wire.Value, expected int64) (Config, error) {
	if err := p.Require(tenant.PolicyWrite); err != nil {
		return Config{}, err
	}
	if patch.Kind() != wire.Object {
		return Config{}, operation.Invalid("", fault.CodeWrongType, "must be an object")
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
				"the configuration has another version than the expected one")
		}
		config, err := merged(stored, patch, key)
		if err != nil {
			return err
		}
		if p.Environment == tenant.Live && config.Fraud.PincodeSpike.MinBaselineDays == 0 {
			return operation.Invalid("/fraud/pincode_spike/min_baseline_days", fault.CodeOutOfRange,
				"must be at least 1 in live; 0, which compares with no past, is for trying things out in the sandbox")
		}
		var w wire.Writer
		config.WriteStored(&w)
		next, err := tx.FraudConfigs().Put(store.FraudConfig{
			Document: w.Buf, Accounts: writeAccounts(config.Fraud.Allowed()),
			UpdatedMicros: now.UnixMicro(), UpdatedBy: operation.Actor(p),
		}, stored.Version)
		if err != nil {
			return err
		}
		out = Config{next.Version, next.UpdatedMicros, next.UpdatedBy, config}
		return tx.Audit().Add(s.core.Audit(p, now, operation.ActionFraudConfig, "fraud_config", ""))
	})
	s.changes.Forget(id)
	return out, err
}

func merged(stored store.FraudConfig, patch wire.Value, key func(kind, value string) string) (signal.Config, error) {
	current, err := effective(stored, key)
	if err != nil {
		return signal.Config{}, err
	}
	var w wire.Writer
	current.WriteStored(&w)
	document, err := wire.Parse(w.Buf)
	if err != nil {
		return signal.Config{}, operation.AsDefect(err)
	}
	whole, err := wire.Parse(signal.Merge(document, patch))
	if err != nil {
		return signal.Config{}, err
	}
	config, err := signal.ReadConfig(whole)
	if err != nil {
		return signal.Config{}, err
	}
	return config.Sealed(key, current.Fraud.Allowed())
}

// Write writes the configuration.
func (c Config) Write(w *wire.Writer) {
	var document wire.Writer
	c.config.Write(&document)
	w.Object().Key("version").Int(c.Version)
	operation.OptionalTime(w, "updated_at", c.updatedMicros)
	operation.Optional(w, "updated_by", c.updatedBy)
	w.Members(document.Buf).EndObject()
}

// DefaultConfig is what every tenant starts with.
func DefaultConfig() Config { return Config{config: signal.DefaultConfig()} }
