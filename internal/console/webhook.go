package console

import (
	"strconv"
	"time"

	"verdict/internal/fault"
	"verdict/internal/tenant"
	"verdict/internal/webhookdesk"
)

// webhookPages serves the webhooks of an environment: the list, the form for a new webhook, and one webhook with its
// settings, its log of deliveries, test events and redeliveries.
type webhookPages struct{ webhooks *webhookdesk.Service }

func (p *webhookPages) routes() []page {
	const scope = tenant.WebhooksManage
	return []page{
		{pattern: "GET /console/{env}/webhooks", handle: p.list, scope: scope},
		{pattern: "POST /console/{env}/webhooks", handle: p.create, scope: scope},
		{pattern: "GET /console/{env}/webhooks/new", handle: p.newWebhook, scope: scope},
		{pattern: "GET /console/{env}/webhooks/{id}", handle: p.webhook, scope: scope},
		{pattern: "POST /console/{env}/webhooks/{id}", handle: p.change, scope: scope},
		{pattern: "POST /console/{env}/webhooks/{id}/state", handle: p.setState, scope: scope},
		{pattern: "POST /console/{env}/webhooks/{id}/secret", handle: p.rotate, scope: scope},
		{pattern: "POST /console/{env}/webhooks/{id}/test", handle: p.test, scope: scope},
		{pattern: "POST /console/{env}/webhooks/{id}/redeliver", handle: p.redeliver, scope: scope},
		{pattern: "POST /console/{env}/webhooks/{id}/delete", handle: p.remove, scope: scope},
	}
}

func (p *webhookPages) list(v *visit) error {
	hooks, err := p.webhooks.List(v.ctx, v.caller())
	if err != nil {
		return err
	}
	return v.render("webhooks", "Webhooks", struct{ Webhooks []webhookdesk.Webhook }{hooks})
}

// typeOptions returns the types of events to choose from.
func typeOptions(chosen []string) []option {
	var list []option
	for _, name := range webhookdesk.EventTypes() {
		o := option{Value: name, Label: name}
		for _, c := range chosen {
			o.Chosen = o.Chosen || c == name
		}
		list = append(list, o)
	}
	return list
}

func (p *webhookPages) newWebhook(v *visit) error {
	return v.render("webhook_new", "New webhook", struct{ Types []option }{typeOptions(nil)})
}

// create creates a webhook and renders it directly instead of redirecting, because its
// secret is shown only once.
func (p *webhookPages) create(v *visit) error {
	if err := v.confirmed(); err != nil {
		return v.redraw(err, p.newWebhook)
	}
	issued, err := p.webhooks.Create(v.ctx, v.caller(), webhookdesk.NewWebhook{
		Settings: webhookdesk.Settings{
			URL:         v.form.Value("url"),
			Types:       v.form.Values("types"),
			Description: v.form.Value("description"),
		},
		After: -1,
	}, nil)
	if err != nil {
		return v.redraw(err, p.newWebhook)
	}
	return showSecret(v, issued)
}

// showSecret renders the page that shows a new secret once.
func showSecret(v *visit, issued webhookdesk.Issued) error {
	return v.render("webhook_made", "Secret of a webhook", struct {
		Webhook webhookdesk.Webhook
		Secret  string
	}{issued.Webhook, issued.Secret.Reveal()})
}

// webhook shows a webhook with its log.
func (p *webhookPages) webhook(v *visit) error {
	hook, err := p.webhooks.Get(v.ctx, v.caller(), v.id("id"))
	if err != nil {
		return err
	}
	list := v.listing()
	failed := v.query("failed") != ""
	page, err := p.webhooks.Deliveries(v.ctx, v.caller(), hook.ID, failed, list)
	if fault.CodeOf(err) == fault.CodeInvalidCursor {
		list.Cursor = ""
		page, err = p.webhooks.Deliveries(v.ctx, v.caller(), hook.ID, failed, list)
	}
	if err != nil {
		return err
	}
	return v.render("webhook", hook.URL, struct {
		Webhook    webhookdesk.Webhook
		Types      []option
		Failed     bool
		Deliveries []webhookdesk.Delivery
		Pager      pager
	}{hook, typeOptions(hook.Types), failed, page.Data, v.pager(page.NextCursor)})
}

