package feature

// emit sets the 36 features of a pair. The data of the pair's origin must be present.
func (w *workspace) emit(p *pair, v *Vector) {
	r, base := &w.rows[p.row], &w.rows[p.base]
	f := &p.metric.fraction
	spans, first := &dayAxis.spans, 0
	var known uint64
	if p.metric.Monthly {
		spans = &monthAxis.spans
		if !w.ended[p.from] {
			// No month ended within the shortest window, so the window has no events.
			known |= (1<<countAt | 1<<sumAt) << windowStart[0]
			first = 1
		}
	}
	hasBase := w.present[p.baseOf]
	for window := first; window < w.covered[p.from]; window++ {
		s := spans[window]
		c := &r[s.end-1]
		at := windowStart[window]
		out := (*[perWindow]int64)(v.values[p.at+at:])
		have := uint64(1<<countAt | 1<<sumAt)
		if c.n > 0 {
			have |= 1<<maxAt | 1<<avgAt
			out[countAt] = c.n * one
			out[sumAt] = scaled(c.sum, p.unit)
			out[maxAt] = scaled(c.max, p.unit)
			out[avgAt] = quotient(c.sum, c.n, p.unit)
			newer := r[s.newer-1].sum
			if value, ok := trend(newer, r[s.older-1].sum-newer); ok {
				have |= 1 << trendAt
				out[trendAt] = value
			}
		}
		if hasBase {
			under := &base[s.end-1]
			if f.ever {
				under = &base[beyond]
			}
			if value, ok := f.value(c, under); ok {
				have |= 1 << ratioAt
				out[ratioAt] = value
			}
		}
		known |= have << at
	}
	v.setPair(p.at, known)
}

// trend compares the totals of a newer and an older period: it returns (newer −
// older) ÷ (|newer| + |older|), from -1 to 1. ok is false if both totals are 0.
func trend(newer, older int64) (value int64, ok bool) {
	size := magnitude(newer) + magnitude(older)
	if size == 0 {
		return 0, false
	}
	return quotient(newer-older, size, one), true
}

func magnitude(n int64) int64 {
	if n < 0 {
		return -n
	}
	return n
}

// value returns the ratio of a window's own events to their base. ok is false if
// the base is 0.
func (f *fraction) value(own, base *cell) (value int64, ok bool) {
	over, under := own.sum, base.sum
	if f.counts {
		over, under = own.n, base.n
	}
	if f.plus {
		under += over
	}
	if f.times > 0 {
		under *= f.times
	}
	if under == 0 {
		return 0, false
	}
	return quotient(over, under, one), true
}
