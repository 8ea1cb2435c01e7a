package table_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"verdict/internal/fault"
	"verdict/internal/list"
	"verdict/internal/rule"
	"verdict/internal/table"
	"verdict/internal/wire"
)

func never() error { return nil }

func define(tb testing.TB, text string) table.Definition {
	tb.Helper()
	d, err := table.ParseDefinition("grid", text)
	if err != nil {
		tb.Fatal(err)
	}
	return d
}

const mixed = `{"keys":[{"field":"employment_type","match":"exact"},{"field":"monthly_income","match":"range"},
	{"field":"foir","match":"range"},{"field":"bureau_score"}],
	"columns":[{"name":"limit","type":"number"},{"name":"segment","type":"text"},{"name":"served","type":"boolean"}]}`

// drawRow draws a row of a definition, with few different keys, so that rows overlap.
func drawRow(t *rapid.T, d *table.Definition) table.Row {
	var row table.Row
	for _, k := range d.Keys {
		switch {
		case k.Range:
			c := table.Cell{Range: true, Low: table.Lowest, High: table.Highest}
			if rapid.Bool().Draw(t, "has low") {
				c.Low = rule.Int(rapid.Int64Range(0, 6).Draw(t, "low"))
			}
			if rapid.Bool().Draw(t, "has high") {
				c.High = rule.Int(rapid.Int64Range(7, 9).Draw(t, "high"))
				if c.Low != table.Lowest {
					c.High = c.Low + rule.Int(rapid.Int64Range(1, 3).Draw(t, "width"))
				}
			}
			row.Keys = append(row.Keys, c)
		case k.Field.Type == rule.StringType:
			text := rapid.SampledFrom([]string{"a", " A ", "b", "Straße", "strasse", "ｂ"}).Draw(t, "text")
			row.Keys = append(row.Keys, table.Cell{Value: rule.Str(text)})
		default:
			row.Keys = append(row.Keys, table.Cell{Value: rule.Num(rule.Int(rapid.Int64Range(0, 2).Draw(t, "number")))})
		}
	}
	for _, c := range d.Columns {
		switch c.Type {
		case rule.NumberType:
			row.Values = append(row.Values, rule.Num(rule.Number(rapid.Int64Range(-9, 9).Draw(t, "value"))))
		case rule.StringType:
			row.Values = append(row.Values, rule.Str(rapid.SampledFrom([]string{"x", "y"}).Draw(t, "word")))
		default:
			row.Values = append(row.Values, rule.Bool(rapid.Bool().Draw(t, "flag")))
		}
	}
	return row
}

// matches reports whether a row matches the values of keys. It is the simple implementation that Find is compared
// with.
func matches(r *table.Row, values []rule.Value) bool {
	for i, c := range r.Keys {
		v := values[i]
		switch {
		case c.Range && (v.Number() < c.Low || v.Number() >= c.High):
			return false
		case c.Range:
		case v.Type() == rule.StringType &&
			string(list.Normal(nil, v.Text())) != string(list.Normal(nil, c.Value.Text())):
			return false
		case v.Type() != rule.StringType && v != c.Value:
			return false
		}
	}
	return true
}

// overlap reports whether some application matches both rows. It is the simple implementation that Build is
// compared with.
func overlap(a, b *table.Row) bool {
	for i := range a.Keys {
		x, y := a.Keys[i], b.Keys[i]
		switch {
		case x.Range && (x.Low >= y.High || y.Low >= x.High):
			return false
		case x.Range:
		case x.Value.Type() == rule.StringType &&
			string(list.Normal(nil, x.Value.Text())) != string(list.Normal(nil, y.Value.Text())):
			return false
		case x.Value.Type() != rule.StringType && x.Value != y.Value:
			return false
		}
	}
	return true
}

