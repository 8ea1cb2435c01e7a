package application

import (
	"bytes"
	"slices"

	"verdict/internal/fault"
	"verdict/internal/rule"
)

// RowReader reads rows into facts. It caches the texts it has read, so that a
// million rows do not make a million copies of the word SALARIED. Because of the
// cache it is not safe for concurrent use.
type RowReader struct {
	columns []column
	partner partner
	texts   []vocabulary // one for each column
	noScore bool         // rows need no score
	notes   map[CellNote]int64
}

// CellNote is the key under which cells that needed interpretation are counted:
// the field, and the code "number_format" or "read_as_missing".
type CellNote struct{ Field, Code string }

// Notes returns the number of cells for each CellNote since the last call, and
// resets the counts.
func (r *RowReader) Notes() map[CellNote]int64 {
	notes := r.notes
	r.notes = nil
	return notes
}

func (r *RowReader) note(name, code string) {
	if r.notes == nil {
		r.notes = map[CellNote]int64{}
	}
	r.notes[CellNote{name, code}]++
}

// Reader returns a new reader of rows.
func (c *Columns) Reader() *RowReader {
	return &RowReader{
		columns: c.columns, partner: c.partner, texts: make([]vocabulary, len(c.columns)), noScore: c.noScore,
	}
}

// Bind lets ReadInto store numbers directly in a frame. slotOf returns the slot of a
// field in the frame. A field that several columns may give stays a fact, because
// the order of the columns decides which of them counts.
func (r *RowReader) Bind(slotOf func(rule.FieldID) (slot int32, ok bool)) {
	given := map[rule.FieldID]int{}
	for i := range r.columns {
		c := &r.columns[i]
		for _, id := range []rule.FieldID{c.raw, c.canonical, c.fallback, c.score, c.ntc, c.index} {
			given[id]++
		}
	}
	r.columns = slices.Clone(r.columns)
	for i := range r.columns {
		c := &r.columns[i]
		c.slot = -1
		if !c.plain || c.only == rule.Undeclared || given[c.only] > 1 {
			continue
		}
		if slot, ok := slotOf(c.only); ok {
			c.slot = int8(slot)
		}
	}
}

// Read resets the facts and fills them from the cells of one row. There must be as
// many cells as the header has. A blank cell is an absent value. If the row is
// invalid, Read returns the field's name and a code, and the facts must not be
// used; otherwise code is "".
func (r *RowReader) Read(cells [][]byte, facts *rule.Facts) (name, code string) {
	return r.ReadInto(cells, facts, nil)
}

// ReadInto reads like Read, but stores plain numbers in the frame instead of the
// facts, in the slots that Bind found. The frame must be empty. If it is nil, every
// value becomes a fact.
func (r *RowReader) ReadInto(cells [][]byte, facts *rule.Facts, frame *rule.Frame) (name, code string) {
	facts.Reset()
	scored := false
	for i := range r.columns {
		c := &r.columns[i]
		cell := cells[c.cell]
		// Fast path: most cells are digits that become one fact and need none
		// of the checks below.
		if c.plain {
			if coef, places, ok := plainNumber(cell); ok && places <= int(c.places) {
				num := rule.Number(coef * millionths[places])
				if num < c.least || num > c.greatest {
					return c.field, fault.CodeOutOfRange
				}
				switch {
				case frame != nil && c.slot >= 0:
					frame.SetNumber(int32(c.slot), num)
				case c.only != rule.Undeclared:
					facts.Add(c.only, rule.Num(num))
				}
				continue
			}
		}
		if len(cell) == 0 {
			continue
		}
		if cell[0] <= ' ' || cell[len(cell)-1] <= ' ' {
			trimmed := bytes.TrimSpace(cell)
			if len(trimmed) == 0 {
				continue
			}
			if c.typ != rule.StringType {
				cell = trimmed
			}
		}
		switch c.typ {
		case rule.NumberType:
			code = c.number(cell, facts)
			if code == readFormatted || code == readMissing {
				r.note(c.field, code)
				scored = scored || c.how == score && code == readFormatted
				code = ""
				break
			}
			scored = scored || c.how == score
		case rule.BoolType:
			code = c.boolean(cell, facts)
		default:
			code = r.text(i, cell, facts)
		}
		if code != "" {
			return c.field, code
		}
	}
	if !scored && !r.noScore {
		return scoreName, fault.CodeRequired
	}
	r.partner.add(cells, facts)
	return "", ""
}

// keep adds the facts that a cell becomes, as far as a plan reads them.
func (c *column) keep(facts *rule.Facts, raw, canonical rule.Value) {
	if c.raw != rule.Undeclared {
		facts.Add(c.raw, raw)
	}
	if c.canonical != rule.Undeclared {
		facts.Add(c.canonical, canonical)
	}
	if c.fallback != rule.Undeclared {
		facts.Add(c.fallback, canonical)
	}
	if c.input != "" {
		facts.Set(c.input, raw)
	}
}

// boolean reads 1, true or yes, and 0, false or no, in upper or lower case.
func (c *column) boolean(cell []byte, facts *rule.Facts) (code string) {
	var val rule.Value
	switch {
	case isWord(cell, "1"), isWord(cell, "true"), isWord(cell, "yes"):
		val = rule.Bool(true)
	case isWord(cell, "0"), isWord(cell, "false"), isWord(cell, "no"):
		val = rule.Bool(false)
	default:
		return fault.CodeWrongType
	}
	c.keep(facts, val, val)
	return ""
}

// isWord reports whether a cell equals a lower-case word, ignoring case.
func isWord(cell []byte, word string) bool {
	if len(cell) != len(word) {
		return false
	}
	for i, b := range cell {
		if 'A' <= b && b <= 'Z' {
			b += 'a' - 'A'
		}
		if b != word[i] {
			return false
		}
	}
	return true
}

// text reads a text through the column's cache.
func (r *RowReader) text(i int, cell []byte, facts *rule.Facts) (code string) {
	c := &r.columns[i]
	if len(cell) > maxText {
		return fault.CodeOutOfRange
	}
	if c.raw == rule.Undeclared && c.canonical == rule.Undeclared && c.input == "" {
		return ""
	}
	m := r.texts[i].find(cell)
	if m == nil {
		m = r.texts[i].learn(string(cell), c.how)
	}
	c.keep(facts, m.raw, m.canonical)
	return ""
}
