package httpapi

import (
	"net/http"

	"verdict/internal/document"
	"verdict/internal/tenant"
	"verdict/internal/webhookdesk"
	"verdict/internal/wire"
)

// webhookHandlers serve webhooks: their settings, their log, tests and redeliveries.
type webhookHandlers struct{ webhooks *webhookdesk.Service }

func (h *webhookHandlers) routes() []route {
	return []route{
		{pattern: "GET /v1/webhooks", handle: h.list, bucket: bucketRead},
		{pattern: "POST /v1/webhooks", handle: h.create, bucket: bucketWrite, body: required},
		{pattern: "GET /v1/webhooks/{id}", handle: h.get, bucket: bucketRead},
		{pattern: "PATCH /v1/webhooks/{id}", handle: h.change, bucket: bucketWrite, body: required},
		{pattern: "DELETE /v1/webhooks/{id}", handle: h.remove, bucket: bucketWrite},
		{pattern: "POST /v1/webhooks/{id}/secret", handle: h.rotate, bucket: bucketWrite, body: optional},
		{pattern: "POST /v1/webhooks/{id}/test", handle: h.test, bucket: bucketWrite},
		{pattern: "GET /v1/webhooks/{id}/deliveries", handle: h.deliveries, bucket: bucketRead},
		{pattern: "POST /v1/webhooks/{id}/redeliver", handle: h.redeliver, bucket: bucketWrite, body: required},
	}
}

func (h *webhookHandlers) list(c *call) error {
	if err := c.query().err(); err != nil {
		return err
	}
	hooks, err := h.webhooks.List(c.ctx, c.caller)
	return sendValue(c, hooks, err, document.WriteWebhooks)
}

// create answers with the secret, which is not shown again. It takes no Idempotency-Key: the
// answer would be stored, and so show the secret again.
func (h *webhookHandlers) create(c *call) error {
	n, err := readAs(c, tenant.WebhooksManage, document.ReadWebhook)
	if err != nil {
		return err
	}
	hook, secret, err := h.webhooks.Create(c.ctx, c.caller, n)
	if err != nil {
		return err
	}
	var w wire.Writer
	document.WriteWebhookSecret(secret)(&w, hook)
	c.response.header()["Location"] = []string{"/v1/webhooks/" + hook.ID}
	return c.response.send(c.ctx, http.StatusCreated, w.Buf)
}

func (h *webhookHandlers) get(c *call) error {
	if err := c.query().err(); err != nil {
		return err
	}
	hook, err := h.webhooks.Get(c.ctx, c.caller, c.id)
	return sendValue(c, hook, err, document.WriteWebhook)
}

func (h *webhookHandlers) change(c *call) error {
	change, err := readAs(c, tenant.WebhooksManage, document.ReadWebhookPatch)
	if err != nil {
		return err
	}
	hook, err := h.webhooks.Change(c.ctx, c.caller, c.id, change)
	return sendValue(c, hook, err, document.WriteWebhook)
}

func (h *webhookHandlers) remove(c *call) error {
	if err := c.query().err(); err != nil {
		return err
	}
	if err := h.webhooks.Delete(c.ctx, c.caller, c.id); err != nil {
		return err
	}
	return c.response.sendNoContent()
}

func (h *webhookHandlers) rotate(c *call) error {
	overlap, err := readAs(c, tenant.WebhooksManage, document.ReadOverlap)
	if err != nil {
		return err
	}
	hook, secret, err := h.webhooks.RotateSecret(c.ctx, c.caller, c.id, overlap)
	return sendValue(c, hook, err, document.WriteWebhookSecret(secret))
}

func (h *webhookHandlers) test(c *call) error {
	if err := c.query().err(); err != nil {
		return err
	}
	delivery, err := h.webhooks.Test(c.ctx, c.caller, c.id)
	return sendValue(c, delivery, err, document.WriteDelivery)
}

func (h *webhookHandlers) deliveries(c *call) error {
	q := c.query()
	failed := q.flag("failed")
	list := q.list()
	if err := q.err(); err != nil {
		return err
	}
	page, err := h.webhooks.Deliveries(c.ctx, c.caller, c.id, failed, list)
	return sendPage(c, page, err, document.WriteDelivery)
}

func (h *webhookHandlers) redeliver(c *call) error {
	again, err := readAs(c, tenant.WebhooksManage, document.ReadRedelivery)
	if err != nil {
		return err
	}
	if err := h.webhooks.Redeliver(c.ctx, c.caller, c.id, again.From, again.To); err != nil {
		return err
	}
	return c.response.sendNoContent()
}
