package torture

import "time"

// grace is how long after the end of a fault refusals are excused. A connection
// whose packets were dropped is closed only after the database timeout of ten
// seconds.
const grace = 12 * time.Second

// faults records the times of faults.
type faults struct {
	windows    []window
	recovering []window // faults that have ended, with no successful write since
}

type window struct {
	kind    string
	only    *lender   // the affected lender; nil for all
	on, off time.Time // off is zero while the fault lasts
}

// mark records that a fault begins or has ended.
func (f *faults) mark(kind string, on bool, now time.Time) { f.markOf(kind, nil, on, now) }

// markOf records that a fault begins or has ended. If the argument "only" is nil,
// the fault affects all lenders; otherwise it affects only that lender.
func (f *faults) markOf(kind string, only *lender, on bool, now time.Time) {
	if on {
		f.windows = append(f.windows, window{kind: kind, only: only, on: now})
		f.recovering = f.recovering[:0] // a new fault interrupts the recovery from the last fault
		return
	}
	for i := len(f.windows) - 1; i >= 0; i-- {
		if w := &f.windows[i]; w.kind == kind && w.off.IsZero() {
			w.off = now
			if kind != "clock" { // a moved clock makes nothing unavailable
				f.recovering = append(f.recovering, *w)
			}
			return
		}
	}
}

// excuse reports whether a fault excuses that a lender's request was refused or lost. The parameter of is the
// lender, or nil for a request without a lender. If excused is true, late is the time from the end of the last
// fault until the request began, or 0 if the request overlapped with a fault.
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

// beside reports whether another lender has a fault that began before the request was sent and has not ended.
func (f *faults) beside(of *lender, began time.Time) bool {
	for _, w := range f.windows {
		if w.only != nil && w.only != of && !began.Before(w.on) && w.off.IsZero() {
			return true
		}
	}
	return false
}

// on reports whether a fault of the given kind is in progress.
func (f *faults) on(kind string) bool {
	for _, w := range f.windows {
		if w.kind == kind && w.off.IsZero() {
			return true
		}
	}
	return false
}

// ever reports whether there was a fault of the given kind.
func (f *faults) ever(kind string) bool {
	for _, w := range f.windows {
		if w.kind == kind {
			return true
		}
	}
	return false
}

// recovered records a successful write; at is its time. Of the faults that have ended since the last successful
// write, it finds the one with the longest recovery time. It returns that time and the kind of that fault, and
// forgets all these faults.
func (f *faults) recovered(at time.Time) (longest time.Duration, kind string) {
	for _, w := range f.recovering {
		if took := at.Sub(w.off); took > longest {
			longest, kind = took, w.kind
		}
	}
	f.recovering = f.recovering[:0]
	return longest, kind
}

// atRest discards the faults that wait for a recovery time. It is called when
// no requests are sent, because then no recovery time can be measured.
func (f *faults) atRest() { f.recovering = f.recovering[:0] }

// MarkFaultOf records in the model that a fault of a single lender begins or
// has ended.
func (w *Workload) MarkFaultOf(kind string, only *lender, on bool) {
	w.model.mu.Lock()
	defer w.model.mu.Unlock()
	w.model.faults.markOf(kind, only, on, time.Now())
}

// MarkFault records in the model that a fault of the given kind begins or has ended.
func (w *Workload) MarkFault(kind string, on bool) {
	w.model.mu.Lock()
	defer w.model.mu.Unlock()
	w.model.faults.mark(kind, on, time.Now())
}
