package httpapi

import (
	"verdict/internal/document"
	"verdict/internal/exposuredesk"
	"verdict/internal/operation"
	"verdict/internal/tenant"
)

// exposureHandlers serve the loans that the lender reports.
type exposureHandlers struct{ exposures *exposuredesk.Service }

func (h *exposureHandlers) routes() []route {
	return []route{
		{pattern: "POST /v1/exposures", handle: h.report, bucket: bucketDecide, body: required, once: true},
		{pattern: "GET /v1/exposures", handle: h.list, bucket: bucketRead},
	}
}

func (h *exposureHandlers) report(c *call) error {
	n, err := readAs(c, tenant.Decide, document.ReadExposure)
	if err != nil {
		return err
	}
	reply := &operation.Reply[exposuredesk.Exposure]{Idempotency: c.once, Encode: document.EncodeExposure}
	reported, err := h.exposures.Report(c.ctx, c.caller, n, reply)
	return sendReply(c, reply, reported, err)
}

func (h *exposureHandlers) list(c *call) error {
	q := c.query()
	ref := q.text("applicant_ref")
	list := q.list()
	if err := q.err(); err != nil {
		return err
	}
	page, err := h.exposures.Exposures(c.ctx, c.caller, ref, list)
	return sendPage(c, page, err, document.WriteExposure)
}
