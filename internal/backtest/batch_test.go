package backtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/sheet"
)

// TestBlockEqualsRows decides random files under random policies, once in blocks and once row by row, with the
// reader of single rows and the engine's Decide. Both must give the same partials, reports and written rows.
func TestBlockEqualsRows(t *testing.T) {
	t.Parallel()
	const runs = 150
	var total Partial
	for seed := range uint64(runs) {
		g := generator{rand.New(rand.NewPCG(seed, 25))}
		policy, challenger := g.policy(), ""
		champion, setup := planOf(t, policy), g.setup()
		csv := g.csv(1 + g.IntN(200))
		run := newRun(t, csv, setup, champion, nil)
		if seed%3 == 2 {
			challenger = g.policy()
			run = newRun(t, csv, setup, champion, planOf(t, challenger))
		}
		if direct := run.NewWorker().batch.direct; direct != (challenger == "" && !setup.PercentFOIR) {
			t.Fatalf("seed %d: numbers are read into frames: %t", seed, direct)
		}
		_, data, _ := strings.Cut(csv, "\n")
		block := sheet.Block{Data: []byte(data), First: 1}
		report, partial, rows := decided(t, run, func(w *Worker) { w.Block(block) })
		wantReport, wantPartial, wantRows := decided(t, run, func(w *Worker) { w.singly(block) })
		if !bytes.Equal(partial, wantPartial) || report != wantReport || rows != wantRows {
			t.Fatalf("seed %d: rows (-one by one +block):\n%s\nreport:\n%s\npolicy %s\nchallenger %s\nfile:\n%s", seed,
				cmp.Diff(strings.Split(wantRows, "\n"), strings.Split(rows, "\n")), cmp.Diff(wantReport, report),
				policy, challenger, csv)
		}
		p, err := DecodePartial(partial)
		if err != nil {
			t.Fatal(err)
		}
		total.evaluated, total.failed = total.evaluated+p.evaluated, total.failed+p.failed
		for i := range p.champion.grades {
			for status := range total.actual[:3] {
				total.actual[status].plus(p.champion.grades[i].status[status].all())
			}
		}
	}
	// The files and policies must be neither too strange nor too strict to compare much.
	least := int64(10 * runs)
	if total.evaluated < least || total.failed < least {
		t.Errorf("%d rows evaluated and %d failed in %d files", total.evaluated, total.failed, runs)
	}
	for status, n := range total.actual[:3] {
		if n.rows < least/4 {
			t.Errorf("status %d occurs only %d times in %d files", status, n.rows, runs)
		}
	}
}

// decided returns the report, the encoded partial and the written rows of a new worker.
func decided(t *testing.T, run *Run, decide func(*Worker)) (report string, partial []byte, rows string) {
	t.Helper()
	var out bytes.Buffer
	writer, w := sheet.NewWriter(&out), run.NewWorker()
	w.WriteRows(writer, false)
	decide(w)
	if err := writer.Flush(); err != nil {
		t.Fatal(err)
	}
	p := w.Take()
	return jsonOf(t, run.Report(p)), p.Append(nil), out.String()
}

// singly decides the rows of a block one by one. It is the reference for Block.
func (w *Worker) singly(b sheet.Block) {
	cursor, reader := sheet.NewCursor(len(w.run.setup.Header)), w.run.columns.Reader()
	cursor.Reset(b.Data)
	for number := b.First; cursor.Next(); number++ {
		r := row{number: number, weight: weightUnit, actual: noStatus}
		cells, facts := cursor.Cells(), rule.NewFacts(field.Catalogue())
		if cells == nil {
			w.fail(RowError{Row: number, Code: cursor.Fault()}, nil)
			continue
		}
		if at := w.run.at.id; at >= 0 {
			r.id = cells[at]
		}
		name, code := reader.Read(cells, facts)
		if code == "" {
			name, code = w.readOwn(&r, cells)
		}
		if code != "" {
			w.fail(RowError{Row: number, Field: name, Code: code}, r.id)
			continue
		}
		if w.run.setup.PercentFOIR {
			w.partial.foirMost = max(w.partial.foirMost, int64(facts.Get("foir").Number()))
		}
		w.decide(&r, factsByPolicy{facts, facts})
	}
	for note, count := range reader.Notes() {
		w.partial.noteRead(cellRead{note.Field, note.Code, count})
	}
}

