package training

import (
	"io"
	"sync"
)

// pace calls the caller's check during a fit, so that the caller can stop the
// fit. It also divides work among goroutines. A nil *pace checks nothing and uses
// only the caller's goroutine.
type pace struct {
	check   func() error // nil if the fit cannot be stopped
	since   int          // cells read since the last check
	workers int
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
	if p == nil || p.check == nil {
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

// source returns a source whose reads count towards the next check. If nothing is checked, it returns its argument
// unchanged.
func (p *pace) source(open Source) Source {
	if p == nil || p.check == nil {
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

// recovered recovers from the panic that stops a fit, and sets *err to the error that the check returned.
func recovered(err *error) {
	switch x := recover().(type) {
	case nil:
	case interruption:
		*err = x.err
	default:
		panic(x)
	}
}

// inParallel calls work for every number from 0 to n-1, in several goroutines or,
// if the caller can stop the fit, in the caller's goroutine. The result must not
// depend on the order of the calls.
func (p *pace) inParallel(n int, work func(i int)) {
	workers := 1
	if p != nil && p.check == nil {
		workers = min(p.workers, n)
	}
	if workers <= 1 {
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
