package sheet

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"verdict/internal/fault"
)

// endless is a reader that repeats the same bytes up to a length.
type endless struct {
	piece string
	left  int64
	read  int64
}

func (e *endless) Read(p []byte) (int, error) {
	if e.left <= 0 {
		return 0, io.EOF
	}
	n := 0
	for n < len(p) && e.left > 0 {
		k := min(copy(p[n:], e.piece), int(min(e.left, 1<<30)))
		n, e.left = n+k, e.left-int64(k)
	}
	e.read += int64(n)
	return n, nil
}

// TestLineTooLong checks that a line of two gibibytes is rejected after a few
// mebibytes. The error has the row number, and the rows before it are returned
// first.
func TestLineTooLong(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ start, piece, code, says string }{
		"plain":           {"", "x", fault.CodeLineTooLong, "row 3 "},
		"quoted":          {"", `""`, fault.CodeLineTooLong, "row 3 "},
		"commas":          {"", ",", fault.CodeLineTooLong, "row 3 "},
		"an open quote":   {"\n\"5\n6\",\"", "a\n", fault.CodeBadQuote, "line 6 "},
		"one quoted line": {"\"", "x", fault.CodeBadQuote, "line 4 "},
	} {
		for _, size := range []int{100, 0, 4 << 20} {
			start := "a,b\n1,2\n3,4\n" + c.start
			rest := &endless{piece: strings.Repeat(c.piece, 4096), left: 2 << 30}
			_, records, err := readAll(t, io.MultiReader(strings.NewReader(start), rest), size)
			if code := codeOf(t, err); code != c.code {
				t.Fatalf("%s: code %q", name, code)
			}
			if !strings.Contains(err.Error(), c.says) || len(records) != 2 {
				t.Errorf("%s: %d rows, then %v", name, len(records), err)
			}
			if rest.read > 8<<20 {
				t.Errorf("%s: %d bytes were read to find a row too long", name, rest.read)
			}
		}
	}
}

// TestQuoteNeverClosed checks that a quote that is never closed is refused with its line, for every kind of line end
// and every size of a block. The rows before it are returned first.
func TestQuoteNeverClosed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file string
		rows int
		line int
	}{
		{"a,b\n1,2\n\"3,4\n5,6\n", 1, 3},
		{"\n\na,b\n1,\"x\ny\"\n\n3,\"4\n5,6\n", 1, 7},
		{"a,b\n1,2\n\"3\n\n4\",\"5\n6\n", 1, 5},
		{"a,b\n1,2\n3,\"", 1, 3},
		{"a,b\n1,2\n3,\"x\"\"\n", 1, 3},
		{"a,b\n1,2\n\"3\"x,\"4\n5,6\n", 1, 3},
		{"a,b\n5\" pipe,2\n\"3,4\n5,6", 1, 3},
		{"\na,\"b\n1,2\n", 0, 2},
	} {
		for _, end := range []string{"\n", "\r\n", "\r"} {
			file := strings.ReplaceAll(c.file, "\n", end)
			for size := 1; size < len(file)+2; size++ {
				_, records, err := readAll(t, iotest.OneByteReader(strings.NewReader(file)), size)
				if codeOf(t, err) != fault.CodeBadQuote || len(records) != c.rows ||
					!strings.Contains(err.Error(), fmt.Sprintf("line %d opens a quote", c.line)) {
					t.Fatalf("%q in blocks of %d: %d rows, then %v", file, size, len(records), err)
				}
			}
		}
	}
}

// TestBlankLinesAreNotKept checks that megabytes of blank lines give no rows
// and are not kept in memory.
func TestBlankLinesAreNotKept(t *testing.T) {
	t.Parallel()
	r := NewReader(
		io.MultiReader(strings.NewReader("a\n"), &endless{piece: strings.Repeat("\r\n", 2048), left: 8 << 20}), 1<<16)
	if _, err := r.Next(nil); !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	if cap(r.rest) > 1<<17 {
		t.Errorf("%d bytes are kept", cap(r.rest))
	}
}

