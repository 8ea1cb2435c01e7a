package operation

import "context"

// purgeBatch is the number of rows removed in one transaction. It limits how
// long a purge blocks other writes.
const purgeBatch = 1_000

// PurgeAll removes expired rows, a batch at a time. The function remove must remove about limit rows, or fewer if
// no more are left, and must return how many it has removed. Rows that could not be removed stay until the next
// purge.
func (s *Core) PurgeAll(ctx context.Context, what string, remove func(limit int) (int64, error)) {
	removed, err := int64(purgeBatch), error(nil)
	for removed >= purgeBatch && err == nil {
		removed, err = remove(purgeBatch)
	}
	if err != nil {
		s.Logger.WarnContext(ctx, "could not purge expired rows; the next purge retries",
			"what", what, "error", err)
	}
}

// Purge removes expired Idempotency-Keys with their answers.
func (s *Core) Purge(ctx context.Context) {
	now := s.Now().UnixMicro()
	s.PurgeAll(ctx, "idempotency keys", func(limit int) (int64, error) {
		return s.DB.System().PurgeIdempotency(ctx, now, limit)
	})
}
