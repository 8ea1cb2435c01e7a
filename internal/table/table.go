package table

import (
	"cmp"
	"slices"
	"strings"

	"verdict/internal/list"
	"verdict/internal/rule"
)

// Table is a table with its rows, sorted by their keys. It is immutable.
type Table struct {
	Definition
	keys   []keyColumn
	values []column
	rows   int
	exact  []int // the indexes of the exact keys
	ranges []int // the indexes of the ranges
}

// column holds the values of one column, by row. Only the slice of its type is used.
type column struct {
	numbers []rule.Number // numbers, and 0 or 1 for booleans
	texts   []string
}

// keyColumn holds one key of all rows.
type keyColumn struct {
	column             // the keys as they were sent; unused by a range
	normal    []string // the normal forms of texts
	low, high []rule.Number
}

func newTable(d Definition) *Table {
	t := &Table{Definition: d, keys: make([]keyColumn, len(d.Keys)), values: make([]column, len(d.Columns))}
	for i := range d.Keys {
		if d.Keys[i].Range {
			t.ranges = append(t.ranges, i)
		} else {
			t.exact = append(t.exact, i)
		}
	}
	return t
}

// Rows returns the number of rows.
func (t *Table) Rows() int { return t.rows }

// Size returns the memory that the table takes, in bytes.
func (t *Table) Size() int {
	const header, each = 1 << 10, 16
	size := header
	for i := range t.keys {
		k := &t.keys[i]
		size += k.size() + 8*(len(k.low)+len(k.high))
		for _, text := range k.normal {
			size += each + len(text)
		}
	}
	for i := range t.values {
		size += t.values[i].size()
	}
	return size
}

func (c *column) size() int {
	const each = 16
	size := 8 * len(c.numbers)
	for _, text := range c.texts {
		size += each + len(text)
	}
	return size
}

func (c *column) add(v rule.Value) {
	switch v.Type() {
	case rule.StringType:
		c.texts = append(c.texts, v.Text())
	case rule.BoolType:
		n := rule.Number(0)
		if v.IsTrue() {
			n = 1
		}
		c.numbers = append(c.numbers, n)
	default:
		c.numbers = append(c.numbers, v.Number())
	}
}

func (c *column) value(row int, t rule.Type) rule.Value {
	switch t {
	case rule.StringType:
		return rule.Str(c.texts[row])
	case rule.BoolType:
		return rule.Bool(c.numbers[row] == 1)
	default:
		return rule.Num(c.numbers[row])
	}
}

func (k *keyColumn) addKey(c Cell) {
	if c.Range {
		k.low, k.high = append(k.low, c.Low), append(k.high, c.High)
		return
	}
	k.add(c.Value)
	if c.Value.Type() == rule.StringType {
		k.normal = append(k.normal, normal(c.Value.Text()))
	}
}

// normal returns the normal form of a text. It does not copy a text that is in the normal form.
func normal(text string) string {
	var buffer [MaxText]byte
	form := list.Normal(buffer[:0], text)
	if string(form) == text {
		return text
	}
	return string(form)
}

func (t *Table) add(r *Row) {
	for i := range t.keys {
		t.keys[i].addKey(r.Keys[i])
	}
	for i := range t.values {
		t.values[i].add(r.Values[i])
	}
	t.rows++
}

// Row returns a row.
func (t *Table) Row(at int) Row {
	r := Row{Keys: make([]Cell, len(t.keys)), Values: make([]rule.Value, len(t.values))}
	for i := range t.keys {
		k := &t.keys[i]
		if t.Keys[i].Range {
			r.Keys[i] = Cell{Range: true, Low: k.low[at], High: k.high[at]}
		} else {
			r.Keys[i] = Cell{Value: k.value(at, t.Keys[i].Field.Type)}
		}
	}
	for i := range t.values {
		r.Values[i] = t.Value(at, i)
	}
	return r
}

// Value returns the value of a column in a row.
func (t *Table) Value(row, col int) rule.Value { return t.values[col].value(row, t.Columns[col].Type) }

// compareExact compares the exact keys of two rows.
func (t *Table) compareExact(a, b int) int {
	for _, i := range t.exact {
		k := &t.keys[i]
		var order int
		if k.normal != nil {
			order = strings.Compare(k.normal[a], k.normal[b])
		} else {
			order = cmp.Compare(k.numbers[a], k.numbers[b])
		}
		if order != 0 {
			return order
		}
	}
	return 0
}

