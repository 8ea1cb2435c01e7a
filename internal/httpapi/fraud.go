package httpapi

import (
	"time"

	"verdict/internal/document"
	"verdict/internal/fault"
	"verdict/internal/frauddesk"
	"verdict/internal/operation"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// fraudHandlers serve the fraud desk: thresholds, alerts, rings, pincode risk and the block list.
type fraudHandlers struct {
	fraud *frauddesk.Service
	now   func() time.Time
}

func (h *fraudHandlers) routes() []route {
	return []route{
		{pattern: "GET /v1/fraud/config", handle: h.config, bucket: bucketRead},
		{pattern: "PUT /v1/fraud/config", handle: h.changeConfig, bucket: bucketWrite, body: required},
		{pattern: "GET /v1/fraud/alerts", handle: h.alerts, bucket: bucketRead},
		{pattern: "GET /v1/fraud/alerts/{id}", handle: h.alert, bucket: bucketRead},
		{pattern: "PATCH /v1/fraud/alerts/{id}", handle: h.moveAlert, bucket: bucketWrite, body: required},
		{pattern: "GET /v1/fraud/alerts/{id}/ring", handle: h.ring, bucket: bucketRead},
		{pattern: "GET /v1/fraud/pincode-risk", handle: h.pincodeRisks, bucket: bucketRead},
		{pattern: "PUT /v1/fraud/pincode-risk", handle: h.setPincodeRisks, bucket: bucketWrite, body: required},
		{pattern: "GET /v1/fraud/blocklist", handle: h.blocklist, bucket: bucketRead},
		{pattern: "POST /v1/fraud/blocklist", handle: h.block, bucket: bucketWrite, body: required, once: true},
		{pattern: "DELETE /v1/fraud/blocklist", handle: h.unblock, bucket: bucketWrite},
	}
}

func (h *fraudHandlers) config(c *call) error {
	if err := c.query().err(); err != nil {
		return err
	}
	config, err := h.fraud.Config(c.ctx, c.caller)
	return sendVersioned(c, config, config.Version, err, document.WriteConfig)
}

func (h *fraudHandlers) changeConfig(c *call) error {
	expected, err := expectedVersion(c.r)
	if err != nil {
		return err
	}
	change, err := readAs(c, tenant.PolicyWrite, document.ReadConfigPatch)
	if err != nil {
		return err
	}
	config, err := h.fraud.ChangeConfig(c.ctx, c.caller, change, expected)
	return sendVersioned(c, config, config.Version, err, document.WriteConfig)
}

func (h *fraudHandlers) alerts(c *call) error {
	q := c.query()
	filter := frauddesk.AlertFilter{
		Status:   q.choice("status", frauddesk.AlertStates()...),
		Type:     q.choice("type", frauddesk.AlertTypes()...),
		Severity: q.choice("severity", "low", "medium", "high", "critical"),
	}
	list := q.list()
	if err := q.err(); err != nil {
		return err
	}
	page, err := h.fraud.Alerts(c.ctx, c.caller, filter, list)
	return sendPage(c, page, err, document.WriteAlert)
}

func (h *fraudHandlers) alert(c *call) error {
	if err := c.query().err(); err != nil {
		return err
	}
	alert, err := h.fraud.Alert(c.ctx, c.caller, c.id)
	return sendValue(c, alert, err, document.WriteAlert)
}

func (h *fraudHandlers) moveAlert(c *call) error {
	move, err := readAs(c, tenant.Decide, func(body wire.Value) (frauddesk.AlertMove, error) {
		return document.ReadAlertMove(body, h.now())
	})
	if err != nil {
		return err
	}
	alert, err := h.fraud.MoveAlert(c.ctx, c.caller, c.id, move)
	return sendValue(c, alert, err, document.WriteAlert)
}

func (h *fraudHandlers) ring(c *call) error {
	if err := c.query().err(); err != nil {
		return err
	}
	ring, err := h.fraud.Ring(c.ctx, c.caller, c.id)
	return sendValue(c, ring, err, document.WriteRing)
}

func (h *fraudHandlers) pincodeRisks(c *call) error {
	q := c.query()
	filter := frauddesk.PincodeFilter{
		Pincode: q.digits("pincode"),
		Prefix:  q.digits("prefix"),
		Risk:    q.choice("risk", "LOW", "MEDIUM", "HIGH", "BLOCKED"),
	}
	list := q.page()
	if err := q.err(); err != nil {
		return err
	}
	risks, err := h.fraud.PincodeRisks(c.ctx, c.caller, filter, list)
	return sendValue(c, risks, err, document.WritePincodeRisks)
}

func (h *fraudHandlers) setPincodeRisks(c *call) error {
	set, err := readAs(c, tenant.PolicyWrite, document.ReadPincodeRisks)
	if err != nil {
		return err
	}
	risks, err := h.fraud.SetPincodeRisks(c.ctx, c.caller, set.Entries, set.Replace)
	return sendValue(c, risks, err, document.WritePincodeRisks)
}

func (h *fraudHandlers) blocklist(c *call) error {
	q := c.query()
	list := q.page()
	if err := q.err(); err != nil {
		return err
	}
	page, err := h.fraud.Blocklist(c.ctx, c.caller, list)
	return sendPage(c, page, err, document.WriteBlocked)
}

func (h *fraudHandlers) block(c *call) error {
	entry, err := readAs(c, tenant.Decide, func(body wire.Value) (frauddesk.NewBlock, error) {
		return document.ReadBlock(body, h.now())
	})
	if err != nil {
		return err
	}
	reply := &operation.Reply[frauddesk.Blocking]{Idempotency: c.once, Encode: document.EncodeBlocking}
	blocked, err := h.fraud.Block(c.ctx, c.caller, entry, reply)
	return sendReply(c, reply, blocked, err)
}

func (h *fraudHandlers) unblock(c *call) error {
	q := c.query()
	kind, key := q.choice("kind", frauddesk.EntityKinds()...), q.text("key")
	if kind == "" {
		q.fail("kind", fault.CodeRequired, "is required")
	}
	if key == "" {
		q.fail("key", fault.CodeRequired, "is required")
	}
	if err := q.err(); err != nil {
		return err
	}
	if err := h.fraud.Unblock(c.ctx, c.caller, kind, key); err != nil {
		return err
	}
	return c.response.sendNoContent()
}
