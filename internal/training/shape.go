package training

import "math"

// ordinaries returns the number of ordinary bins, which come before all others.
func (b *binning) ordinaries() int {
	n := 0
	for n < len(b.bins) && b.bins[n].kind == ordinary {
		n++
	}
	return n
}

// keepShape changes the effects as little as possible so that their bad rate
// follows the column's shape. Effects are on the log-odds of good, so they fall
// when the bad rate rises.
func (b *binning) keepShape(effects []float64) {
	n := b.ordinaries()
	weights := make([]float64, n)
	for k := range n {
		weights[k] = b.bins[k].rows()
	}
	switch b.shape {
	case "ascending", "by bad rate":
		copy(effects, falling(effects[:n], weights))
	case "descending":
		copy(effects, rising(effects[:n], weights))
	case "peak":
		copy(effects, turned(effects[:n], weights, falling, rising))
	case "valley":
		copy(effects, turned(effects[:n], weights, rising, falling))
	}
}

// centre subtracts the average from a feature's effects and returns the
// average. Zero points then mean an average applicant.
func (b *binning) centre(effects []float64) float64 {
	var sum, all float64
	for k := range b.bins {
		w := b.bins[k].rows()
		sum += float64(w * effects[k])
		all += w
	}
	if all == 0 {
		return 0
	}
	mean := sum / all
	for k := range effects {
		effects[k] -= mean
	}
	return mean
}

// rising returns the nearest sequence, by weighted least squares, that never
// falls (isotonic regression). It merges neighbours that are out of order and
// replaces each of them by their common average.
func rising(values, weights []float64) []float64 {
	type block struct {
		sum, weight float64
		length      int
	}
	var blocks []block
	for i := range values {
		blocks = append(blocks, block{float64(values[i] * weights[i]), weights[i], 1})
		for n := len(blocks); n > 1 &&
			blocks[n-2].sum/blocks[n-2].weight > blocks[n-1].sum/blocks[n-1].weight; n = len(blocks) {
			last := blocks[n-1]
			blocks = blocks[:n-1]
			blocks[n-2].sum += last.sum
			blocks[n-2].weight += last.weight
			blocks[n-2].length += last.length
		}
	}
	out := make([]float64, 0, len(values))
	for _, b := range blocks {
		for range b.length {
			out = append(out, b.sum/b.weight)
		}
	}
	return out
}

// falling returns the nearest sequence that never rises.
func falling(values, weights []float64) []float64 {
	mirrored := make([]float64, len(values))
	for i, v := range values {
		mirrored[i] = -v
	}
	out := rising(mirrored, weights)
	for i := range out {
		out[i] = -out[i]
	}
	return out
}

// turned returns the nearest sequence with one turning point. It fits the values before the point with the function
// "first" and those after it with "then", for every possible point, and returns the sequence with the least error.
func turned(values, weights []float64, first, then func(values, weights []float64) []float64) (best []float64) {
	least := math.Inf(1)
	for cut := range len(values) + 1 {
		candidate := append(first(values[:cut], weights[:cut]), then(values[cut:], weights[cut:])...)
		miss := 0.0
		for i, v := range candidate {
			d := v - values[i]
			miss += float64(weights[i] * float64(d*d))
		}
		if miss < least {
			best, least = candidate, miss
		}
	}
	return best
}
