package listdesk

import (
	"errors"
	"io"

	"verdict/internal/fault"
	"verdict/internal/sheet"
)

// ReadRows reads a CSV file for a list or a table. The file may have at most the given number of bytes. ReadRows calls
// header with the names of the columns, and then row with each row. If one of them returns an error, it stops and
// returns the error.
func ReadRows(
	in io.Reader, most int64, header func(names []string) error, row func(cursor *sheet.Cursor) error,
) error {
	rows := sheet.NewReader(&limited{in: in, left: most, most: most}, 0)
	names, err := rows.Header()
	if err == nil {
		err = header(names)
	}
	if err != nil {
		return err
	}
	cursor := sheet.NewCursor(len(names))
	var block sheet.Block
	for {
		block, err = rows.Next(block.Data[:0])
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for cursor.ResetBlock(&block); cursor.Next(); {
			if err := row(cursor); err != nil {
				return err
			}
		}
	}
}

// RowFault describes why a row of a file is malformed.
func RowFault(code string) string {
	switch code {
	case fault.CodeWrongNumberOfCells:
		return "has another number of cells than the header; put a value with a comma in quotes"
	case fault.CodeBadUTF8:
		return "is not UTF-8, or contains a NUL character; save the file as CSV UTF-8"
	default:
		return "has a quote that is not closed, or that is inside a cell and not doubled"
	}
}

// limited reads a file up to its maximum size.
type limited struct {
	in         io.Reader
	left, most int64
}

func (l *limited) Read(p []byte) (int, error) {
	n, err := l.in.Read(p[:min(int64(len(p)), l.left+1)])
	if l.left -= int64(n); l.left < 0 {
		return 0, fault.New(fault.TooLarge, fault.CodeRequestTooLarge, "the file is larger than %d bytes", l.most)
	}
	return n, err
}
