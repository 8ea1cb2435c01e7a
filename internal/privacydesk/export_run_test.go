package privacydesk

import (
	"context"

	"verdict/internal/operation"
	"verdict/internal/store"
)

// OpenRun opens a run that was read before, as the use cases do.
func (s *Service) OpenRun(ctx context.Context, scope *store.Scope, r *store.Run) error {
	return s.core.OpenRun(ctx, scope, r)
}

// OpenAnswer opens an answer about a decision. Both were read before.
func (s *Service) OpenAnswer(
	ctx context.Context, scope *store.Scope, key store.IdempotencyKey, of *store.Decision, stored []byte,
) ([]byte, error) {
	return s.core.OpenAnswer(ctx, scope, key, of, stored)
}

// SealAnswer seals an answer about a decision.
func (s *Service) SealAnswer(
	ctx context.Context, scope *store.Scope, key store.IdempotencyKey, of *store.Decision, body []byte,
) ([]byte, error) {
	tree, err := s.core.Keys.Tree(ctx, scope.Tenant())
	if err != nil {
		return nil, err
	}
	return tree.SealAnswer(scope.Environment(), key, of, body), nil
}

// EraseWith erases a person as Erase does, but runs the last transaction with the given
// commit.
func (s *Service) EraseWith(
	ctx context.Context, scope *store.Scope, person store.Person, commit operation.Commit[Erasure],
) (Erasure, error) {
	w := work{s: s, scope: scope, person: person}
	return w.run(ctx, commit)
}
