package chart

import (
	"html/template"
	"math"
	"strings"
)

// Stage is one box of a Flow.
type Stage struct {
	Label string
	Note  string   // what the box contains, such as "14 rules"
	Lines []string // further short lines; at most two are drawn
	Exits []string // what leaves the flow here; at most two are drawn
	Link  string   // address that the box leads to; it must begin with "#" or "/". "" for none
	Alarm string   // a short text that needs attention, such as "2 errors"; "" for none
}

// End is one of the outcomes in which a Flow ends.
type End struct {
	Name  string
	Tone  Tone
	Value float64
}

// Flow is a chart of the stages that every application passes, in their order, and of the outcomes.
type Flow struct {
	Head
	Begin  float64 // number of applications that enter
	Noun   string  // what Begin counts
	Stages []Stage
	Ends   []End
}

// The measures of the wide and of the narrow drawing. The stylesheet shows one of them, depending on the width of the
// figure, so that the text has about its natural size in both.
const (
	flowWide     = 1000.0
	flowGap      = 26.0
	flowFrom     = 88.0  // left edge of the first box
	flowTo       = 842.0 // right edge of the last box
	flowTop      = 12.0  // space above the boxes, for the upper part of an alarm
	flowBox      = 88.0  // height of a box
	flowEnds     = 872.0 // left edge of the outcomes
	flowExit     = 22.0  // length of the arrow to what leaves the flow
	flowNarrow   = 360.0
	flowRow      = 46.0 // height of a box in the narrow drawing
	flowRowGap   = 12.0
	flowEndRow   = 26.0
	mostStages   = 8
	mostEnds     = 4
	flowMostLine = 2
)

// SVG returns two drawings of the same flow: from left to right, and from top to bottom.
func (c Flow) SVG() template.HTML {
	return c.across() + c.down()
}

func (c Flow) stages() []Stage { return c.Stages[:min(len(c.Stages), mostStages)] }

func (c Flow) ends() []End { return c.Ends[:min(len(c.Ends), mostEnds)] }

// openFlow starts one of the drawings. Its boxes are links, so it is a group and not an image.
func (p *pen) openFlow(h Head, kind string, width, height float64) {
	p.raw(`<svg xmlns="http://www.w3.org/2000/svg" class="chart chart-flow ` + kind + `" viewBox="0 0 ` +
		num(width) + ` ` + num(height) + `" width="100%" role="group" aria-label="`)
	p.esc(h.Title)
	p.raw("\">\n")
}

// across draws the stages from left to right.
func (c Flow) across() template.HTML {
	var p pen
	stages := c.stages()
	exits := 0
	for i := range stages {
		exits = max(exits, min(len(stages[i].Exits), flowMostLine))
	}
	height := flowTop + flowBox + 6
	if exits > 0 {
		height += flowExit + float64(exits)*16
	}
	p.openFlow(c.Head, "flow-across", flowWide, height)
	middleY := flowTop + flowBox/2
	p.text("strong", start, 0, middleY-4, Count.Format(c.Begin))
	p.text("soft small", start, 0, middleY+14, clipSmall(c.Noun, flowFrom-20))
	n := float64(max(len(stages), 1))
	width := (flowTo - flowFrom - flowGap*(n-1)) / n
	x, from := flowFrom, flowFrom-24
	for i := range stages {
		p.arrow(from, middleY, x-2, middleY)
		p.stage(&stages[i], x, flowTop, width)
		from = x + width + 2
		x += width + flowGap
	}
	c.spread(&p, from, middleY)
	return p.close()
}

// stage draws a box with its lines, and what leaves the flow below it.
func (p *pen) stage(s *Stage, x, y, width float64) {
	linked := p.beginLink("stage-link", s.Link)
	p.rect("stage", x, y, width, flowBox, "")
	p.text("strong", start, x+10, y+21, clipSmall(s.Label, width-16))
	p.text("soft small", start, x+10, y+39, clipSmall(s.Note, width-16))
	for i, line := range s.Lines[:min(len(s.Lines), flowMostLine)] {
		p.text("small", start, x+10, y+58+float64(i)*16, clipSmall(line, width-16))
	}
	if linked {
		p.raw("</a>\n")
	}
	if s.Alarm != "" {
		w := 14 + smallLetter*float64(len([]rune(s.Alarm)))
		p.rect("alarm", x+width-w+6, y-12, w, 18, "")
		p.text("alarmed small", middle, x+width-w/2+6, y+1, s.Alarm)
	}
	if len(s.Exits) == 0 {
		return
	}
	middleX := x + width/2
	p.arrow(middleX, y+flowBox+2, middleX, y+flowBox+flowExit-4)
	for i, exit := range s.Exits[:min(len(s.Exits), flowMostLine)] {
		p.text("soft small", middle, middleX, y+flowBox+flowExit+10+float64(i)*16, clipSmall(exit, width+flowGap-4))
	}
}

