package httpapi

import (
	"net/http"
	"strconv"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/frauddesk"
	"verdict/internal/operation"
	"verdict/internal/wire"
)

func (a *API) fraudConfig(c *call) error {
	if err := c.query().err(); err != nil {
		return err
	}
	config, err := a.service.Fraud.Config(c.ctx, c.caller)
	return c.sendVersioned(config, config.Version, err)
}

func (a *API) changeFraudConfig(c *call) error {
	expected, err := c.expectedVersion()
	if err != nil {
		return err
	}
	config, err := a.service.Fraud.ChangeConfig(c.ctx, c.caller, c.body, expected)
	return c.sendVersioned(config, config.Version, err)
}

// sendVersioned writes something that a caller may lock by its version.
func (c *call) sendVersioned(result writes, version int64, err error) error {
	if err != nil {
		return err
	}
	c.w.Header()["Etag"] = []string{strconv.Quote(strconv.FormatInt(version, 10))}
	return c.sendResult(http.StatusOK, result)
}

// expectedVersion reads If-Match: a version in quotes, or * for any.
func (c *call) expectedVersion() (int64, error) {
	given := c.r.Header["If-Match"]
	if len(given) == 0 || len(given) == 1 && strings.TrimSpace(given[0]) == "*" {
		return operation.AnyVersion, nil
	}
	text, quoted := strings.CutPrefix(strings.TrimSpace(given[0]), `"`)
	text, closed := strings.CutSuffix(text, `"`)
	version, err := strconv.ParseInt(text, 10, 64)
	if len(given) > 1 || !quoted || !closed || err != nil || version < 0 {
		return 0, fault.New(fault.Invalid, fault.CodeInvalidField, `the If-Match header must be one version in quotes, such as "4"`)
	}
	return version, nil
}

func (a *API) alerts(c *call) error {
	q := c.query()
	filter := frauddesk.AlertFilter{
		Status: q.choice("status", frauddesk.AlertStates()...), Type: q.choice("type", frauddesk.AlertTypes()...),
		Severity: q.choice("severity", "low", "medium", "high", "critical"),
	}
	list := q.list()
	if err := q.err(); err != nil {
		return err
	}
	page, err := a.service.Fraud.Alerts(c.ctx, c.caller, filter, list)
	return sendPage(c, page, err, func(w *wire.Writer, alert frauddesk.Alert) { alert.Write(w) })
}

func (a *API) alert(c *call) error {
	if err := c.query().err(); err != nil {
		return err
	}
	alert, err := a.service.Fraud.Alert(c.ctx, c.caller, c.id)
	if err != nil {
		return err
	}
	return c.sendResult(http.StatusOK, alert)
}

func (a *API) moveAlert(c *call) error {
	alert, err := a.service.Fraud.MoveAlert(c.ctx, c.caller, c.id, c.body)
	if err != nil {
		return err
	}
	return c.sendResult(http.StatusOK, alert)
}

func (a *API) ring(c *call) error {
	if err := c.query().err(); err != nil {
		return err
	}
	ring, err := a.service.Fraud.Ring(c.ctx, c.caller, c.id)
	if err != nil {
		return err
	}
	return c.sendResult(http.StatusOK, ring)
}

func (a *API) pincodeRisks(c *call) error {
	q := c.query()
	filter := frauddesk.PincodeFilter{
		Pincode: q.digits("pincode"), Prefix: q.digits("prefix"), Risk: q.choice("risk", "LOW", "MEDIUM", "HIGH", "BLOCKED"),
	}
	list := q.page()
	if err := q.err(); err != nil {
		return err
	}
	risks, err := a.service.Fraud.PincodeRisks(c.ctx, c.caller, filter, list)
	if err != nil {
		return err
	}
	return c.sendResult(http.StatusOK, risks)
}

// digits reads a parameter of one to six digits.
func (q *query) digits(name string) string {
	text := q.text(name)
	if len(text) > 6 || strings.Trim(text, "0123456789") != "" {
		q.fail(name, fault.CodeInvalidField, "must be one to six digits")
	}
	return text
}

func (a *API) setPincodeRisks(c *call) error {
	risks, err := a.service.Fraud.SetPincodeRisks(c.ctx, c.caller, c.body)
	if err != nil {
		return err
	}
	return c.sendResult(http.StatusOK, risks)
}

func (a *API) blocklist(c *call) error {
	q := c.query()
	list := q.page()
	if err := q.err(); err != nil {
		return err
	}
	page, err := a.service.Fraud.Blocklist(c.ctx, c.caller, list)
	return sendPage(c, page, err, func(w *wire.Writer, b frauddesk.Blocked) { b.Write(w) })
}

func (a *API) block(c *call) error {
	return c.answer(a.service.Fraud.Block(c.ctx, c.caller, c.body, c.once))
}

func (a *API) unblock(c *call) error {
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
	if err := a.service.Fraud.Unblock(c.ctx, c.caller, kind, key); err != nil {
		return err
	}
	c.status = http.StatusNoContent
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}
