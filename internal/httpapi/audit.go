package httpapi

import (
	"io"

	"verdict/internal/account"
	"verdict/internal/document"
	"verdict/internal/operation"
)

func (a *API) audit(c *call) error {
	q := c.query()
	filter := account.AuditFilter{Actor: q.text("actor"), Action: q.text("action"), Object: q.text("object")}
	list := q.list()
	if err := q.err(); err != nil {
		return err
	}
	if c.csv {
		return a.auditCSV(c, filter, list)
	}
	page, err := a.service.People.Audit(c.ctx, c.caller, filter, list)
	return sendPage(c, page, err, document.WriteAuditEntry)
}

// auditCSV streams the whole trail.
func (a *API) auditCSV(c *call, filter account.AuditFilter, list operation.List) error {
	return c.export("audit.csv", func(out io.Writer, pause func()) error {
		return a.service.People.ExportAudit(c.r.Context(), c.caller, filter, list, out, pause)
	})
}
