package sheet

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/fault"
)

// record is one row: its cells or its fault.
type record struct {
	Row   int64
	Cells []string
	Fault string
}

// readAll reads a whole file in blocks of blockBytes. It returns the header,
// the records and the final error.
func readAll(tb testing.TB, r io.Reader, blockBytes int) (header []string, records []record, err error) {
	tb.Helper()
	reader := NewReader(r, blockBytes)
	if header, err = reader.Header(); err != nil {
		return nil, nil, err
	}
	cursor := NewCursor(len(header))
	var memory []byte
	for last := int64(0); ; {
		b, err := reader.Next(memory)
		if errors.Is(err, io.EOF) {
			return header, records, nil
		}
		if err != nil {
			return header, records, err
		}
		if b.First != last+1 || b.Rows == 0 {
			tb.Fatalf("a block of %d rows from %d after row %d", b.Rows, b.First, last)
		}
		cursor.Reset(b.Data)
		for cursor.Next() {
			last++
			rec := record{Row: last, Fault: cursor.Fault()}
			for _, c := range cursor.Cells() {
				rec.Cells = append(rec.Cells, string(c))
			}
			records = append(records, rec)
		}
		if last != b.First+int64(b.Rows)-1 {
			tb.Fatalf("the block has %d rows from %d, the cursor came to %d", b.Rows, b.First, last)
		}
		memory = b.Data
	}
}

func TestRows(t *testing.T) {
	t.Parallel()
	good := func(cells ...string) record { return record{Cells: cells} }
	bad := func(code string) record { return record{Fault: code} }
	for name, c := range map[string]struct {
		file string
		want []record
	}{
		"plain":                  {"a,b\n1,2\n3,4\n", []record{good("1", "2"), good("3", "4")}},
		"no line end at the end": {"a,b\n1,2", []record{good("1", "2")}},
		"byte-order mark":        {"\xef\xbb\xbfa,b\n1,2\n", []record{good("1", "2")}},
		"mixed line ends": {"a,b\r\n1,2\r3,4\n5,6\r\n",
			[]record{good("1", "2"), good("3", "4"), good("5", "6")}},
		"carriage returns alone":  {"a,b\r1,2\r3,4", []record{good("1", "2"), good("3", "4")}},
		"blank lines are no rows": {"\n\na,b\n\n\r\n1,2\n\n\n3,4\n\n", []record{good("1", "2"), good("3", "4")}},
		"spaces are kept":         {"a,b\n 1 ,\t2\n", []record{good(" 1 ", "\t2")}},
		"empty cells":             {"a,b\n,\n\"\",\n", []record{good("", ""), good("", "")}},
		"quotes":                  {"a,b\n\"1\",\"x,y\"\n", []record{good("1", "x,y")}},
		"doubled quotes":          {"a,b\n\"say \"\"hi\"\"\",\"\"\"\"\n", []record{good(`say "hi"`, `"`)}},
		"line ends inside quotes": {"a,b\n\"1\n2\",\"3\r\n4\"\n5,6\n",
			[]record{good("1\n2", "3\r\n4"), good("5", "6")}},
		"a quote inside a plain cell": {"a,b\n5\" pipe,2\n3,4\n", []record{bad(fault.CodeBadQuote), good("3", "4")}},
		"text after a closing quote":  {"a,b\n\"1\"x,2\n3,4\n", []record{bad(fault.CodeBadQuote), good("3", "4")}},
		"a space before a quote":      {"a,b\n1, \"2\"\n3,4\n", []record{bad(fault.CodeBadQuote), good("3", "4")}},
		"too few cells":               {"a,b\n1\n3,4\n", []record{bad(fault.CodeWrongNumberOfCells), good("3", "4")}},
		"too many cells": {"a,b\n1,2,3\n\"1\",2,3\n3,4\n",
			[]record{bad(fault.CodeWrongNumberOfCells), bad(fault.CodeWrongNumberOfCells), good("3", "4")}},
		"not UTF-8": {"a,b\n1,\xff\n\"1\",\xff\n3,नमस्ते\n",
			[]record{bad(fault.CodeBadUTF8), bad(fault.CodeBadUTF8), good("3", "नमस्ते")}},
		"a NUL":                      {"a,b\n1,\x00\n3,4\n", []record{bad(fault.CodeBadUTF8), good("3", "4")}},
		"only a header":              {"a,b\n", nil},
		"only a header, no line end": {"a,b", nil},
		"one column":                 {"a\n1\n\n\"\"\n", []record{good("1"), good("")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i := range c.want {
				c.want[i].Row = int64(i) + 1
			}
			for _, size := range []int{1, 2, 3, 7, 0} {
				_, got, err := readAll(t, strings.NewReader(c.file), size)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Errorf("blocks of %d bytes (-want +got):\n%s", size, diff)
				}
			}
		})
	}
}