// TestLineEndsOfOneKind checks that a file with only one kind of line ending is
// read in linear time. In quadratic time this test would take minutes.
func TestLineEndsOfOneKind(t *testing.T) {
	t.Parallel()
	const rows = 1 << 19
	for _, end := range []string{"\r", "\n", "\r\n", "\"\"\r"} {
		file := "a\n" + strings.Repeat("1"+end, rows)
		r, c := NewReader(strings.NewReader(file), 8<<20), NewCursor(1)
		b, err := r.Next(nil)
		if err != nil || b.Rows != rows {
			t.Fatalf("%d rows, %v", b.Rows, err)
		}
		seen := 0
		for c.Reset(b.Data); c.Next(); {
			seen++
		}
		if seen != rows {
			t.Errorf("%d rows, the cursor came to %d", rows, seen)
		}
	}
}

// TestBrokenStream checks that a read error is not treated as the end of the
// file.
func TestBrokenStream(t *testing.T) {
	t.Parallel()
	broken := errors.New("connection lost")
	r := io.MultiReader(strings.NewReader("a,b\n1,2\n3,"), iotest.ErrReader(broken))
	_, records, err := readAll(t, r, 0)
	if !errors.Is(err, broken) {
		t.Fatalf("%d records and %v", len(records), err)
	}
	if _, _, err = readAll(t, io.MultiReader(strings.NewReader("a,b\n1,2\n"), iotest.ErrReader(broken)),
		4); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}

	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := io.Copy(z, io.LimitReader(&endless{piece: "12345,67890\n", left: 1 << 20}, 1<<20)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	cut, err := gzip.NewReader(bytes.NewReader(packed.Bytes()[:packed.Len()/2]))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := readAll(t, cut, 0); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a file cut short: %v", err)
	}
}

// stuck is a reader that returns no bytes and never ends.
type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

func TestStuckStream(t *testing.T) {
	t.Parallel()
	if _, err := NewReader(stuck{}, 0).Next(nil); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("got %v", err)
	}
}

//nolint:paralleltest // Allocations are counted over the whole process.
func TestNoAllocations(t *testing.T) {
	data := []byte(strings.Repeat("1,\"x\"\"y\",3\n4,5,\"6,7\"\n8,9,10\n", 100))
	c := NewCursor(3)
	allocs := testing.AllocsPerRun(20, func() {
		c.Reset(data)
		for c.Next() {
			if c.Fault() != "" {
				t.Error(c.Fault())
			}
		}
	})
	if allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}

// BenchmarkRows measures the reader and the cursor separately, with rows of 20
// cells.
func BenchmarkRows(b *testing.B) {
	const line = "app-0000017,742,34,52300,0.312,250000,2,1,5,0,0,0,0,61,0.42,0,17,9,SALARIED,0\n"
	const header = "a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t\n"
	for _, c := range []struct{ name, row string }{
		{"plain", line},
		{"quoted", strings.Replace(line, "SALARIED", `"SALARIED"`, 1)},
		{"crlf", strings.Replace(line, "\n", "\r\n", 1)},
	} {
		const rows = 500_000
		file := header + strings.Repeat(c.row, rows)
		b.Run("read/"+c.name, func(b *testing.B) {
			var block Block
			for b.Loop() {
				r := NewReader(strings.NewReader(file), 0)
				var err error
				for err == nil {
					block, err = r.Next(block.Data[:0])
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
		})
		b.Run("cells/"+c.name, func(b *testing.B) {
			cursor, data := NewCursor(20), []byte(file[len(header):])
			for b.Loop() {
				for cursor.Reset(data); cursor.Next(); {
					if cursor.Cells() == nil {
						b.Fatal(cursor.Fault())
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
		})
	}
}
