package application

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

var columnInputs = map[string]rule.Type{
	"applicant.city": rule.StringType, "applicant.employer.size": rule.NumberType, "applicant.vip": rule.BoolType,
}

// decisionPaths returns the paths of a decision request and their types,
// declared inputs included.
func decisionPaths() (paths []string, types map[string]rule.Type) {
	types = maps.Clone(columnInputs)
	c := field.Catalogue()
	for id := range rule.FieldID(c.Len()) {
		f := c.Field(id)
		if strings.HasPrefix(f.Name, "applicant.") || strings.HasPrefix(f.Name, "bureau_report.") {
			types[f.Name] = f.Type
		}
	}
	return slices.Sorted(maps.Keys(types)), types
}

// otherNames returns all names of the column with this path.
func otherNames(path string) []string {
	out := []string{path}
	n := columnNames()[path]
	if n == nil {
		return out
	}
	for name, other := range columnNames() {
		if other == n {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// drawCell generates a cell and the same value as JSON for a request. document is "" if the request must omit the
// value.
func drawCell(t *rapid.T, path string, typ rule.Type) (cell, document string) {
	number := rapid.OneOf(
		rapid.Map(rapid.IntRange(-3, 1000), strconv.Itoa),
		rapid.Map(rapid.IntRange(0, 60), func(n int) string { return "0." + strconv.Itoa(n) }),
		rapid.StringMatching(`-?(0|[1-9][0-9]{0,13})(\.[0-9]{1,9})?([eE][-+]?[0-9]{1,2})?`),
		rapid.StringMatching(`(0|[1-9][0-9]{0,5})\.[0-9]{1,8}`),
	)
	if path == "bureau_report.score" {
		number = rapid.Map(rapid.OneOf(rapid.IntRange(-3, 910), rapid.IntRange(-1, 6), rapid.IntRange(300, 900)),
			strconv.Itoa)
	}
	text := rapid.OneOf(
		rapid.SampledFrom(
			[]string{"salaried", "Self Employed", "SELF-EMPLOYED professional", "astronaut", " x ", "true", "5"}),
		rapid.StringMatching(`[a-zA-Z é]{1,20}x`), rapid.Just(strings.Repeat("y", 257)),
	)
	space := rapid.SampledFrom([]string{"", "", "", " ", "\t "})
	switch kind := rapid.IntRange(0, 19).Draw(t, "kind"); {
	case kind < 3:
		return space.Draw(t, "blank"), ""
	case typ == rule.StringType:
		s := text.Draw(t, "text")
		return s, quote(s)
	case kind == 3:
		s := rapid.StringMatching(`[a-z][a-z ,]{0,5}q`).Draw(t, "wrong")
		return s, quote(s)
	case typ == rule.BoolType:
		if rapid.Bool().Draw(t, "truth") {
			return rapid.SampledFrom([]string{"true", "TRUE", "1", "yes", "Yes "}).Draw(t, "yes"), "true"
		}
		return rapid.SampledFrom([]string{"false", "False", "0", "no", "NO"}).Draw(t, "no"), "false"
	default:
		n := number.Draw(t, "number")
		return space.Draw(t, "before") + n + space.Draw(t, "after"), n
	}
}

func quote(s string) string { return string(wire.AppendString(nil, s)) }

// TestRowsAreRequests checks that a row gives the same facts as the equivalent
// request, limited to the facts that a plan reads. If the row is rejected, the
// request must be rejected too, and vice versa.
func TestRowsAreRequests(t *testing.T) {
	t.Parallel()
	paths, types := decisionPaths()
	rapid.Check(t, func(t *rapid.T) {
		chosen := rapid.SliceOfNDistinct(rapid.SampledFrom(paths), 0, 12, rapid.ID).Draw(t, "fields")
		if !slices.Contains(chosen, "bureau_report.score") {
			chosen = append(chosen, "bureau_report.score")
		}
		var header, cells []string
		body := map[string]any{}
		for _, path := range chosen {
			cell, document := drawCell(t, path, types[path])
			header = append(header, rapid.SampledFrom(otherNames(path)).Draw(t, "name"))
			cells = append(cells, cell)
			if document != "" {
				putAt(body, strings.Split(path, "."), document)
			}
		}
		unread := rapid.SampledFrom([]string{"", "foir", "applicant.foir", "bureau_score", "applicant.city",
			"employment_type"}).Draw(t, "unread")
		plain := rapid.Bool().Draw(t, "paths are unread") // most policies do not read paths
		// The test excludes facts about own accounts: if a policy reads own_emi, that column is not the figure of
		// the report.
		reads := func(name string) bool {
			return name != unread && !(plain && strings.Contains(name, ".")) && !field.IsOwn(name)
		}
		columns, err := NewColumns(header, ColumnOptions{Inputs: columnInputs, Reads: reads})
		if err != nil {
			t.Fatal(err)
		}
		got := rule.NewFacts(field.Catalogue())
		name, code := columns.Reader().Read(cellsOf(cells), got)

		document := requestOf(body, false)
		var want *Application
		v, err := wire.Parse([]byte(document))
		if err == nil {
			want, err = ReadDecision(v, Options{Inputs: columnInputs})
		}
		if (err != nil) != (code != "") {
			t.Fatalf("the row: %q %q; the request: %v\n%q\n%s", name, code, err, cells, document)
		}
		if err != nil {
			if !strings.Contains(err.Error(), code) && !strings.Contains(err.Error(), "1e15") {
				t.Fatalf("the row says %s, the request %v", code, err)
			}
			return
		}
		if diff := cmp.Diff(namedFacts(want.Facts, reads), namedFacts(got, reads)); diff != "" {
			t.Fatalf("%s\n%q\n%s", document, cells, diff)
		}
		if got.Get(unread).Type() != rule.Absent {
			t.Fatalf("%s is kept and nobody reads it", unread)
		}
	})
}

func namedFacts(f *rule.Facts, reads func(string) bool) (out []string) {
	for _, nv := range f.Sorted() {
		if reads(nv.Name) {
			out = append(out, fmt.Sprintf("%s=%s %s", nv.Name, nv.Value.Type(), nv.Value))
		}
	}
	return out
}

// TestPercentageColumn checks that a percentage in a file gives the same foir as
// the same percentage in an evaluate request, and that applicant.foir is the same
// ratio.
func TestPercentageColumn(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		cell := rapid.OneOf(rapid.StringMatching(`(0|[1-9][0-9]{0,2})(\.[0-9]{1,9})?`),
			rapid.SampledFrom([]string{"500", "500.00004", "500.00005", "-1"})).Draw(t, "cell")
		columns, err := NewColumns([]string{"score", "foir"}, ColumnOptions{PercentFOIR: true})
		if err != nil {
			t.Fatal(err)
		}
		got := rule.NewFacts(field.Catalogue())
		_, code := columns.Reader().Read(cellsOf([]string{"742", cell}), got)
		v, err := wire.Parse([]byte(evaluation(`,"incomeAssessment":{"foir":`+cell+`}`, "")))
		if err != nil {
			t.Fatal(err)
		}
		want, err := ReadEvaluate(v, Options{})
		switch {
		case (err != nil) != (code != ""):
			t.Fatalf("%s: %q and %v", cell, code, err)
		case err == nil && (got.Get("foir") != want.Facts.Get("foir") || got.Get("applicant.foir") != got.Get("foir")):
			t.Fatalf("%s: %s, raw %s, want %s", cell, got.Get("foir"), got.Get("applicant.foir"),
				want.Facts.Get("foir"))
		}
	})
}

// TestPlainNumbers checks that the fast number parser and the slow one agree,
// whatever bytes follow the number.
func TestPlainNumbers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.StringMatching(`[0-9]{1,22}`), rapid.StringMatching(`[0-9.]{1,9}`),
			rapid.StringMatching(`[0-9]{0,8}\.[0-9]{0,8}`), rapid.StringN(0, 8, 8)).Draw(t, "text")
		behind := rapid.StringN(0, 10, 10).Draw(t, "behind")
		cell := []byte(text + behind)[:len(text)]
		coef, places, ok := plainNumber(cell)
		again, places2, ok2 := longNumber(cell)
		if ok != ok2 || ok && (coef != again || places != places2) {
			t.Fatalf("%q is %d, %d, %v at once and %d, %d, %v one by one", text, coef, places, ok, again, places2, ok2)
		}
		if !ok {
			return
		}
		want, exact, inRange := rule.ParseNumber(text)
		if got := rule.Number(coef * millionths[places]); got != want || !exact || !inRange {
			t.Fatalf("%s is %s, want %s (%v, %v)", text, got, want, exact, inRange)
		}
		if _, ok := numberLiteral(cell); !ok {
			t.Fatalf("%s is no number the long way", text)
		}
	})
}

