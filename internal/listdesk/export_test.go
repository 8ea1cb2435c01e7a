package listdesk

import (
	"context"

	"verdict/internal/operation"
	"verdict/internal/rule"
	"verdict/internal/store"
)

// ChunkOf returns the number of the chunk to which a text belongs in the latest version of a list.
func (s *Service) ChunkOf(ctx context.Context, scope operation.ScopeID, name, value string) (int, error) {
	found, err := s.head(ctx, headID{scope.Tenant, scope.Environment, name})
	if err != nil {
		return 0, err
	}
	return found.directory.Index(found.keyer.Of(rule.Str(value))), nil
}

// Discard deletes the chunks of a version of a list, except the chunks that the latest version names. A node does
// the same if it does not know whether its commit succeeded.
func (s *Service) Discard(ctx context.Context, scope *store.Scope, of store.List) {
	s.discard(ctx, scope, of.ID, chunksOf(of.Directory))
}
