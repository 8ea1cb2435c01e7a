package store

import "verdict/internal/fault"

// RemoveDraft deletes a draft, or archives it if a backtest, a decision or another rule set refers to it. An archived
// draft is not listed, but can be read by its id. RemoveDraft returns Conflict invalid_transition for a rule set that
// is not a draft and for the initial rule set that stops lending.
func (rs RuleSets) RemoveDraft(id string, nowMicros int64) (removed RuleSet, archived bool, err error) {
	set, err := rs.Get(id)
	if err != nil {
		return RuleSet{}, false, err
	}
	// From here on, activations of this policy_key wait for the end of this transaction.
	if _, err := rs.tx.exec(`UPDATE series SET changes = changes
		WHERE tenant_id = $1 AND environment = $2 AND kind = 'policy' AND name = $3`, set.PolicyKey); err != nil {
		return RuleSet{}, false, err
	}
	if set, err = rs.Get(id); err != nil {
		return RuleSet{}, false, err
	}
	safe, err := rs.SafeID(set.PolicyKey)
	switch {
	case err != nil:
		return RuleSet{}, false, err
	case set.Status != StatusDraft:
		return RuleSet{}, false, fault.New(fault.Conflict, fault.CodeInvalidTransition,
			"only a draft can be deleted; this rule set is %s and explains decisions", set.Status)
	case safe == id:
		return RuleSet{}, false, fault.New(fault.Conflict, fault.CodeInvalidTransition,
			"this is the initial SAFE_MODE for an emergency stop; it cannot be deleted")
	case set.ArchivedMicros != 0:
		return set, true, nil
	}
	var referred int64
	err = rs.tx.one([]any{&referred}, `SELECT CASE
		WHEN EXISTS (SELECT 1 FROM backtests WHERE tenant_id = $1 AND environment = $2 `+
		`AND (rule_set_id = $3 OR challenger_id = $3))
		  OR EXISTS (SELECT 1 FROM decisions WHERE tenant_id = $1 AND environment = $2 AND policy_id = $3)
		  OR EXISTS (SELECT 1 FROM rule_sets WHERE tenant_id = $1 AND environment = $2 AND base = $3)
		THEN 1 ELSE 0 END`, id)
	if err != nil {
		return RuleSet{}, false, err
	}
	event := EventRuleSetArchived
	if referred == 0 {
		event = EventRuleSetDeleted
	}
	if _, err := rs.tx.record(set.removal(event, nowMicros)); err != nil {
		return RuleSet{}, false, err
	}
	if referred == 0 {
		if _, err := rs.tx.exec(`DELETE FROM rule_set_lists
			WHERE tenant_id = $1 AND environment = $2 AND rule_set_id = $3`, id); err != nil {
			return RuleSet{}, false, err
		}
		if _, err := rs.tx.exec(`DELETE FROM rule_set_tables
			WHERE tenant_id = $1 AND environment = $2 AND rule_set_id = $3`, id); err != nil {
			return RuleSet{}, false, err
		}
		_, err = rs.tx.StoredBytes().deleteCounted(`DELETE FROM rule_sets
			WHERE tenant_id = $1 AND environment = $2 AND id = $3 RETURNING length(document)`, id)
		return set, false, err
	}
	set.ArchivedMicros = nowMicros
	_, err = rs.tx.exec(
		"UPDATE rule_sets SET archived_micros = $4 WHERE tenant_id = $1 AND environment = $2 AND id = $3",
		id, nowMicros)
	return set, true, err
}

// Drafts returns the number of the scope's drafts that are not archived.
func (rs RuleSetReader) Drafts() (int64, error) {
	return read(rs.access, func(tx *Tx) (int64, error) {
		return countRows(tx, `SELECT count(*) FROM rule_sets WHERE tenant_id = $1 AND environment = $2
		AND status = 'draft' AND archived_micros = 0`)
	})
}

// Count returns the number of the scope's scorecards.
func (sc ScorecardReader) Count() (int64, error) {
	return read(sc.access, func(tx *Tx) (int64, error) {
		return countRows(tx, "SELECT count(*) FROM scorecards WHERE tenant_id = $1 AND environment = $2")
	})
}

// Count returns the number of entries of the block list, including those that
// have ended.
func (bl BlocklistReader) Count() (int64, error) {
	return read(bl.access, func(tx *Tx) (int64, error) {
		return countRows(tx,
			"SELECT count(*) FROM fraud_entities WHERE tenant_id = $1 AND environment = $2 AND blocked_micros > 0")
	})
}

func countRows(tx *Tx, query string) (n int64, err error) {
	err = tx.one([]any{&n}, query)
	return n, err
}