// FuzzRow reads arbitrary cells. A row must be rejected, or its facts must be in
// their domains.
func FuzzRow(f *testing.F) {
	for _, row := range []string{"742|0.35|52300|34|salaried|yes|Pune",
		"-1||||||", "1e5|.5|+7|-0|x|TRUE|", "742|5.0000004|1e-9|1e99999999999|\x00|\xff|"} {
		f.Add(row)
	}
	header := strings.Split("score|foir|monthly_income|age|employment_type|device_is_rooted|applicant.city", "|")
	columns, err := NewColumns(header, ColumnOptions{Inputs: columnInputs})
	if err != nil {
		f.Fatal(err)
	}
	catalogue := field.Catalogue()
	f.Fuzz(func(t *testing.T, row string) {
		cells := cellsOf(strings.SplitN(row, "|", len(header)))
		for len(cells) < len(header) {
			cells = append(cells, nil)
		}
		facts := rule.NewFacts(catalogue)
		name, code := columns.Reader().Read(cells, facts)
		if (name == "") != (code == "") {
			t.Fatalf("field %q with code %q", name, code)
		}
		if code != "" {
			return
		}
		for _, nv := range facts.Sorted() {
			if id, known := catalogue.Lookup(nv.Name); known {
				checkDomain(t, catalogue.Field(id), nv.Value)
			}
		}
		checkFrame(t, header, cells)
	})
}

