package store

import "context"

// ErasedSince reports whether a person was erased, or an upload key was destroyed, after a time in microseconds. A
// database without a table of erasures has erased nobody.
func (sys *System) ErasedSince(ctx context.Context, micros int64) (bool, error) {
	var erased int64
	err := sys.read(ctx, func(s *transaction) error {
		var one int64
		if err := s.one([]any{&one}, s.db.dialect.hasTable, "erasures"); err != nil {
			return ignoreAbsent(err)
		}
		return s.one([]any{&erased}, `SELECT CASE WHEN EXISTS (SELECT 1 FROM erasures WHERE erased_micros > $1)
			THEN 1 ELSE 0 END`, micros)
	})
	if err != nil || erased == 1 {
		return erased == 1, err
	}
	destroyed, err := sys.uploadKeyDestroyed(ctx)
	return destroyed > micros, err
}
