package training

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"verdict/internal/engine"
)

// WriteText writes the card and its report as text for people.
func (r *Result) WriteText(out io.Writer) error {
	t := r.Report
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	p := func(format string, args ...any) { _, _ = fmt.Fprintf(w, format, args...) } // Flush returns the error
	p("Rows: %d, without an outcome %d, malformed %d", t.RowsTotal, t.RowsUnlabelled, t.RowsMalformed)
	if t.RowsIndeterminate > 0 {
		p(", indeterminate %d", t.RowsIndeterminate)
	}
	p("\n")
	p("Method: %s\n\n", t.Setting)
	p("\trows\tbad\tbad rate\tAUC\tGini\tKS\tavg score\n")
	measure := func(name string, m *Measure) {
		p("%s\t%d\t%d\t%.2f %%\t", name, m.Rows, m.Bad, 100*m.BadRate)
		if m.Measured {
			p("%.4f\t%.4f\t%.4f\t%.1f\n", m.AUC, m.Gini, m.KS, m.AverageScore)
		} else {
			p("-\t-\t-\t%.1f\n", m.AverageScore)
		}
	}
	measure("training", &t.Train)
	if t.HasHoldOut {
		measure("hold-out", &t.HoldOut)
		p("\nScore stability (PSI): %.4f\n", t.ScorePSI)
	}
	p("\nBase points: %s; a score of %s means odds of %s : 1, and every %s points double the odds\n", r.Card.Base,
		r.Card.Scaling.AnchorScore, r.Card.Scaling.AnchorOdds, r.Card.Scaling.PDO)
	for i := range t.Features {
		t.Features[i].text(p, t.HasHoldOut)
	}
	remarks(p, "Left out", "(no name)", len(t.Dropped), func(i int) (string, string, string) {
		return t.Dropped[i].Column, t.Dropped[i].Code, t.Dropped[i].Detail
	})
	remarks(p, "To look at", "(the card)", len(t.Warnings), func(i int) (string, string, string) {
		return t.Warnings[i].Column, t.Warnings[i].Code, t.Warnings[i].Detail
	})
	remarks(p, "How the file was read", "(the file)", len(t.Notes), func(i int) (string, string, string) {
		n := &t.Notes[i]
		if n.Count == 0 || n.Counted() {
			return n.Column, n.Code, n.Detail
		}
		return n.Column, n.Code, fmt.Sprintf("%s (%d)", n.Detail, n.Count)
	})
	inputs(p, r.Inputs)
	return w.Flush()
}

func (f *Feature) text(p func(string, ...any), held bool) {
	p("\n%s", f.Column)
	if f.Field != f.Column {
		p(" (%s)", f.Field)
	}
	p(": IV %.4f, %s, %s", f.IV, f.Band, f.Shape)
	if held {
		p(", PSI %.4f", f.PSI)
	}
	p("\n  bin\trows\tshare\tbad rate\tWoE\tpoints")
	if held {
		p("\thold-out")
	}
	p("\n")
	for i := range f.Bins {
		b := &f.Bins[i]
		p("  %s\t%d\t%.1f %%\t%.2f %%\t%.4f\t%s", short(b.Label), b.Rows, 100*b.Share, 100*b.BadRate, b.WOE, b.Points)
		if held {
			p("\t%.2f %%", 100*b.HoldOutBadRate)
		}
		p("\n")
	}
}

// short truncates a label to 40 characters and replaces control characters,
// which would break the table.
func short(label string) string {
	label = strings.Map(func(c rune) rune {
		if c < ' ' {
			return ' '
		}
		return c
	}, label)
	if runes := []rune(label); len(runes) > 40 {
		return string(runes[:39]) + "…"
	}
	return label
}

func remarks(p func(string, ...any), title, whole string, n int, at func(i int) (column, code, detail string)) {
	if n == 0 {
		return
	}
	p("\n%s:\n", title)
	for i := range n {
		column, code, detail := at(i)
		if column == "" {
			column = whole
		}
		p("  %s\t%s\t%s\n", short(column), code, detail)
	}
}

func inputs(p func(string, ...any), list []engine.Input) {
	if len(list) == 0 {
		return
	}
	p("\nRequest paths of your own that the card reads:\n")
	for _, in := range list {
		p("  %s\t%s\n", in.Name, in.Type)
	}
}
