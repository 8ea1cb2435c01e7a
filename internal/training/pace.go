package training

import (
	"io"
	"runtime"
	"sync"
)

// pace lets whoever waits for a fit end it. A nil pace works on all processors
// and to the end.
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

// cellsBetweenChecks is some hundred microseconds of reading or adding up.
const cellsBetweenChecks = 20_000

// interruption is the panic that ends a fit: sums deep inside a regression have
// no errors of their own. Fit recovers it.
type interruption struct{ err error }

// pass counts cells that are about to be read.
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

// source paces the reading of rows.
func (p *pace) source(open Source) Source {
	if p == nil {
		return open
	}
	return func() (io.Reader, error) {
		r, err := open()
		return &pacedReader{r, p}, err
	}
}

// pacedReader reads a little at a time.
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

// recovered turns the panic of an ended fit into its error.
func recovered(err *error) {
	switch x := recover().(type) {
	case nil:
	case interruption:
		*err = x.err
	default:
		panic(x)
	}
}

// inParallel calls work for every number below n on all processors, or on the
// one of a paced fit. What work leaves behind must not depend on the order.
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
