package table

import (
	"encoding/binary"
	"errors"
	"fmt"

	"verdict/internal/fault"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// storedForm begins the stored rows. A sealed document begins with another byte.
const storedForm = 1

// The flags of a stored range.
const (
	hasLow  = 1
	hasHigh = 2
)

// errDamaged is the error of a stored table that is not in the form of this package.
var errDamaged = errors.New("the stored table is damaged")

// Encode returns the rows in the form in which they are stored. It returns TooLarge if they take more than MaxStored
// bytes.
func (t *Table) Encode() ([]byte, error) {
	out := binary.AppendUvarint([]byte{storedForm}, uint64(t.rows)) // t.rows is never negative
	for row := range t.rows {
		for i := range t.keys {
			k := &t.keys[i]
			if t.Keys[i].Range {
				out = appendRange(out, k.low[row], k.high[row])
			} else {
				out = k.append(out, row)
			}
		}
		for i := range t.values {
			out = t.values[i].append(out, row)
		}
		if len(out) > MaxStored {
			return nil, fault.New(fault.TooLarge, fault.CodeRequestTooLarge,
				"the rows of a table may take at most %d bytes", MaxStored)
		}
	}
	return out, nil
}

func appendRange(out []byte, low, high rule.Number) []byte {
	flags := byte(0)
	if low != Lowest {
		flags |= hasLow
	}
	if high != Highest {
		flags |= hasHigh
	}
	out = append(out, flags)
	if flags&hasLow != 0 {
		out = binary.AppendVarint(out, int64(low))
	}
	if flags&hasHigh != 0 {
		out = binary.AppendVarint(out, int64(high))
	}
	return out
}

func (c *column) append(out []byte, row int) []byte {
	if c.texts == nil {
		return binary.AppendVarint(out, int64(c.numbers[row]))
	}
	out = binary.AppendUvarint(out, uint64(len(c.texts[row])))
	return append(out, c.texts[row]...)
}

// Decode returns the table with the definition d and the rows that Encode has encoded.
func Decode(d Definition, stored []byte) (*Table, error) {
	if len(stored) == 0 || stored[0] != storedForm {
		return nil, errDamaged
	}
	r := decoder{rest: stored[1:], texts: map[string]string{}}
	rows := r.length()
	if rows > MaxRows || rows > len(stored) {
		return nil, errDamaged
	}
	t := newTable(d)
	row := Row{Keys: make([]Cell, len(d.Keys)), Values: make([]rule.Value, len(d.Columns))}
	for range rows {
		for i := range d.Keys {
			if d.Keys[i].Range {
				row.Keys[i] = r.span()
			} else {
				row.Keys[i] = Cell{Value: r.value(d.Keys[i].Field.Type)}
			}
		}
		for i := range d.Columns {
			row.Values[i] = r.value(d.Columns[i].Type)
		}
		if r.damaged {
			return nil, errDamaged
		}
		t.add(&row)
		if t.rows > 1 && t.compare(t.rows-2, t.rows-1) > 0 {
			return nil, errDamaged
		}
	}
	if len(r.rest) > 0 || r.damaged {
		return nil, errDamaged
	}
	return t, nil
}

// decoder reads stored rows. Equal texts share their memory.
type decoder struct {
	rest    []byte
	texts   map[string]string
	damaged bool
}

func (r *decoder) number() int64 {
	n, read := binary.Varint(r.rest)
	if read <= 0 {
		r.damaged = true
		return 0
	}
	r.rest = r.rest[read:]
	return n
}

func (r *decoder) length() int {
	n, read := binary.Uvarint(r.rest)
	if read <= 0 || n > MaxStored {
		r.damaged = true
		return 0
	}
	r.rest = r.rest[read:]
	return int(n) // fits, because n is at most MaxStored
}

func (r *decoder) value(t rule.Type) rule.Value {
	if t != rule.StringType {
		n := r.number()
		if t == rule.BoolType {
			return rule.Bool(n == 1)
		}
		return rule.Num(rule.Number(n))
	}
	n := r.length()
	if n > len(r.rest) {
		r.damaged = true
		return rule.Str("")
	}
	text, ok := r.texts[string(r.rest[:n])]
	if !ok {
		text = string(r.rest[:n])
		r.texts[text] = text
	}
	r.rest = r.rest[n:]
	return rule.Str(text)
}

func (r *decoder) span() Cell {
	c := Cell{Range: true, Low: Lowest, High: Highest}
	if len(r.rest) == 0 || r.rest[0] > hasLow|hasHigh {
		r.damaged = true
		return c
	}
	flags := r.rest[0]
	r.rest = r.rest[1:]
	if flags&hasLow != 0 {
		c.Low = rule.Number(r.number())
	}
	if flags&hasHigh != 0 {
		c.High = rule.Number(r.number())
	}
	return c
}

// Document returns the definition in the form in which it is stored.
func (d *Definition) Document() string {
	var w wire.Writer
	w.Object()
	d.Write(&w)
	w.EndObject()
	return string(w.Buf)
}

// ParseDefinition reads the definition of a table that Document has written.
func ParseDefinition(name, document string) (Definition, error) {
	v, err := wire.Parse([]byte(document))
	if err != nil {
		return Definition{}, fmt.Errorf("the definition of the table %s: %w", name, err)
	}
	var faults fault.List
	f := wire.NewForm(v, &faults)
	d := ReadDefinition(&f, name, &faults)
	f.Done()
	if err := faults.Err(); err != nil {
		return Definition{}, fmt.Errorf("the definition of the table %s: %w", name, err)
	}
	return d, nil
}
