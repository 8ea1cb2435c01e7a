package training

import (
	"verdict/internal/fault"
	"verdict/internal/sheet"
)

// table holds the rows as codes, one byte for each column, and the outcome of
// each row.
type table struct {
	*pace

	columns     []*column
	bad         []uint8
	weights     []uint32 // weight of each row in units of 1/1024; nil if every row weighs 1
	train, held []int32
}

// encode reads the decoded rows a second time and stores them as codes.
func (p *plan) encode(open Source, columns []*column, s *survey) (*table, error) {
	rows := int64(s.train.rows() + s.held.rows())
	t := &table{pace: p.pace, columns: columns, bad: make([]uint8, 0, rows)}
	if p.weight >= 0 {
		t.weights = make([]uint32, 0, rows)
	}
	for _, c := range columns {
		c.codes = make([]uint8, 0, rows)
	}
	_, err := open.scan(func(row int64, cells [][]byte) error {
		p.pace.pass(10 * len(cells))
		what, weight, err := p.label(row, cells)
		if err != nil {
			return err
		}
		if what != sheet.Good && what != sheet.Bad || weight == 0 {
			return nil
		}
		var isBad uint8
		if what == sheet.Bad {
			isBad = 1
		}
		if p.holdOut(row, cells) {
			t.held = append(t.held, int32(len(t.bad)))
		} else {
			t.train = append(t.train, int32(len(t.bad)))
		}
		t.bad = append(t.bad, isBad)
		if t.weights != nil {
			t.weights = append(t.weights, s.units(weight))
		}
		for _, c := range columns {
			c.codes = append(c.codes, c.code(c.read(p.cell(cells[c.at]))))
		}
		return nil
	})
	if err == nil && int64(len(t.bad)) != rows {
		err = fault.New(fault.Invalid, fault.CodeRowsChanged,
			"the rows changed between the first and the second pass over the input; submit them again")
	}
	return t, err
}

// count returns the weights of the good and bad rows of each code of a column.
func (t *table) count(c *column, rows []int32) []counts {
	out := make([]counts, c.cells())
	t.pass(len(rows))
	for _, row := range rows {
		n := &out[c.codes[row]]
		if t.bad[row] == 1 {
			n.bad += t.weight(row)
		} else {
			n.good += t.weight(row)
		}
	}
	return out
}

// bin divides every column into bins by the given rows.
func (t *table) bin(r binRule, rows []int32) []*binning {
	out := make([]*binning, len(t.columns))
	t.inParallel(len(t.columns), func(i int) {
		out[i] = r.cut(t.columns[i], t.count(t.columns[i], rows))
	})
	return out
}

// design returns the regression on some binned columns.
func (t *table) design(features []*binning, rows []int32) *design {
	d := &design{table: t, rows: rows}
	for _, b := range features {
		d.codes = append(d.codes, b.column.codes)
		d.values = append(d.values, b.weights())
	}
	return d
}
