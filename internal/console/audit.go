package console

import (
	"io"

	"verdict/internal/account"
	"verdict/internal/operation"
	"verdict/internal/tenant"
)

// auditPages serves the audit trail, as a list and as a CSV file.
type auditPages struct {
	accounts *account.People
	people   directory
}

func (p *auditPages) routes() []page {
	return []page{
		{pattern: "GET /console/{env}/audit", handle: p.audit, scope: tenant.Read},
		{pattern: "GET /console/{env}/audit.csv", handle: p.auditCSV, scope: tenant.Read, export: true},
	}
}

// auditFilter reads the filters from the query.
func auditFilter(f *form) account.AuditFilter {
	return account.AuditFilter{Actor: f.Value("actor"), Action: f.Value("action"), Object: f.Value("object")}
}

func (p *auditPages) audit(v *visit) error {
	list, filters := v.listing(), v.filters()
	page, err := seek(v, list, func(l operation.List) (operation.Page[account.AuditEntry], error) {
		return p.accounts.Audit(v.ctx, v.caller(), auditFilter(filters), l)
	})
	if err != nil {
		return err
	}

	names, err := p.people.names(v)
	if err != nil {
		return err
	}

	values := v.r.URL.Query()
	values.Del("cursor")
	return v.render("audit", "Audit trail", struct {
		Filters *form
		Rows    []account.AuditEntry
		Names   map[string]string // e-mail addresses of people, by user id
		Pager   pager
		CSV     string
	}{
		Filters: filters,
		Rows:    page.Data,
		Names:   names,
		Pager:   v.pager(page.NextCursor),
		CSV:     addressOf(v.at("/audit.csv"), values),
	})
}

// auditCSV sends all entries that match the filters as a CSV file.
func (p *auditPages) auditCSV(v *visit) error {
	list, filter := v.listing(), auditFilter(v.filters())
	if len(v.form.Faults) > 0 {
		return errNotFound // the page links here only with valid dates
	}
	return v.export("audit-"+string(v.env)+".csv", func(out io.Writer, pause func()) error {
		return p.accounts.ExportAudit(v.resources.Slot.Extend(v.r.Context()), v.caller(), filter, list, out, pause)
	})
}
