package sheet

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"verdict/internal/fault"
)

// drawFile generates a file from pieces that are difficult to parse in CSV.
func drawFile(t *rapid.T) string {
	piece := rapid.SampledFrom([]string{
		"1", "742", "x y", ",", ",", ",", `"`, `"`, `""`, "\n", "\n", "\r\n", "\r", "a,b,c\n", `"q,""r"`, "é", "\xff",
		"\x00", " ",
	})
	return strings.Join(rapid.SliceOfN(piece, 0, 60).Draw(t, "pieces"), "")
}

// TestAnyCutGivesTheSameRows checks that the rows, their numbers and their
// faults do not depend on how a stream is split into blocks.
func TestAnyCutGivesTheSameRows(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		file := "a,b,c\n" + drawFile(t)
		_, want, wantErr := readAll2(t, strings.NewReader(file), 0)
		if wantErr != nil && fault.CodeOf(wantErr) != fault.CodeBadQuote {
			t.Fatal(wantErr)
		}
		size := rapid.IntRange(1, 40).Draw(t, "block")
		_, got, err := readAll2(t, iotest.OneByteReader(strings.NewReader(file)), size)
		if fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Fatalf("%q in blocks of %d: %v, want %v", file, size, err, wantErr)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%q in blocks of %d:\n%s", file, size, diff)
		}
	})
}

// readAll2 calls readAll in a property test.
func readAll2(t *rapid.T, r io.Reader, size int) (header []string, records []record, err error) {
	return readAll(rapidTB{t: t}, r, size)
}

// rapidTB adapts a rapid.T to testing.TB.
type rapidTB struct {
	testing.TB
	t *rapid.T
}

func (r rapidTB) Helper()                           {}
func (r rapidTB) Fatalf(format string, args ...any) { r.t.Fatalf(format, args...) }

// agree compares the result with encoding/csv if encoding/csv can read the
// file. It skips files that are not text or that have carriage returns, because
// the two packages treat such files differently.
func agree(tb testing.TB, file string) {
	tb.Helper()
	if strings.ContainsAny(file, "\r\x00") || !utf8.ValidString(file) || strings.HasPrefix(file, "\uFEFF") {
		return
	}
	theirs := csv.NewReader(strings.NewReader(file))
	theirs.FieldsPerRecord = -1
	all, err := theirs.ReadAll()
	if err != nil || len(all) == 0 {
		return
	}
	header, records, err := readAll(tb, strings.NewReader(file), 16)
	if err != nil {
		return // only this package checks column names
	}
	for i, name := range all[0] {
		if header[i] != strings.TrimSpace(name) {
			tb.Fatalf("column %d is %q, encoding/csv has %q", i, header[i], name)
		}
	}
	if len(records) != len(all)-1 {
		tb.Fatalf("%d rows in %q, encoding/csv has %d", len(records), file, len(all)-1)
	}
	for i, want := range all[1:] {
		switch got := records[i]; {
		case len(want) != len(header):
			if got.Fault != fault.CodeWrongNumberOfCells {
				tb.Fatalf("row %d of %q: fault %q with %d cells for %d columns",
					i+1, file, got.Fault, len(want), len(header))
			}
		case !cmp.Equal(got.Cells, want):
			tb.Fatalf("row %d of %q:\n%s", i+1, file, cmp.Diff(want, got.Cells))
		}
	}
}

func TestAgreesWithEncodingCSV(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		cells := rapid.SliceOfN(rapid.SampledFrom(
			[]string{"", "1", "a b", "x,y", `"`, "two\nlines", "é", " ", "long text without anything in it"}), 3, 3)
		rows := rapid.SliceOfN(cells, 0, 20).Draw(t, "rows")
		var file bytes.Buffer
		w := csv.NewWriter(&file)
		if err := w.WriteAll(append([][]string{{"a", "b", "c"}}, rows...)); err != nil {
			t.Fatal(err)
		}
		agree(rapidTB{t: t}, file.String())
		_, records, err := readAll2(t, &file, rapid.IntRange(1, 100).Draw(t, "block"))
		if err != nil || len(records) != len(rows) {
			t.Fatalf("%d of %d rows, %v", len(records), len(rows), err)
		}
	})
	rapid.Check(t, func(t *rapid.T) { agree(rapidTB{t: t}, "a,b,c\n"+drawFile(t)) })
}

