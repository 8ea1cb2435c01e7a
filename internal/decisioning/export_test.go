package decisioning

import (
	"context"

	"verdict/internal/store"
)

// Open decrypts the documents of a stored decision.
func (s *Service) Open(ctx context.Context, scope *store.Scope, d *store.Decision, f *store.Features) error {
	return s.core.OpenDecision(ctx, scope, d, f)
}
