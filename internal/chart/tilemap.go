package chart

import (
	"html/template"
	"math"
	"strconv"
	"unicode/utf8"
)

// Tile is one region of a tile map: where it stands among the others, and how
// many things of each part there are in it.
type Tile struct {
	Column, Row int
	Label       string // a few characters, written on the tile
	Name        string // what region it is
	Values      []float64
}

// TileMap is a picture of regions that stand roughly where they are on a map,
// all of one size, so that a small one is as easy to see as a large one. Parts
// go from the mildest to the gravest, and a tile has the tone of the gravest
// that it has any of; its first letter and the number of all things stand on
// the tile, because not everybody sees the tone.
type TileMap struct {
	Head
	Of    string // what the tiles are, for the table's first column
	Parts []Part
	Tiles []Tile
}

// mostTiles bounds a drawing, and how far out a tile may stand.
const mostTiles = 24

// SVG draws the tiles.
func (c TileMap) SVG() template.HTML {
	columns, rows := 0, 0
	for _, t := range c.Tiles {
		if t.placed() {
			columns, rows = max(columns, t.Column+1), max(rows, t.Row+1)
		}
	}
	if columns == 0 {
		return empty(c.Head, "tilemap", leastHeight)
	}
	keys := make([]key, len(c.Parts))
	for i, part := range c.Parts {
		keys[i] = key{name: part.Name, tone: part.Tone}
	}
	var p, aside pen
	top := aside.legend(keys, 0)
	size := math.Min(wide/float64(columns), 60)
	left := (wide - float64(size*float64(columns))) / 2
	p.open(c.Head, "tilemap", top+float64(size*float64(rows)))
	p.legend(keys, 0)
	drawn := map[[2]int]bool{}
	for _, t := range c.Tiles {
		if at := [2]int{t.Column, t.Row}; t.placed() && !drawn[at] {
			drawn[at] = true
			p.tile(c, t, left+float64(size*float64(t.Column)), top+float64(size*float64(t.Row)), size)
		}
	}
	return p.close()
}

func (t *Tile) placed() bool {
	return t.Column >= 0 && t.Column < mostTiles && t.Row >= 0 && t.Row < mostTiles
}

func (p *pen) tile(c TileMap, t Tile, x, y, size float64) {
	total, gravest := c.sum(t)
	tip := t.Name
	class, strength := "track", 1.0
	if gravest >= 0 {
		class, strength = "fill "+c.Parts[gravest].Tone.class(), 0.4
		for i := range c.Parts {
			if n := positive(t.value(i)); n > 0 {
				tip += "; " + c.Parts[i].Name + ": " + Count.Format(n)
			}
		}
	}
	p.raw(`<rect class="` + class + `" fill-opacity="` + strconv.FormatFloat(strength, 'f', 2, 64) + `"`)
	p.attr("x", x+1.5)
	p.attr("y", y+1.5)
	p.attr("width", size-3)
	p.attr("height", size-3)
	p.end("rect", tip)
	if gravest < 0 {
		p.text("soft", middle, x+size/2, y+size/2+5, clip(t.Label, size))
		return
	}
	p.text("strong", middle, x+size/2, y+size/2-1, clip(t.Label, size))
	sign, _ := utf8.DecodeRuneInString(c.Parts[gravest].Name)
	p.text("small", middle, x+size/2, y+size/2+14, clip(string(sign)+" "+Count.Short(total), size+4))
}

// sum is how much there is in a tile, and its gravest part; -1 when there is
// nothing.
func (c TileMap) sum(t Tile) (total float64, gravest int) {
	gravest = -1
	for i := range c.Parts {
		if n := positive(t.value(i)); n > 0 {
			total, gravest = total+n, i
		}
	}
	return total, gravest
}

func (t *Tile) value(part int) float64 {
	if part >= len(t.Values) {
		return 0
	}
	return t.Values[part]
}

// Table has one row for each tile that there is anything in.
func (c TileMap) Table() Table {
	t := Table{Columns: []string{c.Of}}
	for _, part := range c.Parts {
		t.Columns = append(t.Columns, part.Name)
	}
	for _, tile := range c.Tiles {
		if _, gravest := c.sum(tile); gravest < 0 {
			continue
		}
		row := []string{tile.Label + " " + tile.Name}
		for i := range c.Parts {
			row = append(row, Count.Format(tile.value(i)))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
