package store

import (
	"verdict/internal/fault"
)

// FraudConfig holds a scope's fraud thresholds, encoded by the caller. Accounts
// holds the keys of the allow list, which are not in the document.
type FraudConfig struct {
	Version       int64 // assigned by Put; 0 before the first Put
	Document      []byte
	Accounts      []byte
	UpdatedMicros int64
	UpdatedBy     string
}

// Get returns the scope's configuration, with version 0 and no document if it
// has none.
func (fc FraudConfigReader) Get() (FraudConfig, error) {
	return read(fc.access, func(tx *Tx) (FraudConfig, error) {
		var c FraudConfig
		err := tx.one([]any{&c.Version, &c.Document, &c.Accounts, &c.UpdatedMicros, &c.UpdatedBy},
			`SELECT version, document, accounts, updated_micros, updated_by FROM fraud_configs
		WHERE tenant_id = $1 AND environment = $2 AND name = 'fraud'`)
		return c, ignoreAbsent(err)
	})
}

// Put replaces the configuration, adds an entry to the journal, and returns the configuration with its version, which
// is one more than the last. It returns Precondition precondition_failed if the last version is not the expected one;
// a negative expectedVersion accepts any.
func (fc FraudConfigs) Put(c FraudConfig, expectedVersion int64) (FraudConfig, error) {
	if err := fc.noteChange(); err != nil {
		return FraudConfig{}, err
	}
	before, err := fc.Get()
	if err != nil {
		return FraudConfig{}, err
	}
	if expectedVersion >= 0 && expectedVersion != before.Version {
		return FraudConfig{}, fault.New(fault.Precondition, fault.CodePreconditionFailed,
			"the configuration was changed in the meantime; read it again")
	}
	c.Version = before.Version + 1
	logged := LoggedFraudConfig{FraudConfig: c, Salt: newSalt()}
	leaf, err := fc.tx.record(logged.Record())
	if err != nil {
		return FraudConfig{}, err
	}
	_, err = fc.tx.exec(
		`INSERT INTO fraud_configs (tenant_id, environment, name, version, document, accounts, updated_micros,
			updated_by, leaf, salt)
		VALUES ($1, $2, 'fraud', $3, $4, $5, $6, $7, $8, $9)
		ON CONFLICT (tenant_id, environment, name) DO UPDATE SET version = excluded.version,
			document = excluded.document, accounts = excluded.accounts, updated_micros = excluded.updated_micros,
			updated_by = excluded.updated_by, leaf = excluded.leaf, salt = excluded.salt`,
		c.Version, notNil(c.Document), notNil(c.Accounts), c.UpdatedMicros, c.UpdatedBy, leaf, logged.Salt)
	return c, err
}

// Changes returns a number that grows with every change of the configuration, of
// the pincode risks and of the block list. It is 0 before the first change.
// Changes reads one small row, so it is cheap enough to call often.
func (fc FraudConfigReader) Changes() (int64, error) {
	return read(fc.access, func(tx *Tx) (int64, error) {
		var n int64
		err := tx.one([]any{&n},
			"SELECT changes FROM fraud_changes WHERE tenant_id = $1 AND environment = $2 AND name = 'fraud'")
		return n, ignoreAbsent(err)
	})
}

// noteChange increments the number that Changes returns. It is the first step
// of every change that other nodes must notice.
func (fc FraudConfigs) noteChange() error {
	if err := fc.lock(); err != nil {
		return err
	}
	_, err := fc.tx.exec(`INSERT INTO fraud_changes (tenant_id, environment, name, changes) VALUES ($1, $2, 'fraud', 1)
		ON CONFLICT (tenant_id, environment, name) DO UPDATE SET changes = fraud_changes.changes + 1`)
	return err
}

// lock locks the scope's fraud data until the transaction ends. All fraud
// data of the scope has a single lock, taken before any row is locked, so it
// cannot cause a deadlock.
func (fc FraudConfigs) lock() error { return fc.tx.Lock() }
