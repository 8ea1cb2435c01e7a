package httpapi

import (
	"verdict/internal/document"
	"verdict/internal/operation"
	"verdict/internal/privacydesk"
	"verdict/internal/tenant"
)

// privacyHandlers serve the erasure of people.
type privacyHandlers struct{ privacy *privacydesk.Service }

func (h *privacyHandlers) routes() []route {
	return []route{
		{pattern: "POST /v1/erasures", handle: h.erase, bucket: bucketWrite, body: required, once: true},
		{pattern: "GET /v1/erasures", handle: h.list, bucket: bucketRead},
		{pattern: "GET /v1/erasures/{id}", handle: h.get, bucket: bucketRead},
	}
}

func (h *privacyHandlers) erase(c *call) error {
	n, err := readAs(c, tenant.PrivacyManage, document.ReadErasure)
	if err != nil {
		return err
	}
	reply := &operation.Reply[privacydesk.Erasure]{Idempotency: c.once, Encode: document.EncodeErasure}
	erased, err := h.privacy.Erase(c.ctx, c.caller, n, reply)
	return sendReply(c, reply, erased, err)
}

func (h *privacyHandlers) list(c *call) error {
	q := c.query()
	list := q.list()
	if err := q.err(); err != nil {
		return err
	}
	page, err := h.privacy.Erasures(c.ctx, c.caller, list)
	return sendPage(c, page, err, document.WriteErasure)
}

func (h *privacyHandlers) get(c *call) error {
	if err := c.query().err(); err != nil {
		return err
	}
	erased, err := h.privacy.Erasure(c.ctx, c.caller, c.id)
	return sendValue(c, erased, err, document.WriteErasure)
}
