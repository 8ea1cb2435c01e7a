package store

import "context"

// SavedFilter is a filter of the list of decisions that a person has saved.
type SavedFilter struct {
	UserID      string
	Name        string
	Query       string // encoded by the caller
	SavedMicros int64
}

func (f *SavedFilter) fields() []any { return []any{&f.UserID, &f.Name, &f.Query, &f.SavedMicros} }

// SavedFilterReader reads the saved filters of the scope.
type SavedFilterReader struct{ access }

// SavedFilters reads like SavedFilterReader, and changes saved filters.
type SavedFilters struct{ SavedFilterReader }

// SavedFilters returns the SavedFilterReader of the scope.
func (s *Scope) SavedFilters(ctx context.Context) SavedFilterReader {
	return SavedFilterReader{s.access(ctx)}
}

// SavedFilters returns the SavedFilters of the transaction.
func (tx *Tx) SavedFilters() SavedFilters { return SavedFilters{SavedFilterReader{tx.access()}} }

// Of returns the filters of a person, ordered by name.
func (sf SavedFilterReader) Of(userID string) ([]SavedFilter, error) {
	return read(sf.access, func(tx *Tx) ([]SavedFilter, error) {
		return eachRow(tx, (*SavedFilter).fields, `SELECT user_id, name, query, saved_micros FROM saved_filters
			WHERE tenant_id = $1 AND environment = $2 AND user_id = $3 ORDER BY name`, userID)
	})
}

// Put stores a filter. It replaces the person's filter of the same name.
func (sf SavedFilters) Put(f SavedFilter) error {
	_, err := sf.tx.exec(`INSERT INTO saved_filters (tenant_id, environment, user_id, name, query, saved_micros)
		VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (tenant_id, environment, user_id, name)
		DO UPDATE SET query = excluded.query, saved_micros = excluded.saved_micros`,
		f.UserID, f.Name, f.Query, f.SavedMicros)
	return err
}

// Delete deletes a filter, and does nothing if there is none.
func (sf SavedFilters) Delete(userID, name string) error {
	_, err := sf.tx.exec(`DELETE FROM saved_filters
		WHERE tenant_id = $1 AND environment = $2 AND user_id = $3 AND name = $4`, userID, name)
	return err
}
