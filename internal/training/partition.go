package training

// shape says how the bad rate may change from the first bin to the last.
type shape struct {
	name string
	up   bool // the bad rate rises first
	turn bool // the bad rate may turn once
}

var (
	monotone = []shape{{"ascending", true, false}, {"descending", false, false}}
	turning  = []shape{{"peak", true, true}, {"valley", false, true}}
)

// partition divides ordered cells into the bins with the most information, less a penalty for each bin. There are
// at most maxBins bins. Every bin has at least as many rows as the field "least" requires. The bad rate strictly
// follows the shape. The method solve returns the index at which each bin begins, and the information less the
// penalties. It returns nil if not even one bin is large enough.
//
// partition uses dynamic programming over the last bin [i, j], the number of
// bins, and whether the rate has turned. The result is optimal.
type partition struct {
	cells   []counts
	total   counts // counts of the whole column, including missing and special values
	least   float64
	maxBins int
	penalty float64
	shape   shape

	prefix []counts // prefix[i] is the sum of the cells before cell i
	n      int
	value  []float64
	from   []int32 // previous state of each state, -1 at the first bin
}

const unreached = -1e300

func (p *partition) sum(i, j int) counts { return p.prefix[j+1].minus(p.prefix[i]) }

func (p *partition) state(k, turned, i, j int) int { return ((k*2+turned)*p.n+i)*p.n + j }

func (p *partition) solve() (starts []int, value float64) {
	p.n = len(p.cells)
	p.prefix = make([]counts, p.n+1)
	for i, c := range p.cells {
		p.prefix[i+1] = p.prefix[i].plus(c)
	}
	states := p.maxBins * 2 * p.n * p.n
	p.value, p.from = make([]float64, states), make([]int32, states)
	for i := range p.value {
		p.value[i] = unreached
	}
	best, at := unreached, -1
	for j := range p.n {
		for i := j; i >= 0; i-- {
			bin := p.sum(i, j)
			if bin.rows() < p.least {
				continue
			}
			_, gain := evidence(bin, p.total, false)
			p.extend(i, j, bin, gain-p.penalty)
			if j < p.n-1 {
				continue
			}
			for k := range p.maxBins {
				for turned := range 2 {
					if s := p.state(k, turned, i, j); p.value[s] > best {
						best, at = p.value[s], s
					}
				}
			}
		}
	}
	if at < 0 {
		return nil, 0
	}
	return p.trace(at), best
}

// extend updates the states whose last bin is [i, j].
func (p *partition) extend(i, j int, bin counts, gain float64) {
	if i == 0 {
		s := p.state(0, 0, i, j)
		p.value[s], p.from[s] = gain, -1
		return
	}
	for h := i - 1; h >= 0; h-- {
		before := p.sum(h, i-1)
		if before.rows() < p.least {
			continue
		}
		rises, falls := bin.worseThan(before), before.worseThan(bin)
		if !rises && !falls {
			continue
		}
		onward := rises == p.shape.up
		for k := 1; k < p.maxBins; k++ {
			for turned := range 2 {
				earlier := p.state(k-1, turned, h, i-1)
				if p.value[earlier] == unreached {
					continue
				}
				then := turned
				switch {
				case onward && turned == 1, !onward && !p.shape.turn:
					continue
				case !onward:
					then = 1
				}
				s := p.state(k, then, i, j)
				if v := p.value[earlier] + gain; v > p.value[s] {
					p.value[s], p.from[s] = v, int32(earlier)
				}
			}
		}
	}
}

// trace follows the states back to the first bin and returns the index at which
// each bin begins.
func (p *partition) trace(at int) []int {
	var starts []int
	for s := int32(at); s >= 0; s = p.from[s] {
		starts = append(starts, int(s)/p.n%p.n)
	}
	for i, j := 0, len(starts)-1; i < j; i, j = i+1, j-1 {
		starts[i], starts[j] = starts[j], starts[i]
	}
	return starts
}
