package webhookdesk_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"verdict/internal/account"
	"verdict/internal/eventdesk"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/usecase/usecasetest"
	"verdict/internal/webhookdesk"
)

// firstPage asks for the first page of a list.
var firstPage = operation.List{Limit: 50}

// TestDelivery checks what is sent, that each event is sent once, and that a webhook continues
// where it stopped after a restart.
func TestDelivery(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		b.decide(1) // before the webhook exists
		hook, secret := b.create()
		id := b.Decided(b.T, usecasetest.Sample)
		b.decide(2)
		got := b.deliver()
		slices.SortFunc(got, func(x, y received) int { return int(x.Sequence - y.Sequence) })
		if sequences(got) != "2 3 4" {
			b.Fatalf("received %s", sequences(got))
		}
		e := got[0]
		if e.Sequence != 2 || e.Type != "decision.created" || e.Data.DecisionID != id || e.url != hook.URL {
			b.Errorf("received %+v", e)
		}
		for name, want := range map[string]string{
			"webhook-id": e.ID, "webhook-timestamp": "1794733200", "Content-Type": "application/json",
			"ce-specversion": "1.0", "ce-id": e.ID, "ce-type": "decision.created", "ce-subject": id,
			"ce-source": "/verdict/" + b.Caller.TenantID + "/" + string(b.Caller.Environment),
			"ce-time":   "2026-11-15T09:00:00.000Z",
		} {
			if e.header[name] != want {
				b.Errorf("%s is %q, want %q", name, e.header[name], want)
			}
		}
		if !verify(b.T, e, secret) || strings.Contains(e.header["webhook-signature"], " ") {
			b.Errorf("the signature is %s", e.header["webhook-signature"])
		}
		if again := b.deliver(); len(again) != 0 {
			b.Errorf("sent again: %s", sequences(again))
		}

		b.Service = b.node() // a restart
		b.decide(1)
		got = b.deliver()
		if b.db.Kind() == "postgres" && len(got) > 0 {
			b.Errorf("sent while another node has the lease: %s", sequences(got))
		}
		b.pass(time.Minute)
		if got = append(got, b.deliver()...); sequences(got) != "5" {
			b.Errorf("after a restart: %s", sequences(got))
		}
		if now := b.get(hook.ID); now.LastSequence != 5 || now.Retries != 0 || now.State != webhookdesk.Enabled {
			b.Errorf("the webhook is %+v", now)
		}
		log := b.log(hook.ID, false)
		if len(log) != 4 || len(b.log(hook.ID, true)) != 0 {
			b.Errorf("the log is %+v", log)
		}
		for _, d := range log {
			if d.Outcome != webhookdesk.Delivered || d.Status != 200 || d.Attempt != 1 || d.Problem != "" {
				b.Errorf("the log has %+v", d)
			}
		}
	})
}

// TestFailures lets a receiver fail and recover, and checks the attempts, the pauses and
// that nothing is lost.
func TestFailures(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		hook, _ := b.create()
		b.receiver.answers(always(503))
		b.decide(30)
		first := b.deliver()
		if len(first) == 0 || len(first) > 10 {
			b.Fatalf("a receiver that fails got %d events", len(first))
		}
		if more := b.deliver(); len(more) != 0 {
			b.Errorf("there is no pause: %s", sequences(more))
		}
		for _, pause := range []time.Duration{5 * time.Second, 15 * time.Second, 45 * time.Second} {
			b.pass(pause)
			if got := b.deliver(); len(got) != 1 {
				b.Errorf("after a pause of %s the receiver got %s", pause, sequences(got))
			}
		}
		failing := b.get(hook.ID)
		if failing.FailingMicros == 0 || failing.NextMicros == 0 || failing.State != webhookdesk.Enabled ||
			failing.Retries == 0 {
			b.Errorf("the webhook is %+v", failing)
		}
		for _, d := range b.log(hook.ID, true) {
			if d.Outcome != webhookdesk.Failed || d.Status != 503 {
				b.Errorf("the log has %+v", d)
			}
		}

		b.receiver.answers(nil)
		b.pass(3 * time.Hour)
		counts := map[int64]int{}
		for _, e := range b.deliverAll() {
			counts[e.Sequence]++
		}
		if len(counts) != 30 {
			b.Errorf("%d of 30 events were delivered", len(counts))
		}
		for sequence, n := range counts {
			if n != 1 {
				b.Errorf("event %d was delivered %d times", sequence, n)
			}
		}
		if now := b.get(hook.ID); now.FailingMicros != 0 || now.Retries != 0 || now.LastSequence != 30 {
			b.Errorf("the webhook is %+v", now)
		}
	})
}