// generator draws policies and files.
type generator struct{ *rand.Rand }

func pick[T any](g generator, list ...T) T { return list[g.IntN(len(list))] }

// numberColumn is a column of numbers with values that are typical for it.
type numberColumn struct {
	name   string
	values []string
}

var numberColumns = []numberColumn{
	{"score", []string{"720", "655", "810", "300", "-1", "4"}},
	{"age", []string{"19", "34", "52", "71"}},
	{"monthly_income", []string{"18000", "52300.50", "250000", "0"}},
	{"foir", []string{"0.1", "0.35", "0.62", "1.2"}},
	{"requested_amount", []string{"20000", "150000", "1200000", "12345.67"}},
	{"enquiries_6m", []string{"0", "3", "9"}},
	{"max_dpd_12m", []string{"0", "15", "61"}},
	{"bank_bounces", []string{"0", "2", "5"}},
	{"bureau_live_unsecured", []string{"0", "4"}}, // no policy reads this column
}

// strange has cells that are not plain numbers. Some of them are valid in some columns.
var strange = []string{"", "", " ", "  7 ", "x", "1e2", "-5", "+3", "1,2", "₹ 1,200", "12 %", "NA", "0.12345678",
	`"1,200"`, `"4"`, `"4""`, "99999999999999", "007", ".5", "5.", "é", "\x00", "\xff"}

// csv draws a file. About one cell in thirty is strange.
func (g generator) csv(rows int) string {
	var b strings.Builder
	for _, c := range numberColumns {
		b.WriteString(c.name + ",")
	}
	b.WriteString("employment_type,device_is_rooted,applicant_id,bad,weight,actual_status,region,month\n")
	usual := g.IntN(40) // a tenth of the files has only strange cells in one column
	for range rows {
		for i, c := range numberColumns {
			cell := pick(g, c.values...)
			if g.IntN(30) == 0 || i == usual {
				cell = pick(g, strange...)
			}
			b.WriteString(cell + ",")
		}
		fmt.Fprintf(&b, "%s,%s,%s,%s,%s,%s,%s,%s\n", pick(g, "SALARIED", "self employed", "", `"STUDENT"`, "pilot"),
			pick(g, "", "yes", "0", "0", "0", "TRUE", "1", "no", "perhaps"),
			pick(g, "A1", `"B""2"`, `"C,3"`, "", "D4", "E5"),
			pick(g, "0", "0", "1", "", "Bad", "good", "0", "unclear"),
			pick(g, "1", "1.5", "", "2.25", "3", "4", "0.5", "x"),
			pick(g, "APPROVED", "declined", "", "", "refer", "approved", "?"),
			pick(g, "north", `"so""uth"`, "", "east"), pick(g, "", "3", "12"))
		if g.IntN(40) == 0 {
			b.WriteString(pick(g, "\n", "1,2,3\n", `"open`+"\n\",", "one,too,many,,,,,,,,,,,,,,,,,,,,\n", "\r\n"))
		}
	}
	return b.String()
}

func (g generator) setup() Setup {
	s := Setup{PercentFOIR: g.IntN(6) == 0}
	if g.IntN(2) == 0 {
		s.Protected = "region"
	}
	if g.IntN(2) == 0 {
		s.Month = "month"
	}
	return s
}

