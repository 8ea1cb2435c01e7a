package torture

import "time"

// grace is how long after a fault has ended a refusal is still its doing: a
// connection that a black hole swallowed is given up after the database's own
// timeout of ten seconds.
const grace = 12 * time.Second

// faults are the times in which the world was broken.
type faults struct {
	windows    []window
	recovering []window // faults that have ended, after which nothing has succeeded yet
}

type window struct {
	kind    string
	only    *lender   // whom it is about; nil for everybody
	on, off time.Time // off is zero while it lasts
}

// mark notes that a fault begins or has ended.
func (f *faults) mark(kind string, on bool, now time.Time) { f.markOf(kind, nil, on, now) }

// markOf is mark for a fault that one lender alone may notice.
func (f *faults) markOf(kind string, only *lender, on bool, now time.Time) {
	if on {
		f.windows = append(f.windows, window{kind: kind, only: only, on: now})
		f.recovering = f.recovering[:0] // whoever is hit again has not been slow to recover
		return
	}
	for i := len(f.windows) - 1; i >= 0; i-- {
		if w := &f.windows[i]; w.kind == kind && w.off.IsZero() {
			w.off = now
			if kind != "clock" { // nothing is down while a clock is elsewhere
				f.recovering = append(f.recovering, *w)
			}
			return
		}
	}
}

// excuse tells whether a request of this time, of a lender or of a stranger,
// may have been refused or lost,
// and how long after the end of the last fault it began; that is 0 when it was
// under way during one.
func (f *faults) excuse(of *lender, began, ended time.Time) (late time.Duration, excused bool) {
	late = grace
	for i := len(f.windows) - 1; i >= 0; i-- {
		w := f.windows[i]
		if w.on.After(ended) || w.only != nil && w.only != of {
			continue
		}
		if w.off.IsZero() || !began.After(w.off) {
			return 0, true
		}
		if after := began.Sub(w.off); after < late {
			late, excused = after, true
		}
	}
	return late, excused
}

// beside tells whether a request was sent while another lender had a fault of
// its own.
func (f *faults) beside(of *lender, began time.Time) bool {
	for _, w := range f.windows {
		if w.only != nil && w.only != of && !began.Before(w.on) && w.off.IsZero() {
			return true
		}
	}
	return false
}

// on tells whether a fault of this kind holds.
func (f *faults) on(kind string) bool {
	for _, w := range f.windows {
		if w.kind == kind && w.off.IsZero() {
			return true
		}
	}
	return false
}

// ever tells whether there was a fault of this kind.
func (f *faults) ever(kind string) bool {
	for _, w := range f.windows {
		if w.kind == kind {
			return true
		}
	}
	return false
}

// recovered tells how long the faults took to get over, of which a success at
// this time is the first since they ended.
func (f *faults) recovered(at time.Time) (longest time.Duration, kind string) {
	for _, w := range f.recovering {
		if took := at.Sub(w.off); took > longest {
			longest, kind = took, w.kind
		}
	}
	f.recovering = f.recovering[:0]
	return longest, kind
}

// atRest forgets the faults that nothing was sent after: what is not tried takes
// no time to recover.
func (f *faults) atRest() { f.recovering = f.recovering[:0] }

// MarkFaultOf is MarkFault for a fault that one lender alone may notice.
func (w *Workload) MarkFaultOf(kind string, only *lender, on bool) {
	w.model.mu.Lock()
	defer w.model.mu.Unlock()
	w.model.faults.markOf(kind, only, on, time.Now())
}

// MarkFault tells the model that a fault of a kind begins or has ended.
func (w *Workload) MarkFault(kind string, on bool) {
	w.model.mu.Lock()
	defer w.model.mu.Unlock()
	w.model.faults.mark(kind, on, time.Now())
}
