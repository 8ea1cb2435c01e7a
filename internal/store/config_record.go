package store

import (
	"strconv"

	"verdict/internal/evidence"
	"verdict/internal/wire"
)

// The settings that have entries in the journal.
const (
	ConfigFraud    = "fraud_config"
	ConfigPincodes = "pincode_risks"
)

// EventConfigChanged is the type of the event that records a changed setting.
const EventConfigChanged = "config.changed"

// configRecord returns the journal entry of a version of a setting.
func configRecord(name string, version, micros int64, actor string) evidence.Record {
	return evidence.Record{
		Kind:   evidence.Config,
		ID:     name + "/" + strconv.FormatInt(version, 10),
		Micros: micros,
		Type:   EventConfigChanged,
		Data: eventData(func(w *wire.Writer) {
			w.Optional("actor", actor)
			w.Optional("config", name)
			w.Key("version").Int(version)
		}),
	}
}

// LoggedFraudConfig is a FraudConfig with the number of its entry in the journal.
type LoggedFraudConfig struct {
	FraudConfig
	Leaf int64  // -1 if the configuration is older than the journal and has no entry yet
	Salt []byte // the salt of the hash over the document and the accounts
}

// Record returns the configuration's entry in the journal. The scope of the entry is not set.
func (c *LoggedFraudConfig) Record() evidence.Record {
	r := configRecord(ConfigFraud, c.Version, c.UpdatedMicros, c.UpdatedBy)
	r.Commitment = evidence.Commit(c.Salt, string(c.Document), string(c.Accounts))
	return r
}

// Logged returns the configuration with the number of its entry, version 0 if there is none.
func (fc FraudConfigReader) Logged() (LoggedFraudConfig, error) {
	return read(fc.access, func(tx *Tx) (c LoggedFraudConfig, err error) {
		err = tx.one([]any{&c.Version, &c.Document, &c.Accounts, &c.UpdatedMicros, &c.UpdatedBy, &c.Leaf, &c.Salt},
			`SELECT version, document, accounts, updated_micros, updated_by, leaf, salt FROM fraud_configs
			WHERE tenant_id = $1 AND environment = $2 AND name = 'fraud'`)
		return c, ignoreAbsent(err)
	})
}

// LoggedPincodes identifies the journal entry of the last change of the pincode risks.
type LoggedPincodes struct {
	Leaf int64  // -1 if there is no entry
	Salt []byte // the salt of the hash over all pincode risks
}

// Log adds the entry of a change of the pincode risks to the journal. The entry has a hash over all pincode risks, so
// call Log once, after the last change of the transaction.
func (pr PincodeRisks) Log(actor string, nowMicros int64) error {
	return pr.log(actor, nowMicros, pr.tx.record)
}

// log does the work of Log for a change at changedMicros. It calls record to add the entry.
func (pr PincodeRisks) log(
	actor string, changedMicros int64, record func(...evidence.Record) (int64, error),
) error {
	all, err := pr.All()
	if err != nil {
		return err
	}
	salt := newSalt()
	leaf, err := record(evidence.Record{
		Kind:   evidence.Config,
		ID:     ConfigPincodes,
		Micros: wholeMillis(changedMicros),
		Type:   EventConfigChanged,
		Data: eventData(func(w *wire.Writer) {
			w.Optional("actor", actor)
			w.Optional("config", ConfigPincodes)
			w.Key("entries").Int(int64(len(all)))
		}),
		Commitment: CommitPincodes(salt, all),
	})
	if err != nil {
		return err
	}
	_, err = pr.tx.exec(`INSERT INTO fraud_changes (tenant_id, environment, name, changes, pincode_leaf, pincode_salt)
		VALUES ($1, $2, 'fraud', 1, $3, $4) ON CONFLICT (tenant_id, environment, name)
		DO UPDATE SET pincode_leaf = excluded.pincode_leaf, pincode_salt = excluded.pincode_salt`, leaf, salt)
	return err
}