// predicate draws a condition on one field.
func (g generator) predicate() map[string]any {
	name := pick(g, "bureau_score", "age", "monthly_income", "foir", "requested_amount", "enquiries_6m", "max_dpd_12m",
		"bank_bounces", "employment_type", "device_is_rooted")
	switch name {
	case "employment_type":
		return map[string]any{"op": "in", "field": name, "values": []string{"STUDENT", pick(g, "SALARIED", "OTHER")}}
	case "device_is_rooted":
		return map[string]any{"op": "eq", "field": name, "value": g.IntN(2) == 0}
	}
	bound := map[string]int{"bureau_score": 700, "age": 30, "monthly_income": 40_000, "requested_amount": 100_000}[name]
	return map[string]any{"op": pick(g, "lt", "gte", "eq", "exists"), "field": name, "value": bound + g.IntN(4)}
}

func (g generator) condition() map[string]any {
	c := g.predicate()
	if c["op"] == "exists" {
		delete(c, "value")
	}
	if g.IntN(2) == 0 {
		return c
	}
	other := g.predicate()
	if other["op"] == "exists" {
		delete(other, "value")
	}
	return map[string]any{"op": pick(g, "and", "or"), "args": []any{c, other}}
}

// policy draws a policy with knockouts, Stage 2, adjustments and several bands.
func (g generator) policy() string {
	knockouts, adjustments, factors := []any{}, []any{}, []any{}
	for i := range g.IntN(4) {
		knockouts = append(knockouts, map[string]any{"id": fmt.Sprintf("KO_%d", i), "condition_ast": g.condition(),
			"action": pick(g, "decline", "refer"), "on_absent": pick(g, "pass", "pass", "pass", "fail", "refer"),
			"reason_code": fmt.Sprintf("K%d", i%3)})
	}
	if g.IntN(2) == 0 {
		knockouts = append(knockouts, map[string]any{
			"id": "KO_LATER", "stage": 2, "action": pick(g, "decline", "refer"),
			"condition_ast": map[string]any{"op": "gt", "field": "post_offer_foir", "value": 0.5},
		})
	}
	for i := range g.IntN(3) {
		adjustments = append(adjustments, map[string]any{"id": fmt.Sprintf("ADJ_%d", i), "condition_ast": g.condition(),
			"delta": g.IntN(80) - 50})
	}
	for i, name := range []string{"bureau_score", "age", "monthly_income", "foir", "enquiries_6m"}[:1+g.IntN(5)] {
		bound := []float64{680, 30, 40_000, 0.4, 3}[i]
		f := map[string]any{"factor": name, "field": name, "bins": []any{
			map[string]any{"lt": bound, "points": g.IntN(60)},
			map[string]any{"gte": bound, "lt": 2 * bound, "points": g.IntN(60)},
			map[string]any{"gte": 2 * bound, "points": g.IntN(60)}}}
		if g.IntN(2) == 0 {
			f["missing_points"] = g.IntN(10)
		}
		factors = append(factors, f)
	}
	band := func(grade string, least, most int, rate float64) map[string]any {
		return map[string]any{"id": "BAND_" + grade, "grade": grade, "min_score": least, "max_score": most,
			"interest_rate": rate, "tenure_months": 24, "min_limit": 10_000, "max_limit": 300_000,
			"default_limit": 50_000, "foir_cap": 0.5, "income_multiple": 5,
			"action": pick(g, "approve", "approve", "refer")}
	}
	document := map[string]any{
		"name": "random", "include_defaults": false, "required_fields": []any{}, "semantics": 1 + g.IntN(2),
		"knockouts": knockouts, "adjustments": adjustments,
		"scorecard": map[string]any{"base_points": 550, "min_score": 300, "max_score": 900, "factors": factors},
		"pricing_bands": []any{
			map[string]any{"id": "BAND_D", "grade": "D", "min_score": 300, "max_score": 569, "action": "decline"},
			band("C", 570, 619, 24), band("B", 620, 679, pick(g, 0.0, 18.5)), band("A", 680, 900, 12)},
	}
	if g.IntN(3) == 0 {
		document["required_fields"] = []any{"monthly_income"}
	}
	text, err := json.Marshal(document)
	if err != nil {
		panic(err)
	}
	return string(text)
}
