package sheet

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// TestLines checks that the number of a row's line counts the header, blank lines and the lines inside cells, for every
// kind of line end and every size of a block.
func TestLines(t *testing.T) {
	t.Parallel()
	for _, end := range []string{"\n", "\r\n", "\r"} {
		file := strings.ReplaceAll("\n\nname,n\n\n\na,1\n\"b\nb\nb\",2\n\n,\n\n\n\nc,3\nd,4", "\n", end)
		const want = "6 7 11 15 16 "
		for size := 1; size < len(file)+2; size++ {
			rows := NewReader(iotest.OneByteReader(strings.NewReader(file)), size)
			if _, err := rows.Header(); err != nil {
				t.Fatal(err)
			}
			cursor, got := NewCursor(2), ""
			for {
				block, err := rows.Next(nil)
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				for cursor.ResetBlock(&block); cursor.Next(); {
					got += fmt.Sprint(cursor.Line(), " ")
				}
			}
			if got != want {
				t.Errorf("line end %q, blocks of %d bytes: the rows are in the lines %s, want %s", end, size, got, want)
			}
		}
	}
}
