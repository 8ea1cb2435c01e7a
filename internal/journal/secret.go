package journal

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"

	"verdict/internal/sealing"
)

// sealedPrefix begins the text of an encrypted secret. No unencrypted secret begins with it: the secret of a webhook
// begins with "whsec_", and the secret of a second factor has no colon.
const sealedPrefix = "sealed:"

// SealSecret returns the ciphertext of a webhook's secret as text. It returns the secret unchanged if documents
// are not encrypted, or if the secret is a ciphertext already. The key is derived from the tenant's key tree, so
// a new master key changes nothing in the row.
func (t *Tree) SealSecret(environment, webhookID, secret string) string {
	return t.sealText(sealing.WebhookName(environment, webhookID), webhookID, secret)
}

// OpenSecret returns a webhook's secret. The error wraps Unreadable if it cannot be decrypted.
func (k *Keys) OpenSecret(ctx context.Context, scope Scope, webhookID, stored string) (string, error) {
	secret, err := k.openText(ctx, scope.Tenant, sealing.WebhookName(scope.Environment, webhookID), webhookID, stored)
	if err != nil {
		return "", fmt.Errorf("the secret of webhook %s: %w", webhookID, err)
	}
	return secret, nil
}

// SealFactor returns the ciphertext of the secret of a user's second factor, like SealSecret.
func (t *Tree) SealFactor(userID, secret string) string {
	return t.sealText(sealing.FactorName(userID), userID, secret)
}

// OpenFactor returns the secret of a user's second factor. The error wraps Unreadable if it cannot
// be decrypted.
func (k *Keys) OpenFactor(ctx context.Context, tenantID, userID, stored string) (string, error) {
	secret, err := k.openText(ctx, tenantID, sealing.FactorName(userID), userID, stored)
	if err != nil {
		return "", fmt.Errorf("the second factor of user %s: %w", userID, err)
	}
	return secret, nil
}

// sealText encrypts a secret of an object with the key that has the given name.
func (t *Tree) sealText(name, object, secret string) string {
	if !t.seals || secret == "" || strings.HasPrefix(secret, sealedPrefix) {
		return secret
	}
	key := t.secret(t.newest, holder{object: name})
	sealed := t.sealAlone(&key, object, sealing.Request, []byte(secret))
	return sealedPrefix + base64.StdEncoding.EncodeToString(sealed)
}

// openText decrypts what sealText has encrypted.
func (k *Keys) openText(ctx context.Context, tenantID, name, object, stored string) (string, error) {
	encoded, sealed := strings.CutPrefix(stored, sealedPrefix)
	if !sealed {
		return stored, nil
	}
	raw, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return "", fmt.Errorf("not base64: %w", err)
	}
	tree, err := k.Tree(ctx, tenantID)
	if err != nil {
		return "", err
	}
	of := holder{object: name}
	if tree, err = k.with(ctx, tree, tree.number(raw), of); err != nil {
		return "", err
	}
	sealer := sealing.NewSealer(tree.secret(tree.number(raw), of), object)
	secret, err := openAlone(sealer, sealing.Request, raw)
	return string(secret), err
}
