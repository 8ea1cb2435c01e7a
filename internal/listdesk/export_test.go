package listdesk

import (
	"context"

	"verdict/internal/store"
)

// Discard deletes all chunks of a list that the latest version does not name, as after a commit whose outcome nobody
// knows.
func (s *Service) Discard(ctx context.Context, scope *store.Scope, of store.List) {
	s.discard(ctx, scope, of.ID, chunksOf(of.Directory))
}
