package table

import (
	"fmt"
	"strconv"

	"verdict/internal/fault"
	"verdict/internal/rule"
)

// Builder collects the rows of a table, and their faults.
type Builder struct {
	table  *Table
	faults fault.List
	lines  []int64 // for each row without a fault, its line of the file; 0 if it is not from a file
	read   int     // rows, including those with faults
	cells  int
}

// NewBuilder returns a builder of a table with this definition.
func NewBuilder(d Definition) *Builder { return &Builder{table: newTable(d)} }

// Pointer returns the JSON pointer of the next row, which counts rows from 0.
func (b *Builder) Pointer() string { return rowPointer(b.read) }

func rowPointer(row int) string { return "/rows/" + strconv.Itoa(row) }

// Fail adds a fault of the next row.
func (b *Builder) Fail(member, code, detail string) {
	b.faults.Add(b.Pointer()+member, code, "%s", detail)
}

// Skip counts a row that cannot be read. Its fault must have been added with Fail.
func (b *Builder) Skip() error {
	b.read++
	return b.overfull()
}

// Add adds a row, or its faults. It copies the row. It returns an error if there are too many rows.
func (b *Builder) Add(r *Row) error {
	before, d := b.faults.Len(), &b.table.Definition
	at := b.Pointer()
	if len(r.Keys) != len(d.Keys) {
		b.faults.Add(at+"/keys", fault.CodeInvalidField, "has %d keys, but the table has %d", len(r.Keys), len(d.Keys))
	} else {
		for i, c := range r.Keys {
			if code, detail := checkKey(c, d.Keys[i]); code != "" {
				b.faults.Add(at+"/keys/"+strconv.Itoa(i), code, "%s", fault.InLine(detail, r.Line))
			}
		}
	}
	CheckValues(d.Columns, r.Values, at+"/values", &b.faults)
	b.read++
	if b.faults.Len() == before && complete(r) {
		b.table.add(r)
		b.lines = append(b.lines, r.Line)
		b.cells += len(d.Keys) + len(d.Columns)
	}
	return b.overfull()
}

// complete reports whether every key and every value of a row is known. If not, the fault was reported already.
func complete(r *Row) bool {
	for _, c := range r.Keys {
		if !c.Range && c.Value.Type() == rule.Absent {
			return false
		}
	}
	for _, v := range r.Values {
		if v.Type() == rule.Absent {
			return false
		}
	}
	return true
}

// overfull returns TooLarge if there are more rows than a table may have.
func (b *Builder) overfull() error {
	most := MaxRows
	if len(b.table.ranges) > 1 {
		most = MaxGridRows
	}
	switch {
	case b.read > most && most == MaxGridRows:
		return fault.New(fault.TooLarge, fault.CodeRequestTooLarge,
			"a table with more than one range has at most %d rows", MaxGridRows)
	case b.read > most:
		return fault.New(fault.TooLarge, fault.CodeRequestTooLarge, "a table has at most %d rows", MaxRows)
	case b.cells > MaxCells:
		return fault.New(fault.TooLarge, fault.CodeRequestTooLarge,
			"a table has at most %d keys and values in all rows together", MaxCells)
	}
	return nil
}

// Build returns the table, or all faults of its rows. check is called at intervals; its error ends the work.
func (b *Builder) Build(check func() error) (*Table, error) {
	if err := b.faults.Err(); err != nil {
		return nil, err
	}
	built, order := b.table.sorted()
	if err := check(); err != nil {
		return nil, err
	}
	o := overlaps{table: built, order: order, lines: b.lines, faults: &b.faults}
	if err := o.find(check); err != nil {
		return nil, err
	}
	return built, b.faults.Err()
}

// overlaps finds rows of a sorted table that match the same applications.
type overlaps struct {
	table  *Table
	order  []int32 // for each row, its index among the rows as they were sent
	lines  []int64 // for each row as it was sent, its line of the file
	faults *fault.List
	found  int
}

// The bounds of the work.
const (
	maxOverlaps  = 50    // pairs that are reported
	stepsBetween = 1_000 // rows between two checks
)

func (o *overlaps) find(check func() error) error {
	t := o.table
	for first := 0; first < t.rows && o.found < maxOverlaps; {
		end := first + 1
		for end < t.rows && t.compareExact(first, end) == 0 {
			end++
		}
		if err := o.among(first, end, check); err != nil {
			return err
		}
		first = end
	}
	return nil
}

// among finds the overlaps among rows with the same exact keys. It compares each row with the active ones: earlier rows
// whose first range does not end before the row begins. If the table has at most one range, it is enough to compare
// with the earlier row that reaches furthest.
func (o *overlaps) among(first, end int, check func() error) error {
	t := o.table
	var active []int
	for row := first; row < end && o.found < maxOverlaps; row++ {
		if (row-first+1)%stepsBetween == 0 {
			if err := check(); err != nil {
				return err
			}
		}
		kept := active[:0]
		for _, other := range active {
			if len(t.ranges) > 0 && t.keys[t.ranges[0]].high[other] <= t.keys[t.ranges[0]].low[row] {
				continue
			}
			if kept = append(kept, other); t.overlap(other, row) {
				o.report(other, row)
				break
			}
		}
		active = append(kept, row)
		if len(t.ranges) < 2 {
			active = o.furthest(active)
		}
	}
	return nil
}

// furthest returns the row whose first range reaches furthest, or the first row if there are no ranges.
func (o *overlaps) furthest(rows []int) []int {
	t, best := o.table, rows[0]
	for _, row := range rows[1:] {
		if len(t.ranges) > 0 && t.keys[t.ranges[0]].high[row] > t.keys[t.ranges[0]].high[best] {
			best = row
		}
	}
	return append(rows[:0], best)
}

// overlap reports whether all ranges of two rows with the same exact keys intersect.
func (t *Table) overlap(a, b int) bool {
	for _, i := range t.ranges {
		if k := &t.keys[i]; k.low[a] >= k.high[b] || k.low[b] >= k.high[a] {
			return false
		}
	}
	return true
}

// report adds a fault at each of two rows.
func (o *overlaps) report(a, b int) {
	o.found++
	x, y := int(min(o.order[a], o.order[b])), int(max(o.order[a], o.order[b]))
	o.at(x, y)
	o.at(y, x)
}

// at adds a fault at a row that matches the same applications as another row.
func (o *overlaps) at(row, other int) {
	detail := fmt.Sprintf("matches the same applications as %s; change the keys so that at most one row matches",
		fault.InLine(rowPointer(other)+"/keys", o.lines[other]))
	o.faults.Add(rowPointer(row)+"/keys", fault.CodeDuplicate, "%s", fault.InLine(detail, o.lines[row]))
}
