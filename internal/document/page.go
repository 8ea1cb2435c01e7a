package document

import (
	"verdict/internal/operation"
	"verdict/internal/wire"
)

// WritePage writes a page of a list. It calls write for each row.
func WritePage[T any](w *wire.Writer, p operation.Page[T], write func(*wire.Writer, T)) {
	w.Object().Key("data").Array()
	for _, row := range p.Data {
		write(w, row)
	}
	w.EndArray()
	writePagination(w, p.Limit, p.NextCursor)
	w.EndObject()
}

// writePagination writes the member "pagination": the limit, whether there is a next
// page, and the cursor of the next page. nextCursor is "" on the last page.
func writePagination(w *wire.Writer, limit int, nextCursor string) {
	w.Key("pagination").Object().Key("limit").Int(int64(limit)).Key("has_next").Bool(nextCursor != "")
	optional(w, "next_cursor", nextCursor)
	w.EndObject()
}