// TestOneBadEvent lets a receiver refuse one event only. The others are delivered, and the
// event is given up after three days.
func TestOneBadEvent(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		hook, _ := b.create()
		b.receiver.answers(func(e received) (int, string) {
			if e.Sequence == 2 {
				return 400, ""
			}
			return 200, ""
		})
		b.decide(5)
		b.deliverAll()
		if now := b.get(hook.ID); now.LastSequence != 5 || now.Retries != 1 || now.FailingMicros != 0 {
			b.Errorf("the webhook is %+v", now)
		}
		for range 40 {
			b.pass(3 * time.Hour)
			b.decide(1)
			b.deliverAll()
		}
		now := b.get(hook.ID)
		if now.State != webhookdesk.Enabled || now.Retries != 0 || now.LastSequence != 45 {
			b.Errorf("the webhook is %+v", now)
		}
		failed := b.log(hook.ID, true)
		last := failed[len(failed)-1]
		if last.Sequence != 2 || last.Outcome != webhookdesk.GivenUp || last.Attempt < 20 ||
			last.Attempt != int64(len(failed)) {
			b.Errorf("%d attempts, the last is %+v", len(failed), last)
		}
	})
}

// TestDisabled checks that a webhook is disabled when nothing was delivered for three days, and that there is an
// audit entry and an event about this. When somebody enables the webhook, it must continue without a loss.
func TestDisabled(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		hook, _ := b.create()
		b.receiver.answers(func(received) (int, string) { return 0, "timeout" })
		b.decide(3)
		attempts := 0
		for b.get(hook.ID).State == webhookdesk.Enabled {
			if attempts += len(b.deliver()); attempts > 60 {
				b.Fatalf("%d attempts, and still not disabled", attempts)
			}
			b.pass(3 * time.Hour)
		}
		now := b.get(hook.ID)
		if now.State != webhookdesk.Disabled || now.Reason == "" || attempts < 20 {
			b.Errorf("after %d attempts the webhook is %+v", attempts, now)
		}
		filter := account.AuditFilter{Action: "webhook.disabled"}
		audit, err := b.Service.People.Audit(b.Context(), b.Caller, filter, firstPage)
		if err != nil || len(audit.Data) != 1 || audit.Data[0].Object != hook.ID || audit.Data[0].Actor != "system" {
			b.Errorf("the audit trail has %+v, %v", audit.Data, err)
		}
		b.toldDisabled(now, 4)
		b.receiver.answers(nil)
		b.pass(24 * time.Hour)
		b.decide(1)
		if got := b.deliver(); len(got) != 0 {
			b.Errorf("a disabled webhook got %s", sequences(got))
		}
		b.set(hook.ID, webhookdesk.Enabled)
		got := b.deliverAll()
		slices.SortFunc(got, func(x, y received) int { return int(x.Sequence - y.Sequence) })
		if sequences(got) != "1 2 3 4 5" {
			b.Errorf("after it was enabled: %s", sequences(got))
		}
		if now := b.get(hook.ID); now.State != webhookdesk.Enabled || now.Reason != "" || now.FailingMicros != 0 {
			b.Errorf("the webhook is %+v", now)
		}
	})
}

// toldDisabled checks that the event with the given sequence number is the last event, that it says that a
// webhook was disabled, and that another webhook receives it.
func (b *bench) toldDisabled(hook webhookdesk.Webhook, sequence int64) {
	b.Helper()
	feed, err := b.Service.Events.Events(b.Context(), b.Caller, before+sequence-1, 2)
	if err != nil || len(feed.Events) != 1 {
		b.Fatalf("the events are %+v, %v", feed.Events, err)
	}
	e := feed.Events[0]
	var data struct {
		WebhookID    string `json:"webhook_id"`
		Reason       string `json:"reason"`
		FailingSince string `json:"failing_since"`
		LastSequence int64  `json:"last_sequence"`
	}
	if err := json.Unmarshal(e.Data, &data); err != nil {
		b.Fatal(err)
	}
	if e.Type != "webhook.disabled" || e.Object != hook.ID || data.WebhookID != hook.ID || data.Reason != hook.Reason ||
		data.LastSequence != before+hook.LastSequence || data.FailingSince != operation.Clock(hook.FailingMicros) {
		b.Errorf("the event is %+v with %s, the webhook %+v", e, e.Data, hook)
	}

	other, err := b.Service.Webhooks.Create(b.Context(), b.Caller, webhookdesk.NewWebhook{
		Settings: webhookdesk.Settings{URL: "https://other.example/events", Types: []string{"webhook.disabled"}},
		After:    0,
	}, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.receiver.answers(nil)
	got := b.deliverAll()
	if sequences(got) != fmt.Sprint(sequence) || got[0].Data.WebhookID != hook.ID {
		b.Errorf("another webhook got %s, %+v", sequences(got), got)
	}
	if err := b.Service.Webhooks.Delete(b.Context(), b.Caller, other.ID); err != nil {
		b.Fatal(err)
	}
	if found, err := b.Service.Decisions.Audit.Verify(b.Context(), "", nil); err != nil || found.Failed != 0 {
		b.Errorf("verify finds %+v, %v", found, err)
	}
}

// TestGone checks that a receiver that answers with 410 gets nothing more.
func TestGone(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		hook, _ := b.create()
		b.receiver.answers(always(410))
		b.decide(1)
		b.deliver()
		now := b.get(hook.ID)
		if now.State != webhookdesk.Disabled || !strings.Contains(now.Reason, "410") {
			b.Errorf("the webhook is %+v", now)
		}
		b.toldDisabled(now, 2)
		b.pass(3 * time.Hour)
		if got := b.deliver(); len(got) != 0 {
			b.Errorf("received %s", sequences(got))
		}
	})
}

