package httpapi

import (
	"encoding/csv"
	"net/http"
	"strings"
	"time"

	"verdict/internal/decisioning"
	"verdict/internal/wire"
)

func (a *API) audit(c *call) error {
	q := c.query()
	filter := decisioning.AuditFilter{Actor: q.text("actor"), Action: q.text("action"), Object: q.text("object")}
	list := q.list()
	if err := q.err(); err != nil {
		return err
	}
	if c.csv {
		return a.auditCSV(c, filter, list)
	}
	page, err := a.service.Audit(c.ctx, c.caller, filter, list)
	return sendPage(c, page, err, func(w *wire.Writer, e decisioning.AuditEntry) { e.Write(w) })
}

// auditCSV streams the whole trail, from the cursor on if there is one: an
// export is for a file, and a file has no pages.
func (a *API) auditCSV(c *call, filter decisioning.AuditFilter, list decisioning.List) error {
	list.Limit = decisioning.MaxLimit
	page, err := a.service.Audit(c.ctx, c.caller, filter, list)
	if err != nil {
		return err
	}
	h := c.w.Header()
	h["Content-Type"] = []string{"text/csv; charset=utf-8"}
	h["Content-Disposition"] = []string{`attachment; filename="audit.csv"`}
	h["Cache-Control"] = noStore
	c.status = http.StatusOK
	if c.r.Method == http.MethodHead {
		c.w.WriteHeader(http.StatusOK)
		return nil
	}
	out := csv.NewWriter(c.w)
	_ = out.Write([]string{"created_at", "environment", "actor", "action", "object", "before_checksum", "after_checksum", "note", "id"})
	writeEntries(out, page.Data)
	// An export takes as long as it takes; only a page must not.
	patience := http.NewResponseController(c.w)
	for out.Error() == nil && page.NextCursor != "" { // until the client has gone away, or has it all
		_ = patience.SetWriteDeadline(time.Now().Add(pagePatience)) // a writer that cannot keeps its own
		list.Cursor = page.NextCursor
		if page, err = a.service.Audit(c.r.Context(), c.caller, filter, list); err != nil {
			// Half a file must not pass for a whole one.
			c.api.options.Logger.Warn("an audit export broke off", "request_id", c.requestID, "error", err)
			panic(http.ErrAbortHandler)
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