// FuzzReader reads arbitrary files. Reading must not panic, must end, must
// return the same rows for any block size, and must agree with encoding/csv if
// encoding/csv can read the file.
func FuzzReader(f *testing.F) {
	for _, file := range []string{
		"", "a,b\n1,2\n", "\xef\xbb\xbfa\r\n\"1\"\r\n", "a,b\n\"1\n2\",\"\"\"\"\n",
		"a\rb\r", "a,b\n\"x", "a\n\n\n1\n", "a,,b\n1,\xff,\x00\n",
	} {
		f.Add(file, uint8(5))
	}
	f.Fuzz(func(t *testing.T, file string, size uint8) {
		_, want, err := readAll(t, strings.NewReader(file), 0)
		_, got, errGot := readAll(t, strings.NewReader(file), int(size)+1)
		if diff := cmp.Diff(want, got); diff != "" || codeOf(t, err) != codeOf(t, errGot) {
			t.Fatalf("blocks of %d: %v, %v\n%s", int(size)+1, err, errGot, diff)
		}
		agree(t, file)
	})
}

// TestWriteAndRead checks that written cells read back unchanged, except for
// the apostrophe before a formula.
func TestWriteAndRead(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(),
			rapid.SampledFrom([]string{"", "=1+1", "-5", " @x", "a,b", "\"", "\n", "\t", "x\r\ny"}))
		rows := rapid.SliceOfN(rapid.SliceOfN(text, 2, 2), 1, 10).Draw(t, "rows")
		var file bytes.Buffer
		w := NewWriter(&file)
		for _, name := range []string{"a", "b"} {
			w.Text(name)
		}
		w.End()
		for _, row := range rows {
			for _, cell := range row {
				w.Text(cell)
			}
			w.End()
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		_, records, err := readAll2(t, &file, 0)
		if err != nil || len(records) != len(rows) {
			t.Fatalf("%d rows of %d, %v", len(records), len(rows), err)
		}
		for i, row := range rows {
			for k, cell := range row {
				want := strings.ReplaceAll(cell, "\x00", "\uFFFD")
				if isFormula(want) {
					want = "'" + want
				}
				if records[i].Cells[k] != want {
					t.Fatalf("%q came back as %q", cell, records[i].Cells[k])
				}
			}
		}
	})
}

func TestWriter(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain": "plain", "": `""`, "=SUM(A1)": "'=SUM(A1)", "+1": "'+1", "-1": "'-1", "@x": "'@x", "\tx": "'\tx",
		"\rx": "\"'\rx\"", "  =x": "'  =x", "a=b": "a=b", "a,b": `"a,b"`, `say "hi"`: `"say ""hi"""`,
		"two\nlines": "\"two\nlines\"", "=a,\"b\"": `"'=a,""b"""`, "bad\xff": "bad\uFFFD", "nul\x00": "nul\uFFFD",
		"\u00a0=x": "'\u00a0=x",
	} {
		var out strings.Builder
		w := NewWriter(&out)
		w.Text(text)
		w.End()
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); got != want+"\n" {
			t.Errorf("%q is written as %q, want %q", text, got, want+"\n")
		}
	}
	var out strings.Builder
	w := NewWriter(&out)
	w.Raw([]byte("-1.5"))
	w.Text("")
	w.Raw(nil)
	w.End()
	if err := w.Flush(); err != nil || out.String() != "-1.5,,\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
}

type fullDisk struct{}

var errFull = errors.New("no space left on device")

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestWriterReportsTheError(t *testing.T) {
	t.Parallel()
	w := NewWriter(fullDisk{})
	for range 10_000 {
		w.Text("some text to fill the buffer with")
		w.End()
	}
	if err := w.Flush(); !errors.Is(err, errFull) {
		t.Errorf("got %v", err)
	}
	if cap(w.buf) > 4*flushAt {
		t.Errorf("%d bytes are kept", cap(w.buf))
	}
}
