package document

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"verdict/internal/fault"
	"verdict/internal/sheet"
	"verdict/internal/wire"
)

func parseRows(tb testing.TB, text string) wire.Value {
	tb.Helper()
	v, err := wire.Parse([]byte(`{"rows":` + text + `}`))
	if err != nil {
		tb.Fatal(err)
	}
	return v.Get("rows")
}

func TestRowsAsCSV(t *testing.T) {
	t.Parallel()
	wide := make([]string, sheet.MaxColumns)
	for i := range wide {
		wide[i] = fmt.Sprintf("c%d", i)
	}
	last := len(wide) - 1
	for rows, want := range map[string]string{
		`[]`:                                  "",
		`[{},{"a":null},{"a":{}}]`:            "",
		`[{"a":1},{},{"a":""}]`:               "a\n1\n\"\"\n\"\"\n",
		`[{"a":1.50,"b":true},{"b":false}]`:   "a,b\n1.50,true\n,false\n",
		`[{"b":1},{"a":2},{"c":3,"b":4}]`:     "b,a,c\n1,,\n,2,\n4,,3\n",
		`[{"a":{"b":{"c":1}},"d":2}]`:         "a.b.c,d\n1,2\n",
		`[{"a.b":1},{"a":{"b":2,"x":null}}]`:  "a.b\n1\n2\n",
		`[{"a,b":"x,y","q":"\"","l":"1\n2"}]`: "\"a,b\",q,l\n\"x,y\",\"\"\"\",\"1\n2\"\n",
		`[{"":1,"b":""}]`:                     ",b\n1,\n",
		`[{"` + strings.Join(wide, `":1,"`) + `":1},{"` + wide[last] + `":2}]`: strings.Join(wide, ",") + "\n" +
			strings.Repeat("1,", last) + "1\n" + strings.Repeat(",", last) + "2\n",
	} {
		var faults fault.List
		got, err := rowsAsCSV(parseRows(t, rows), &faults)
		if err != nil || faults.Len() > 0 || got != want {
			t.Errorf("%.200s: %q, %v, %v, want %q", rows, got, err, faults.Items(), want)
		}
	}
}

func TestRowsThatAreNone(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("n", sheet.MaxName/2+1)
	for rows, want := range map[string]string{
		`7`:                                     "/rows wrong_type",
		`[{"a":1},7]`:                           "/rows/1 wrong_type",
		`[{"a":[1]}]`:                           "/rows/0/a wrong_type",
		`[{"a":{"b":1},"a.b":1}]`:               "/rows/0/a.b duplicate",
		`[{"a":1},{"a":{"b":[]}}]`:              "/rows/1/a/b wrong_type",
		`[{"` + long + `":{"` + long + `":1}}]`: "/rows/0/" + long[:128] + "…/" + long[:128] + "… out_of_range",
	} {
		var faults fault.List
		_, err := rowsAsCSV(parseRows(t, rows), &faults)
		if err != nil || faults.Len() != 1 || faults.Items()[0].Pointer+" "+faults.Items()[0].Code != want {
			t.Errorf("%.200s: %v, %v, want %s", rows, faults.Items(), err, want)
		}
	}
}

// TestTableBombs checks that a request whose table would be many times its size is refused before the table is built.
//
//nolint:paralleltest // memory is counted for all goroutines
func TestTableBombs(t *testing.T) {
	const most = 128 << 20 // bytes; the smallest of the tables would need 400 MB
	named, wide := &strings.Builder{}, &strings.Builder{}
	for i := range 40_000 {
		fmt.Fprintf(named, `{"a%d":1},`, i)
	}
	for i := range sheet.MaxColumns {
		fmt.Fprintf(wide, `"a%d":1,`, i)
	}
	for name, c := range map[string]struct{ rows, want string }{
		"a name of its own for each row": {named.String() + `{}`, "too_many_columns /rows/1000/a1000"},
		"a wide row, and many of one": {
			`{` + wide.String() + `"a":null}` + strings.Repeat(`,{"a999":1}`, 400_000),
			"request_too_large /rows",
		},
		"a long name around many": {
			`{"` + strings.Repeat("n", 1<<20) + `":{` + wide.String() + `"a":null}}`,
			"invalid_field /rows/0/" + strings.Repeat("n", 128) + "…",
		},
	} {
		rows := parseRows(t, `[`+c.rows+`]`)
		var faults fault.List
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := rowsAsCSV(rows, &faults)
		runtime.ReadMemStats(&after)
		if err == nil {
			err = faults.Err()
		}
		var refusal *fault.Error
		if !errors.As(err, &refusal) || len(refusal.Items) != 1 || refusal.Code+" "+refusal.Items[0].Pointer != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
		if taken := after.TotalAlloc - before.TotalAlloc; taken > most {
			t.Errorf("%s: %d bytes of memory for a request of %d", name, taken, len(c.rows))
		}
	}
}
