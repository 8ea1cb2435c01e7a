package httpapi

import (
	"context"
	"io"

	"verdict/internal/document"
	"verdict/internal/fault"
	"verdict/internal/list"
	"verdict/internal/listdesk"
	"verdict/internal/serving"
	"verdict/internal/tenant"
)

// listHandlers serve lists of values.
type listHandlers struct{ lists *listdesk.Service }

func (h *listHandlers) routes() []route {
	return []route{
		{pattern: "GET /v1/lists", handle: h.all, bucket: bucketRead},
		{pattern: "GET /v1/lists/{name}", handle: h.get, bucket: bucketRead},
		{
			pattern: "PUT /v1/lists/{name}", handle: h.replace, bucket: bucketWrite,
			body: required, report: true, stream: true,
		},
		{pattern: "PATCH /v1/lists/{name}", handle: h.change, bucket: bucketWrite, body: required},
		{pattern: "DELETE /v1/lists/{name}", handle: h.remove, bucket: bucketWrite},
		{pattern: "GET /v1/lists/{name}/entries", handle: h.entries, bucket: bucketRead},
		{pattern: "GET /v1/lists/{name}/contains", handle: h.contains, bucket: bucketRead},
		{pattern: "POST /v1/lists/{name}/lookup", handle: h.lookUp, bucket: bucketRead, body: required},
	}
}

func (h *listHandlers) all(c *call) error { return readAll(c, h.lists.Lists, document.WriteLists) }

func (h *listHandlers) get(c *call) error {
	version := func(found listdesk.List) int64 { return found.Version }
	return readVersioned(c, h.lists.List, version, document.WriteList)
}

// replace replaces all entries of a list. The entries are a JSON body, which has been read already, or a CSV file,
// which is read as it arrives.
func (h *listHandlers) replace(c *call) error {
	expected, err := expectedVersion(c.r)
	if err != nil {
		return err
	}
	if isFile(c.r) {
		return h.receive(c, expected)
	}
	if err := c.query().err(); err != nil {
		return err
	}
	upload, err := readAs(c, tenant.PolicyWrite, document.ReadList)
	if err != nil {
		return err
	}
	upload.Reserve = c.resources.Reserve
	changed, err := h.lists.Replace(c.ctx, c.caller, c.id, upload, expected)
	return sendVersioned(c, changed, changed.Version, err, document.WriteReplacedList)
}

// receive replaces all entries of a list by those of a CSV file.
func (h *listHandlers) receive(c *call, expected int64) error {
	if err := c.caller.Require(tenant.PolicyWrite); err != nil {
		return err
	}
	q := c.query()
	upload := listdesk.Upload{Type: list.Type(q.choice("type", list.Types()...)), Reserve: c.resources.Reserve}
	if err := q.err(); err != nil {
		return err
	}
	return c.receiveCSV(listdesk.MaxFile, func(ctx context.Context, file io.Reader, read func()) error {
		upload.CSV = file
		changed, err := h.lists.Replace(ctx, c.caller, c.id, upload, expected)
		read()
		return sendVersioned(c, changed, changed.Version, err, document.WriteReplacedList)
	})
}

// receiveCSV calls the function store with the CSV file in the body, decompressed, while the file arrives. When
// store has reached the end of the file, it must call the function that it got as its argument "read", and then
// send the answer.
func (c *call) receiveCSV(
	most int64, store func(ctx context.Context, file io.Reader, read func()) error,
) error {
	kind, params := mediaType(c.r)
	if kind != csvType {
		return fault.New(serving.UnsupportedMediaType, fault.CodeUnsupportedMediaType,
			"send the file itself as text/csv, not in a form")
	}
	// If the sender disconnects, the upload ends and nothing changes.
	ctx, body, cancel, err := beginFile(c.r.Context(), c)
	if err != nil {
		return err
	}
	defer cancel()
	if c.r.ContentLength > most {
		return tooLarge(most)
	}
	file, err := decompressed(c.r, body, params["charset"])
	if err != nil {
		return err
	}
	return store(ctx, file, func() {
		body.StartAnswer()
		c.ctx = ctx // the upload may have taken longer than the timeout of other requests
	})
}

func (h *listHandlers) change(c *call) error {
	expected, err := expectedVersion(c.r)
	if err != nil {
		return err
	}
	patch, err := readAs(c, tenant.PolicyWrite, document.ReadListPatch)
	if err != nil {
		return err
	}
	changed, err := h.lists.Change(c.ctx, c.caller, c.id, patch, expected)
	return sendVersioned(c, changed, changed.Version, err, document.WriteChangedList)
}

func (h *listHandlers) remove(c *call) error { return removeVersioned(c, h.lists.Delete) }

func (h *listHandlers) entries(c *call) error {
	version := func(found listdesk.EntryPage) int64 { return found.Version }
	return readPart(c, h.lists.Entries, version, document.WriteListEntries)
}

func (h *listHandlers) contains(c *call) error {
	q := c.query()
	value := q.text("value")
	if err := q.err(); err != nil {
		return err
	}
	found, err := h.lists.Contains(c.ctx, c.caller, c.id, value)
	return sendVersioned(c, found, found.Version, inQuery(err), document.WriteMembership)
}

// lookUp gives the same answer as the method contains, but takes the value from the body. So the value does not
// appear in the logs of proxies.
func (h *listHandlers) lookUp(c *call) error {
	value, err := readAs(c, tenant.Read, document.ReadListLookup)
	if err != nil {
		return err
	}
	found, err := h.lists.Contains(c.ctx, c.caller, c.id, value)
	return sendVersioned(c, found, found.Version, err, document.WriteMembership)
}
