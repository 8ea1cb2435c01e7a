package tabledesk

import (
	"context"
	"io"
	"slices"
	"strconv"
	"strings"

	"verdict/internal/admission"
	"verdict/internal/fault"
	"verdict/internal/listdesk"
	"verdict/internal/operation"
	"verdict/internal/rule"
	"verdict/internal/sheet"
	"verdict/internal/store"
	"verdict/internal/table"
)

// Upload is the whole content of a table.
type Upload struct {
	// Definition, unless nil, describes the table. Without it the table keeps its definition.
	Definition *table.Definition
	Rows       []table.Row
	// CSV, unless nil, is a file with a column for each exact key, the columns <field>.gte and <field>.lt for each
	// range, and the columns of the table. It is read instead of Rows.
	CSV io.Reader
	// Reserve, unless nil, is called with the memory that further rows take, in bytes. An error ends the upload.
	Reserve func(bytes int64) error
}

// MaxFile is the maximum size of a file in bytes, decompressed.
const MaxFile = 64 << 20

// cellMemory is the memory of a cell while an upload is read, besides its text. rowsEach is the number of rows between
// two checkpoints.
const (
	cellMemory = 64
	rowsEach   = 1_000
)

// definition returns the definition of the new version.
func (u *Upload) definition(name string, before *store.Table) (table.Definition, error) {
	switch {
	case u.Definition != nil:
		return *u.Definition, nil
	case before.Version == 0:
		return table.Definition{}, operation.Invalid("/keys", fault.CodeRequired,
			"a new table needs keys and columns; state them, or create the table with JSON before you send a file")
	}
	definition, err := table.ParseDefinition(name, before.Definition)
	if err != nil {
		return definition, operation.AsDefect(err)
	}
	return definition, nil
}

// Build reads the rows. The refusal lists the faults of all rows.
func (u *Upload) Build(ctx context.Context, d table.Definition) (*table.Table, error) {
	c := collector{ctx: ctx, builder: table.NewBuilder(d), definition: &d, reserve: u.Reserve}
	if u.CSV != nil {
		if err := c.file(u.CSV); err != nil {
			return nil, err
		}
	} else {
		for i := range u.Rows {
			if err := c.add(&u.Rows[i]); err != nil {
				return nil, err
			}
		}
	}
	return c.builder.Build(operation.Checking(ctx))
}

// collector adds the rows of an upload to a table.
type collector struct {
	ctx        context.Context
	builder    *table.Builder
	definition *table.Definition
	reserve    func(bytes int64) error
	read       int
	bytes      int64 // memory that is not reserved yet

	row  table.Row // the row of a file that is being read; reused
	keys []keyCells
	at   []int // the indexes of the columns in a file
}

// keyCells has the column indexes of a key in a file. An exact key has one column. A range has a column for each
// bound; the index is -1 if the file does not have that column.
type keyCells struct{ exact, low, high int }

func (c *collector) add(r *table.Row) error {
	for _, cell := range r.Keys {
		c.bytes += cellMemory + int64(len(cell.Value.Text()))
	}
	for _, v := range r.Values {
		c.bytes += cellMemory + int64(len(v.Text()))
	}
	if err := c.builder.Add(r); err != nil {
		return err
	}
	return c.pause()
}

// pause reserves the memory of the rows, and gives other requests their share of the processors.
func (c *collector) pause() error {
	if c.read++; c.read%rowsEach != 0 {
		return nil
	}
	if c.reserve != nil && c.bytes > 0 {
		if err := c.reserve(c.bytes); err != nil {
			return err
		}
		c.bytes = 0
	}
	return admission.Checkpoint(c.ctx)
}

// file reads the rows of a CSV file.
func (c *collector) file(in io.Reader) error {
	if err := listdesk.ReadRows(in, MaxFile, c.header, c.cells); err != nil {
		return err
	}
	return c.notEmpty()
}

// notEmpty refuses a file without rows: it is more likely a broken export than an empty table.
func (c *collector) notEmpty() error {
	if c.read > 0 {
		return nil
	}
	return fault.New(fault.Invalid, fault.CodeNoRows,
		`there are no rows after the header; to empty a table, send it as application/json with "rows": []`)
}

// The suffixes of the columns with the bounds of a range.
const (
	lowColumn  = ".gte"
	highColumn = ".lt"
)

