package webhookdesk_test

import (
	"strings"
	"testing"
	"time"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// TestSecretsAreSealed checks that new secrets are stored encrypted, that events are still signed with them, and
// that older secrets that are stored as readable text get encrypted.
func TestSecretsAreSealed(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		b := open(t, storetest.Open(t, databaseURL, store.Options{}))
		raw := storetest.Raw(t, databaseURL)
		scope := b.db.Scope(b.Caller.TenantID, string(b.Caller.Environment))
		hook, first := b.create()
		issued, err := b.Service.Webhooks.RotateSecret(b.Context(), b.Caller, hook.ID, time.Hour, nil)
		if err != nil {
			t.Fatal(err)
		}
		second := issued.Secret
		signed := func() {
			t.Helper()
			b.decide(1)
			sent := b.deliver()
			if len(sent) != 1 || !verify(t, sent[0], first) || !verify(t, sent[0], second) {
				t.Errorf("sent %d events, which must be signed with both secrets", len(sent))
			}
		}
		sealed := func() {
			t.Helper()
			stored, err := scope.Webhooks(b.Context()).Get(hook.ID)
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range []string{stored.Secret, stored.PreviousSecret} {
				if !strings.HasPrefix(text, "sealed:") || strings.Contains(text, "whsec_") {
					t.Errorf("stored is %q", text)
				}
			}
		}
		sealed()
		signed()

		tx, err := raw.BeginTx(b.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if b.db.Kind() == "postgres" {
			if _, err := tx.ExecContext(b.Context(), "SELECT set_config('verdict.role', 'system', true)"); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := tx.ExecContext(b.Context(), "UPDATE webhooks SET secret = $1, previous_secret = $2",
			second.Reveal(), first.Reveal()); err != nil {
			t.Fatal(err)
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
		signed()
		for _, want := range []int64{1, 0} {
			if n, err := b.Service.Webhooks.SealOlder(b.Context()); err != nil || n != want {
				t.Errorf("encrypted %d, %v, want %d", n, err, want)
			}
		}
		sealed()
		signed()
	})
}
