package decisioning

import (
	"strings"

	"verdict/internal/evidence"
	"verdict/internal/store"
)

// configEntries holds the entries of the settings.
type configEntries struct {
	// versions has, by entry id, the entries for all versions of the strategy, the retention periods and the lender
	// profile.
	versions map[string]*entry
	fraud    *entry // the last version of the fraud configuration
	pincodes *entry // the last change of the pincode risks
}

func (v *recordVerifier) collectConfig(e *entry) {
	switch name, _, _ := strings.Cut(e.leaf.ID, "/"); name {
	case store.ConfigStrategy, store.ConfigRetention, store.ConfigLenderProfile:
		v.versions[e.leaf.ID] = e
	case store.ConfigFraud:
		if v.fraud == nil || v.fraud.number < e.number {
			v.fraud = e
		}
	case store.ConfigPincodes:
		v.compareEvent(e)
		if v.pincodes == nil || v.pincodes.number < e.number {
			v.pincodes = e
		}
	}
}

// checkConfigs compares the stored settings with their entries. Only the last state of the fraud configuration and
// of the pincode risks is stored.
func (v *recordVerifier) checkConfigs(tx *store.Tx) error {
	config, err := tx.FraudConfigs().Logged()
	if err != nil {
		return err
	}
	if config.Version > 0 {
		record := config.Record()
		v.checkConfig(v.fraud, &record, config.Leaf, "the stored document or allow list")
	} else if v.fraud != nil {
		v.wrong(v.fraud.leaf.ID, "the configuration of entry %d of the journal is missing", v.fraud.number)
	}
	found := map[string]bool{}
	check := func(c *store.LoggedConfigVersion) error {
		record := c.Record()
		found[record.ID] = true
		v.checkConfig(v.versions[record.ID], &record, c.Leaf, "the stored document")
		return nil
	}
	for _, walk := range []func(func(*store.LoggedConfigVersion) error) error{
		tx.Strategies().WalkLogged, tx.Retention().WalkLogged, tx.LenderProfiles().WalkLogged,
	} {
		if err := walk(check); err != nil {
			return err
		}
	}
	for id, e := range v.versions {
		if !found[id] {
			what := "strategy"
			switch name, _, _ := strings.Cut(id, "/"); name {
			case store.ConfigRetention:
				what = "retention periods"
			case store.ConfigLenderProfile:
				what = "lender profile"
			}
			v.wrong(id, "the %s of entry %d of the journal is missing", what, e.number)
		}
	}
	return v.checkPincodes(tx)
}

// checkConfig compares a stored setting with its entry, which may be nil.
func (v *recordVerifier) checkConfig(e *entry, record *evidence.Record, leaf int64, texts string) {
	switch {
	case e == nil && leaf < 0 && v.older(record.Micros):
		v.noEntry++
	case e == nil:
		v.wrong(record.ID, "it has no entry in the journal")
	case v.linked(e, leaf):
		v.compare(e, *record, texts)
	}
}

func (v *recordVerifier) checkPincodes(tx *store.Tx) error {
	logged, err := tx.PincodeRisks().Logged()
	if err != nil {
		return err
	}
	all, err := tx.PincodeRisks().All()
	if err != nil {
		return err
	}
	e := v.pincodes
	switch {
	case e == nil && len(all) == 0:
	case e == nil && logged.Leaf < 0 && v.older(all[0].UpdatedMicros):
		v.noEntry++
	case e == nil:
		v.wrong(store.ConfigPincodes, "they have no entry in the journal")
	case v.linked(e, logged.Leaf) && store.CommitPincodes(logged.Salt, all) != e.leaf.Commitment:
		v.wrong(store.ConfigPincodes, "they differ from their last change, entry %d of the journal", e.number)
	}
	return nil
}
