package account

import (
	"context"
	"crypto/subtle"
	"strings"

	"verdict/internal/operation"
	"verdict/internal/tenant"
)

// markKind is the kind of marks among the keyed hashes of a scope.
const markKind = "mark"

// Mark returns a mark by which Marked recognises a text, for the same person, in the same
// environment, and for the same purpose. The mark is a keyed hash, so only this installation can
// make it. It stays valid as long as the installation's secret exists.
func (s *Access) Mark(ctx context.Context, p tenant.Principal, purpose, text string) (string, error) {
	keyed, err := s.core.Keyed(ctx, operation.ScopeOf(p))
	if err != nil {
		return "", err
	}
	return strings.TrimPrefix(keyed(markKind, p.UserID+"\x00"+purpose+"\x00"+text), "hmac:"), nil
}

// Marked reports whether mark is the mark that Mark returns for the same arguments.
func (s *Access) Marked(ctx context.Context, p tenant.Principal, purpose, text, mark string) (bool, error) {
	want, err := s.Mark(ctx, p, purpose, text)
	return err == nil && subtle.ConstantTimeCompare([]byte(want), []byte(mark)) == 1, err
}
