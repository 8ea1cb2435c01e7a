package document

import (
	"verdict/internal/account"
	"verdict/internal/wire"
)

// WriteAuditEntry writes an entry of the audit trail.
func WriteAuditEntry(w *wire.Writer, e account.AuditEntry) {
	w.Object().Key("id").String(e.ID).Key("environment").String(e.Environment).Key("actor").String(e.Actor)
	w.Key("action").String(e.Action).Key("object").String(e.Object)
	optional(w, "before_checksum", e.BeforeChecksum)
	optional(w, "after_checksum", e.AfterChecksum)
	optional(w, "note", e.Note)
	w.Key("created_at").String(e.CreatedAt()).EndObject()
}
