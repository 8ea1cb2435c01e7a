package httpapi

import (
	"errors"
	"io"
	"net/http"

	"verdict/internal/account"
	"verdict/internal/document"
	"verdict/internal/operation"
	"verdict/internal/serving"
	"verdict/internal/wire"
)

// accountHandlers serve sign-up and the audit trail.
type accountHandlers struct {
	access *account.Access
	people *account.People
}

func (h *accountHandlers) routes() []route {
	return []route{
		{pattern: "POST /api/signup", handle: h.signup, public: true, bucket: bucketSignup, body: required},
		{pattern: "GET /v1/audit", handle: h.audit, bucket: bucketRead, csv: true},
	}
}

func (h *accountHandlers) signup(c *call) error {
	rules, err := h.access.SignupRules()
	if err != nil {
		return err
	}
	request, warnings, err := document.ReadSignup(c.body, rules)
	if err != nil {
		return err
	}
	signed, err := h.access.SignupFrom(c.ctx, request, c.address())
	var throttled *account.Throttled
	if errors.As(err, &throttled) {
		serving.SetRetryAfter(c.response.header(), throttled.RetryAfter)
	}
	if err != nil {
		return err
	}
	var w wire.Writer
	document.WriteSignedUp(&w, signed, warnings)
	return c.response.send(c.ctx, http.StatusCreated, w.Buf)
}

func (h *accountHandlers) audit(c *call) error {
	q := c.query()
	filter := account.AuditFilter{Actor: q.text("actor"), Action: q.text("action"), Object: q.text("object")}
	list := q.list()
	if err := q.err(); err != nil {
		return err
	}
	if c.csv {
		return h.auditCSV(c, filter, list)
	}
	page, err := h.people.Audit(c.ctx, c.caller, filter, list)
	return sendPage(c, page, err, document.WriteAuditEntry)
}

// auditCSV sends all entries that match the filter as a CSV file.
func (h *accountHandlers) auditCSV(c *call, filter account.AuditFilter, list operation.List) error {
	return c.export("audit.csv", csvText, func(out io.Writer, pause func()) error {
		return h.people.ExportAudit(c.resources.Slot.Extend(c.r.Context()), c.caller, filter, list, out, pause)
	})
}