func TestHeader(t *testing.T) {
	t.Parallel()
	wide := strings.Repeat("a,", MaxColumns) + "b\n"
	for name, c := range map[string]struct {
		file string
		want []string
		code string
	}{
		"names are trimmed":       {file: "\xef\xbb\xbf a , \"b\"\"c\" ,d\n", code: fault.CodeBadQuote},
		"quoted names":            {file: "\" a \",\"b\"\"c\",d\n", want: []string{"a", `b"c`, "d"}},
		"a column without a name": {file: "\"\",score,,\n", want: []string{"", "score", "", ""}},
		"empty":                   {code: fault.CodeEmptyCSV},
		"blank lines":             {file: "\n\r\n\n", code: fault.CodeEmptyCSV},
		"byte-order mark alone":   {file: "\xef\xbb\xbf", code: fault.CodeEmptyCSV},
		"no names":                {file: ",, \n1,2,3\n", code: fault.CodeNoColumnNames},
		"the same name twice":     {file: "a,b,a\n", code: fault.CodeDuplicate},
		"a name without end":      {file: "a," + strings.Repeat("b", MaxName+1) + "\n", code: fault.CodeOutOfRange},
		"UTF-16":                  {file: "\xff\xfea\x00,\x00b\x00\n\x00", code: fault.CodeBadUTF8},
		"too wide":                {file: wide, code: fault.CodeTooManyColumns},
		"an open quote":           {file: "\"a,b\n1,2\n", code: fault.CodeBadQuote},
		"too long":                {file: strings.Repeat("a", MaxLine+1), code: fault.CodeLineTooLong},
		"too many blank lines":    {file: strings.Repeat("\n", 2*MaxLine) + "a", code: fault.CodeLineTooLong},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := NewReader(strings.NewReader(c.file), 64)
			got, err := r.Header()
			if code := codeOf(t, err); code != c.code {
				t.Fatalf("code %q, want %q", code, c.code)
			}
			if c.code == "" {
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Error(diff)
				}
				return
			}
			if _, again := r.Next(nil); !errors.Is(again, err) {
				t.Errorf("rows after a refused header: %v", again)
			}
		})
	}
}

// codeOf returns the code of a rejection, or "" if err is nil.
func codeOf(tb testing.TB, err error) string {
	tb.Helper()
	if err == nil {
		return ""
	}
	refusal, ok := errors.AsType[*fault.Error](err)
	if !ok {
		tb.Fatalf("%v is no refusal", err)
	}
	return refusal.Code
}

func TestHeaderTwice(t *testing.T) {
	t.Parallel()
	r := NewReader(strings.NewReader("a\n1\n"), 0)
	if _, err := r.Header(); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Header(); err == nil {
		t.Error("the header was read twice")
	}
	r = NewReader(strings.NewReader("a\n1\n"), 0)
	if b, err := r.Next(nil); err != nil || string(b.Data) != "1\n" {
		t.Errorf("a header nobody asks for is skipped: %q, %v", b.Data, err)
	}
}

// TestOtherFormatsAreRecognised checks that the error for a workbook or for a
// file with another separator names the format.
func TestOtherFormatsAreRecognised(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, data, code, says string }{
		{"a workbook", "PK\x03\x04\x14\x00\x06\x00rest", fault.CodeBadUTF8, "XLSX"},
		{"an old workbook", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", fault.CodeBadUTF8, "XLS"},
		{"semicolons", "score;foir\n742;0,35\n", "invalid_field", "semicolons"},
		{"semicolons behind a mark", "\ufeffscore;foir\n742;0,35\n", "invalid_field", "semicolons"},
		{"tabs", "score\tfoir\n742\t0.35\n", "invalid_field", "tabs"},
	} {
		_, err := NewReader(strings.NewReader(c.data), 1<<10).Header()
		var refusal *fault.Error
		if !errors.As(err, &refusal) || refusal.Code != c.code || !strings.Contains(refusal.Detail, c.says) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	for _, data := range []string{"score\n742\n", "PK,score\n1,742\n", "a;b,score\n1,742\n"} {
		if _, err := NewReader(strings.NewReader(data), 1<<10).Header(); err != nil {
			t.Errorf("%q: %v", data, err)
		}
	}
}