// header finds the columns of the file.
func (c *collector) header(header []string) error {
	var faults fault.List
	known := map[string]bool{}
	find := func(name string, required bool) int {
		known[name] = true
		at := slices.Index(header, name)
		if at < 0 && required {
			faults.Add("/header", fault.CodeRequired, "the first row of the file must name the column %s", name)
		}
		return at
	}
	for _, k := range c.definition.Keys {
		cells := keyCells{exact: -1, low: -1, high: -1}
		if k.Range {
			cells.low, cells.high = find(k.Field.Name+lowColumn, false), find(k.Field.Name+highColumn, false)
			if cells.low < 0 && cells.high < 0 {
				find(k.Field.Name+lowColumn, true)
			}
		} else {
			cells.exact = find(k.Field.Name, true)
		}
		c.keys = append(c.keys, cells)
	}
	for _, column := range c.definition.Columns {
		c.at = append(c.at, find(column.Name, true))
	}
	for i, name := range header {
		if !known[name] {
			faults.Add("/header/"+strconv.Itoa(i), fault.CodeUnknownField,
				"is neither a key nor a column of the table; remove it, or send the table as JSON with this column")
		}
	}
	c.row.Keys, c.row.Values = make([]table.Cell, len(c.keys)), make([]rule.Value, len(c.at))
	return faults.Err()
}

// cells adds the row of a file.
func (c *collector) cells(cursor *sheet.Cursor) error {
	cells := cursor.Cells()
	if cells == nil {
		c.builder.Fail("", fault.CodeInvalidField, fault.InLine(listdesk.RowFault(cursor.Fault()), cursor.Line()))
		return c.skip()
	}
	sound := true
	c.row.Line = cursor.Line()
	value := func(at int, t rule.Type, member string) rule.Value {
		v, code, detail := table.ParseValue(string(cells[at]), t)
		if code != "" {
			c.builder.Fail(member, code, fault.InLine(detail, cursor.Line()))
			sound = false
		}
		return v
	}
	for i, k := range c.keys {
		member := "/keys/" + strconv.Itoa(i)
		if k.exact >= 0 {
			c.row.Keys[i] = table.Cell{Value: value(k.exact, c.definition.Keys[i].Field.Type, member)}
			continue
		}
		cell := table.Cell{Range: true, Low: table.Lowest, High: table.Highest}
		if k.low >= 0 && !isBlank(cells[k.low]) {
			cell.Low = value(k.low, rule.NumberType, member+"/gte").Number()
		}
		if k.high >= 0 && !isBlank(cells[k.high]) {
			cell.High = value(k.high, rule.NumberType, member+"/lt").Number()
		}
		c.row.Keys[i] = cell
	}
	for i, at := range c.at {
		c.row.Values[i] = value(at, c.definition.Columns[i].Type, "/values/"+strconv.Itoa(i))
	}
	if !sound {
		return c.skip()
	}
	return c.add(&c.row)
}

func (c *collector) skip() error {
	if err := c.builder.Skip(); err != nil {
		return err
	}
	return c.pause()
}

// isBlank reports whether a cell is blank. A blank bound of a range means that the range is open on that side.
func isBlank(cell []byte) bool { return strings.TrimSpace(string(cell)) == "" }

// ParseDefinition reads the definition of a table from two texts: keys such as
// "applicant.pincode,monthly_income:range,applicant.dealer:exact:text" and columns such as
// "max_ltv:number,segment:text".
func ParseDefinition(name, keys, columns string) (*table.Definition, error) {
	var faults fault.List
	d := &table.Definition{}
	d.Name = name
	for i, text := range strings.Split(keys, ",") {
		parts := append(strings.Split(strings.TrimSpace(text), ":"), "", "")
		stated := -1
		if t, ok := table.ParseType(parts[2]); ok {
			stated = int(t - rule.NumberType)
		}
		at := "/keys/" + strconv.Itoa(i)
		key, code, detail := table.NewKey(parts[0], parts[1] == "range", stated)
		switch {
		case len(parts) > 5 || parts[1] != "" && parts[1] != "exact" && parts[1] != "range" ||
			parts[2] != "" && stated < 0:
			faults.Add(at, fault.CodeInvalidField,
				"must be a field, optionally followed by :exact or :range and a type")
		case code != "":
			faults.Add(at, code, "%s", detail)
		case slices.ContainsFunc(d.Keys, func(k rule.TableKey) bool { return k.Field.Name == key.Field.Name }):
			faults.Add(at, fault.CodeDuplicate, "is a key already")
		}
		d.Keys = append(d.Keys, key)
	}
	for i, text := range strings.Split(columns, ",") {
		column, typ, _ := strings.Cut(strings.TrimSpace(text), ":")
		at := "/columns/" + strconv.Itoa(i)
		t, ok := table.ParseType(typ)
		if code, detail := d.AddColumn(column, t); code != "" {
			faults.Add(at, code, "%s", detail)
		} else if !ok {
			faults.Add(at, fault.CodeInvalidField, "must be a name and a type: number, text or boolean")
		}
	}
	if len(d.Keys) > table.MaxKeys {
		faults.Add("/keys", fault.CodeTooMany, "at most %d are allowed", table.MaxKeys)
	}
	if len(d.Columns) > table.MaxColumns {
		faults.Add("/columns", fault.CodeTooMany, "at most %d are allowed", table.MaxColumns)
	}
	return d, faults.Err()
}
