package storetest_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

func webhook(id string) store.Webhook {
	return store.Webhook{
		ID: id, URL: "https://example.com/", Types: "decision.created", Description: "d", State: store.WebhookEnabled,
		Secret: "whsec_x", PreviousSecret: "whsec_y", PreviousUntilMicros: 5, CreatedMicros: 100,
	}
}

func nameOf(scope *store.Scope) store.ScopeName {
	return store.ScopeName{Tenant: scope.Tenant(), Environment: scope.Environment()}
}

func addWebhook(t *testing.T, db *store.DB, scope *store.Scope, hook store.Webhook) store.Webhook {
	t.Helper()
	audit := store.AuditEntry{ID: "aud_" + hook.ID, CreatedMicros: 100, Action: "webhook.created", Object: hook.ID}
	var added store.Webhook
	err := db.System().InsertWebhook(t.Context(), nameOf(scope), hook, plenty,
		func(tx *store.Tx, stored store.Webhook) error {
			added = stored
			return tx.Audit().Add(audit)
		})
	if err != nil {
		t.Fatal(err)
	}
	return added
}

func delivery(n int) store.WebhookDelivery {
	return store.WebhookDelivery{
		ID: numbered("dlv", n), CreatedMicros: int64(n), Sequence: int64(n), EventID: "evt_1", Type: "decision.created",
		Attempt: 1, Outcome: store.OutcomeDelivered, Status: 200, TookMicros: 9,
	}
}

// fillWebhook stores a row in each table of webhooks.
func fillWebhook(t *testing.T, db *store.DB, scope *store.Scope) error {
	t.Helper()
	hook := webhook("whk_1")
	hook.State = store.WebhookPaused // a restore would pause an enabled webhook
	stored := addWebhook(t, db, scope, hook)
	if ok, err := db.System().LeaseWebhooks(t.Context(), scope.Tenant(), "node", 1, 2); !ok || err != nil {
		t.Fatalf("%v, %v", ok, err)
	}
	return scope.Write(t.Context(), func(tx *store.Tx) error {
		if err := tx.Webhooks().AddRange("whk_1", store.WebhookRange{ID: "dlv_r", Next: 1, Last: 3}); err != nil {
			return err
		}
		kept, err := tx.Webhooks().Progress(store.WebhookProgress{
			Hook: stored, Owner: "node",
			Retries: []store.WebhookRetry{
				{Sequence: 1, Object: "dec_1", Attempts: 1, FirstMicros: 2, NextMicros: 3},
			},
			Deliveries: []store.WebhookDelivery{delivery(1)},
		})
		if err == nil && !kept {
			err = fmt.Errorf("the progress was not stored")
		}
		return err
	})
}

