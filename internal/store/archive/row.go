package archive

import "encoding/binary"

// Row holds one row of a table that is written to an archive. The caller scans
// each row of a query into Dest, and reuses the Row for every row.
type Row struct {
	values []value
	dest   []any
}

// NewRow returns an empty row of the table.
func (t Table) NewRow() *Row {
	r := &Row{values: make([]value, len(t.Columns)), dest: make([]any, len(t.Columns))}
	for i, c := range t.Columns {
		r.values[i].kind = c.Kind
		r.dest[i] = r.values[i].dest()
	}
	return r
}

// Dest returns the destinations for scanning a row of a query.
func (r *Row) Dest() []any { return r.dest }

// value is one column of a row.
type value struct {
	kind   Kind
	number int64
	text   string
	bytes  []byte
}

func (v *value) dest() any {
	switch v.kind {
	case Bigint:
		return &v.number
	case Bytea:
		return &v.bytes
	default:
		return &v.text
	}
}

func (v *value) appendTo(frame []byte) []byte {
	switch v.kind {
	case Bigint:
		return binary.AppendVarint(frame, v.number)
	case Bytea:
		return append(binary.AppendUvarint(frame, uint64(len(v.bytes))), v.bytes...)
	default:
		return append(binary.AppendUvarint(frame, uint64(len(v.text))), v.text...)
	}
}

// decodeRows decodes a frame of rows.
func decodeRows(payload []byte, columns []Column) ([][]any, error) {
	var rows [][]any
	for len(payload) > 0 {
		row := make([]any, len(columns))
		for i, c := range columns {
			if c.Kind == Bigint {
				number, n := binary.Varint(payload)
				if n <= 0 {
					return nil, Damaged("it was altered")
				}
				row[i], payload = number, payload[n:]
				continue
			}
			size, n := binary.Uvarint(payload)
			if n <= 0 || size > uint64(len(payload)-n) {
				return nil, Damaged("it was altered")
			}
			field := payload[n : n+int(size)]
			payload = payload[n+int(size):]
			if c.Kind == Text {
				row[i] = string(field)
			} else {
				row[i] = field
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}
