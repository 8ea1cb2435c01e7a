package torture

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"syscall"
	"time"
)

// killed kills the only node with SIGKILL at a random moment.
func killed(ctx context.Context, w *World, _ *rand.Rand) error {
	return w.fault("kill -9", func() error { return w.killNode(ctx, w.Nodes[0]) })
}

// killNode kills a node and starts it again.
func (w *World) killNode(ctx context.Context, n *Node) error {
	n.Kill()
	w.leave(n)
	return w.start(ctx, n)
}

// asked sends SIGTERM. The node must answer every request that has begun, and
// end without an error.
func asked(ctx context.Context, w *World, rng *rand.Rand) error {
	n := w.Nodes[0]
	begun, err := beginRequests(ctx, n, w.Workload.lasting[0].key, 1+rng.IntN(8))
	if err != nil {
		return err
	}
	return w.fault("SIGTERM", func() error {
		ended := make(chan error, 1)
		go func() { ended <- n.Term() }()
		err := w.await(ctx, "the node to refuse connections", func() bool { return !n.listens(ctx) })
		err = errors.Join(err, finishRequests(begun), <-ended)
		w.leave(n)
		if err != nil {
			return err
		}
		return w.start(ctx, n)
	})
}

// oneDies stops one of several nodes, with SIGKILL or SIGTERM. The other nodes must
// continue to answer before the stopped node is started again.
func oneDies(ctx context.Context, w *World, rng *rand.Rand) error {
	i := rng.IntN(len(w.Nodes))
	n := w.Nodes[i]
	kind := []string{"node killed", "node ended"}[rng.IntN(2)]
	return w.fault(kind, func() error {
		if kind == "node killed" {
			n.Kill()
		} else if err := n.Term(); err != nil {
			return err
		}
		w.leave(n)
		if err := w.until(ctx, 20); err != nil {
			return err
		}
		// Sometimes stop a second node too, so that one node is left.
		if second := w.Nodes[(i+1)%len(w.Nodes)]; len(w.Nodes) > 2 && rng.IntN(3) == 0 {
			second.Kill()
			w.leave(second)
			if err := w.until(ctx, 5); err != nil {
				return err
			}
			if err := w.start(ctx, second); err != nil {
				return err
			}
		}
		return w.start(ctx, n)
	})
}

// paused stops one of two nodes with SIGSTOP and lets it continue later, like a virtual machine that is moved. The
// node may be in the middle of a transaction. The other node must continue to answer, and PostgreSQL must end the
// transaction of the paused node, so that its locks do not last. Decisions at the other node are timed.
func paused(ctx context.Context, w *World, rng *rand.Rand) error {
	const timed = "decisions while a node is paused"
	i := rng.IntN(len(w.Nodes))
	n, other := w.Nodes[i], w.Nodes[(i+1)%len(w.Nodes)]
	lasts := between(rng, time.Second, 4*time.Second)
	if rng.IntN(4) == 0 {
		lasts += 9 * time.Second // longer than the database timeout
	}
	return w.fault("node paused", func() error {
		if err := n.process.signal(syscall.SIGSTOP); err != nil {
			return err
		}
		w.leave(n) // from now on, requests are sent to the other node only
		noLender := &lender{}
		w.Workload.MarkFaultOf(timed, noLender, true)
		wait(ctx, lasts)
		err := w.until(ctx, 20)
		w.Workload.MarkFaultOf(timed, noLender, false)
		err = errors.Join(err, other.awaitReady(ctx), n.process.signal(syscall.SIGCONT))
		if err != nil {
			return err
		}
		if err := n.awaitReady(ctx); err != nil {
			return fmt.Errorf("after the pause: %w", err)
		}
		w.join(n)
		return w.pausedQuick()
	})
}
