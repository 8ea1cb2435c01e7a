package httpapi

import (
	"context"
	"io"

	"verdict/internal/batchdesk"
	"verdict/internal/document"
	"verdict/internal/operation"
	"verdict/internal/serving"
	"verdict/internal/wire"
)

// batchHandlers serve batches that run as jobs.
type batchHandlers struct{ batches *batchdesk.Service }

func (h *batchHandlers) routes() []route {
	return []route{
		{pattern: "GET /v1/batches", handle: h.list, bucket: bucketRead},
		{pattern: "GET /v1/batches/{id}", handle: h.get, bucket: bucketRead},
		{pattern: "DELETE /v1/batches/{id}", handle: h.remove, bucket: bucketWrite},
		{pattern: "POST /v1/batches/{id}/cancel", handle: h.cancel, bucket: bucketWrite, once: true},
		{pattern: "GET /v1/batches/{id}/results", handle: h.results, bucket: bucketRead, only: linesType},
	}
}

// startJob stores the rows of a batch that runs as a job, and answers before they are decided.
func (b *batch) startJob() error {
	c := b.c
	if err := c.query().err(); err != nil {
		return err
	}
	if err := checkCharset(c.r); err != nil {
		return err
	}
	// Do not cancel the work when the sender disconnects: reading the rows then fails, and the batch can still be
	// marked as failed with the reason.
	ctx, body, cancel, err := beginFile(context.WithoutCancel(c.r.Context()), c)
	if err != nil {
		return err
	}
	defer cancel()
	lines, err := decompressed(c.r, body, "")
	if err != nil {
		return err
	}
	reply := &operation.Reply[batchdesk.Batch]{Idempotency: c.once, Encode: document.EncodeStartedBatch}
	started, err := b.jobs.Start(ctx, c.caller, batchdesk.Request{
		Endpoint: b.endpoint,
		Strict:   c.strict(),
		ID:       c.requestID,
		Lines:    lines,
		MaxLine:  int(c.maxBody()),
		Reserve:  c.resources.Reserve,
	}, reply)
	body.StartAnswer()
	c.ctx = ctx // the upload may have taken longer than the timeout of other requests
	if err == nil {
		c.response.header()["Preference-Applied"] = append(c.response.header()["Preference-Applied"], "respond-async")
	}
	return sendReply(c, reply, started, err)
}

func (h *batchHandlers) list(c *call) error {
	q := c.query()
	status := q.choice("status", batchdesk.States()...)
	list := q.list()
	if err := q.err(); err != nil {
		return err
	}
	page, err := h.batches.List(c.ctx, c.caller, status, list)
	return sendPage(c, page, err, document.WriteBatch)
}

func (h *batchHandlers) get(c *call) error {
	if err := c.query().err(); err != nil {
		return err
	}
	found, err := h.batches.Get(c.ctx, c.caller, c.id)
	return sendValue(c, found, err, document.WriteBatch)
}

func (h *batchHandlers) cancel(c *call) error {
	if err := c.query().err(); err != nil {
		return err
	}
	reply := &operation.Reply[batchdesk.Batch]{Idempotency: c.once, Encode: document.EncodeBatch}
	cancelled, err := h.batches.Cancel(c.ctx, c.caller, c.id, reply)
	return sendReply(c, reply, cancelled, err)
}

func (h *batchHandlers) remove(c *call) error {
	if err := c.query().err(); err != nil {
		return err
	}
	if err := h.batches.Delete(c.ctx, c.caller, c.id); err != nil {
		return err
	}
	return c.response.sendNoContent()
}

// results sends the outcomes of the rows as lines, in the order of the rows.
func (h *batchHandlers) results(c *call) error {
	q := c.query()
	window := batchdesk.Window{
		From:   q.number("from", 0, 0, maxIndex),
		Limit:  q.number("limit", 0, 1, maxIndex),
		Errors: q.choice("errors", "0", "1") == "1",
	}
	if err := q.err(); err != nil {
		return err
	}
	return c.export("batch-results.ndjson", linesType, func(out io.Writer, pause func()) error {
		var line []byte // reused
		send := func(row batchdesk.Row) error {
			w := wire.Writer{Buf: line[:0]}
			var problem []byte
			if row.Err != nil {
				problem = problemBody(row.Err, serving.Status(row.Err), row.RequestID)
			}
			document.WriteBatchRow(&w, &row, problem)
			line = append(w.Buf, '\n')
			_, err := out.Write(line)
			return err
		}
		err := h.batches.Results(c.resources.Slot.Extend(c.r.Context()), c.caller, c.id, window, send, pause)
		if err == nil {
			_, err = out.Write(nil) // sends the headers if there are no rows
		}
		return err
	})
}

// maxIndex is greater than the index of any row.
const maxIndex = 1 << 40
