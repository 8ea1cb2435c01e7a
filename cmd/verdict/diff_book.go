package main

import (
	"errors"
	"io"
	"maps"

	"verdict/internal/application"
	"verdict/internal/engine"
	"verdict/internal/engine/prover"
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/sheet"
)

// countBook counts the rows of a CSV file in each class of a result. It also returns the number of rows that could not
// be read. If ok is false, it has already reported the error, and code is the exit code.
func countBook(
	c *command, name string, plans [2]*engine.Plan, r *prover.Result,
) (p *prover.Population, failed int64, code int, ok bool) {
	in, size, err := c.rows(name)
	if err != nil {
		return nil, 0, c.usage("%v", err), false
	}
	defer func() { _ = in.Close() }() // the file is only read
	bar := c.progress(size, "counting")
	defer func() { _ = bar.Finish() }() // only the display would be wrong
	reader, err := expand(&meter{in: in, bar: bar})
	if err != nil {
		return nil, 0, c.usage("read %s: %v", name, err), false
	}
	text, _, err := sheet.Sniff(reader, 256<<10)
	if err != nil {
		return nil, 0, c.usage("read %s: %v", name, err), false
	}
	rows := sheet.NewReader(text, 0)
	header, err := rows.Header()
	if err != nil {
		return nil, 0, c.usage("read %s: %v", name, err), false
	}
	inputs := plans[0].Policy().InputTypes()
	maps.Copy(inputs, plans[1].Policy().InputTypes())
	columns, err := application.NewColumns(header, application.ColumnOptions{
		Inputs:  inputs,
		NoScore: !plans[0].Policy().NeedsScore() && !plans[1].Policy().NeedsScore(),
	})
	if err != nil {
		return nil, 0, c.refused(name, err), false
	}
	p = prover.NewPopulation(plans[0], plans[1], r)
	p.What = "rows of the book"
	cells, facts := columns.Reader(), rule.NewFacts(field.Catalogue())
	cursor := sheet.NewCursor(len(header))
	for {
		block, err := rows.Next(nil)
		if errors.Is(err, io.EOF) {
			return p, failed, exitOK, true
		}
		if err != nil {
			return nil, 0, c.usage("read %s: %v", name, err), false
		}
		for cursor.Reset(block.Data); cursor.Next(); {
			row := cursor.Cells()
			if row == nil {
				failed++
				continue
			}
			if _, fault := cells.Read(row, facts); fault != "" {
				failed++
				continue
			}
			p.Add(facts)
		}
	}
}
