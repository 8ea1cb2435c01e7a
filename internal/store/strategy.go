package store

import (
	"verdict/internal/fault"
)

// Strategy is one version of a scope's collections strategy, encoded by the
// caller.
type Strategy struct {
	Version       int64 // assigned by Put; 0 before the first Put
	Document      []byte
	UpdatedMicros int64
	UpdatedBy     string
}

const strategyColumns = "version, document, updated_micros, updated_by"

func (s *Strategy) fields() []any {
	return []any{&s.Version, &s.Document, &s.UpdatedMicros, &s.UpdatedBy}
}

// Latest returns the scope's latest strategy, with version 0 and no document if
// it has none.
func (st StrategyReader) Latest() (Strategy, error) {
	return read(st.access, func(tx *Tx) (Strategy, error) {
		var s Strategy
		err := tx.one(s.fields(), "SELECT "+strategyColumns+` FROM collections_strategies
		WHERE tenant_id = $1 AND environment = $2 ORDER BY version DESC LIMIT 1`)
		return s, ignoreAbsent(err)
	})
}

// At returns one version of the scope's strategy, NotFound if there is none.
func (st StrategyReader) At(version int64) (Strategy, error) {
	return read(st.access, func(tx *Tx) (Strategy, error) {
		var s Strategy
		err := tx.one(s.fields(), "SELECT "+strategyColumns+` FROM collections_strategies
		WHERE tenant_id = $1 AND environment = $2 AND version = $3`, version)
		return s, orNotFound("strategy", err)
	})
}

// Put adds a version and its entry in the journal. It returns the version with its number, which is one more than the
// last number. It returns Precondition precondition_failed if the last version is not the expected one; a negative
// expectedVersion accepts any.
func (st Strategies) Put(s Strategy, expectedVersion int64) (Strategy, error) {
	if err := st.tx.Lock(); err != nil {
		return Strategy{}, err
	}
	before, err := st.Latest()
	if err != nil {
		return Strategy{}, err
	}
	if expectedVersion >= 0 && expectedVersion != before.Version {
		return Strategy{}, fault.New(fault.Precondition, fault.CodePreconditionFailed,
			"the strategy was changed in the meantime; read it again")
	}
	s.Version = before.Version + 1
	logged := LoggedStrategy{Strategy: s, Salt: newSalt()}
	leaf, err := st.tx.record(logged.Record())
	if err != nil {
		return Strategy{}, err
	}
	_, err = st.tx.exec(`INSERT INTO collections_strategies (tenant_id, environment, `+strategyColumns+`, leaf, salt)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		s.Version, notNil(s.Document), s.UpdatedMicros, s.UpdatedBy, leaf, logged.Salt)
	if err != nil {
		return Strategy{}, err
	}
	return s, st.tx.StoredBytes().add(len(s.Document))
}