// TestPause checks that a paused webhook gets nothing and later everything, and that a status
// outside the range from 200 to 299 is a failure.
func TestPause(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		hook, _ := b.create()
		b.set(hook.ID, webhookdesk.Paused)
		b.decide(2)
		if got := b.deliver(); len(got) != 0 {
			b.Errorf("received %s", sequences(got))
		}
		b.set(hook.ID, webhookdesk.Enabled)
		b.receiver.answers(always(302))
		b.deliver()
		if failed := b.log(hook.ID, true); len(failed) == 0 || failed[0].Status != 302 {
			b.Errorf("a redirect is logged as %+v", failed)
		}
		b.pass(time.Minute)
		b.receiver.answers(always(204))
		counts := map[int64]bool{}
		for _, e := range b.deliverAll() {
			counts[e.Sequence] = true
		}
		if len(counts) != 2 {
			b.Errorf("received %v", counts)
		}
	})
}

// TestRedeliver sends one event and a range of events again, and checks which requests are refused.
func TestRedeliver(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		hook, _ := b.create()
		b.decide(6)
		first := b.deliverAll()
		for _, r := range [][2]int64{{2, 2}, {4, 6}} {
			if err := b.redeliver(hook.ID, r[0], r[1]); err != nil {
				b.Fatal(err)
			}
		}
		again := b.deliverAll()
		slices.SortFunc(again, func(x, y received) int { return int(x.Sequence - y.Sequence) })
		if sequences(again) != "2 4 5 6" {
			b.Errorf("received %s", sequences(again))
		}
		for _, e := range again {
			if !slices.ContainsFunc(first, func(f received) bool { return f.ID == e.ID && f.Sequence == e.Sequence }) {
				b.Errorf("event %d has another id than before", e.Sequence)
			}
		}
		if more := b.deliver(); len(more) != 0 {
			b.Errorf("received %s", sequences(more))
		}
		for _, r := range [][2]int64{{-before, 1}, {3, 2}, {6, 7}, {1, webhookdesk.MaxRedelivered + 1}} {
			err := b.redeliver(hook.ID, r[0], r[1])
			if fault.KindOf(err) != fault.Invalid {
				b.Errorf("%v: %v", r, err)
			}
		}
		b.receiver.answers(always(500))
		for i := range 101 {
			err := b.redeliver(hook.ID, 1, 6)
			if (i < 100) != (err == nil) {
				b.Errorf("redelivery %d: %v", i, err)
			}
		}
	})
}

// TestTestEvent sends a test event, also to a paused webhook.
func TestTestEvent(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		hook, secret := b.create()
		b.set(hook.ID, webhookdesk.Paused)
		d, err := b.Service.Webhooks.Test(b.Context(), b.Caller, hook.ID, nil)
		if err != nil || d.Outcome != webhookdesk.Delivered || d.Status != 200 || d.EventType != webhookdesk.TypeTest {
			b.Errorf("%+v, %v", d, err)
		}
		got := b.receiver.take()
		if len(got) != 1 || got[0].Type != webhookdesk.TypeTest || got[0].Data.WebhookID != hook.ID ||
			got[0].ID != d.EventID || !verify(b.T, got[0], secret) {
			b.Errorf("received %+v", got)
		}
		b.receiver.answers(func(received) (int, string) { return 0, "address_forbidden" })
		d, err = b.Service.Webhooks.Test(b.Context(), b.Caller, hook.ID, nil)
		if err != nil || d.Outcome != webhookdesk.Failed || d.Status != 0 || d.Problem != "address_forbidden" {
			b.Errorf("%+v, %v", d, err)
		}
		if log := b.log(hook.ID, false); len(log) != 2 || log[1] != d {
			b.Errorf("the log is %+v", log)
		}
		if now := b.get(hook.ID); now.FailingMicros != 0 {
			b.Error("a failed test counts as a failed delivery")
		}
	})
}

