package webhookdesk

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"verdict/internal/eventdesk"
	"verdict/internal/operation"
	"verdict/internal/store"
)

func eventOf(sequence int64, object string) eventdesk.Event {
	return eventdesk.Event{
		ID: fmt.Sprint("evt_", sequence), Sequence: sequence, Type: "x",
		Object: object, Decision: eventdesk.Decision{ID: object},
	}
}

// passOf returns a pass over new events, and over retries that were loaded before.
func passOf(
	t *testing.T, post func(sequence int64) int, retries []store.WebhookRetry, events ...eventdesk.Event,
) *pass {
	t.Helper()
	now := time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)
	core := operation.New(nil, operation.Options{Now: func() time.Time { return now }})
	s, err := New(core, nil, Options{
		Encode: func(e eventdesk.Event) []byte { return []byte(fmt.Sprint(e.Sequence)) },
		Post: func(_ context.Context, _ string, _ map[string]string, body []byte) (int, string) {
			var sequence int64
			if _, err := fmt.Sscan(string(body), &sequence); err != nil {
				return 0, err.Error()
			}
			return post(sequence), ""
		},
		Jitter: func() float64 { return 0 },
	})
	if err != nil {
		t.Fatal(err)
	}
	p := &pass{
		service: s, now: now, slots: make(chan struct{}, maxDeliveries),
		busy: map[string]bool{}, blocked: map[string]bool{}, behind: map[string]bool{},
		changed: map[int64]store.WebhookRetry{}, retries: map[int64]store.WebhookRetry{},
	}
	p.idle = sync.NewCond(&p.mu)
	p.hook.Secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	for _, r := range retries {
		p.retries[r.Sequence] = r
		p.blocked[r.Object] = p.blocked[r.Object] || r.NextMicros > now.UnixMicro()
	}
	for _, e := range events {
		if _, is := p.retries[e.Sequence]; is {
			p.items = append(p.items, item{event: e, origin: fromRetries})
		} else {
			p.items = append(p.items, item{event: e, origin: fromFeed})
		}
		p.handled = e.Sequence
	}
	return p
}

// TestOrderOfAnObject delivers many events of a few objects at the same time, and checks that the events of each
// object arrive in order, none before the previous one was answered.
func TestOrderOfAnObject(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	last, busy, most := map[int64]int64{}, map[int64]bool{}, 0
	const objects = 7
	p := passOf(t, func(sequence int64) int {
		object := sequence % objects
		mu.Lock()
		if busy[object] || sequence <= last[object] {
			t.Errorf("event %d arrives while or after %d is delivered", sequence, last[object])
		}
		busy[object], last[object] = true, sequence
		n := 0
		for _, is := range busy {
			if is {
				n++
			}
		}
		most = max(most, n)
		mu.Unlock()
		mu.Lock()
		busy[object] = false
		mu.Unlock()
		return 200
	}, nil)
	for i := range int64(200) {
		p.items = append(p.items, item{event: eventOf(i+1, fmt.Sprint(((i + 1) % objects))), origin: fromFeed})
	}
	p.handled = 200
	p.run(t.Context())
	if got := p.progress(); got.Hook.Handled != 200 || len(got.Deliveries) != 200 || len(got.Retries) != 0 {
		t.Errorf("handled %d, %d attempts, %d retries", got.Hook.Handled, len(got.Deliveries), len(got.Retries))
	}
}

