package webhookdesk

import (
	"context"

	"verdict/internal/fault"
	"verdict/internal/store"
)

// SealOlder encrypts the secrets of webhooks that are stored as readable text, and returns their number. It does
// nothing if data is not encrypted.
func (s *Service) SealOlder(ctx context.Context) (sealed int64, err error) {
	if !s.core.Keys.Seals() {
		return 0, nil
	}
	var last store.WebhookName
	for {
		found, err := s.core.DB.System().WebhooksToSeal(ctx, last, sealPage)
		if err != nil || len(found) == 0 {
			return sealed, err
		}
		for _, w := range found {
			last = w
			tree, err := s.core.Keys.Tree(ctx, w.Scope.Tenant)
			if err != nil {
				return sealed, err
			}
			err = s.seal(ctx, w, tree.SealSecret)
			if fault.KindOf(err) == fault.NotFound {
				continue // it was deleted meanwhile
			}
			if err != nil {
				return sealed, err
			}
			sealed++
		}
	}
}

// sealPage is the number of webhooks that are read at a time.
const sealPage = 500

// seal encrypts the readable secrets of a webhook. It returns NotFound if the webhook was deleted.
func (s *Service) seal(
	ctx context.Context, w store.WebhookName, encrypt func(environment, id, secret string) string,
) error {
	return s.core.DB.Scope(w.Scope.Tenant, w.Scope.Environment).Write(ctx, func(tx *store.Tx) error {
		hook, err := tx.Webhooks().Lock(w.ID)
		if err != nil {
			return err
		}
		// A secret that another node has encrypted meanwhile stays as it is.
		hook.Secret = encrypt(w.Scope.Environment, hook.ID, hook.Secret)
		hook.PreviousSecret = encrypt(w.Scope.Environment, hook.ID, hook.PreviousSecret)
		return tx.Webhooks().SealSecrets(hook)
	})
}
