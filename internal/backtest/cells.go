package backtest

import (
	"iter"

	"verdict/internal/engine"
	"verdict/internal/rule"
)

// grid divides the score range of a scorecard into cells. A cell is a hundredth
// of a point wide if that gives at most a million cells, otherwise a tenth of a
// point or a whole point. No cell spans two whole scores, so every pricing band
// is a union of cells.
type grid struct {
	base rule.Number // score at which cell 0 begins
	step rule.Number
}

// maxCells is the maximum number of cells of a grid.
const maxCells = 1 << 21

func newGrid(card *engine.Scorecard) grid {
	g := grid{step: rule.One / 100}
	for (card.MaxScore-card.MinScore)/g.step > 1_000_000 && g.step < rule.One {
		g.step *= 10
	}
	g.base = rule.Int(card.MinScore.Floor())
	return g
}

// cell returns the cell of a score. Each step that newGrid can choose has a case of its own, because dividing by a
// constant takes a fraction of the time.
func (g grid) cell(score rule.Number) int32 {
	switch above := score - g.base; g.step {
	case rule.One:
		return int32(above / rule.One)
	case rule.One / 10:
		return int32(above / (rule.One / 10))
	default:
		return int32(above / (rule.One / 100))
	}
}

// score returns the lowest score of a cell.
func (g grid) score(cell int32) rule.Number { return g.base + rule.Number(cell)*g.step }

// cells counts rows by score. It allocates a page of counts when the first score of the page occurs, because most
// scorecards give only a few of the scores in their range.
type cells struct {
	pages []*page
}

const pageBits = 9

type page [1 << pageBits]counts

// at returns the counts of a cell. The caller may change them.
func (c *cells) at(cell int32) *counts {
	i := int(cell >> pageBits)
	for i >= len(c.pages) {
		c.pages = append(c.pages, nil)
	}
	if c.pages[i] == nil {
		c.pages[i] = new(page)
	}
	return &c.pages[i][cell&(1<<pageBits-1)]
}

// each yields the cells that have rows, in ascending order of score.
func (c *cells) each() iter.Seq2[int32, *counts] {
	return func(yield func(int32, *counts) bool) {
		for i, p := range c.pages {
			if p == nil {
				continue
			}
			for k := range p {
				if p[k] != (counts{}) && !yield(int32(i<<pageBits|k), &p[k]) {
					return
				}
			}
		}
	}
}
