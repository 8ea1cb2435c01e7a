package load

import (
	"bytes"
	"fmt"
	"strings"

	"verdict/internal/chart"
)

// Picture returns the chart of latency by offered rate.
func (c *Campaign) Picture() chart.Line {
	line := chart.Line{
		Head: chart.Head{
			Title: "Latency against offered rate, " + c.Database,
			Description: fmt.Sprintf("Milliseconds from the time a request was due to its answer; the service is "+
				"saturated at %.0f requests a second, and refuses what is beyond.",
				c.Rate),
		},
		X: chart.Axis{Label: "requests offered a second"}, Y: chart.Axis{Label: "milliseconds"},
	}
	for _, s := range []struct {
		name string
		of   func(*Result) float64
		tone chart.Tone
	}{
		{"p50", func(r *Result) float64 { return millis(&r.Latency, 0.5) }, chart.Teal},
		{"p99", func(r *Result) float64 { return millis(&r.Latency, 0.99) }, chart.Blue},
		{"p99 of refusals", func(r *Result) float64 { return millis(&r.Refusal, 0.99) }, chart.Orange},
	} {
		series := chart.Series{Name: s.name, Tone: s.tone, Dashed: strings.Contains(s.name, "refusals")}
		for _, step := range c.Steps {
			if y := s.of(step.Result); y > 0 { // 0 if there were no such answers
				series.Points = append(series.Points, chart.Point{X: step.Offered, Y: y})
			}
		}
		line.Series = append(line.Series, series)
	}
	return line
}

func millis(h *Histogram, q float64) float64 { return float64(h.Quantile(q).Microseconds()) / 1000 }

// SVG returns the picture as a standalone file with the stylesheet inside.
func (c *Campaign) SVG() []byte {
	drawing := []byte(c.Picture().SVG())
	end := bytes.IndexByte(drawing, '>') + 1
	opening := drawing[:end]
	if !bytes.Contains(opening, []byte("xmlns=")) {
		opening = bytes.Replace(opening, []byte("<svg"), []byte(`<svg xmlns="http://www.w3.org/2000/svg"`), 1)
	}
	return fmt.Appendf(nil, "%s<style>%s</style>%s\n", opening, chart.Style, drawing[end:])
}
