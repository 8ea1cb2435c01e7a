package operation

import "context"

// purgeBatch bounds how long a purge holds the writer.
const purgeBatch = 1_000

// PurgeAll removes rows that have expired, a batch at a time. remove removes at most
// limit of them and returns how many it did. Rows that could not be removed stay until
// the next purge.
func (s *Core) PurgeAll(ctx context.Context, what string, remove func(limit int) (int64, error)) {
	removed, err := int64(purgeBatch), error(nil)
	for removed == purgeBatch && err == nil {
		removed, err = remove(purgeBatch)
	}
	if err != nil {
		s.Logger.WarnContext(ctx, "what has expired stays for now", "what", what, "error", err)
	}
}

// Purge removes the answers of Idempotency-Keys that have expired.
func (s *Core) Purge(ctx context.Context) {
	now := s.Now().UnixMicro()
	s.PurgeAll(ctx, "idempotency keys", func(limit int) (int64, error) {
		return s.DB.System().PurgeIdempotency(ctx, now, limit)
	})
}
