package journal

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"

	"verdict/internal/sealing"
)

// sealedPrefix begins the text of an encrypted webhook secret. A readable one begins with
// "whsec_".
const sealedPrefix = "sealed:"

// SealSecret returns the ciphertext of a webhook's secret as text. It returns the secret itself
// if documents are not encrypted, and a ciphertext as it is. The key is derived from the
// tenant's key tree, so a new master key changes nothing in the row.
func (t *Tree) SealSecret(environment, webhookID, secret string) string {
	if !t.seals || secret == "" || strings.HasPrefix(secret, sealedPrefix) {
		return secret
	}
	key := t.secret(t.newest, holder{object: sealing.WebhookName(environment, webhookID)})
	sealed := t.sealAlone(&key, webhookID, sealing.Request, []byte(secret))
	return sealedPrefix + base64.StdEncoding.EncodeToString(sealed)
}

// OpenSecret returns a webhook's secret. The error wraps Unreadable if it cannot be decrypted.
func (k *Keys) OpenSecret(ctx context.Context, scope Scope, webhookID, stored string) (string, error) {
	encoded, sealed := strings.CutPrefix(stored, sealedPrefix)
	if !sealed {
		return stored, nil
	}
	raw, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return "", fmt.Errorf("the secret of webhook %s is not base64: %w", webhookID, err)
	}
	tree, err := k.Tree(ctx, scope.Tenant)
	if err != nil {
		return "", err
	}
	of := holder{object: sealing.WebhookName(scope.Environment, webhookID)}
	if tree, err = k.with(ctx, tree, tree.number(raw), of); err != nil {
		return "", err
	}
	sealer := sealing.NewSealer(tree.secret(tree.number(raw), of), webhookID)
	secret, err := openAlone(sealer, sealing.Request, raw)
	if err != nil {
		return "", fmt.Errorf("the secret of webhook %s: %w", webhookID, err)
	}
	return string(secret), nil
}
