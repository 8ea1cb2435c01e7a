package training

import (
	"io"
	"runtime"
	"sync"
)

// pace calls the caller's check during a fit, so that the caller can stop the
// fit. If a *pace is nil, the fit uses all processors and cannot be stopped.
type pace struct {
	check func() error
	since int // cells read since the last check
}

func newPace(check func() error) *pace {
	if check == nil {
		return nil
	}
	return &pace{check: check}
}

// cellsBetweenChecks is the number of cells between two checks. Reading or adding
// up that many cells takes some hundred microseconds.
const cellsBetweenChecks = 20_000

// interruption is the panic value that stops a fit. A panic is used because the
// inner loops of a regression return no errors. Fit recovers from the panic.
type interruption struct{ err error }

// pass counts cells that are about to be read, and calls the check after every
// cellsBetweenChecks cells.
func (p *pace) pass(cells int) {
	if p == nil {
		return
	}
	if p.since += cells; p.since < cellsBetweenChecks {
		return
	}
	p.since = 0
	if err := p.check(); err != nil {
		panic(interruption{err})
	}
}

// source returns a source whose reads count towards the next check, or open
// itself if p is nil.
func (p *pace) source(open Source) Source {
	if p == nil {
		return open
	}
	return func() (io.Reader, error) {
		r, err := open()
		return &pacedReader{r, p}, err
	}
}

// pacedReader limits the size of each read and counts it towards the next check.
type pacedReader struct {
	io.Reader

	pace *pace
}

func (r *pacedReader) Read(buf []byte) (int, error) {
	const most = 32 << 10
	buf = buf[:min(len(buf), most)]
	r.pace.pass(len(buf))
	return r.Reader.Read(buf)
}

// recovered recovers from the panic of a stopped fit and sets err to the error of
// the check.
func recovered(err *error) {
	switch x := recover().(type) {
	case nil:
	case interruption:
		*err = x.err
	default:
		panic(x)
	}
}

// inParallel calls work for every number from 0 to n-1, on all processors or, if
// p is not nil, on the caller's goroutine. The result must not depend on the
// order of the calls.
func (p *pace) inParallel(n int, work func(i int)) {
	workers := min(runtime.GOMAXPROCS(0), n)
	if workers <= 1 || p != nil {
		for i := range n {
			p.pass(1)
			work(i)
		}
		return
	}
	next := make(chan int)
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for i := range next {
				work(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	group.Wait()
}