// TestWebhook stores, reads, changes and deletes webhooks, and checks that another scope does
// not see them.
func TestWebhook(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		scope, other := signUp(t, db, "ten_A"), signUp(t, db, "ten_B")
		for _, id := range []string{"dec_1", "dec_2"} {
			if err := scope.InsertDecision(t.Context(), decision(id, store.Unmetered)); err != nil {
				t.Fatal(err)
			}
		}
		begin := webhook("whk_1")
		begin.Handled = -1
		hook := addWebhook(t, db, scope, begin)
		if size, err := scope.Journal(t.Context()).Size(); err != nil || hook.Handled != size || size < 2 {
			t.Errorf("a new webhook begins after event %d", hook.Handled)
		}
		fromStart := addWebhook(t, db, scope, webhook("whk_2"))
		got, err := scope.Webhooks(t.Context()).List()
		if diff := cmp.Diff([]store.Webhook{hook, fromStart}, got); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		for _, stranger := range []*store.Scope{other, db.Scope("ten_A", live)} {
			if got, err := stranger.Webhooks(t.Context()).List(); err != nil || len(got) != 0 {
				t.Errorf("another scope lists %v, %v", got, err)
			}
			if _, err := stranger.Webhooks(t.Context()).Get("whk_1"); fault.KindOf(err) != fault.NotFound {
				t.Errorf("another scope gets %v", err)
			}
			for name, change := range map[string]func(store.Webhooks) error{
				"changes": func(w store.Webhooks) error { return w.Change(hook, true) },
				"deletes": func(w store.Webhooks) error { return w.Delete("whk_1") },
			} {
				err := stranger.Write(t.Context(), func(tx *store.Tx) error { return change(tx.Webhooks()) })
				if fault.KindOf(err) != fault.NotFound {
					t.Errorf("another scope %s: %v", name, err)
				}
			}
		}
		nothing := func(*store.Tx, store.Webhook) error { return nil }
		if err := db.System().InsertWebhook(t.Context(), store.ScopeName{Tenant: "ten_A", Environment: live},
			webhook("whk_3"), 2, nothing); fault.CodeOf(err) != fault.CodeCapReached {
			t.Errorf("one webhook too many: %v", err)
		}
		hook.URL, hook.State, hook.Secret = "https://other.example/", store.WebhookPaused, "whsec_z"
		write := func(fn func(w store.Webhooks) error) {
			t.Helper()
			if err := scope.Write(t.Context(), func(tx *store.Tx) error { return fn(tx.Webhooks()) }); err != nil {
				t.Fatal(err)
			}
		}
		write(func(w store.Webhooks) error { return w.Change(hook, false) })
		hook.Version++
		if got, err := scope.Webhooks(t.Context()).Get("whk_1"); err != nil || got != hook {
			t.Errorf("got %+v, %v", got, err)
		}
		write(func(w store.Webhooks) error { return w.Delete("whk_1") })
		if _, err := scope.Webhooks(t.Context()).Get("whk_1"); fault.KindOf(err) != fault.NotFound {
			t.Errorf("a deleted webhook: %v", err)
		}
	})
}

// TestWebhookProgress checks that a node can store progress only if it has the lease and knows the current settings.
// It also reads the stored progress.
func TestWebhookProgress(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		scope := signUp(t, db, "ten_A")
		hook := addWebhook(t, db, scope, webhook("whk_1"))
		progress := func(p store.WebhookProgress) bool {
			t.Helper()
			var kept bool
			if err := scope.Write(t.Context(), func(tx *store.Tx) (err error) {
				kept, err = tx.Webhooks().Progress(p)
				return err
			}); err != nil {
				t.Fatal(err)
			}
			return kept
		}
		lease := func(owner string, now, until int64) bool {
			t.Helper()
			ok, err := db.System().LeaseWebhooks(t.Context(), "ten_A", owner, now, until)
			if err != nil {
				t.Fatal(err)
			}
			return ok
		}
		if progress(store.WebhookProgress{Hook: hook, Owner: "one"}) {
			t.Error("progress without a lease is stored")
		}
		if !lease("one", 10, 100) || lease("two", 50, 150) || !lease("one", 60, 110) || !lease("two", 110, 200) {
			t.Error("the leases are wrong")
		}
		if progress(store.WebhookProgress{Hook: hook, Owner: "one"}) {
			t.Error("progress of the former owner is stored")
		}
		hook.Handled, hook.Failures, hook.FailingMicros, hook.NextMicros, hook.WakeMicros = 7, 2, 3, 4, 5
		retries := []store.WebhookRetry{{Sequence: 3, Object: "a", Attempts: 1, FirstMicros: 1, NextMicros: 9}}
		for i := range int64(250) {
			retries = append(retries, store.WebhookRetry{Sequence: 10 + i, Object: "b"})
		}
		if !progress(store.WebhookProgress{
			Hook: hook, Owner: "two", Retries: retries, Deliveries: []store.WebhookDelivery{delivery(1), delivery(2)},
		}) {
			t.Error("the progress is not stored")
		}
		got, err := scope.Webhooks(t.Context()).Get("whk_1")
		if err != nil || got != hook {
			t.Errorf("got %+v, %v", got, err)
		}
		left, err := scope.Webhooks(t.Context()).Retries("whk_1")
		if diff := cmp.Diff(retries, left); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		done := make([]int64, 250)
		for i := range done {
			done[i] = 10 + int64(i)
		}
		retries[0].Attempts, retries[0].NextMicros = 2, 99
		if !progress(store.WebhookProgress{
			Hook: hook, Owner: "two", Retries: retries[:1], Done: done, Disable: "it failed", NowMicros: 7_000_000,
		}) {
			t.Error("the progress is not stored")
		}
		wantEvents(t, scope, "webhook.", `webhook.disabled {"failing_since":"1970-01-01T00:00:00.000Z",`+
			`"last_sequence":7,"reason":"it failed","webhook_id":"whk_1"}`)
		left, err = scope.Webhooks(t.Context()).Retries("whk_1")
		if diff := cmp.Diff(retries[:1], left); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		if got, err = scope.Webhooks(t.Context()).Get("whk_1"); err != nil || got.State != store.WebhookDisabled ||
			got.Reason != "it failed" {
			t.Errorf("got %+v, %v", got, err)
		}
		if counts, err := scope.Webhooks(t.Context()).CountRetries(); err != nil || counts["whk_1"] != 1 {
			t.Errorf("the counts are %v, %v", counts, err)
		}

		// Somebody enables the webhook. The progress of a node that knows only the earlier settings is refused.
		if err := scope.Write(t.Context(), func(tx *store.Tx) error {
			hook.State = store.WebhookEnabled
			return tx.Webhooks().Change(hook, true)
		}); err != nil {
			t.Fatal(err)
		}
		if progress(store.WebhookProgress{Hook: hook, Owner: "two"}) {
			t.Error("progress with settings of before is stored")
		}
		left, err = scope.Webhooks(t.Context()).Retries("whk_1")
		if err != nil || len(left) != 1 || left[0].Attempts != 0 || left[0].NextMicros != 0 {
			t.Errorf("the retries are %v, %v", left, err)
		}
	})
}

