package httpapi

import (
	"context"
	"io"
	"strings"

	"verdict/internal/document"
	"verdict/internal/fault"
	"verdict/internal/tabledesk"
	"verdict/internal/tenant"
)

// tableHandlers serve lookup tables.
type tableHandlers struct{ tables *tabledesk.Service }

func (h *tableHandlers) routes() []route {
	return []route{
		{pattern: "GET /v1/tables", handle: h.all, bucket: bucketRead},
		{pattern: "GET /v1/tables/{name}", handle: h.get, bucket: bucketRead},
		{
			pattern: "PUT /v1/tables/{name}", handle: h.replace, bucket: bucketWrite,
			body: required, report: true, stream: true,
		},
		{pattern: "DELETE /v1/tables/{name}", handle: h.remove, bucket: bucketWrite},
		{pattern: "GET /v1/tables/{name}/rows", handle: h.rows, bucket: bucketRead},
		{pattern: "GET /v1/tables/{name}/lookup", handle: h.lookUpQuery, bucket: bucketRead},
		{pattern: "POST /v1/tables/{name}/lookup", handle: h.lookUp, bucket: bucketRead, body: required},
	}
}

func (h *tableHandlers) all(c *call) error { return readAll(c, h.tables.Tables, document.WriteTables) }

func (h *tableHandlers) get(c *call) error {
	version := func(found tabledesk.Table) int64 { return found.Version }
	return readVersioned(c, h.tables.Table, version, document.WriteTable)
}

// replace replaces a table. The rows are in a JSON body, which has been read already, or in a CSV file, which is read
// as it arrives.
func (h *tableHandlers) replace(c *call) error {
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
	upload, err := readAs(c, tenant.PolicyWrite, document.ReadTable(c.id))
	if err != nil {
		return err
	}
	changed, err := h.tables.Replace(c.ctx, c.caller, c.id, upload, expected)
	return sendVersioned(c, changed, changed.Version, err, document.WriteReplacedTable)
}

// receive replaces the rows of a table by those of a CSV file. The query may describe a new table.
func (h *tableHandlers) receive(c *call, expected int64) error {
	if err := c.caller.Require(tenant.PolicyWrite); err != nil {
		return err
	}
	q := c.query()
	keys, columns := q.textUpTo("keys", maxDescription), q.textUpTo("columns", maxDescription)
	if err := q.err(); err != nil {
		return err
	}
	upload := tabledesk.Upload{Reserve: c.resources.Reserve}
	if keys != "" || columns != "" {
		var err error
		if upload.Definition, err = tabledesk.ParseDefinition(c.id, keys, columns); err != nil {
			return inQuery(firstSegment(err))
		}
	}
	return c.receiveCSV(tabledesk.MaxFile, func(ctx context.Context, file io.Reader, read func()) error {
		upload.CSV = file
		changed, err := h.tables.Replace(ctx, c.caller, c.id, upload, expected)
		read()
		return sendVersioned(c, changed, changed.Version, err, document.WriteReplacedTable)
	})
}

// maxDescription is the maximum length of a parameter that describes the keys or the columns of a table, in bytes.
const maxDescription = 2048

// firstSegment shortens the pointer of each fault to the parameter that contains the fault.
func firstSegment(err error) error {
	return fault.MapItems(err, func(item fault.Item) fault.Item {
		name, index, found := strings.Cut(strings.TrimPrefix(item.Pointer, "/"), "/")
		if item.Pointer = "/" + name; found {
			item.Detail = "entry " + index + " " + item.Detail
		}
		return item
	})
}

func (h *tableHandlers) remove(c *call) error { return removeVersioned(c, h.tables.Delete) }

func (h *tableHandlers) rows(c *call) error {
	version := func(found tabledesk.RowPage) int64 { return found.Version }
	return readPart(c, h.tables.Rows, version, document.WriteTableRows)
}

func (h *tableHandlers) lookUpQuery(c *call) error {
	q := c.query()
	text := q.textUpTo("keys", maxDescription)
	if err := q.err(); err != nil {
		return err
	}
	keys, err := document.ReadTableKeys(text)
	if err != nil {
		if _, missing := h.tables.Table(c.ctx, c.caller, c.id); missing != nil {
			return missing
		}
		return inQuery(err)
	}
	found, err := h.tables.LookUpRow(c.ctx, c.caller, c.id, keys)
	return sendVersioned(c, found, found.Version, inQuery(err), document.WriteTableLookup)
}

// lookUp gives the same answer as lookUpQuery, but takes the keys from the body. So the keys do not appear in the
// logs of proxies.
func (h *tableHandlers) lookUp(c *call) error {
	keys, err := readAs(c, tenant.Read, document.ReadTableLookup)
	if err != nil {
		return err
	}
	found, err := h.tables.LookUpRow(c.ctx, c.caller, c.id, keys)
	return sendVersioned(c, found, found.Version, err, document.WriteTableLookup)
}
