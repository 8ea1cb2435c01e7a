package training

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// TestEngineScoresAsTrained checks that the engine gives every row, held out or
// not, the points that training gave it.
func TestEngineScoresAsTrained(t *testing.T) {
	t.Parallel()
	csv := loans(3000, 1)
	for name, change := range map[string]func(*Options){
		"as usual":      func(*Options) {},
		"decimals":      func(o *Options) { o.Decimals = 2 },
		"no base":       func(o *Options) { o.SpreadBase = true },
		"not refined":   func(o *Options) { o.NoRefining = true },
		"monotone only": func(o *Options) { o.MonotoneOnly = true },
		"numbers as names": func(o *Options) {
			o.Categorical, o.MinIV = []string{"months"}, 0
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := loanOptions(t)
			change(&o)
			r, err := Fit(from(csv), o, nil)
			if err != nil {
				t.Fatal(err)
			}
			scorer := engine.CompileScorecard(r.Card, field.Catalogue())
			facts := rule.NewFacts(field.Catalogue())
			at := int32(0)
			_, err = from(csv).scan(func(_ int64, cells [][]byte) error {
				facts.Reset()
				for _, c := range r.table.columns {
					facts.Set(c.field.Name, c.fact(c.read(r.plan.cell(cells[c.at]))))
				}
				got, want := scorer.Score(facts), r.points.score(at)
				if got.Final != want || len(got.Missing) > 0 {
					t.Errorf("row %d: the engine gives %s, training %s; missing %v", at, got.Final, want, got.Missing)
				}
				at++
				return nil
			})
			if err != nil || at != 3000 {
				t.Errorf("%d rows: %v", at, err)
			}
		})
	}
}

// fact returns a cell as the value that an application would contain.
func (c *column) fact(cell []byte) rule.Value {
	switch {
	case cell == nil:
		return rule.Value{}
	case c.field.Type == rule.NumberType:
		if n, ok := parse(cell); ok && !c.cannotBe(n) {
			return rule.Num(n)
		}
		return rule.Value{}
	case c.field.Type == rule.BoolType:
		return rule.Bool(string(cell) == "true")
	}
	return rule.Str(string(cell))
}

// TestFitTwice checks that a fit has the same result with one goroutine and with
// several.
func TestFitTwice(t *testing.T) {
	t.Parallel()
	csv := loans(2500, 2)
	alone := loanOptions(t)
	alone.Workers = 0
	first, err := Fit(from(csv), alone, nil)
	if err != nil {
		t.Fatal(err)
	}
	parallel := loanOptions(t)
	parallel.Workers = 4
	second, err := Fit(from(csv), parallel, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first.written(), second.written()); diff != "" {
		t.Error(diff)
	}
}