// TestDueWebhooks checks when a webhook is due, and for which node.
func TestDueWebhooks(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		scope := signUp(t, db, "ten_A")
		begin := webhook("whk_1")
		begin.Handled = -1 // the webhook begins after the events of the signup
		hook := addWebhook(t, db, scope, begin)
		first := hook.Handled
		due := func(owner string, now int64) int {
			t.Helper()
			found, err := db.System().DueWebhooks(t.Context(), owner, now, 10)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range found {
				if d.Scope != nameOf(scope) || d.ID != "whk_1" || d.Leased != (owner == "one" && now < 100) {
					t.Errorf("found %+v", d)
				}
			}
			return len(found)
		}
		if _, err := db.System().LeaseWebhooks(t.Context(), "ten_A", "one", 1, 100); err != nil {
			t.Fatal(err)
		}
		if due("one", 10) != 0 {
			t.Error("a webhook without events is due")
		}
		if err := scope.InsertDecision(t.Context(), decision("dec_1", store.Unmetered)); err != nil {
			t.Fatal(err)
		}
		if due("one", 10) != 1 || due("two", 10) != 0 || due("two", 100) != 1 {
			t.Error("a new event is not due for the node with the lease, or for others")
		}
		store1 := func(h store.Webhook, ranges ...store.WebhookRange) {
			t.Helper()
			if err := scope.Write(t.Context(), func(tx *store.Tx) error {
				_, err := tx.Webhooks().Progress(store.WebhookProgress{Hook: h, Owner: "one", Ranges: ranges})
				return err
			}); err != nil {
				t.Fatal(err)
			}
		}
		hook.Handled, hook.NextMicros = first, 20
		store1(hook)
		if due("one", 10) != 0 || due("one", 20) != 1 {
			t.Error("the pause is not kept")
		}
		hook.Handled, hook.WakeMicros = first+1, 30
		store1(hook)
		if due("one", 29) != 0 || due("one", 30) != 1 {
			t.Error("a retry is due at another time")
		}
		hook.WakeMicros = 0
		store1(hook)
		again := store.WebhookRange{ID: "dlv_r", Next: 1, Last: 1}
		if err := scope.Write(t.Context(), func(tx *store.Tx) error {
			return tx.Webhooks().AddRange("whk_1", again)
		}); err != nil {
			t.Fatal(err)
		}
		if due("one", 30) != 1 {
			t.Error("a redelivery is not due")
		}
		again.Next = 2
		store1(hook, again)
		if due("one", 30) != 0 {
			t.Error("a finished redelivery is due")
		}
		if err := db.System().ReleaseWebhooks(t.Context(), "one"); err != nil {
			t.Fatal(err)
		}
		if ok, err := db.System().LeaseWebhooks(t.Context(), "ten_A", "two", 2, 3); err != nil || !ok {
			t.Errorf("a released lease: %v, %v", ok, err)
		}
	})
}

