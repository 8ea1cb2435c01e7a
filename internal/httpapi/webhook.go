package httpapi

import (
	"verdict/internal/document"
	"verdict/internal/operation"
	"verdict/internal/tenant"
	"verdict/internal/webhookdesk"
)

// webhookHandlers serve webhooks: their settings, their log, tests and redeliveries.
type webhookHandlers struct{ webhooks *webhookdesk.Service }

func (h *webhookHandlers) routes() []route {
	return []route{
		{pattern: "GET /v1/webhooks", handle: h.list, bucket: bucketRead},
		{pattern: "POST /v1/webhooks", handle: h.create, bucket: bucketWrite, body: required, once: true},
		{pattern: "GET /v1/webhooks/{id}", handle: h.get, bucket: bucketRead},
		{pattern: "PATCH /v1/webhooks/{id}", handle: h.change, bucket: bucketWrite, body: required},
		{pattern: "DELETE /v1/webhooks/{id}", handle: h.remove, bucket: bucketWrite},
		{pattern: "POST /v1/webhooks/{id}/secret", handle: h.rotate, bucket: bucketWrite, body: optional, once: true},
		{pattern: "POST /v1/webhooks/{id}/test", handle: h.test, bucket: bucketWrite, once: true},
		{pattern: "GET /v1/webhooks/{id}/deliveries", handle: h.deliveries, bucket: bucketRead},
		{
			pattern: "POST /v1/webhooks/{id}/redeliver", handle: h.redeliver, bucket: bucketWrite,
			body: required, once: true,
		},
	}
}

func (h *webhookHandlers) list(c *call) error {
	if err := c.query().err(); err != nil {
		return err
	}
	hooks, err := h.webhooks.List(c.ctx, c.caller)
	return sendValue(c, hooks, err, document.WriteWebhooks)
}

func (h *webhookHandlers) create(c *call) error {
	n, err := readAs(c, tenant.WebhooksManage, document.ReadWebhook)
	if err != nil {
		return err
	}
	reply := &operation.Reply[webhookdesk.Issued]{Idempotency: c.once, Encode: document.EncodeCreatedWebhook}
	issued, err := h.webhooks.Create(c.ctx, c.caller, n, reply)
	return sendReply(c, reply, issued, err)
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
	reply := &operation.Reply[webhookdesk.Issued]{Idempotency: c.once, Encode: document.EncodeIssued}
	issued, err := h.webhooks.RotateSecret(c.ctx, c.caller, c.id, overlap, reply)
	return sendReply(c, reply, issued, err)
}

func (h *webhookHandlers) test(c *call) error {
	if err := c.query().err(); err != nil {
		return err
	}
	reply := &operation.Reply[webhookdesk.Delivery]{Idempotency: c.once, Encode: document.EncodeDelivery}
	delivery, err := h.webhooks.Test(c.ctx, c.caller, c.id, reply)
	return sendReply(c, reply, delivery, err)
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
	reply := &operation.Reply[webhookdesk.Redelivery]{Idempotency: c.once, Encode: document.EncodeRedelivery}
	err = h.webhooks.Redeliver(c.ctx, c.caller, c.id, again, reply)
	return sendReply(c, reply, again, err)
}
