package store

// StatementTexts returns the texts of all statements that ran so far on a SQLite database.
func (db *DB) StatementTexts() map[string]struct{} {
	texts := map[string]struct{}{}
	for _, prepared := range []*statements{db.reader.prepared, db.writer.prepared} {
		prepared.mu.RLock()
		for text := range prepared.byText {
			texts[text] = struct{}{}
		}
		for text := range prepared.wanted {
			texts[text] = struct{}{}
		}
		prepared.mu.RUnlock()
	}
	return texts
}

// SelectFeaturesBetween is the statement that reads the feature vectors of a page of decisions.
const SelectFeaturesBetween = selectFeaturesBetween

// SelectPeopleBetween is the statement that reads the people of a page of decisions.
const SelectPeopleBetween = selectPeopleBetween
