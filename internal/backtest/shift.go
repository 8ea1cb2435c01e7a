package backtest

// maxDistribution is the maximum number of cells of a distribution, including
// empty ones.
const maxDistribution = 1000

// distribution counts the scores in cells of ten points. The cells are wider if
// there would be more than maxDistribution of them.
func distribution(c *cells, g grid) Distribution {
	least, greatest, found := int64(0), int64(0), false
	for cell := range c.each() {
		score := g.score(cell).Floor()
		if !found {
			least, found = score, true
		}
		greatest = score
	}
	out := Distribution{Width: 10}
	for (greatest-least)/out.Width >= maxDistribution-1 {
		out.Width *= 10
	}
	for cell, counts := range c.each() {
		from := floorTo(g.score(cell).Floor(), out.Width)
		if n := len(out.Cells); n == 0 || out.Cells[n-1].Min != from {
			out.Cells = append(out.Cells, DistributionCell{Min: from})
		}
		at := &out.Cells[len(out.Cells)-1]
		at.Good += counts[good].rows
		at.Bad += counts[bad].rows
		at.Unlabelled += counts[unlabelled].rows
		at.Weight += counts.all().weight
	}
	return out
}

func floorTo(n, width int64) int64 {
	rest := n % width
	if rest < 0 {
		rest += width
	}
	return n - rest
}

// Reference returns the distribution in the form of Setup.Reference: the width,
// then for each cell its lowest score and its weight. Another run can then be
// compared with this one.
func (d *Distribution) Reference() []int64 {
	out := []int64{d.Width}
	for _, c := range d.Cells {
		out = append(out, c.Min, c.Weight)
	}
	return out
}

// shiftFrom measures how far the scores have moved from a reference. ok is false
// if there is no reference or no row to compare with it.
func shiftFrom(reference []int64, c *cells, g grid) (s Shift, ok bool) {
	if len(reference) < 3 || len(reference)%2 == 0 {
		return Shift{}, false
	}
	expected := make([]scoreWeight, 0, len(reference)/2)
	for i := 1; i < len(reference); i += 2 {
		expected = append(expected, scoreWeight{from: reference[i], weight: max(0, reference[i+1])})
	}
	actual := make([]scoreWeight, 0, 64)
	for cell, counts := range c.each() {
		actual = append(actual, scoreWeight{g.score(cell).Floor(), counts.all().weight})
	}
	s = shift(expected, actual)
	return s, s.PSI.Known
}

// scoreWeight is the weight of the rows whose score is in the cell that begins at the score "from".
type scoreWeight struct{ from, weight int64 }

// shift compares two distributions, both in ascending order of score. It divides
// the scores into groups that each have about a tenth of the expected
// distribution, because with many small groups random differences alone would
// increase the index. If a distribution is empty, it returns a zero Shift.
func shift(expected, actual []scoreWeight) Shift {
	var total, seen, all int64
	for _, e := range expected {
		total += e.weight
	}
	for _, a := range actual {
		all += a.weight
	}
	if total == 0 || all == 0 {
		return Shift{}
	}
	var starts, weights []int64
	open := false
	for _, e := range expected {
		if !open {
			starts, weights, open = append(starts, e.from), append(weights, 0), true
		}
		weights[len(weights)-1] += e.weight
		seen += e.weight
		if reaches(seen, int64(len(starts)), total) && seen < total {
			open = false
		}
	}
	found := make([]int64, len(starts))
	for at, i := 0, 0; i < len(actual); i++ {
		for at+1 < len(starts) && actual[i].from >= starts[at+1] {
			at++
		}
		found[at] += actual[i].weight
	}
	return grouped(starts, weights, found, total, all)
}

func grouped(starts, weights, found []int64, total, all int64) Shift {
	var out Shift
	var expected, actual []float64
	for i := range starts {
		expected = append(expected, float64(weights[i])/float64(total))
		actual = append(actual, float64(found[i])/float64(all))
		out.Groups = append(out.Groups, ShiftGroup{
			HasMin: i > 0, Min: starts[i], Expected: ratio(weights[i], total), Actual: ratio(found[i], all),
		})
	}
	if psi, ok := Stability(expected, actual); ok {
		out.PSI = rounded(psi)
	}
	return out
}
