package webhookdesk_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
	"verdict/internal/webhookdesk"
)

// TestNodes lets two nodes deliver at the same time while decisions are stored. Each event is
// delivered once. Then one node stops without releasing its lease, and the other takes over.
// SQLite has only one node.
func TestNodes(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		if b.db.Kind() == "sqlite" {
			return
		}
		hook, _ := b.create()
		other := b.node()
		var all sync.WaitGroup
		for _, node := range []*usecase.Set{b.Service, other} {
			all.Go(func() {
				for range 10 {
					if err := node.Webhooks.Deliver(b.Context()); err != nil {
						b.Error(err)
					}
				}
			})
		}
		b.decide(40)
		all.Wait()
		counts := map[string]int{}
		take := func() (n int) {
			for _, e := range b.receiver.take() {
				counts[e.ID]++
				n++
			}
			return n
		}
		take()
		b.pass(time.Minute)
		// A node reads few events in its first pass for a webhook, so one pass may not be enough.
		for more := true; more; more = take() > 0 {
			if err := other.Webhooks.Deliver(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
		if len(counts) != 40 {
			b.Errorf("%d of 40 events were delivered", len(counts))
		}
		for id, n := range counts {
			if n != 1 {
				b.Errorf("%s was delivered %d times", id, n)
			}
		}
		if now := b.get(hook.ID); now.LastSequence != 40 {
			b.Errorf("the webhook is %+v", now)
		}
	})
}

// TestSecondWebhook creates a webhook while the node has a lease on the tenant's other webhooks. Each webhook
// gets each event once.
func TestSecondWebhook(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		b.create()
		b.decide(1)
		b.deliverAll()
		second, _ := b.create()
		b.decide(1)
		if got := b.deliverAll(); sequences(got) != "2 2" {
			b.Errorf("received %s", sequences(got))
		}
		if now := b.get(second.ID); now.LastSequence != 2 {
			b.Errorf("the second webhook is %+v", now)
		}
	})
}

// TestWebhookIsolation checks that events reach only webhooks of their own tenant and environment,
// and that nobody else can see or change a webhook.
func TestWebhookIsolation(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		hook, _ := b.create()
		_, stranger := b.Signup("ravi@example.in")
		live := b.Caller
		live.Environment = tenant.Live
		w := b.Service.Webhooks
		for i, p := range []tenant.Principal{stranger, live} {
			if _, err := w.Create(b.Context(), p, webhookdesk.NewWebhook{
				Settings: webhookdesk.Settings{URL: fmt.Sprintf("https://other%d.example/", i)}, After: -1,
			}, nil); err != nil {
				b.Fatal(err)
			}
			ctx, same := b.Context(), func(s webhookdesk.Settings) webhookdesk.Settings { return s }
			var errs [7]error
			_, errs[0] = w.Get(ctx, p, hook.ID)
			_, errs[1] = w.Change(ctx, p, hook.ID, same)
			_, errs[2] = w.RotateSecret(ctx, p, hook.ID, 0, nil)
			_, errs[3] = w.Test(ctx, p, hook.ID, nil)
			_, errs[4] = w.Deliveries(ctx, p, hook.ID, false, firstPage)
			errs[5] = w.Redeliver(ctx, p, hook.ID, webhookdesk.Redelivery{From: 1, To: 1}, nil)
			errs[6] = w.Delete(ctx, p, hook.ID)
			for n, err := range errs {
				if fault.KindOf(err) != fault.NotFound {
					b.Errorf("operation %d on another's webhook: %v", n, err)
				}
			}
			if hooks, err := w.List(b.Context(), p); err != nil || len(hooks) != 1 || hooks[0].ID == hook.ID {
				b.Errorf("the list is %+v, %v", hooks, err)
			}
		}
		b.decide(2)
		for _, e := range b.deliverAll() {
			if e.url != hook.URL {
				b.Errorf("%s got event %d", e.url, e.Sequence)
			}
		}
		reader := b.Caller
		reader.Scopes = tenant.Read | tenant.Decide | tenant.PolicyWrite
		if _, err := w.List(b.Context(), reader); fault.KindOf(err) != fault.Forbidden {
			b.Errorf("without the scope: %v", err)
		}
	})
}

