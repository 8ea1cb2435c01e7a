package document

import (
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/rule"
	"verdict/internal/table"
	"verdict/internal/tabledesk"
	"verdict/internal/wire"
)

// ReadTable returns the function that reads the whole content of the table with the given
// name. The use case checks the rows.
func ReadTable(name string) func(body wire.Value) (tabledesk.Upload, error) {
	return func(body wire.Value) (u tabledesk.Upload, err error) {
		var faults fault.List
		f := wire.NewForm(body, &faults)
		definition := table.ReadDefinition(&f, name, &faults)
		if f.Require("rows", "an array of objects with keys and values; an empty array empties the table") {
			u.Rows = table.ReadRows(f.Array("rows", table.MaxRows), &faults)
		}
		f.Done()
		u.Definition = &definition
		return u, faults.Err()
	}
}

// ReadTableKeys reads a JSON array of the values of keys. Its faults are at the parameter "keys".
func ReadTableKeys(text string) ([]rule.Value, error) {
	v, err := wire.Parse([]byte(text))
	if err != nil || v.Kind() != wire.Array {
		return nil, operation.Invalid("/keys", fault.CodeWrongType,
			`must be a JSON array with the values of the keys in order, such as ["400001",65000]`)
	}
	var faults fault.List
	if v.Len() > table.MaxKeys {
		faults.Add("/keys", fault.CodeTooMany, "a table has at most %d keys", table.MaxKeys)
		return nil, faults.Err()
	}
	keys := table.ReadValues(v, &faults)
	return keys, fault.MapItems(faults.Err(), func(item fault.Item) fault.Item {
		item.Pointer = "/keys"
		return item
	})
}

// ReadTableLookup reads the values of the keys by which a row is looked up. The use case
// checks them.
func ReadTableLookup(body wire.Value) (keys []rule.Value, err error) {
	var faults fault.List
	f := wire.NewForm(body, &faults)
	if f.Require("keys", "an array with the values of the keys in order") {
		keys = table.ReadValues(f.Array("keys", table.MaxKeys), &faults)
	}
	f.Done()
	return keys, faults.Err()
}

// WriteTables writes all tables of an environment.
func WriteTables(w *wire.Writer, tables []tabledesk.Table) {
	w.Object().Key("data").Array()
	for i := range tables {
		WriteTable(w, tables[i])
	}
	w.EndArray().EndObject()
}

// WriteTable writes a table without its rows.
func WriteTable(w *wire.Writer, t tabledesk.Table) {
	w.Object()
	writeTable(w, &t)
	writeUsers(w, t.UsedBy)
	w.EndObject()
}

func writeTable(w *wire.Writer, t *tabledesk.Table) {
	w.Key("name").String(t.Definition.Name).Key("version").Int(t.Version).Key("rows").Int(t.Rows)
	t.Definition.Write(w)
	w.Key("created_at").String(operation.Clock(t.CreatedMicros)).Key("created_by").String(t.CreatedBy)
	w.Key("updated_at").String(operation.Clock(t.UpdatedMicros)).Key("updated_by").String(t.UpdatedBy)
}

// WriteReplacedTable writes a table after it was replaced.
func WriteReplacedTable(w *wire.Writer, c tabledesk.Changed) {
	w.Object()
	writeTable(w, &c.Table)
	w.EndObject()
}

// WriteTableRows writes a page of the rows of a table.
func WriteTableRows(w *wire.Writer, p tabledesk.RowPage) {
	w.Object().Key("table").String(p.Table).Key("version").Int(p.Version).Key("data").Array()
	for i := range p.Data {
		w.Object()
		writeTableRow(w, &p.Data[i])
		w.EndObject()
	}
	w.EndArray()
	writePagination(w, p.Limit, p.NextCursor)
	w.EndObject()
}

func writeTableRow(w *wire.Writer, r *table.Row) {
	w.Key("keys").Array()
	for _, c := range r.Keys {
		if !c.Range {
			c.Value.Write(w)
			continue
		}
		w.Object()
		if c.Low != table.Lowest {
			w.Key("gte").Decimal(int64(c.Low), rule.Places)
		}
		if c.High != table.Highest {
			w.Key("lt").Decimal(int64(c.High), rule.Places)
		}
		w.EndObject()
	}
	w.EndArray().Key("values").Array()
	for _, v := range r.Values {
		v.Write(w)
	}
	w.EndArray()
}

// WriteTableLookup writes the result of looking up a row by the values of its keys.
func WriteTableLookup(w *wire.Writer, f tabledesk.Found) {
	w.Object().Key("table").String(f.Table).Key("version").Int(f.Version).Key("matched").Bool(f.Match)
	if f.Match {
		w.Key("row").Object()
		writeTableRow(w, &f.Row)
		w.EndObject()
	}
	w.Key("facts").Object()
	for i, v := range f.Values {
		w.Key(f.Columns[i].Fact)
		v.Write(w)
	}
	w.EndObject().EndObject()
}
