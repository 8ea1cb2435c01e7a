package webhookdesk

import (
	"context"

	"verdict/internal/fault"
	"verdict/internal/store"
)

// SealOlder encrypts the secrets of webhooks that were stored readable, and returns their
// number. It does nothing if data is not encrypted.
func (s *Service) SealOlder(ctx context.Context) (sealed int64, err error) {
	if !s.core.Keys.Seals() {
		return 0, nil
	}
	found, err := s.core.DB.System().WebhooksToSeal(ctx)
	if err != nil {
		return 0, err
	}
	for _, w := range found {
		tree, err := s.core.Keys.Tree(ctx, w.Scope.Tenant)
		if err != nil {
			return sealed, err
		}
		err = s.core.DB.Scope(w.Scope.Tenant, w.Scope.Environment).Write(ctx, func(tx *store.Tx) error {
			hook, err := tx.Webhooks().Lock(w.ID)
			if err != nil {
				return err
			}
			// A secret that another node has encrypted meanwhile stays as it is.
			hook.Secret = tree.SealSecret(w.Scope.Environment, hook.ID, hook.Secret)
			hook.PreviousSecret = tree.SealSecret(w.Scope.Environment, hook.ID, hook.PreviousSecret)
			return tx.Webhooks().SealSecrets(hook)
		})
		if fault.KindOf(err) == fault.NotFound {
			continue // it was deleted meanwhile
		}
		if err != nil {
			return sealed, err
		}
		sealed++
	}
	return sealed, nil
}