// TestHoldOutIsNotLearntFrom checks that changing the held-out rows does not change
// the scorecard.
func TestHoldOutIsNotLearntFrom(t *testing.T) {
	t.Parallel()
	lines := strings.SplitAfter(loans(2500, 3), "\n")
	o := loanOptions(t)
	o.HoldOut = func(row int64) bool { return row%3 == 0 }
	before, err := Fit(from(strings.Join(lines, "")), o, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 3; i < len(lines)-1; i += 3 {
		lines[i] = strings.Replace(lines[i], lines[i], "1,not a number,5,99,unheard_of,7,1,2,1\n", 1)
	}
	after, err := Fit(from(strings.Join(lines, "")), o, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(before.Card.Document()), string(after.Card.Document())); diff != "" {
		t.Error(diff)
	}
	if before.Report.HoldOut.Bad == after.Report.HoldOut.Bad {
		t.Error("the hold-out was not measured anew")
	}
}

// TestLoans checks that a fit on rows that follow a known rule finds that rule.
func TestLoans(t *testing.T) {
	t.Parallel()
	r, err := Fit(from(loans(10_000, 4)), loanOptions(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	if auc := r.Report.HoldOut.AUC; auc < 0.78 || r.Report.Train.AUC-auc > 0.02 {
		t.Errorf("AUC %v on training rows, %v on the hold-out", r.Report.Train.AUC, auc)
	}
	var fields, left []string
	for _, f := range r.Card.Factors {
		fields = append(fields, f.Field.Name)
	}
	for _, d := range r.Report.Dropped {
		left = append(left, d.Column+" "+d.Code)
	}
	slices.Sort(fields)
	slices.Sort(left)
	if diff := cmp.Diff([]string{"applicant.employment_type",
		"applicant.months", "applicant.util_", "bureau_score", "monthly_income"}, fields); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"always constant", "id identifier", "noise low_information"}, left); diff != "" {
		t.Error(diff)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	csv := loans(1000, 5)
	for _, c := range []struct {
		name, csv string
		change    func(*Options)
		want      string // fault code and pointer
	}{
		{"empty file", "", nil, "empty_csv "},
		{"header alone", "score,bad\n", nil, "no_rows "},
		{"no such target", csv, func(o *Options) { o.Target = "worse" }, "unknown_field /target"},
		{"no target", csv, func(o *Options) { o.Target = "" }, "required /target"},
		{"no outcomes", "score,bad\n700,\n", nil, "required /target"},
		{"too few", "score,bad\n700,1\n600,0\n", func(o *Options) { o.HoldOutShare = 0 }, "too_few_rows /target"},
		{"spelling", "score,bad\n700,maybe\n", nil, "invalid_field /bad_values"},
		{"misspelt exclusion", csv, func(o *Options) { o.Exclude = []string{"scor"} }, "unknown_field /exclude/0"},
		{"unknown field", csv, func(o *Options) { o.Map = map[string]string{"months": "bureau_scor"} },
			"unknown_field /map/months"},
		{"one field twice", csv, func(o *Options) { o.Map = map[string]string{"months": "bureau_score"} },
			"duplicate /map/months"},
		{"no such column", csv, func(o *Options) { o.Map = map[string]string{"x": "foir"} }, "unknown_field /map"},
		{"options", csv, func(o *Options) { o.PDO = 0 }, "out_of_range /pdo"},
		{"nothing to learn", csv, func(o *Options) {
			o.Exclude = []string{"score", "monthly_income", "UTIL%", "employment_type", "months", "noise"}
		}, "no_predictive_columns "},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := loanOptions(t)
			if c.change != nil {
				c.change(&o)
			}
			_, err := Fit(from(c.csv), o, nil)
			var refusal *fault.Error
			if !errors.As(err, &refusal) {
				t.Fatalf("got %v", err)
			}
			got := refusal.Code + " "
			if len(refusal.Items) > 0 {
				got = refusal.Items[0].Code + " " + refusal.Items[0].Pointer
			}
			if got != c.want {
				t.Errorf("got %q, want %q: %v", got, c.want, err)
			}
			if strings.Contains(fmt.Sprint(refusal, refusal.Items), "UTIL%") {
				t.Errorf("the refusal repeats the header: %v %v", refusal, refusal.Items)
			}
			if header, ok := errors.AsType[*HeaderError](err); strings.HasPrefix(c.name, "no such") &&
				(!ok || !slices.Contains(header.Header, "UTIL%")) {
				t.Errorf("a command cannot show the header: %#v", err)
			}
		})
	}
}

// TestUnspeltOutcome checks that the refusal of an unknown outcome does not repeat the value, and that a command can
// show the value and its line.
func TestUnspeltOutcome(t *testing.T) {
	t.Parallel()
	o := Defaults()
	o.Target = "outcome"
	_, err := Fit(from("score,outcome\n700,good\n\n710, Zebra7 \n"), o, nil)
	unspelt, ok := errors.AsType[*OutcomeError](err)
	if !ok || unspelt.Value != "Zebra7" || unspelt.Line != 4 {
		t.Fatalf("%#v", err)
	}
	if refusal := fault.Of(err); refusal == nil || strings.Contains(fmt.Sprint(err, refusal, refusal.Items), "Zebra7") {
		t.Errorf("the refusal is %v", err)
	}
}

var errEnough = errors.New("enough")

func TestStageEndsTheWork(t *testing.T) {
	t.Parallel()
	for _, at := range []Stage{Surveying, Encoding, Tuning, Fitting} {
		_, err := Fit(from(loans(1000, 6)), loanOptions(t), func(s Stage) error {
			if s == at {
				return errEnough
			}
			return nil
		})
		if !errors.Is(err, errEnough) {
			t.Errorf("%s: %v", at, err)
		}
	}
}