// compare compares two rows by their exact keys and then by the lower bounds of their ranges.
func (t *Table) compare(a, b int) int {
	if order := t.compareExact(a, b); order != 0 {
		return order
	}
	for _, i := range t.ranges {
		if order := cmp.Compare(t.keys[i].low[a], t.keys[i].low[b]); order != 0 {
			return order
		}
	}
	return 0
}

// wanted holds the keys of an application in the form in which they are compared.
type wanted struct {
	numbers [MaxKeys]rule.Number
	normal  [MaxKeys][]byte
	buffer  [MaxText + MaxKeys*16]byte
}

// Find returns the row that matches the values of the key fields, which must have the types of the keys. It returns
// false if there is none. It allocates nothing for numbers and for short texts in ASCII.
func (t *Table) Find(values []rule.Value) (row int, found bool) {
	var w wanted
	used := w.buffer[:0]
	for i, v := range values {
		switch v.Type() {
		case rule.StringType:
			start := len(used)
			used = list.Normal(used, v.Text())
			w.normal[i] = used[start:]
		case rule.BoolType:
			if v.IsTrue() {
				w.numbers[i] = 1
			}
		default:
			w.numbers[i] = v.Number()
		}
	}
	first := t.search(0, t.rows, func(row int) bool { return t.against(row, &w) >= 0 })
	end := t.search(first, t.rows, func(row int) bool { return t.against(row, &w) > 0 })
	if first == end || len(t.ranges) == 0 {
		return first, first < end
	}
	lead := t.ranges[0]
	low, x := t.keys[lead].low, w.numbers[lead]
	end = t.search(first, end, func(row int) bool { return low[row] > x })
	for row = end - 1; row >= first; row-- {
		if t.within(row, &w) {
			return row, true
		}
		if len(t.ranges) == 1 {
			break // ranges do not overlap, so no earlier one reaches as far
		}
	}
	return 0, false
}

// search returns the first row from low to high-1 that satisfies the predicate "is", or high if there is none. The
// predicate must be false for the rows before that row, and true for the rows after it.
func (t *Table) search(low, high int, is func(row int) bool) int {
	for low < high {
		middle := int(uint(low+high) >> 1)
		if is(middle) {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low
}

// against compares the exact keys of a row with those of an application.
func (t *Table) against(row int, w *wanted) int {
	for _, i := range t.exact {
		k := &t.keys[i]
		if k.normal == nil {
			if order := cmp.Compare(k.numbers[row], w.numbers[i]); order != 0 {
				return order
			}
			continue
		}
		switch text := k.normal[row]; {
		case text < string(w.normal[i]):
			return -1
		case text > string(w.normal[i]):
			return 1
		}
	}
	return 0
}

// within reports whether the numbers of an application are in all ranges of a row.
func (t *Table) within(row int, w *wanted) bool {
	for _, i := range t.ranges {
		if x := w.numbers[i]; x < t.keys[i].low[row] || x >= t.keys[i].high[row] {
			return false
		}
	}
	return true
}

// sorted returns the table with its rows in order, and the index that each row had before.
func (t *Table) sorted() (*Table, []int32) {
	order := make([]int32, t.rows)
	for i := range order {
		order[i] = int32(i) // a table has at most MaxRows rows
	}
	slices.SortStableFunc(order, func(a, b int32) int { return t.compare(int(a), int(b)) })
	out := newTable(t.Definition)
	out.rows = t.rows
	for i := range t.keys {
		from, to := &t.keys[i], &out.keys[i]
		to.column = from.reordered(order)
		to.normal = reorder(from.normal, order)
		to.low, to.high = reorder(from.low, order), reorder(from.high, order)
	}
	for i := range t.values {
		out.values[i] = t.values[i].reordered(order)
	}
	return out, order
}

func (c *column) reordered(order []int32) column {
	return column{numbers: reorder(c.numbers, order), texts: reorder(c.texts, order)}
}

func reorder[T any](from []T, order []int32) []T {
	if from == nil {
		return nil
	}
	to := make([]T, len(order))
	for i, at := range order {
		to[i] = from[at]
	}
	return to
}
