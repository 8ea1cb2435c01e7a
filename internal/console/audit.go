package console

import (
	"encoding/csv"
	"net/http"
	"strings"
	"time"

	"verdict/internal/decisioning"
	"verdict/internal/tenant"
)

func (c *Console) auditPages() []page {
	return []page{
		{pattern: "GET /console/{env}/audit", handle: c.audit, scope: tenant.Read},
		{pattern: "GET /console/{env}/audit.csv", handle: c.auditCSV, scope: tenant.Read},
	}
}

// auditFilter reads the filters of the address.
func auditFilter(f *form) decisioning.AuditFilter {
	return decisioning.AuditFilter{Actor: f.Value("actor"), Action: f.Value("action"), Object: f.Value("object")}
}

func (c *Console) audit(v *visit) error {
	list, filters := v.listing(), v.filters()
	page, err := c.service.Audit(v.ctx, v.caller(), auditFilter(filters), list)
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
		Rows    []decisioning.AuditEntry
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
	list.Limit = decisioning.MaxLimit
	page, err := c.service.Audit(v.ctx, v.caller(), filter, list)
	if err != nil {
		return err
	}
	h := v.w.Header()
	h.Set("Content-Type", "text/csv; charset=utf-8")
	h.Set("Content-Disposition", `attachment; filename="audit-`+string(v.env)+`.csv"`)
	v.w.WriteHeader(http.StatusOK)
	out := csv.NewWriter(v.w)
	_ = out.Write([]string{"created_at", "environment", "actor", "action", "object", "before_checksum", "after_checksum", "note", "id"})
	writeEntries(out, page.Data)
	// An export takes as long as it takes; only a page must not.
	patience := http.NewResponseController(v.w)
	for out.Error() == nil && page.NextCursor != "" {
		_ = patience.SetWriteDeadline(time.Now().Add(pagePatience)) // a writer that cannot keeps its own
		list.Cursor = page.NextCursor
		if page, err = c.service.Audit(v.r.Context(), v.caller(), filter, list); err != nil {
			c.options.Logger.Warn("an audit export broke off", "request_id", v.requestID, "error", err)
			panic(http.ErrAbortHandler) // half a file must not pass for a whole one
		}
		writeEntries(out, page.Data)
	}
	return nil
}

// pagePatience is how long one page of an export may take to be sent.
const pagePatience = 30 * time.Second

func writeEntries(out *csv.Writer, entries []decisioning.AuditEntry) {
	for _, e := range entries {
		_ = out.Write([]string{
			e.CreatedAt(), e.Environment, e.Actor, e.Action, e.Object, e.BeforeChecksum, e.AfterChecksum, harmless(e.Note), e.ID,
		})
	}
	out.Flush()
}

// harmless keeps a spreadsheet from taking a person's words for a formula.
func harmless(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}