func (p *webhookPages) change(v *visit) error {
	err := v.confirmed()
	if err == nil {
		_, err = p.webhooks.Change(v.ctx, v.caller(), v.id("id"), func(s webhookdesk.Settings) webhookdesk.Settings {
			s.URL, s.Description = v.form.Value("url"), v.form.Value("description")
			s.Types = v.form.Values("types")
			return s
		})
	}
	if err != nil {
		return v.redraw(err, p.webhook)
	}
	return v.done("The webhook was saved.", "/webhooks/"+v.id("id"))
}

func (p *webhookPages) setState(v *visit) error {
	state, message := webhookdesk.Paused, "The webhook is paused."
	if v.form.Value("state") == webhookdesk.Enabled {
		state, message = webhookdesk.Enabled, "The webhook is enabled. It continues where it stopped."
	}
	_, err := p.webhooks.Change(v.ctx, v.caller(), v.id("id"), func(s webhookdesk.Settings) webhookdesk.Settings {
		s.State = state
		return s
	})
	if err != nil {
		return v.redraw(err, p.webhook)
	}
	return v.done(message, "/webhooks/"+v.id("id"))
}

func (p *webhookPages) rotate(v *visit) error {
	if err := v.confirmed(); err != nil {
		return v.redraw(err, p.webhook)
	}
	overlap, err := time.ParseDuration(v.form.Value("overlap"))
	if err != nil {
		overlap = webhookdesk.DefaultOverlap
	}
	issued, err := p.webhooks.RotateSecret(v.ctx, v.caller(), v.id("id"), overlap, nil)
	if err != nil {
		return v.redraw(err, p.webhook)
	}
	return showSecret(v, issued)
}

func (p *webhookPages) test(v *visit) error {
	d, err := p.webhooks.Test(v.ctx, v.caller(), v.id("id"), nil)
	if err != nil {
		return v.redraw(err, p.webhook)
	}
	message := "The receiver accepted the test event with status " + strconv.FormatInt(d.Status, 10) + "."
	switch {
	case d.Status == 0:
		message = "The test event was not delivered: " + words(d.Problem) + "."
	case d.Outcome != webhookdesk.Delivered:
		message = "The test event was not delivered: the receiver answered with status " +
			strconv.FormatInt(d.Status, 10) + "."
	}
	return v.done(message, "/webhooks/"+v.id("id"))
}

func (p *webhookPages) redeliver(v *visit) error {
	var faults fault.List
	from, _ := decimal(&faults, "/from_sequence", v.form.Value("from_sequence"), 0)
	to := from
	if text := v.form.Value("to_sequence"); text != "" {
		to, _ = decimal(&faults, "/to_sequence", text, 0)
	}
	err := faults.Err()
	if err == nil {
		err = p.webhooks.Redeliver(v.ctx, v.caller(), v.id("id"), webhookdesk.Redelivery{From: from, To: to}, nil)
	}
	if err != nil {
		return v.redraw(err, p.webhook)
	}
	return v.done("The events are being sent again.", "/webhooks/"+v.id("id"))
}

func (p *webhookPages) remove(v *visit) error {
	err := v.confirmed()
	if err == nil {
		err = p.webhooks.Delete(v.ctx, v.caller(), v.id("id"))
	}
	if err != nil {
		return v.redraw(err, p.webhook)
	}
	return v.done("The webhook is deleted.", "/webhooks")
}

// disabledWebhooks returns how many webhooks were disabled because nothing could be
// delivered, 0 if the person may not manage webhooks.
func disabledWebhooks(v *visit, webhooks *webhookdesk.Service) (n int, err error) {
	if !v.who.scopes.Has(tenant.WebhooksManage) {
		return 0, nil
	}
	hooks, err := webhooks.List(v.ctx, v.caller())
	for _, h := range hooks {
		if h.State == webhookdesk.Disabled {
			n++
		}
	}
	return n, err
}