// TestRotate checks that events are signed with both secrets until the overlap ends.
func TestRotate(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		hook, old := b.create()
		changed, err := b.Service.Webhooks.RotateSecret(b.Context(), b.Caller, hook.ID, 24*time.Hour, nil)
		fresh := changed.Secret
		if err != nil || fresh.Reveal() == old.Reveal() || changed.PreviousUntilMicros == 0 {
			b.Fatalf("%+v, %v", changed, err)
		}
		for _, c := range []struct {
			after time.Duration
			both  bool
		}{{0, true}, {23 * time.Hour, true}, {time.Hour, false}} {
			b.pass(c.after)
			b.decide(1)
			got := b.deliver()
			if len(got) != 1 || !verify(b.T, got[0], fresh) || verify(b.T, got[0], old) != c.both {
				b.Errorf("after %s: %+v", c.after, got)
			}
		}
		last, err := b.Service.Webhooks.RotateSecret(b.Context(), b.Caller, hook.ID, 0, nil)
		if err != nil {
			b.Fatal(err)
		}
		b.decide(1)
		if got := b.deliver(); len(got) != 1 || !verify(b.T, got[0], last.Secret) || verify(b.T, got[0], fresh) {
			b.Errorf("after a rotation without overlap: %+v", got)
		}
		for _, overlap := range []time.Duration{-1, 169 * time.Hour} {
			_, err := b.Service.Webhooks.RotateSecret(b.Context(), b.Caller, hook.ID, overlap, nil)
			if fault.KindOf(err) != fault.Invalid {
				b.Errorf("%s: %v", overlap, err)
			}
		}
	})
}

// TestChangedMeanwhile changes and deletes a webhook while an event is being sent. The event
// is sent again after a change, so that the new settings apply to it.
func TestChangedMeanwhile(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		hook, _ := b.create()
		b.decide(1)
		var once sync.Once
		b.receiver.answers(func(received) (int, string) {
			once.Do(func() {
				if _, err := b.Service.Webhooks.Change(b.Context(), b.Caller, hook.ID,
					func(s webhookdesk.Settings) webhookdesk.Settings {
						s.URL = "https://other.example/"
						return s
					}); err != nil {
					b.Error(err)
				}
			})
			return 200, ""
		})
		got := b.deliverAll()
		if len(got) != 2 || got[0].ID != got[1].ID || got[1].url != "https://other.example/" {
			b.Errorf("received %+v", got)
		}
		b.decide(1)
		b.receiver.answers(func(received) (int, string) {
			if err := b.Service.Webhooks.Delete(b.Context(), b.Caller, hook.ID); err != nil {
				b.Error(err)
			}
			return 500, ""
		})
		b.deliver()
		b.pass(time.Hour)
		if got := b.deliver(); len(got) != 0 {
			b.Errorf("a deleted webhook got %s", sequences(got))
		}
		if _, err := b.Service.Webhooks.Get(b.Context(), b.Caller, hook.ID); fault.KindOf(err) != fault.NotFound {
			b.Errorf("a deleted webhook: %v", err)
		}
	})
}

// TestExpiredEvents pauses a webhook for so long that some events are no longer kept. It checks that the webhook
// continues with the oldest event that is kept, and that older events cannot be sent again.
func TestExpiredEvents(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		hook, _ := b.create()
		b.receiver.answers(func(e received) (int, string) {
			if e.Sequence == 1 {
				return 500, ""
			}
			return 200, ""
		})
		b.decide(2)
		b.deliverAll() // the first event becomes a retry
		b.set(hook.ID, webhookdesk.Paused)
		b.decide(2)
		b.pass(eventdesk.Keep + time.Second)
		b.decide(2)
		b.receiver.answers(nil)

		err := b.redeliver(hook.ID, 4, 5)
		if refusal := fault.Of(err); refusal == nil || refusal.Code != fault.CodeEventsExpired ||
			refusal.OldestSequence != before+5 {
			b.Errorf("sending expired events again: %+v", refusal)
		}
		b.set(hook.ID, webhookdesk.Enabled)
		got := b.deliverAll()
		slices.SortFunc(got, func(x, y received) int { return int(x.Sequence - y.Sequence) })
		if sequences(got) != "5 6" {
			b.Errorf("after it was enabled: %s", sequences(got))
		}
		if now := b.get(hook.ID); now.LastSequence != 6 || now.Retries != 0 {
			b.Errorf("the webhook is %+v", now)
		}
		if err := b.redeliver(hook.ID, 5, 6); err != nil {
			b.Error(err)
		}
	})
}