// checkFrame reads valid cells for a policy that names a few fields, once into facts
// alone and once with a frame for the numbers. Both must give the same frame.
func checkFrame(t *testing.T, header []string, cells [][]byte) {
	t.Helper()
	catalogue := field.Catalogue()
	slots, reads := rule.NewSlots(catalogue), map[string]bool{}
	for _, name := range []string{"foir", "monthly_income", "age", "bureau_score", "employment_type"} {
		id, known := catalogue.Lookup(name)
		if !known {
			t.Fatal(name)
		}
		reads[name] = true
		slots.Slot(rule.Ref{Name: name, ID: id, Type: catalogue.Field(id).Type})
	}
	columns, err := NewColumns(header, ColumnOptions{
		Inputs: columnInputs, Reads: func(name string) bool { return reads[name] },
	})
	if err != nil {
		t.Fatal(err)
	}
	var want, got rule.Frame
	facts, rest := rule.NewFacts(catalogue), rule.NewFacts(catalogue)
	_, code := columns.Reader().Read(cells, facts)
	slots.Load(facts, &want)
	slots.Clear(&got)
	reader := columns.Reader()
	reader.Bind(func(id rule.FieldID) (int32, bool) { return slots.Find(rule.Ref{ID: id}) })
	if _, again := reader.ReadInto(cells, rest, &got); again != code {
		t.Fatalf("code %q with a frame, %q without", again, code)
	}
	if code != "" {
		return
	}
	if age := slots.Value(&got, 2); age.Type() != rule.Absent && rest.Len() >= facts.Len() {
		t.Errorf("%d facts with a frame and %d without: no number was stored in the frame", rest.Len(), facts.Len())
	}
	slots.Merge(rest, &got)
	for slot := range int32(slots.Len()) {
		if a, b := slots.Value(&want, slot), slots.Value(&got, slot); a != b {
			t.Errorf("%s is %v in the frame, want %v", slots.Ref(slot).Name, b, a)
		}
	}
}
