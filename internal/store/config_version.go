package store

import (
	"verdict/internal/evidence"
	"verdict/internal/fault"
)

// ConfigVersion is one version of a setting of a scope, encoded by the caller. The setting is the collections
// strategy, the lender profile or the retention periods.
type ConfigVersion struct {
	Version       int64 // assigned by Put; 0 before the first Put
	Document      []byte
	UpdatedMicros int64
	UpdatedBy     string
}

const configVersionColumns = "version, document, updated_micros, updated_by"

func (c *ConfigVersion) fields() []any {
	return []any{&c.Version, &c.Document, &c.UpdatedMicros, &c.UpdatedBy}
}

// LoggedConfigVersion is a ConfigVersion with the number of its entry in the journal.
type LoggedConfigVersion struct {
	ConfigVersion
	Leaf int64  // -1 if the version is older than the journal and has no entry yet
	Salt []byte // the salt of the hash over the document

	config string // the name of the setting in the journal
}

func (c *LoggedConfigVersion) fields() []any {
	return append(c.ConfigVersion.fields(), &c.Leaf, &c.Salt)
}

// Record returns the entry of the version in the journal. The scope of the entry is not set.
func (c *LoggedConfigVersion) Record() evidence.Record {
	r := configRecord(c.config, c.Version, c.UpdatedMicros, c.UpdatedBy)
	r.Commitment = evidence.Commit(c.Salt, string(c.Document))
	return r
}

// versionedConfig is a setting of which every version is stored.
type versionedConfig struct {
	table   string
	config  string // the name of the setting in the journal
	changed string // the refusal of a caller who expected another version
}

// latest returns the latest version, with version 0 and no document if there is none.
func (v versionedConfig) latest(a access) (ConfigVersion, error) {
	return read(a, func(tx *Tx) (c ConfigVersion, err error) {
		err = tx.one(c.fields(), "SELECT "+configVersionColumns+` FROM `+v.table+`
			WHERE tenant_id = $1 AND environment = $2 ORDER BY version DESC LIMIT 1`)
		return c, ignoreAbsent(err)
	})
}

// at returns the version with the given number, and NotFound if there is none. The parameter "what" names the version
// in the refusal.
func (v versionedConfig) at(a access, version int64, what string) (ConfigVersion, error) {
	return read(a, func(tx *Tx) (c ConfigVersion, err error) {
		err = tx.one(c.fields(), "SELECT "+configVersionColumns+` FROM `+v.table+`
			WHERE tenant_id = $1 AND environment = $2 AND version = $3`, version)
		return c, orNotFound(what, err)
	})
}

// put adds a version and its entry in the journal. It returns the version with its number, which is one more than
// last. It returns Precondition precondition_failed if last is not the expected number; a negative number accepts any.
func (v versionedConfig) put(tx *Tx, c ConfigVersion, last, expected int64) (ConfigVersion, error) {
	if expected >= 0 && expected != last {
		return ConfigVersion{}, fault.New(fault.Precondition, fault.CodePreconditionFailed, "%s", v.changed)
	}
	c.Version = last + 1
	logged := LoggedConfigVersion{ConfigVersion: c, Salt: newSalt(), config: v.config}
	leaf, err := tx.record(logged.Record())
	if err != nil {
		return ConfigVersion{}, err
	}
	_, err = tx.exec(`INSERT INTO `+v.table+` (tenant_id, environment, `+configVersionColumns+`, leaf, salt)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		c.Version, notNil(c.Document), c.UpdatedMicros, c.UpdatedBy, leaf, logged.Salt)
	return c, err
}

// walk calls fn for every version, in ascending order. If fn returns an error, walk stops and returns the error.
func (v versionedConfig) walk(a access, fn func(*LoggedConfigVersion) error) error {
	const together = 20 // documents can be large
	version := func(x *LoggedConfigVersion) int64 { return x.Version }
	return walkByKey(a, configVersionColumns+", leaf, salt", v.table, "version", together, version,
		func(x *LoggedConfigVersion) error {
			x.config = v.config
			return fn(x)
		})
}
