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
	q := c.query()
	after := q.number("after", 0, 0, 1<<53)
	limit := q.number("limit", eventdesk.DefaultLimit, 1, eventdesk.MaxLimit)
	if err := q.err(); err != nil {
		return err
	}
	feed, err := h.events.Events(c.ctx, c.caller, after, int(limit))
	return sendValue(c, feed, err, document.WriteFeed)
}
