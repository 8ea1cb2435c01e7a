package console

import (
	"io"

	"verdict/internal/account"
	"verdict/internal/operation"
	"verdict/internal/tenant"
)

func (c *Console) auditPages() []page {
	return []page{
		{pattern: "GET /console/{env}/audit", handle: c.audit, scope: tenant.Read},
		{pattern: "GET /console/{env}/audit.csv", handle: c.auditCSV, scope: tenant.Read, export: true},
	}
}

// auditFilter reads the filters of the address.
func auditFilter(f *form) account.AuditFilter {
	return account.AuditFilter{Actor: f.Value("actor"), Action: f.Value("action"), Object: f.Value("object")}
}

func (c *Console) audit(v *visit) error {
	list, filters := v.listing(), v.filters()
	page, err := seek(v, list, func(l operation.List) (operation.Page[account.AuditEntry], error) {
		return c.service.Account.Audit(v.ctx, v.caller(), auditFilter(filters), l)
	})
	if err != nil {
		return err
	}
	names, err := c.names(v)
	if err != nil {
		return err
	}
	values := v.r.URL.Query()
	values.Del("cursor")
	return v.render("audit", "Audit trail", struct {
		Filters *form
		Rows    []account.AuditEntry
		Names   map[string]string // of people, by their ids
		Pager   pager
		CSV     string
	}{filters, page.Data, names, v.pager(page.NextCursor), addressOf(v.at("/audit.csv"), values)})
}

// auditCSV streams the whole trail that the filters leave: a file has no pages.
func (c *Console) auditCSV(v *visit) error {
	list, filter := v.listing(), auditFilter(v.filters())
	if len(v.form.Faults) > 0 {
		return errNowhere // a link of ours has dates that can be read
	}
	return v.export("audit-"+string(v.env)+".csv", func(out io.Writer, pause func()) error {
		return c.service.Account.ExportAudit(v.r.Context(), v.caller(), filter, list, out, pause)
	})
}