// TestFind compares lookups, before and after the rows were encoded, with a scan of all rows. A table must be
// refused if, and only if, some of its rows overlap.
func TestFind(t *testing.T) {
	t.Parallel()
	definitions := []table.Definition{
		define(t, mixed),
		define(t, `{"keys":[{"field":"monthly_income","match":"range"}],"columns":[{"name":"limit","type":"number"}]}`),
		define(t, `{"keys":[{"field":"employment_type"}],"columns":[{"name":"segment","type":"text"}]}`),
		define(t, `{"keys":[{"field":"monthly_income","match":"range"},{"field":"employment_type"}],
			"columns":[{"name":"served","type":"boolean"}]}`),
	}
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SampledFrom(definitions).Draw(t, "definition")
		var rows []table.Row
		overlapping := rapid.Bool().Draw(t, "overlapping")
		clash := false
		for range rapid.IntRange(0, 12).Draw(t, "rows") {
			row := drawRow(t, &d)
			met := slices.ContainsFunc(rows, func(r table.Row) bool { return overlap(&r, &row) })
			if met && !overlapping {
				continue
			}
			clash = clash || met
			rows = append(rows, row)
		}
		b := table.NewBuilder(d)
		for i := range rows {
			if err := b.Add(&rows[i]); err != nil {
				t.Fatal(err)
			}
		}
		built, err := b.Build(never)
		if clash != (fault.KindOf(err) == fault.Invalid) {
			t.Fatalf("rows overlap: %v, but the error is %v", clash, err)
		}
		if clash {
			return
		}
		stored, err := built.Encode()
		if err != nil {
			t.Fatal(err)
		}
		read, err := table.Decode(d, stored)
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			asked := drawRow(t, &d)
			values := make([]rule.Value, len(asked.Keys))
			for i, c := range asked.Keys {
				values[i] = c.Value
				if c.Range {
					values[i] = rule.Num(rule.Number(rapid.Int64Range(-1, 10*int64(rule.One)).Draw(t, "number")))
				}
			}
			at := slices.IndexFunc(rows, func(r table.Row) bool { return matches(&r, values) })
			for _, from := range []*table.Table{built, read} {
				row, found := from.Find(values)
				if found != (at >= 0) {
					t.Fatalf("found %v, want %v", found, at >= 0)
				}
				if found && !cmp.Equal(from.Row(row), rows[at], cmp.AllowUnexported(rule.Value{})) {
					t.Fatalf("found %v, want %v", from.Row(row), rows[at])
				}
			}
		}
	})
}

