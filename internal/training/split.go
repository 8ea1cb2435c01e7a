package training

import (
	"errors"
	"io"
	"slices"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/sheet"
)

// splitColumn is the column of a split file that says whether to train on a row.
const splitColumn = "split"

// ReadSplit reads a split file. Its rows are in the same order as the rows of the
// data. Its column "split" says whether to train on a row ("train") or to hold it
// out (any other text). Rows beyond the end of the split file are held out.
func ReadSplit(r *sheet.Reader) (holdOut func(row int64) bool, err error) {
	header, err := r.Header()
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(header, func(name string) bool { return strings.EqualFold(name, splitColumn) })
	if at < 0 {
		return nil, fault.New(fault.Invalid, fault.CodeUnknownField, "the split file has no column %q", splitColumn)
	}
	var learn []bool
	cursor := sheet.NewCursor(len(header))
	var block sheet.Block
	for {
		block, err = r.Next(block.Data[:0])
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		cursor.Reset(block.Data)
		for cursor.Next() {
			cells := cursor.Cells()
			learn = append(learn, len(cells) > at && strings.EqualFold(strings.TrimSpace(string(cells[at])), "train"))
		}
		if len(learn) > maxRows {
			return nil, fault.New(fault.TooLarge, fault.CodeTooManyRows,
				"a scorecard is fitted to at most %d rows", maxRows)
		}
	}
	return func(row int64) bool { return row > int64(len(learn)) || !learn[row-1] }, nil
}
