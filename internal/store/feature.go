package store

// Features is the feature vector of one decision, as encoded by package
// feature, and the history it was computed from.
type Features struct {
	DecisionID string
	AsOf       string // the date at which the windows of the features end
	Hash       string
	Vector     []byte
	Source     []byte
}

var featureTable = newBulkTable("decision_features",
	column{"decision_id", text}, column{"as_of", text}, column{"hash", text}, column{"vector", bytea},
	column{"source", bytea})

func (f *Features) row(decisionID string) []any {
	return []any{decisionID, f.AsOf, f.Hash, notNil(f.Vector), notNil(f.Source)}
}

// Features returns the feature vector of a decision, NotFound if it has none.
func (ds DecisionReader) Features(decisionID string) (Features, error) {
	return readOf(ds.access, decisionID, func(tx *Tx) (Features, error) {
		f := Features{DecisionID: decisionID}
		err := tx.one([]any{&f.AsOf, &f.Hash, &f.Vector, &f.Source},
			`SELECT as_of, hash, vector, source FROM decision_features
		WHERE tenant_id = $1 AND environment = $2 AND decision_id = $3`, decisionID)
		return f, orNotFound("feature vector", err)
	})
}