// TestFindAllocatesNothing checks that a lookup of ordinary values does not allocate.
//
//nolint:paralleltest // Allocations are counted over the whole process.
func TestFindAllocatesNothing(t *testing.T) {
	d := define(t, mixed)
	b := table.NewBuilder(d)
	row := table.Row{
		Keys: []table.Cell{
			{Value: rule.Str("Salaried")}, {Range: true, Low: table.Lowest, High: table.Highest},
			{Range: true, Low: 0, High: table.Highest}, {Value: rule.Num(rule.Int(700))},
		},
		Values: []rule.Value{rule.Num(1), rule.Str("x"), rule.Bool(true)},
	}
	if err := b.Add(&row); err != nil {
		t.Fatal(err)
	}
	built, err := b.Build(never)
	if err != nil {
		t.Fatal(err)
	}
	values := []rule.Value{rule.Str("SALARIED"), rule.Num(5), rule.Num(5), rule.Num(rule.Int(700))}
	if _, found := built.Find(values); !found {
		t.Error("not found")
	}
	if n := testing.AllocsPerRun(100, func() { built.Find(values) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	one := define(t, `{"keys":[{"field":"monthly_income"}],"columns":[{"name":"segment","type":"text"}]}`)
	grid := define(t, `{"keys":[{"field":"monthly_income","match":"range"},{"field":"foir","match":"range"}],
		"columns":[{"name":"segment","type":"text"}]}`)
	add := func(d table.Definition, n int, text string) error {
		b := table.NewBuilder(d)
		for i := range n {
			number := rule.Int(int64(i))
			row := table.Row{Keys: []table.Cell{{Value: rule.Num(number)}}, Values: []rule.Value{rule.Str(text)}}
			if len(d.Keys) > 1 {
				span := table.Cell{Range: true, Low: number, High: number + 1}
				row.Keys = []table.Cell{span, {Range: true, Low: table.Lowest, High: table.Highest}}
			}
			if err := b.Add(&row); err != nil {
				return err
			}
		}
		built, err := b.Build(never)
		if err == nil {
			_, err = built.Encode()
		}
		return err
	}
	for name, c := range map[string]struct {
		err  error
		kind fault.Kind
	}{
		"most rows":        {add(one, table.MaxRows, "a"), 0},
		"too many rows":    {add(one, table.MaxRows+1, "a"), fault.TooLarge},
		"most of a grid":   {add(grid, table.MaxGridRows, "a"), 0},
		"too large a grid": {add(grid, table.MaxGridRows+1, "a"), fault.TooLarge},
		"too many bytes":   {add(one, 20_000, strings.Repeat("x", 256)), fault.TooLarge},
		"too long a text":  {add(one, 1, strings.Repeat("x", 257)), fault.Invalid},
	} {
		if fault.KindOf(c.err) != c.kind || c.kind == 0 && c.err != nil {
			t.Errorf("%s: %v", name, c.err)
		}
	}
}

// TestBuildEnds checks that Build returns the error that its check returned.
func TestBuildEnds(t *testing.T) {
	t.Parallel()
	over := errors.New("over")
	b := table.NewBuilder(define(t, mixed))
	if _, err := b.Build(func() error { return over }); !errors.Is(err, over) {
		t.Errorf("the error is %v", err)
	}
}

func TestDamagedTables(t *testing.T) {
	t.Parallel()
	d := define(t, mixed)
	b := table.NewBuilder(d)
	for _, text := range []string{"a", "b"} {
		row := table.Row{
			Keys: []table.Cell{
				{Value: rule.Str(text)}, {Range: true, Low: 5, High: table.Highest},
				{Range: true, Low: table.Lowest, High: 7}, {Value: rule.Num(9)},
			},
			Values: []rule.Value{rule.Num(1), rule.Str("x"), rule.Bool(true)},
		}
		if err := b.Add(&row); err != nil {
			t.Fatal(err)
		}
	}
	built, err := b.Build(never)
	if err != nil {
		t.Fatal(err)
	}
	stored, err := built.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for n := range stored {
		if _, err := table.Decode(d, stored[:n]); err == nil {
			t.Errorf("the first %d bytes were read", n)
		}
	}
	unsorted := slices.Concat(stored[:2], stored[2+(len(stored)-2)/2:], stored[2:2+(len(stored)-2)/2])
	for _, damaged := range [][]byte{append(slices.Clone(stored), 0), {2, 0}, {1, 0xff}, unsorted} {
		if _, err := table.Decode(d, damaged); err == nil {
			t.Errorf("%x was read", damaged)
		}
	}
}

// TestDefinitions checks that a definition is read as it was written, and what a replacement must keep.
func TestDefinitions(t *testing.T) {
	t.Parallel()
	d := define(t, `{"keys":[{"field":"applicant.dealer","match":"exact","type":"text"},
		{"field":"foir","match":"range"}],
		"columns":[{"name":"a","type":"number"},{"name":"b","type":"boolean"}],"default":[1.5,false]}`)
	again := define(t, d.Document())
	if d.Document() != again.Document() || !d.Default || d.Keys[0].Field.Type != rule.StringType {
		t.Errorf("%s is read as %s", d.Document(), again.Document())
	}
	for text, keeps := range map[string]bool{
		d.Document(): true,
		// The default has too few values.
		strings.Replace(d.Document(), `{"name":"a"`, `{"name":"z","type":"text"},{"name":"a"`, 1): false,
		strings.NewReplacer(`,"default":[1.5,false]`, "").Replace(d.Document()):                   false,
		strings.NewReplacer(`"range"`, `"exact"`).Replace(d.Document()):                           false,
		strings.NewReplacer(`{"name":"b","type":"boolean"}`, `{"name":"b","type":"number"}`,
			"false", "0").Replace(d.Document()): false,
		strings.NewReplacer(`{"name":"a"`, `{"name":"z","type":"text"},{"name":"a"`, "[1.5", `["t",1.5`).
			Replace(d.Document()): true,
	} {
		next, err := table.ParseDefinition("grid", text)
		if got := err == nil && d.Keeps(&next) == ""; got != keeps {
			t.Errorf("%s: %v (%v), want %v", text, got, err, keeps)
		}
	}
}

// FuzzDecode decodes arbitrary bytes. If a table can be decoded, it must be encoded as the same bytes.
func FuzzDecode(f *testing.F) {
	d := define(f, mixed)
	f.Add([]byte{1, 0})
	f.Add([]byte{1, 1, 1, 'a', 1, 10, 2, 14, 18, 2, 1, 'x', 2})
	f.Fuzz(func(t *testing.T, stored []byte) {
		read, err := table.Decode(d, stored)
		if err != nil {
			return
		}
		again, err := read.Encode()
		if err != nil {
			return
		}
		if twice, err := table.Decode(d, again); err != nil || twice.Rows() != read.Rows() {
			t.Errorf("%x became %x, which is not read in the same way: %v", stored, again, err)
		}
	})
}

// FuzzDefinition reads arbitrary definitions.
func FuzzDefinition(f *testing.F) {
	f.Add(mixed)
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := wire.Parse([]byte(text)); err != nil {
			return
		}
		d, err := table.ParseDefinition("grid", text)
		if err != nil {
			return
		}
		if again, err := table.ParseDefinition("grid", d.Document()); err != nil || again.Document() != d.Document() {
			t.Errorf("%s is not read again: %v", d.Document(), err)
		}
	})
}