// beginLink opens a link, and reports whether there is one. An address that leads to another site is ignored.
func (p *pen) beginLink(class, address string) bool {
	if !strings.HasPrefix(address, "#") && (!strings.HasPrefix(address, "/") || strings.HasPrefix(address, "//")) {
		return false
	}
	p.raw(`<a class="` + class + `" href="`)
	p.esc(address)
	p.raw("\">\n")
	return true
}

// spread draws the outcomes on the right, each with a bar that shows its share.
func (c Flow) spread(p *pen, from, middleY float64) {
	ends := c.ends()
	total := c.total()
	each := (flowBox + 4) / float64(max(len(ends), 1))
	for i, e := range ends {
		top := 4 + float64(i)*each
		p.path("flow-edge", []Point{{from, middleY}, {flowEnds - 18, top + each/2}, {flowEnds - 6, top + each/2}},
			false)
		p.end3(e, total, flowEnds, top+each/2-4, flowWide-flowEnds)
	}
}

// end3 draws an outcome: its name, its number and its bar.
func (p *pen) end3(e End, total, x, y, width float64) {
	value, _ := finite(e.Value)
	share := 0.0
	if total > 0 {
		share = math.Max(value, 0) / total
	}
	p.text("small", start, x, y+2, clipSmall(e.Name, width*0.55))
	p.text("strong small", finish, x+width, y+2, Count.Format(value))
	p.rect("track", x, y+7, width, 6, "")
	p.rect("fill "+e.Tone.class(), x, y+7, width*math.Min(share, 1), 6, e.Name+": "+Percent.Format(share))
}

func (c Flow) total() (sum float64) {
	for _, e := range c.ends() {
		if v, ok := finite(e.Value); ok && v > 0 {
			sum += v
		}
	}
	return sum
}

// down draws the stages from top to bottom, each as one row.
func (c Flow) down() template.HTML {
	var p pen
	stages, ends := c.stages(), c.ends()
	height := 26 + float64(len(stages))*(flowRow+flowRowGap) + float64(len(ends))*flowEndRow + 10
	p.openFlow(c.Head, "flow-down", flowNarrow, height)
	p.text("strong", start, 0, 14, clip(Count.Format(c.Begin)+" "+c.Noun, flowNarrow))
	y := 26.0
	for i := range stages {
		s := &stages[i]
		p.arrow(20, y-6, 20, y+4)
		y += 6
		linked := p.beginLink("stage-link", s.Link)
		p.rect("stage", 0, y, flowNarrow, flowRow, "")
		p.text("strong", start, 12, y+19, clip(s.Label, flowNarrow*0.5))
		p.text("soft small", finish, flowNarrow-12, y+19, clipSmall(s.Note, flowNarrow*0.45))
		below := strings.Join(s.Exits, ", ")
		if below == "" {
			below = strings.Join(s.Lines, ", ")
		}
		if s.Alarm != "" {
			below = strings.TrimSuffix(s.Alarm+" · "+below, " · ")
		}
		p.text("small", start, 12, y+36, clipSmall(below, flowNarrow-24))
		if linked {
			p.raw("</a>\n")
		}
		y += flowRow + flowRowGap - 6
	}
	for i, e := range ends {
		p.end3(e, c.total(), 0, y+10+float64(i)*flowEndRow, flowNarrow)
	}
	return p.close()
}

// arrow draws an arrow along an axis.
func (p *pen) arrow(x1, y1, x2, y2 float64) {
	p.line("flow-edge", x1, y1, x2, y2)
	const back, half = 6, 3.5
	tip := []Point{{x2, y2}, {x2 - back, y2 - half}, {x2 - back, y2 + half}}
	if x1 == x2 {
		tip = []Point{{x2, y2}, {x2 - half, y2 - back}, {x2 + half, y2 - back}}
	}
	p.path("flow-tip", tip, true)
}

// smallLetter and smallCapital are upper estimates of the widths of letters in the small text of a flow. The text
// of a flow is never enlarged. smallCapital is for capital letters, because the ids of rules consist of them.
const smallLetter, smallCapital = 6.3, 8.2

// clipSmall shortens a small text, with an ellipsis at the end, to fit the width.
func clipSmall(s string, width float64) string {
	runes := []rune(tidy(s))
	for i, r := range runes {
		if width -= smallLetter; r >= 'A' && r <= 'Z' {
			width -= smallCapital - smallLetter
		}
		if width < 0 {
			return strings.TrimRight(string(runes[:max(i-1, 1)]), " _") + "…"
		}
	}
	return string(runes)
}

// Table returns a table with one row for each stage and outcome.
func (c Flow) Table() Table {
	t := Table{Columns: []string{"Stage", "Contains", "More", "Leaves here"}, Texts: []int{1, 2, 3}}
	for i := range c.Stages {
		s := &c.Stages[i]
		more := s.Lines
		if s.Alarm != "" {
			more = append([]string{s.Alarm}, more...)
		}
		t.Rows = append(t.Rows, []string{s.Label, s.Note, strings.Join(more, ", "), strings.Join(s.Exits, ", ")})
	}
	for _, e := range c.Ends {
		t.Rows = append(t.Rows, []string{e.Name, Count.Format(e.Value), "", ""})
	}
	return t
}
