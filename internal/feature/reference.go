package feature

// Reference returns the typical value of a feature for an ordinary borrower, and the scale by which distances from it
// are measured, both in ten-thousandths. They are computed from the metric's typical number of events in 30 days, the
// typical value of an event, the product's typical share and the typical ratio. The figures are plausible constants for
// ranking features; no decision depends on them.
func Reference(index int) (mean, scale int64) {
	p, window, aggregation := place(index)
	t := p.metric.typical
	value := t.value * one
	events := t.events * p.product.share / 100 * p.length(window) / daysInMonth
	switch aggregation {
	case countAt:
		return events, max(events, one)
	case sumAt:
		total := events * t.value
		return total, max(total, value)
	case maxAt:
		return value * 3 / 2, value * 3 / 2
	case avgAt:
		return value, value
	case ratioAt:
		return t.ratio, max(t.ratio, one/4)
	default:
		return 0, one / 2
	}
}

// length returns the length of a window in days; a month counts as 30.
func (p *pair) length(window int) int64 {
	if p.metric.Monthly {
		return int64(windowMonths[window]) * daysInMonth
	}
	return int64(windowsDays[window])
}

// Top returns the n features farthest from their reference, measured in scales.
// The farthest comes first, and equal distances are in name order. Features
// without a value are left out, and so are those for which skip returns true;
// skip may be nil.
func Top(v *Vector, n int, skip func(index int) bool) []int {
	if n <= 0 {
		return nil
	}
	top := make([]int, 0, n)
	far := make([]int64, 0, n)
	for i := range v.values {
		value, ok := v.Get(i)
		if !ok {
			continue
		}
		mean, scale := Reference(i)
		distance := quotient(magnitude(value-mean), scale, one)
		at := len(top)
		for at > 0 && distance > far[at-1] {
			at--
		}
		if at == n || skip != nil && skip(i) {
			continue
		}
		if len(top) < n {
			top, far = append(top, 0), append(far, 0)
		}
		copy(top[at+1:], top[at:])
		copy(far[at+1:], far[at:])
		top[at], far[at] = i, distance
	}
	return top
}