// CommitPincodes returns the salted hash of all pincode risks of a scope. Parameter "all" must be sorted by
// pincode.
func CommitPincodes(salt []byte, all []PincodeRisk) [32]byte {
	const columns = 7
	texts := make([]string, 0, columns*len(all))
	for i := range all {
		r := &all[i]
		texts = append(texts, r.Pincode, r.Risk, strconv.FormatInt(r.Score, 10), r.Reason,
			strconv.FormatInt(r.UpdatedMicros, 10), r.UpdatedBy, strconv.FormatInt(r.ExpiresMicros, 10))
	}
	return evidence.Commit(salt, texts...)
}

// Logged returns the number of the journal entry of the last change of the pincode risks, and the salt of its hash.
func (pr PincodeRiskReader) Logged() (LoggedPincodes, error) {
	return read(pr.access, func(tx *Tx) (p LoggedPincodes, err error) {
		p.Leaf = -1
		err = tx.one([]any{&p.Leaf, &p.Salt}, `SELECT pincode_leaf, pincode_salt FROM fraud_changes
			WHERE tenant_id = $1 AND environment = $2 AND name = 'fraud'`)
		return p, ignoreAbsent(err)
	})
}

// fillConfigs adds journal entries for settings that have none, and returns the number of added entries. b.Limit
// limits only the versions of the strategy.
func fillConfigs(tx *Tx, b Backfill) (added int, err error) {
	config, err := tx.FraudConfigs().Logged()
	if err != nil {
		return 0, err
	}
	if config.Version > 0 && config.Leaf < 0 && config.UpdatedMicros < b.BeforeMicros {
		config.Salt = newSalt()
		leaf, err := b.record(tx, config.Record())
		if err != nil {
			return added, err
		}
		if _, err := tx.exec(`UPDATE fraud_configs SET leaf = $3, salt = $4
			WHERE tenant_id = $1 AND environment = $2 AND name = 'fraud'`, leaf, config.Salt); err != nil {
			return added, err
		}
		added++
	}
	n, err := fillPincodes(tx, b)
	if added += n; err != nil {
		return added, err
	}
	strategies, err := eachRow(tx, (*LoggedConfigVersion).fields, "SELECT "+configVersionColumns+`, leaf, salt
		FROM collections_strategies WHERE tenant_id = $1 AND environment = $2 AND leaf < 0 AND updated_micros < $3
		ORDER BY version LIMIT $4`, b.BeforeMicros, int64(b.Limit))
	if err != nil {
		return added, err
	}
	for i := range strategies {
		s := &strategies[i]
		s.config, s.Salt = ConfigStrategy, newSalt()
		leaf, err := b.record(tx, s.Record())
		if err != nil {
			return added, err
		}
		if _, err := tx.exec(`UPDATE collections_strategies SET leaf = $4, salt = $5
			WHERE tenant_id = $1 AND environment = $2 AND version = $3`, s.Version, leaf, s.Salt); err != nil {
			return added, err
		}
		added++
	}
	return added, nil
}

// fillPincodes adds an entry to the journal for pincode risks that have none. The entry names the person who made the
// latest change.
func fillPincodes(tx *Tx, b Backfill) (int, error) {
	logged, err := tx.PincodeRisks().Logged()
	if err != nil || logged.Leaf >= 0 {
		return 0, err
	}
	var actor string
	var micros int64
	err = tx.one([]any{&actor, &micros}, `SELECT updated_by, updated_micros FROM fraud_pincode_risks
		WHERE tenant_id = $1 AND environment = $2 ORDER BY updated_micros DESC, pincode LIMIT 1`)
	if err != nil || micros >= b.BeforeMicros {
		return 0, ignoreAbsent(err)
	}
	return 1, tx.PincodeRisks().log(actor, micros, func(records ...evidence.Record) (int64, error) {
		return b.record(tx, records...)
	})
}
