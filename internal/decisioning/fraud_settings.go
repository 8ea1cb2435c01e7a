package decisioning

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	"verdict/internal/application"
	"verdict/internal/place"
	"verdict/internal/rule"
	"verdict/internal/signal"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// scopeID is a tenant in an environment.
type scopeID struct{ tenant, environment string }

// fraudSettings are a tenant's thresholds and tables as they stood after so
// many changes.
type fraudSettings struct {
	changes int64
	size    int // of the tables, in bytes, about
	stored  store.FraudConfig
	config  signal.Config
	risks   *signal.PincodeTable
}

// settings are those of a caller, at most refreshAfter old.
func (s *Service) settings(ctx context.Context, p tenant.Principal) (*fraudSettings, error) {
	scope := scopeID{p.TenantID, string(p.Environment)}
	changes, err := s.fraudChanges.Get(ctx, scope)
	if err != nil {
		return nil, err
	}
	found, err := s.fraudSettings.Get(ctx, scope)
	if err != nil || found.changes >= changes {
		return found, err
	}
	s.fraudSettings.Forget(scope) // one set for each scope: a table may have megabytes
	return s.fraudSettings.Get(ctx, scope)
}

func (s *Service) loadFraudChanges(ctx context.Context, id scopeID) (int64, error) {
	return s.db.Scope(id.tenant, id.environment).FraudChanges(ctx)
}

func (s *Service) loadFraudSettings(ctx context.Context, id scopeID) (*fraudSettings, error) {
	out := &fraudSettings{config: signal.DefaultConfig()}
	key, err := s.keyed(ctx, id)
	if err != nil {
		return nil, err
	}
	var rows []store.PincodeRisk
	err = s.db.Scope(id.tenant, id.environment).Read(ctx, func(tx *store.Tx) (err error) {
		if out.changes, err = tx.FraudChanges(); err != nil {
			return err
		}
		if out.stored, err = tx.FraudConfig(); err != nil {
			return err
		}
		rows, err = tx.AllPincodeRisks()
		return err
	})
	if err != nil {
		return nil, err
	}
	if out.stored.Version > 0 {
		if out.config, err = readStoredConfig(out.stored, key); err != nil {
			return nil, fmt.Errorf("the fraud configuration of %s in %s: %w", id.tenant, id.environment, notARefusal{err})
		}
	}
	const entrySize = 160 // without the text of its reason
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
		Pincode: r.Pincode, Risk: signal.Risk(r.Risk), Score: rule.Number(r.Score), Reason: r.Reason,
		UpdatedMicros: r.UpdatedMicros, ExpiresMicros: r.ExpiresMicros,
	}
}

// readStoredConfig reads a configuration as it is kept: the document with its
// accounts masked, and the accounts' keys beside it.
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
		if a.Kind != signal.KindBeneficiaryAccount { // the only kind there once was
			w.Key("kind").Plain(a.Kind)
		}
		w.Key("masked").String(a.Masked).Key("key").String(a.Key).EndObject()
	}
	w.EndArray()
	return w.Buf
}

// keyed makes the keyed hash by which a scope recognises accounts, addresses
// and the like without keeping them. Each scope has a key of its own, so that
// nothing can be compared between them.
func (s *Service) keyed(ctx context.Context, id scopeID) (func(kind, value string) string, error) {
	secret, err := s.secret.Get(ctx, struct{}{})
	if err != nil {
		return nil, err
	}
	own := hmac.New(sha256.New, secret)
	_, _ = fmt.Fprintf(own, "%s/%s", id.tenant, id.environment) // a hash does not fail
	key := own.Sum(nil)
	return func(kind, value string) string {
		h := hmac.New(sha256.New, key)
		_, _ = fmt.Fprintf(h, "%s\x00%s", kind, value)
		return "hmac:" + hex.EncodeToString(h.Sum(nil)[:16])
	}, nil
}

func (s *Service) loadSecret(ctx context.Context, _ struct{}) ([]byte, error) {
	fresh := make([]byte, sha256.Size)
	if _, err := io.ReadFull(s.random, fresh); err != nil {
		return nil, fmt.Errorf("a new secret: %w", err)
	}
	return s.db.System().Secret(ctx, fresh)
}

// signals are what a body's blocks are held against: nil when it has none.
func (s *Service) signals(ctx context.Context, p tenant.Principal, body wire.Value) (*application.Signals, *fraudSettings, error) {
	if !body.Get("device").Given() && !body.Get("location").Given() && !body.Get("fraud").Given() {
		return nil, nil, nil
	}
	settings, err := s.settings(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	return &application.Signals{
		Config: settings.config, Atlas: s.options.Atlas, Risks: settings.risks, AtMicros: s.now().UnixMicro(),
	}, settings, nil
}

// Tables says where the tables in the binary come from, for the documentation:
// their licences ask for it.
func Tables() []place.Source { return place.Sources() }