// TestLaterEventsWait checks that an event that has failed delays the later events of its object, in the same
// pass and in later passes, and that events of other objects do not wait.
func TestLaterEventsWait(t *testing.T) {
	t.Parallel()
	fails := func(sequence int64) int {
		if sequence == 2 {
			return 500
		}
		return 200
	}
	p := passOf(t, fails, nil, eventOf(1, "a"), eventOf(2, "b"), eventOf(3, "a"), eventOf(4, "b"), eventOf(5, "c"))
	p.run(t.Context())
	got := p.progress()
	if got.Hook.Handled != 5 || len(got.Retries) != 2 || got.Hook.Failures != 0 {
		t.Fatalf("%+v", got)
	}
	for _, r := range got.Retries {
		if r.Object != "b" || (r.Sequence == 2) != (r.Attempts == 1) || (r.Sequence == 4) != (r.NextMicros == 0) {
			t.Errorf("the retry %+v", r)
		}
	}
	if got.Hook.WakeMicros != p.now.Add(5*time.Second).UnixMicro() {
		t.Errorf("the next retry is due at %d", got.Hook.WakeMicros)
	}

	// The retry is not due yet: a new event of its object waits too.
	waiting := passOf(t, fails, got.Retries, eventOf(6, "b"), eventOf(7, "d"))
	waiting.run(t.Context())
	if next := waiting.progress(); len(next.Deliveries) != 1 || next.Deliveries[0].Sequence != 7 ||
		len(next.Retries) != 1 || next.Retries[0].Sequence != 6 {
		t.Errorf("%+v", next)
	}

	// The retry is due and succeeds: the others follow in the same pass, in order.
	due := got.Retries
	for i := range due {
		due[i].NextMicros = 0
	}
	var order []int64
	all := passOf(t, func(sequence int64) int { order = append(order, sequence); return 200 }, due,
		eventOf(2, "b"), eventOf(4, "b"), eventOf(8, "b"))
	all.run(t.Context())
	if done := all.progress(); fmt.Sprint(order) != "[2 4 8]" || len(done.Done) != 2 || len(done.Retries) != 0 ||
		done.Hook.WakeMicros != 0 || done.Deliveries[0].Attempt != 2 {
		t.Errorf("sent %v, %+v", order, done)
	}
}

// TestRetriesAreLimited checks that a webhook takes no new events while it has too many
// retries, and that it does not try continually.
func TestRetriesAreLimited(t *testing.T) {
	t.Parallel()
	var retries []store.WebhookRetry
	const later = 1 << 60
	for i := range int64(maxRetries) {
		retries = append(retries, store.WebhookRetry{Sequence: i + 1, Object: fmt.Sprint(i), NextMicros: later})
	}
	p := passOf(t, func(int64) int { return 200 }, retries, eventOf(1001, "x"), eventOf(1002, "y"))
	p.run(t.Context())
	got := p.progress()
	if got.Hook.Handled != 1000 || len(got.Deliveries) != 0 || got.Hook.NextMicros != later || p.more {
		t.Errorf("%+v", got)
	}
}

// TestStopped checks that deliveries that the end of the service interrupts do not count as
// attempts, and are not lost.
func TestStopped(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	p := passOf(t, func(int64) int { cancel(); return 0 }, nil, eventOf(1, "a"), eventOf(2, "a"), eventOf(3, "c"))
	p.run(ctx)
	got := p.progress()
	if len(got.Deliveries) != 0 || got.Hook.Failures != 0 {
		t.Errorf("an interrupted delivery counts: %+v", got)
	}
	kept := map[int64]bool{}
	for _, r := range got.Retries {
		if r.Attempts != 0 {
			t.Errorf("the retry %+v", r)
		}
		kept[r.Sequence] = true
	}
	for sequence := int64(1); sequence <= 3; sequence++ {
		if sequence <= got.Hook.Handled && !kept[sequence] {
			t.Errorf("event %d is lost: %+v", sequence, got)
		}
	}
}

// TestHealthyIsBounded checks that webhooks which come and go do not fill the memory.
func TestHealthyIsBounded(t *testing.T) {
	t.Parallel()
	s := &Service{healthy: map[hookName]bool{}}
	for i := range 3 * maxHealthy {
		name := hookName{id: fmt.Sprint("whk_", i)}
		s.note(name, true)
		if s.limit(name) != maxBatch || len(s.healthy) > maxHealthy {
			t.Fatalf("after %d webhooks, %d are remembered, and the last one reads %d events", i+1, len(s.healthy),
				s.limit(name))
		}
	}
	last := hookName{id: fmt.Sprint("whk_", 3*maxHealthy-1)}
	s.note(last, false)
	if s.limit(last) != firstBatch {
		t.Errorf("after a failure it reads %d events, want %d", s.limit(last), firstBatch)
	}
}
