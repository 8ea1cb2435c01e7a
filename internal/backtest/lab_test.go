package backtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/sheet"
	"verdict/internal/wire"
)

// planOf compiles a policy document.
func planOf(tb testing.TB, document string) *engine.Plan {
	tb.Helper()
	p, err := engine.ParsePolicy([]byte(document), engine.Sources{Catalogue: field.Catalogue()})
	if err != nil {
		tb.Fatal(err)
	}
	return engine.Compile(p, field.Catalogue())
}

// edited returns a policy document with some texts replaced. Each text must
// occur in the document.
func edited(tb testing.TB, document string, oldnew ...string) string {
	tb.Helper()
	for i := 0; i < len(oldnew); i += 2 {
		if !strings.Contains(document, oldnew[i]) {
			tb.Fatalf("the policy has no %q", oldnew[i])
		}
		document = strings.ReplaceAll(document, oldnew[i], oldnew[i+1])
	}
	return document
}

func defaultPlan() *engine.Plan { return engine.Compile(engine.DefaultPolicy(), field.Catalogue()) }

// newRun returns a run for a CSV text. It takes the header of the setup from
// the first line of the text.
func newRun(tb testing.TB, csv string, s Setup, champion, challenger *engine.Plan) *Run {
	tb.Helper()
	header, err := sheet.NewReader(strings.NewReader(csv), 0).Header()
	if err != nil {
		tb.Fatal(err)
	}
	s.Header = header
	r, err := New(s, champion, challenger)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// gather decides a CSV text in blocks of blockBytes and returns the partial of
// every block.
func gather(tb testing.TB, r *Run, csv string, blockBytes int) (list []*Partial) {
	tb.Helper()
	reader := sheet.NewReader(strings.NewReader(csv), blockBytes)
	w := r.NewWorker()
	for {
		b, err := reader.Next(nil)
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			tb.Fatal(err)
		}
		w.Block(b)
		list = append(list, w.Take())
	}
}

// merged decides a CSV text and returns one partial.
func merged(tb testing.TB, r *Run, csv string) *Partial {
	tb.Helper()
	p := NewPartial()
	for _, q := range gather(tb, r, csv, 0) {
		p.Merge(q)
	}
	return p
}

func reportOf(tb testing.TB, csv string, s Setup, champion, challenger *engine.Plan) *Report {
	tb.Helper()
	r := newRun(tb, csv, s, champion, challenger)
	return r.Report(merged(tb, r, csv))
}

// bookCSV returns the synthetic book as a CSV file.
func bookCSV(rows int) string {
	book := Book{Seed: 7}
	data := book.Append([]byte(strings.Join(book.Header(), ",")+"\n"), 1, rows)
	return string(data)
}

func jsonOf(tb testing.TB, r *Report) string {
	tb.Helper()
	var w wire.Writer
	w.Object()
	r.WriteMembers(&w)
	w.EndObject()
	var out bytes.Buffer
	if err := json.Indent(&out, w.Buf, "", "  "); err != nil {
		tb.Fatal(err)
	}
	return out.String() + "\n"
}

// scoreIsColumn is a policy whose score follows the bureau score of the row.
// columnPolicy replaces BINS by the bins.
const scoreIsColumn = `{"name": "the score is the column", "include_defaults": false,
 "required_fields": [],
 "scorecard": {"base_points": 0, "min_score": 300, "max_score": 900, "factors": [
  {"factor": "s", "field": "bureau_score", "bins": [BINS]}]},
 "pricing_bands": [
  {"id": "LOW", "grade": "C", "min_score": 300, "max_score": 649, "action": "decline"},
  {"id": "MID", "grade": "B", "min_score": 650, "max_score": 749, "interest_rate": 18, "tenure_months": 24,
   "min_limit": 10000, "max_limit": 100000, "default_limit": 50000, "foir_cap": 0.5},
  {"id": "TOP", "grade": "A", "min_score": 750, "max_score": 900, "interest_rate": 12, "tenure_months": 24,
   "min_limit": 10000, "max_limit": 200000, "default_limit": 100000, "foir_cap": 0.5}]}`

// columnPlan returns a plan whose score is close to the bureau score of the
// row.
func columnPlan(tb testing.TB) *engine.Plan {
	tb.Helper()
	return planOf(tb, columnPolicy())
}

func columnPolicy() string {
	bins := []string{`{"lt": 310, "points": 300}`}
	for s := 310; s < 890; s += 5 {
		text, err := json.Marshal(map[string]int{"gte": s, "lt": s + 5, "points": s})
		if err != nil {
			panic(err)
		}
		bins = append(bins, string(text))
	}
	bins = append(bins, `{"gte": 890, "points": 890}`)
	return strings.Replace(scoreIsColumn, "BINS", strings.Join(bins, ","), 1)
}
