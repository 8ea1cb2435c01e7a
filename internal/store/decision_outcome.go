package store

// OutcomeCount is the number of decisions of one rule set with the same status and grade.
type OutcomeCount struct {
	Status, Grade string
	Count         int64
}

func (o *OutcomeCount) fields() []any { return []any{&o.Status, &o.Grade, &o.Count} }

// CountOutcomes counts the latest decisions of a rule set by status and grade. It counts at most limit decisions, and
// none with an id before fromID.
func (ds DecisionReader) CountOutcomes(ruleSetID, fromID string, limit int) ([]OutcomeCount, error) {
	return read(ds.access, func(tx *Tx) ([]OutcomeCount, error) {
		return eachRow(tx, (*OutcomeCount).fields, `SELECT status, grade, count(*) FROM (
				SELECT status, grade FROM decisions
				WHERE tenant_id = $1 AND environment = $2 AND policy_id = $3 AND id >= $4 ORDER BY id DESC LIMIT $5
			) AS latest GROUP BY status, grade ORDER BY status, grade`, ruleSetID, fromID, int64(limit))
	})
}
