package store

// ConfigStrategy names the collections strategy in the journal.
const ConfigStrategy = "collections_strategy"

var strategyConfig = versionedConfig{
	table:   "collections_strategies",
	config:  ConfigStrategy,
	changed: "the strategy was changed in the meantime; read it again",
}

// Latest returns the scope's latest strategy, with version 0 and no document if
// it has none.
func (st StrategyReader) Latest() (ConfigVersion, error) { return strategyConfig.latest(st.access) }

// At returns one version of the scope's strategy, NotFound if there is none.
func (st StrategyReader) At(version int64) (ConfigVersion, error) {
	return strategyConfig.at(st.access, version, "strategy")
}

// Put adds a version and its entry in the journal. It returns the version with its number, which is one more than the
// last number. It returns Precondition precondition_failed if the last version is not the expected one; a negative
// expectedVersion accepts any.
func (st Strategies) Put(s ConfigVersion, expectedVersion int64) (ConfigVersion, error) {
	if err := st.tx.Lock(); err != nil {
		return ConfigVersion{}, err
	}
	before, err := st.Latest()
	if err != nil {
		return ConfigVersion{}, err
	}
	if s, err = strategyConfig.put(st.tx, s, before.Version, expectedVersion); err != nil {
		return ConfigVersion{}, err
	}
	return s, st.tx.StoredBytes().add(len(s.Document))
}

// WalkLogged calls fn for every version of the strategy. If fn returns an error, it stops and returns the error.
func (st StrategyReader) WalkLogged(fn func(*LoggedConfigVersion) error) error {
	return strategyConfig.walk(st.access, fn)
}
