package store

import (
	"context"

	"verdict/internal/evidence"
	"verdict/internal/fault"
)

// ConfigLenderProfile names the lender profile in the journal.
const ConfigLenderProfile = "lender_profile"

// LenderProfile is one version of the lender's profile, encoded by the caller. The documents for borrowers contain the
// profile.
type LenderProfile struct {
	Version       int64 // assigned by Put; 0 before the first Put
	Document      []byte
	UpdatedMicros int64
	UpdatedBy     string
}

const lenderProfileColumns = "version, document, updated_micros, updated_by"

func (p *LenderProfile) fields() []any {
	return []any{&p.Version, &p.Document, &p.UpdatedMicros, &p.UpdatedBy}
}

// LoggedLenderProfile is a LenderProfile with the number of its entry in the journal.
type LoggedLenderProfile struct {
	LenderProfile
	Leaf int64
	Salt []byte // the salt of the hash over the document
}

func (p *LoggedLenderProfile) fields() []any {
	return append(p.LenderProfile.fields(), &p.Leaf, &p.Salt)
}

// Record returns the profile's entry in the journal. The scope of the entry is not set.
func (p *LoggedLenderProfile) Record() evidence.Record {
	r := configRecord(ConfigLenderProfile, p.Version, p.UpdatedMicros, p.UpdatedBy)
	r.Commitment = evidence.Commit(p.Salt, string(p.Document))
	return r
}

// LenderProfileReader reads the versions of the lender profile.
type LenderProfileReader struct{ access }

// LenderProfiles reads like LenderProfileReader, and adds versions.
type LenderProfiles struct{ LenderProfileReader }

// LenderProfiles returns the LenderProfileReader of the scope.
func (s *Scope) LenderProfiles(ctx context.Context) LenderProfileReader {
	return LenderProfileReader{s.access(ctx)}
}

// LenderProfiles returns the LenderProfiles of the transaction.
func (tx *Tx) LenderProfiles() LenderProfiles {
	return LenderProfiles{LenderProfileReader{tx.access()}}
}

// Latest returns the latest version, with version 0 and no document if there is none.
func (lp LenderProfileReader) Latest() (LenderProfile, error) {
	return read(lp.access, func(tx *Tx) (p LenderProfile, err error) {
		err = tx.one(p.fields(), "SELECT "+lenderProfileColumns+` FROM lender_profiles
			WHERE tenant_id = $1 AND environment = $2 ORDER BY version DESC LIMIT 1`)
		return p, ignoreAbsent(err)
	})
}

// LatestVersion returns the number of the latest version, 0 if there is none.
func (lp LenderProfileReader) LatestVersion() (int64, error) {
	return read(lp.access, func(tx *Tx) (version int64, err error) {
		err = tx.one([]any{&version}, `SELECT coalesce(max(version), 0) FROM lender_profiles
			WHERE tenant_id = $1 AND environment = $2`)
		return version, err
	})
}

// At returns one version, NotFound if there is no version with this number.
func (lp LenderProfileReader) At(version int64) (LenderProfile, error) {
	return read(lp.access, func(tx *Tx) (p LenderProfile, err error) {
		err = tx.one(p.fields(), "SELECT "+lenderProfileColumns+` FROM lender_profiles
			WHERE tenant_id = $1 AND environment = $2 AND version = $3`, version)
		return p, orNotFound("version of the lender profile", err)
	})
}

// Put adds a version and its entry in the journal. It returns the version with its number, which is one more than the
// last number. It returns Precondition precondition_failed if the last version is not the expected one; a negative
// expectedVersion accepts any.
func (lp LenderProfiles) Put(p LenderProfile, expectedVersion int64) (LenderProfile, error) {
	if err := lp.tx.Lock(); err != nil {
		return LenderProfile{}, err
	}
	last, err := lp.LatestVersion()
	if err != nil {
		return LenderProfile{}, err
	}
	if expectedVersion >= 0 && expectedVersion != last {
		return LenderProfile{}, fault.New(fault.Precondition, fault.CodePreconditionFailed,
			"the current version of the lender profile is not the expected one; read it again")
	}
	p.Version = last + 1
	logged := LoggedLenderProfile{LenderProfile: p, Salt: newSalt()}
	leaf, err := lp.tx.record(logged.Record())
	if err != nil {
		return LenderProfile{}, err
	}
	_, err = lp.tx.exec(`INSERT INTO lender_profiles (tenant_id, environment, `+lenderProfileColumns+`, leaf, salt)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		p.Version, notNil(p.Document), p.UpdatedMicros, p.UpdatedBy, leaf, logged.Salt)
	if err != nil {
		return LenderProfile{}, err
	}
	return p, lp.tx.StoredBytes().add(len(p.Document))
}

// WalkLogged calls fn for every version. If fn returns an error, it stops and returns the error.
func (lp LenderProfileReader) WalkLogged(fn func(*LoggedLenderProfile) error) error {
	version := func(x *LoggedLenderProfile) int64 { return x.Version }
	return walkVersions(lp.access, lenderProfileColumns, "lender_profiles", version, fn)
}
