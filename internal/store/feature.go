package store

// Features are the feature vector of one decision, in the form that package
// feature gives it, and the history it was made of.
type Features struct {
	DecisionID string
	AsOf       string // the date the windows end at
	Hash       string
	Vector     []byte
	Source     []byte
}

var featureTable = newBulkTable("decision_features",
	column{"decision_id", text}, column{"as_of", text}, column{"hash", text}, column{"vector", bytea}, column{"source", bytea})

func (f *Features) row(decisionID string) []any {
	return []any{decisionID, f.AsOf, f.Hash, present(f.Vector), present(f.Source)}
}

// Features finds the vector of a decision: NotFound when it has none.
func (ds DecisionReader) Features(decisionID string) (Features, error) {
	return readOf(ds.access, decisionID, func(tx *Tx) (Features, error) {
		f := Features{DecisionID: decisionID}
		err := tx.one([]any{&f.AsOf, &f.Hash, &f.Vector, &f.Source},
			`SELECT as_of, hash, vector, source FROM decision_features
		WHERE tenant_id = $1 AND environment = $2 AND decision_id = $3`, decisionID)
		return f, oneOf("feature vector", err)
	})
}
