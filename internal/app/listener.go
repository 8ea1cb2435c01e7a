package app

import (
	"context"
	"fmt"
	"net"
	"sync"
)

// listen opens an address.
func listen(ctx context.Context, addr string) (net.Listener, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	return l, nil
}

// bounded is a listener that holds at most so many connections at once. Those
// beyond wait in the system's queue, where they cost no memory of ours.
type bounded struct {
	net.Listener
	slots chan struct{}
	done  chan struct{}
	close func() error
}

func bound(l net.Listener, connections int) *bounded {
	b := &bounded{Listener: l, slots: make(chan struct{}, connections), done: make(chan struct{})}
	b.close = sync.OnceValue(func() error {
		defer close(b.done)
		return l.Close()
	})
	return b
}

// Accept waits for a free slot and then for a connection.
func (b *bounded) Accept() (net.Conn, error) {
	select {
	case b.slots <- struct{}{}:
	case <-b.done:
		return nil, net.ErrClosed
	}
	c, err := b.Listener.Accept()
	if err != nil {
		<-b.slots
		return nil, err
	}
	return &slotted{Conn: c, free: sync.OnceFunc(func() { <-b.slots })}, nil
}

// Close lets nobody in any more; connections that are open stay so.
func (b *bounded) Close() error { return b.close() }

// slotted gives its slot back when it is closed.
type slotted struct {
	net.Conn
	free func()
}

// Close closes the connection and frees its slot.
func (s *slotted) Close() error {
	defer s.free()
	return s.Conn.Close()
}
