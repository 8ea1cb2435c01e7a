package httpapi

import (
	"net/url"

	"verdict/internal/decisioning"
	"verdict/internal/document"
	"verdict/internal/operation"
	"verdict/internal/privacydesk"
	"verdict/internal/tenant"
)

// privacyHandlers serve what is held about people: reading it, erasing it, legal holds and retention periods.
type privacyHandlers struct{ privacy *privacydesk.Service }

func (h *privacyHandlers) routes() []route {
	return []route{
		{pattern: "POST /v1/erasures", handle: h.erase, bucket: bucketWrite, body: required, once: true},
		{pattern: "GET /v1/erasures", handle: h.list, bucket: bucketRead},
		{pattern: "GET /v1/erasures/{id}", handle: h.get, bucket: bucketRead},
		{pattern: "POST /v1/erasures/{id}/withdraw", handle: h.withdraw, bucket: bucketWrite, once: true},
		{pattern: "POST /v1/legal-holds", handle: h.placeHold, bucket: bucketWrite, body: required, once: true},
		{pattern: "GET /v1/legal-holds", handle: h.holds, bucket: bucketRead},
		{pattern: "GET /v1/legal-holds/{id}", handle: h.hold, bucket: bucketRead},
		{pattern: "POST /v1/legal-holds/{id}/release", handle: h.releaseHold, bucket: bucketWrite, once: true},
		{pattern: "GET /v1/applicants/{ref}", handle: h.applicant, bucket: bucketRead},
		{pattern: "GET /v1/retention", handle: h.retention, bucket: bucketRead},
		{pattern: "PUT /v1/retention", handle: h.setRetention, bucket: bucketWrite, body: required},
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

func (h *privacyHandlers) withdraw(c *call) error {
	if err := c.query().err(); err != nil {
		return err
	}
	reply := &operation.Reply[privacydesk.Erasure]{Idempotency: c.once, Encode: document.EncodeWithdrawn}
	withdrawn, err := h.privacy.Withdraw(c.ctx, c.caller, c.id, reply)
	return sendReply(c, reply, withdrawn, err)
}

func (h *privacyHandlers) placeHold(c *call) error {
	n, err := readAs(c, tenant.PrivacyManage, document.ReadHold)
	if err != nil {
		return err
	}
	reply := &operation.Reply[privacydesk.Hold]{Idempotency: c.once, Encode: document.EncodeHold}
	hold, err := h.privacy.PlaceHold(c.ctx, c.caller, n, reply)
	return sendReply(c, reply, hold, err)
}

func (h *privacyHandlers) holds(c *call) error {
	q := c.query()
	f := privacydesk.HoldFilter{ApplicantRef: q.text("applicant_ref"), InForce: q.flag("in_force")}
	list := q.list()
	if err := q.err(); err != nil {
		return err
	}
	page, err := h.privacy.Holds(c.ctx, c.caller, f, list)
	return sendPage(c, page, err, document.WriteHold)
}

func (h *privacyHandlers) hold(c *call) error {
	if err := c.query().err(); err != nil {
		return err
	}
	hold, err := h.privacy.Hold(c.ctx, c.caller, c.id)
	return sendValue(c, hold, err, document.WriteHold)
}

func (h *privacyHandlers) releaseHold(c *call) error {
	if err := c.query().err(); err != nil {
		return err
	}
	reply := &operation.Reply[privacydesk.Hold]{Idempotency: c.once, Encode: document.EncodeReleased}
	released, err := h.privacy.ReleaseHold(c.ctx, c.caller, c.id, reply)
	return sendReply(c, reply, released, err)
}

func (h *privacyHandlers) retention(c *call) error {
	if err := c.query().err(); err != nil {
		return err
	}
	retention, err := h.privacy.Retention(c.ctx, c.caller)
	return sendVersioned(c, retention, retention.Version, err, document.WriteRetention)
}

func (h *privacyHandlers) setRetention(c *call) error {
	expected, err := expectedVersion(c.r)
	if err != nil {
		return err
	}
	periods, err := readAs(c, tenant.PrivacyManage, document.ReadRetention)
	if err != nil {
		return err
	}
	retention, err := h.privacy.SetRetention(c.ctx, c.caller, periods, expected)
	return sendVersioned(c, retention, retention.Version, err, document.WriteRetention)
}

func (h *privacyHandlers) applicant(c *call) error {
	q := c.query()
	var how []decisioning.Option
	if q.choice("include", "facts") != "" {
		how = append(how, decisioning.WithFacts)
	}
	write := document.WriteApplicant
	if q.choice("audience", "lender", "applicant") == "applicant" {
		write = document.WriteForApplicant
	}
	list := q.page()
	if err := q.err(); err != nil {
		return err
	}
	ref, err := url.PathUnescape(c.id)
	if err != nil {
		ref = "" // a malformed reference matches nobody
	}
	held, err := h.privacy.Applicant(c.ctx, c.caller, ref, list, how...)
	return sendValue(c, held, err, write)
}
