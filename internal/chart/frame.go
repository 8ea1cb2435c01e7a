package chart

import "html/template"

// frame is the plot area of a chart with axes: its position and its scales.
type frame struct {
	left, right, top, bottom float64
	x, y                     scale
}

const (
	usualHeight = 300.0
	leastHeight = 120.0
)

func heightOr(h float64) float64 {
	if h, ok := finite(h); ok && h >= leastHeight && h <= 2000 {
		return h
	}
	return usualHeight
}

// key is one entry of a legend.
type key struct {
	name string
	tone Tone
	dash bool
	line bool
}

// legend draws the keys in as many lines as they need and returns the height used.
// Keys without a name are not drawn.
func (p *pen) legend(keys []key, x0 float64) float64 {
	x, y, found := x0, 0.0, false
	for _, k := range keys {
		if k.name == "" {
			continue
		}
		name := clip(k.name, wide-x0-30)
		w := 22 + breadth(name) + 14
		if found && x+w-14 > wide {
			x, y = x0, y+lineSpace
		}
		found = true
		switch {
		case k.line && k.dash:
			p.line("stroke dash "+k.tone.class(), x, y+9, x+16, y+9)
		case k.line:
			p.line("stroke "+k.tone.class(), x, y+9, x+16, y+9)
		default:
			p.rect("fill "+k.tone.class(), x+2, y+3, 12, 12, "")
		}
		p.text("", start, x+22, y+14, name)
		x += w
	}
	if !found {
		return 0
	}
	return y + lineSpace + 4
}

// axes computes the frame below the legend, draws the grid, the ticks and the
// labels, and returns the frame. The label of the vertical axis is above the axis,
// so that its text can be horizontal.
func (p *pen) axes(xa, ya Axis, x, y scale, top, height float64) frame {
	f := frame{right: wide - 20, top: top + 10, bottom: height - 26, x: x, y: y}
	if xa.Label != "" {
		f.bottom -= lineSpace
	}
	if ya.Label != "" {
		p.text("soft", start, 0, top+14, clip(ya.Label, wide))
		f.top += lineSpace
	}
	for _, t := range y.ticks {
		f.left = max(f.left, breadth(ya.Unit.Short(t))+10)
	}
	f.left = min(f.left, wide/3)
	f.x.low, f.x.high = f.left, f.right
	f.y.low, f.y.high = f.bottom, f.top
	for _, t := range y.ticks {
		at := f.y.at(t)
		p.line("grid", f.left, at, f.right, at)
		p.text("soft tick", finish, f.left-8, at+4.5, ya.Unit.Short(t))
	}
	f.bottomTicks(p, xa)
	p.line("axis", f.left, f.bottom, f.right, f.bottom)
	if xa.Label != "" {
		p.text("soft", middle, (f.left+f.right)/2, height-6, clip(xa.Label, f.right-f.left))
	}
	return f
}

// bottomTicks writes the numbers under the horizontal axis. It leaves out a number
// that would touch the previous one.
func (f *frame) bottomTicks(p *pen, xa Axis) {
	last := -wide
	for _, t := range f.x.ticks {
		at, s := f.x.at(t), xa.Unit.Short(t)
		half := breadth(s) / 2
		centre := min(at, wide-half)
		if centre-half < last+8 {
			continue
		}
		last = centre + half
		p.line("axis", at, f.bottom, at, f.bottom+5)
		p.text("soft tick", middle, centre, f.bottom+20, s)
	}
}

// empty returns a chart without data: its title and the text "No data".
func empty(h Head, kind string, height float64) template.HTML {
	var p pen
	p.open(h, kind, height)
	p.nothing(height)
	return p.close()
}
