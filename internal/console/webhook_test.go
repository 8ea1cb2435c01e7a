package console_test

import (
	"context"
	"net/http"
	"regexp"
	"sync/atomic"
	"testing"
	"time"

	"verdict/internal/tenant"
)

// receiver replaces the network over which webhooks are sent.
type receiver struct{ status atomic.Int64 }

func (r *receiver) post(context.Context, string, map[string]string, []byte) (status int, problem string) {
	if status := r.status.Load(); status != 0 {
		return int(status), ""
	}
	return 0, "address_forbidden"
}

// TestWebhookPages creates a webhook without scripts and sees its secret once. It then tests, changes, pauses and
// deletes the webhook, and checks the log of deliveries.
func TestWebhookPages(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	b := h.signUp()
	b.get("/console/sandbox/webhooks").want(http.StatusOK).has("No webhook yet")
	b.post("/console/sandbox/webhooks", "url", "ftp://x").want(http.StatusUnprocessableEntity).
		has(`id="e-url"`, `value="ftp://x"`)
	shown := b.post("/console/sandbox/webhooks", "url", "https://example.com/events", "description", "Origination").
		want(http.StatusOK).has("shown only now", "<code>whsec_")
	found := regexp.MustCompile(`/console/sandbox/webhooks/(whk_[0-9A-Z]{26})`).FindStringSubmatch(shown.body)
	if found == nil {
		t.Fatalf("the page has no link to the webhook:\n%s", shown.body)
	}
	at, id := found[0], found[1]
	b.get("/console/sandbox/webhooks").has("https://example.com/events", "Origination", "Enabled").hasNot("whsec_")
	b.get("/console/live/webhooks").hasNot("example.com/events")

	h.receiver.status.Store(http.StatusNoContent)
	b.post(at + "/test").to(at)
	b.get(at).want(http.StatusOK).has("accepted the test event with status 204", "webhook.test").hasNot("whsec_")
	h.receiver.status.Store(0)
	b.post(at + "/test").to(at)
	b.get(at).has("not delivered: address forbidden")
	b.get(at + "?failed=true").has("address forbidden").hasNot("status 204")

	h.receiver.status.Store(http.StatusOK)
	b.decide(tenant.Sandbox, "A-1")
	deliver(t, h)
	b.get(at).has("decision.created", "Send event 6 again") // the first five events come from signing up
	b.post(at+"/redeliver", "from_sequence", "1").to(at)
	b.post(at+"/redeliver", "from_sequence", "x").want(http.StatusUnprocessableEntity).has(`id="e-from_sequence"`)
	b.post(at+"/redeliver", "from_sequence", "1", "to_sequence", "99").want(http.StatusUnprocessableEntity).
		has(`id="e-to_sequence"`)
	b.post(at+"/state", "state", "paused").to(at)
	b.get(at).has("The webhook is paused.", "Enable webhook")
	b.post(at+"/state", "state", "enabled").to(at)
	b.post(at, "url", "https://example.com/other", "types", "decision.created").to(at)
	b.get(at).has("https://example.com/other", `value="decision.created" checked`)
	b.post(at+"/secret", "overlap", "1h").want(http.StatusOK).has("<code>whsec_", "previous secret too")

	h.receiver.status.Store(http.StatusGone)
	b.decide(tenant.Sandbox, "A-1")
	deliver(t, h)
	for _, page := range []string{"/console/sandbox", "/console/sandbox/webhooks", at} {
		b.get(page).want(http.StatusOK).has("disabled")
	}
	b.post(at + "/delete").to("/console/sandbox/webhooks")
	b.get(at).want(http.StatusNotFound)
	b.get("/console/sandbox/audit").has("webhook.deleted", id[len(id)-4:])
}

// TestWebhookPagesNeedTheScope checks that people who may not manage webhooks see none, and
// that live asks for a confirmation.
func TestWebhookPagesNeedTheScope(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	b := h.signUp()
	b.post("/console/live/webhooks", "url", "https://example.com/").want(http.StatusUnprocessableEntity).
		has(`id="e-confirm"`)
	b.post("/console/live/webhooks", "url", "http://example.com/", "confirm", "LIVE").
		want(http.StatusUnprocessableEntity).has(`id="e-url"`)
	b.post("/console/live/webhooks", "url", "https://example.com/", "confirm", "LIVE").want(http.StatusOK)
	colleague := b.colleague(tenant.RoleRisk)
	colleague.get("/console/live/webhooks").want(http.StatusForbidden)
	colleague.get("/console/live").want(http.StatusOK).hasNot("/webhooks")
}

// deliver advances the test's clock by a second, so that deliveries can be due, and sends the events that are due.
func deliver(t *testing.T, h *house) {
	t.Helper()
	h.clock.advance(time.Second)
	if err := h.service.Webhooks.Deliver(t.Context()); err != nil {
		t.Fatal(err)
	}
}
