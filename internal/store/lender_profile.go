package store

import "context"

// ConfigLenderProfile names the lender profile in the journal. The documents for borrowers contain the profile.
const ConfigLenderProfile = "lender_profile"

var lenderProfileConfig = versionedConfig{
	table:   "lender_profiles",
	config:  ConfigLenderProfile,
	changed: "the current version of the lender profile is not the expected one; read it again",
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
func (lp LenderProfileReader) Latest() (ConfigVersion, error) {
	return lenderProfileConfig.latest(lp.access)
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
func (lp LenderProfileReader) At(version int64) (ConfigVersion, error) {
	return lenderProfileConfig.at(lp.access, version, "version of the lender profile")
}

// Put adds a version and its entry in the journal. It returns the version with its number, which is one more than the
// last number. It returns Precondition precondition_failed if the last version is not the expected one; a negative
// expectedVersion accepts any.
func (lp LenderProfiles) Put(p ConfigVersion, expectedVersion int64) (ConfigVersion, error) {
	if err := lp.tx.Lock(); err != nil {
		return ConfigVersion{}, err
	}
	last, err := lp.LatestVersion()
	if err != nil {
		return ConfigVersion{}, err
	}
	if p, err = lenderProfileConfig.put(lp.tx, p, last, expectedVersion); err != nil {
		return ConfigVersion{}, err
	}
	return p, lp.tx.StoredBytes().add(len(p.Document))
}

// WalkLogged calls fn for every version. If fn returns an error, it stops and returns the error.
func (lp LenderProfileReader) WalkLogged(fn func(*LoggedConfigVersion) error) error {
	return lenderProfileConfig.walk(lp.access, fn)
}
