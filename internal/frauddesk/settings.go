package frauddesk

import (
	"cmp"
	"context"
	"fmt"

	"verdict/internal/application"
	"verdict/internal/operation"
	"verdict/internal/place"
	"verdict/internal/rule"
	"verdict/internal/signal"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// Settings are a tenant's thresholds and tables in one environment.
type Settings struct {
	changes int64 // number of changes to the settings so far, by which outdated settings are recognised
	size    int   // approximate size in bytes
	stored  store.FraudConfig
	Config  signal.Config
	risks   *signal.PincodeTable
}

// settings returns the settings of a caller. They are at most cache.RefreshAfter old.
func (s *Service) settings(ctx context.Context, p tenant.Principal) (*Settings, error) {
	scope := operation.ScopeOf(p)
	changes, err := s.changes.Get(ctx, scope)
	if err != nil {
		return nil, err
	}
	found, err := s.loaded.Get(ctx, scope)
	if err != nil || found.changes >= changes {
		return found, err
	}
	s.loaded.Forget(scope) // cache only one version for each scope, because a table can take megabytes
	return s.loaded.Get(ctx, scope)
}

func (s *Service) loadChanges(ctx context.Context, id operation.ScopeID) (int64, error) {
	return s.core.DB.Scope(id.Tenant, id.Environment).FraudConfigs(ctx).Changes()
}

func (s *Service) loadSettings(ctx context.Context, id operation.ScopeID) (*Settings, error) {
	out := &Settings{Config: signal.DefaultConfig()}
	key, err := s.core.Keyed(ctx, id)
	if err != nil {
		return nil, err
	}
	var rows []store.PincodeRisk
	err = s.core.DB.Scope(id.Tenant, id.Environment).Read(ctx, func(tx *store.Tx) (err error) {
		if out.changes, err = tx.FraudConfigs().Changes(); err != nil {
			return err
		}
		if out.stored, err = tx.FraudConfigs().Get(); err != nil {
			return err
		}
		rows, err = tx.PincodeRisks().All()
		return err
	})
	if err != nil {
		return nil, err
	}
	if out.stored.Version > 0 {
		if out.Config, err = readStoredConfig(out.stored, key); err != nil {
			return nil, fmt.Errorf("read the fraud configuration of %s in %s: %w",
				id.Tenant, id.Environment, operation.AsDefect(err))
		}
	}
	const entrySize = 160 // without the text of the entry's reason
	out.size = len(out.stored.Document) + len(out.stored.Accounts)
	entries := make([]signal.PincodeRisk, len(rows))
	for i, r := range rows {
		entries[i] = pincodeRisk(r)
		out.size += entrySize + len(r.Reason)
	}
	out.risks = signal.NewPincodeTable(entries)
	return out, nil
}

func pincodeRisk(r store.PincodeRisk) signal.PincodeRisk {
	return signal.PincodeRisk{
		Pincode:       r.Pincode,
		Risk:          signal.Risk(r.Risk),
		Score:         rule.Number(r.Score),
		Reason:        r.Reason,
		UpdatedMicros: r.UpdatedMicros,
		ExpiresMicros: r.ExpiresMicros,
	}
}

// readStoredConfig reads a configuration from its two stored parts: the document, in
// which the accounts are masked, and the list of the keyed hashes of the accounts.
func readStoredConfig(c store.FraudConfig, key func(kind, value string) string) (signal.Config, error) {
	document, err := wire.Parse(c.Document)
	if err != nil {
		return signal.Config{}, err
	}
	config, err := signal.ReadConfig(document)
	if err != nil {
		return signal.Config{}, err
	}
	accounts, err := readAccounts(c.Accounts)
	if err != nil {
		return signal.Config{}, err
	}
	return config.Sealed(key, accounts)
}

func readAccounts(document []byte) ([]signal.Account, error) {
	if len(document) == 0 {
		return nil, nil
	}
	v, err := wire.Parse(document)
	if err != nil {
		return nil, err
	}
	var list []signal.Account
	for _, a := range v.Elements() {
		kind := cmp.Or(a.Get("kind").Text(), signal.KindBeneficiaryAccount)
		list = append(list, signal.Account{Kind: kind, Masked: a.Get("masked").Text(), Key: a.Get("key").Text()})
	}
	return list, nil
}

func writeAccounts(list []signal.Account) []byte {
	var w wire.Writer
	w.Array()
	for _, a := range list {
		w.Object()
		if a.Kind != signal.KindBeneficiaryAccount { // a missing kind means this kind, the only kind of early versions
			w.Key("kind").Plain(a.Kind)
		}
		w.Key("masked").String(a.Masked).Key("key").String(a.Key).EndObject()
	}
	w.EndArray()
	return w.Buf
}

// Signals returns the configuration, the lookups and the tables with which the blocks
// of a request are evaluated at present.
func (s *Service) Signals(ctx context.Context, p tenant.Principal) (*application.Signals, *Settings, error) {
	settings, err := s.settings(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	return &application.Signals{
		Config:   settings.Config,
		Atlas:    s.options.Atlas,
		Risks:    settings.risks,
		AtMicros: s.core.Now().UnixMicro(),
	}, settings, nil
}

// Tables returns the sources of the tables in the binary. The documentation names
// them, because their licences require it.
func Tables() []place.Source { return place.Sources() }