// TestWebhookLog pages through the log of a webhook, and purges it.
func TestWebhookLog(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		scope := signUp(t, db, "ten_A")
		addWebhook(t, db, scope, webhook("whk_1"))
		var rows []store.WebhookDelivery
		for i := range 30 {
			d := delivery(i + 1)
			if i%3 == 0 {
				d.Outcome, d.Status, d.Problem = store.OutcomeFailed, 0, "timeout"
			}
			rows = append(rows, d)
		}
		if err := scope.Write(t.Context(), func(tx *store.Tx) error {
			return tx.Webhooks().AddDeliveries("whk_1", rows)
		}); err != nil {
			t.Fatal(err)
		}
		list := func(failed bool) (all []store.WebhookDelivery) {
			t.Helper()
			for page := (store.Page{Limit: 7}); ; {
				got, more, err := scope.Webhooks(t.Context()).Deliveries("whk_1", page, failed)
				if err != nil {
					t.Fatal(err)
				}
				if all = append(all, got...); !more {
					return all
				}
				page.AfterMicros, page.AfterID = got[len(got)-1].CreatedMicros, got[len(got)-1].ID
			}
		}
		if diff := cmp.Diff(rows, list(false)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if failed := list(true); len(failed) != 10 || failed[1] != rows[3] {
			t.Errorf("%d attempts failed: %+v", len(failed), failed)
		}
		if got, _, err := scope.Webhooks(t.Context()).Deliveries("whk_2", store.Page{Limit: 7}, false); err != nil ||
			len(got) != 0 {
			t.Errorf("another webhook has %v, %v", got, err)
		}
		removed, err := db.System().PurgeWebhookDeliveries(t.Context(), 21, 15)
		if err != nil || removed != 15 {
			t.Errorf("removed %d, %v", removed, err)
		}
		removed, err = db.System().PurgeWebhookDeliveries(t.Context(), 21, 15)
		if err != nil || removed != 5 {
			t.Errorf("removed %d, %v", removed, err)
		}
		if left := list(false); len(left) != 10 || left[0] != rows[20] {
			t.Errorf("%d attempts are left", len(left))
		}
	})
}

// TestRestorePausesWebhooks checks that a restored copy of a database sends nothing.
func TestRestorePausesWebhooks(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		from := storetest.Open(t, storetest.MigratedSQLite(t), store.Options{})
		scope := signUp(t, from, "ten_A")
		addWebhook(t, from, scope, webhook("whk_1"))
		var backup bytes.Buffer
		if _, err := from.Backup(t.Context(), &backup, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := store.Restore(t.Context(), databaseURL, &backup, store.Options{}, nil); err != nil {
			t.Fatal(err)
		}
		restored := storetest.Open(t, databaseURL, store.Options{})
		hook, err := restored.Scope("ten_A", sandbox).Webhooks(t.Context()).Get("whk_1")
		if err != nil || hook.State != store.WebhookPaused || hook.Reason != store.RestoredReason ||
			hook.URL != "https://example.com/" {
			t.Errorf("the webhook is %+v, %v", hook, err)
		}
	})
}