// TestCap checks that a tenant has at most MaxWebhooks in both environments together.
func TestCap(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		live := b.Caller
		live.Environment = tenant.Live
		errs := make([]error, 2*webhookdesk.MaxWebhooks)
		var all sync.WaitGroup
		for i := range errs {
			p := []tenant.Principal{b.Caller, live}[i%2]
			all.Go(func() {
				_, errs[i] = b.Service.Webhooks.Create(b.Context(), p, webhookdesk.NewWebhook{
					Settings: webhookdesk.Settings{URL: "https://receiver.example/"}, After: -1,
				}, nil)
			})
		}
		all.Wait()
		created := 0
		for _, err := range errs {
			if err == nil {
				created++
			} else if usecasetest.CodeOf(err) != fault.CodeCapReached {
				b.Error(err)
			}
		}
		if created != webhookdesk.MaxWebhooks {
			b.Errorf("%d webhooks were created", created)
		}
	})
}

// TestSettings checks which settings are refused, and where the faults point.
func TestSettings(t *testing.T) {
	t.Parallel()
	b := open(t, storetest.Open(t, storetest.MigratedSQLite(t), store.Options{}))
	for _, c := range []struct {
		settings webhookdesk.Settings
		env      tenant.Environment
		pointer  string
	}{
		{webhookdesk.Settings{URL: "https://a.example/x?y=1"}, tenant.Live, ""},
		{webhookdesk.Settings{URL: "http://a.example:8080/"}, tenant.Sandbox, ""},
		{webhookdesk.Settings{URL: "https://a.example", Types: []string{"decision.created"}}, tenant.Live, ""},
		{webhookdesk.Settings{URL: "http://a.example"}, tenant.Live, "/url"},
		{webhookdesk.Settings{URL: ""}, tenant.Live, "/url"},
		{webhookdesk.Settings{URL: "a.example"}, tenant.Sandbox, "/url"},
		{webhookdesk.Settings{URL: "ftp://a.example"}, tenant.Sandbox, "/url"},
		{webhookdesk.Settings{URL: "https://"}, tenant.Sandbox, "/url"},
		{webhookdesk.Settings{URL: "https://:443/"}, tenant.Sandbox, "/url"},
		{webhookdesk.Settings{URL: "https://user:pass@a.example"}, tenant.Sandbox, "/url"},
		{webhookdesk.Settings{URL: "https://user@a.example"}, tenant.Sandbox, "/url"},
		{webhookdesk.Settings{URL: "https://a.example/#x"}, tenant.Sandbox, "/url"},
		{webhookdesk.Settings{URL: "https://[fe80::1%25eth0]/"}, tenant.Sandbox, "/url"},
		{webhookdesk.Settings{URL: "https://a.example/" + strings.Repeat("x", 2048)}, tenant.Sandbox, "/url"},
		{webhookdesk.Settings{URL: "https://a.example\n"}, tenant.Sandbox, "/url"},
		{webhookdesk.Settings{URL: "https://a.example", Types: []string{"x"}}, tenant.Sandbox, "/types/0"},
		{webhookdesk.Settings{URL: "https://a.example", Types: []string{"decision.created", "decision.created"}},
			tenant.Sandbox, "/types/1"},
		{webhookdesk.Settings{URL: "https://a.example", State: "disabled"}, tenant.Sandbox, "/state"},
		{webhookdesk.Settings{URL: "https://a.example", Description: strings.Repeat("x", 201)},
			tenant.Sandbox, "/description"},
	} {
		p := b.Caller
		p.Environment = c.env
		_, err := b.Service.Webhooks.Create(t.Context(), p, webhookdesk.NewWebhook{Settings: c.settings}, nil)
		if c.pointer == "" {
			if err != nil {
				t.Errorf("%s: %v", c.settings.URL, err)
			}
			continue
		}
		if found := usecasetest.Pointers(t, err); !slices.Equal(found, []string{c.pointer}) {
			t.Errorf("%.60q: faults at %q, want %q", c.settings.URL, found, c.pointer)
		}
	}
}
