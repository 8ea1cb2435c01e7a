package service

import "context"

// group commits all waiting rows together. One goroutine commits; meanwhile,
// the next rows wait in the queue.
type group struct {
	queue  chan *waiting
	ended  chan struct{}
	commit func(context.Context, []*row) error
	finish func() error
}

type waiting struct {
	row  *row
	done chan error
}

// groupMost is the maximum number of rows in one commit.
const groupMost = 256

func newGroup(ctx context.Context, commit func(context.Context, []*row) error, finish func() error) *group {
	g := &group{queue: make(chan *waiting, 4*groupMost), ended: make(chan struct{}), commit: commit, finish: finish}
	go g.loop(context.WithoutCancel(ctx))
	return g
}

func (g *group) keep(_ context.Context, r *row) error {
	w := &waiting{row: r, done: make(chan error, 1)}
	g.queue <- w
	return <-w.done
}

func (g *group) loop(ctx context.Context) {
	defer close(g.ended)
	var batch []*waiting
	var rows []*row
	for first := range g.queue {
		batch, rows = append(batch[:0], first), append(rows[:0], first.row)
		for len(batch) < groupMost && len(g.queue) > 0 { // safe, because this goroutine is the only receiver
			next := <-g.queue
			batch, rows = append(batch, next), append(rows, next.row)
		}
		err := g.commit(ctx, rows)
		for _, w := range batch {
			w.done <- err
		}
	}
}

func (g *group) close() error {
	close(g.queue)
	<-g.ended
	return g.finish()
}
