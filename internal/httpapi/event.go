package httpapi

import (
	"verdict/internal/document"
	"verdict/internal/eventdesk"
)

// eventHandlers serve the feed of events.
type eventHandlers struct{ events *eventdesk.Service }

func (h *eventHandlers) routes() []route {
	return []route{{pattern: "GET /v1/events", handle: h.list, bucket: bucketRead}}
}

func (h *eventHandlers) list(c *call) error {
	const none = -1
	q := c.query()
	after := q.number("after", none, 0, 1<<53)
	limit := q.number("limit", eventdesk.DefaultLimit, 1, eventdesk.MaxLimit)
	if err := q.err(); err != nil {
		return err
	}
	read := h.events.Events
	if after == none {
		read, after = h.events.KeptEvents, 0
	}
	feed, err := read(c.ctx, c.caller, after, int(limit))
	return sendValue(c, feed, err, document.WriteFeed)
}
