package main

import (
	"context"
	"fmt"
	"os"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/csv"
)

// arrowChunk is the number of rows in a batch of arrow-go.
const arrowChunk = 16 << 10

// byArrow reads the file into columns with arrow-go and decides the rows with the
// hand-written policy. It runs on one core.
func byArrow(_ context.Context, in input) (*outcome, error) {
	f, err := os.Open(in.path)
	if err != nil {
		return nil, fmt.Errorf("open the file: %w", err)
	}
	defer f.Close() //nolint:errcheck // It was only read.
	fields := make([]arrow.Field, len(columns))
	for i, name := range columns {
		fields[i] = arrow.Field{Name: name, Type: arrow.PrimitiveTypes.Int64}
		switch name {
		case "applicant_id", "employment_type":
			fields[i].Type = arrow.BinaryTypes.String
		case "monthly_income", "foir", "bureau_overdue_amount", "bureau_card_utilisation":
			fields[i].Type = arrow.PrimitiveTypes.Float64
		}
	}
	r := csv.NewReader(f, arrow.NewSchema(fields, nil), csv.WithHeader(true), csv.WithChunk(arrowChunk))
	defer r.Release()
	var o outcome
	for r.Next() {
		if err := o.decideBatch(r.RecordBatch()); err != nil {
			return nil, err
		}
	}
	if err := r.Err(); err != nil {
		return nil, fmt.Errorf("read the file: %w", err)
	}
	return &o, nil
}

// decideBatch assembles the rows of a batch from its columns and decides them.
func (o *outcome) decideBatch(batch arrow.RecordBatch) error {
	var whole [20][]int64
	var decimal [20][]float64
	var text *array.String
	for i, column := range batch.Columns() {
		switch column := column.(type) {
		case *array.Int64:
			whole[i] = column.Int64Values()
		case *array.Float64:
			decimal[i] = column.Float64Values()
		case *array.String:
			text = column // the last text column is the employment type
		default:
			return fmt.Errorf("column %d is %s", i, column.DataType())
		}
	}
	for i := range int(batch.NumRows()) {
		n := func(column int) int { return int(whole[column][i]) }
		o.decide(&applicant{
			score:       n(1),
			age:         n(2),
			income:      decimal[3][i],
			foir:        decimal[4][i],
			requested:   n(5),
			enquiries:   n(6),
			tradelines:  n(7),
			dpd:         n(8),
			writtenOff:  n(9),
			overdue:     decimal[10][i],
			utilisation: decimal[11][i],
			oldest:      n(13),
			bounces:     n(15),
			fraud:       n(16),
			pincode:     n(17),
			employment:  employmentOf([]byte(text.Value(i))),
			bad:         n(19) != 0,
		})
	}
	return nil
}
