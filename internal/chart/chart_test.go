package chart_test

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"verdict/internal/chart"
	"verdict/internal/golden"
)

// TestGolden compares each picture with the golden file of its name. The file
// contains the drawing and its table as they appear on a page.
func TestGolden(t *testing.T) {
	t.Parallel()
	for name, picture := range samples() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join("testdata", name+".html")
			got := string(chart.Figure(picture)) + "\n"
			golden.File(t, file, got)
		})
	}
}

// TestAnyDataCanBeDrawn checks that every picture can be drawn with arbitrary
// numbers.
func TestAnyDataCanBeDrawn(t *testing.T) {
	t.Parallel()
	number := rapid.OneOf(
		rapid.Float64(),
		rapid.Float64Range(-2, 2),
		rapid.SampledFrom([]float64{0, 1, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, -math.MaxFloat64,
			math.SmallestNonzeroFloat64}),
	)
	rapid.Check(t, func(t *rapid.T) {
		for _, p := range awkward(rapid.SliceOfN(number, 0, 20).Draw(t, "values")) {
			if complaint := judge(string(chart.Figure(p))); complaint != "" {
				t.Fatalf("%T: %s", p, complaint)
			}
		}
	})
}

func TestHugeDataStaySmall(t *testing.T) {
	t.Parallel()
	values := make([]float64, 20_000)
	for i := range values {
		values[i] = float64(i%977) + 1
	}
	for _, p := range awkward(values) {
		drawing := string(p.SVG())
		if complaint := judge(drawing); complaint != "" {
			t.Errorf("%T: %s", p, complaint)
		}
		if len(drawing) > 400_000 {
			t.Errorf("%T: the drawing of a large input has %d bytes", p, len(drawing))
		}
	}
}

// judge returns a description of the first mistake in markup, or "" if there is
// none. Markup must be well-formed, contain only finite numbers, and contain no
// style attributes, no active content and no link to another site.
func judge(markup string) string {
	if strings.Contains(markup, " style=") {
		return "a style attribute, which a strict policy refuses"
	}
	d := xml.NewDecoder(strings.NewReader(markup))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return ""
		}
		if err != nil {
			return err.Error()
		}
		element, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if element.Name.Local == "script" {
			return "a label became a script"
		}
		for _, a := range element.Attr {
			here := strings.HasPrefix(a.Value, "#") || strings.HasPrefix(a.Value, "/console/")
			if strings.HasPrefix(a.Name.Local, "on") || a.Name.Local == "href" && !here {
				return "an attribute that acts: " + a.Name.Local
			}
			if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") {
				return "a coordinate that is no number: " + a.Name.Local
			}
		}
	}
}

func TestFormat(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		unit          chart.Unit
		value         float64
		format, short string
	}{
		{chart.Rupees, 1234567, "₹12,34,567", "₹12.35 L"},
		{chart.Rupees, -987654321, "−₹98,76,54,321", "−₹98.77 Cr"},
		{chart.Rupees, 999, "₹999", "₹999"},
		{chart.Rupees, 1000, "₹1,000", "₹1,000"},
		{chart.Rupees, 100000, "₹1,00,000", "₹1 L"},
		{chart.Rupees, 1e12, "₹10,00,00,00,00,000", "₹1,00,000 Cr"},
		{chart.Count, 12345, "12,345", "12,345"},
		{chart.Count, 0, "0", "0"},
		{chart.Percent, 0.6138, "61.4 %", "61.38 %"},
		{chart.Percent, -0.0001, "0.0 %", "−0.01 %"},
		{chart.Score, 712, "712", "712"},
		{chart.Ratio, 0.7421, "0.742", "0.7421"},
		{chart.Ratio, math.NaN(), "–", "–"},
		{chart.Count, math.Inf(1), "–", "–"},
	} {
		got := []string{c.unit.Format(c.value), c.unit.Short(c.value)}
		if diff := cmp.Diff([]string{c.format, c.short}, got); diff != "" {
			t.Errorf("unit %d, %v (-want +got):\n%s", c.unit, c.value, diff)
		}
	}
}
