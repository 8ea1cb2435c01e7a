package training

// design is the input of a regression: the code of every row for each feature,
// and the value of each code.
type design struct {
	*table
	codes  [][]uint8
	values [][256]float64
	rows   []int32 // the rows to read
}

// gather returns the sums of gradient and curvature over all rows. It always
// divides the rows into the same slices and merges their sums in order, so that
// the result does not depend on the number of goroutines.
func (d *design) gather(m *model) *sums {
	total := newSums(len(d.codes))
	parts := make([]*sums, parallelSlices)
	d.inParallel(parallelSlices, func(i int) {
		part := newSums(len(d.codes))
		d.chunk(m, slice(d.rows, i), part)
		parts[i] = part
	})
	for _, part := range parts {
		total.add(part)
	}
	return total
}

// parallelSlices is the number of slices into which rows are divided for parallel
// work. It is the same on every machine, because floating-point sums depend on it.
const parallelSlices = 16

func slice(rows []int32, i int) []int32 {
	return rows[len(rows)*i/parallelSlices : len(rows)*(i+1)/parallelSlices]
}

func (d *design) chunk(m *model, rows []int32, out *sums) {
	p := len(d.codes)
	x := make([]float64, p+1)
	x[0] = 1
	for _, row := range rows {
		d.pass(p * p)
		logit := m.intercept
		for j := range p {
			x[j+1] = d.values[j][d.codes[j][row]]
			logit += float64(m.beta[j] * x[j+1])
		}
		good := 1 / (1 + exp(-logit))
		share := d.weight(row)
		weight := float64(share * float64(good*(1-good)))
		miss := float64(share * (1 - float64(d.bad[row]) - good))
		curve := out.curve
		for i, xi := range x {
			out.slope[i] += float64(miss * xi)
			wx := float64(weight * xi)
			rest := x[i:]
			line := curve[:len(rest)]
			for k, xk := range rest {
				line[k] += float64(wx * xk)
			}
			curve = curve[len(rest):]
		}
	}
}

// few selects rows at equal distances in the list and returns them. The parameter "most" is their maximum number.
func few(rows []int32, most int) []int32 {
	if len(rows) <= most {
		return rows
	}
	out := make([]int32, most)
	for i := range out {
		out[i] = rows[int64(i)*int64(len(rows))/int64(most)]
	}
	return out
}
