package main

import (
	"errors"
	"net"
	"testing"
)

// TestLimitedListener opens one connection more than the limit. This connection must be accepted when another
// connection is closed. Closing the listener must end an Accept that waits for a slot.
func TestLimitedListener(t *testing.T) {
	t.Parallel()
	var config net.ListenConfig
	inner, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	const most = 2
	l := limitListener(inner, most)
	accepted, failed := make(chan net.Conn), make(chan error, 1)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				failed <- err
				return
			}
			accepted <- c
		}
	}()
	var dialer net.Dialer
	for range most + 1 {
		c, err := dialer.DialContext(t.Context(), "tcp", inner.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Close() }()
	}
	first, second := <-accepted, <-accepted
	if len(l.slots) != most {
		t.Errorf("%d slots are in use", len(l.slots))
	}
	if err := errors.Join(first.Close(), first.Close()); err == nil {
		t.Error("closing a connection twice is no error")
	}
	third := <-accepted // it could not be accepted before
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if err := <-failed; !errors.Is(err, net.ErrClosed) {
		t.Errorf("Accept ended with %v", err)
	}
	if err := errors.Join(second.Close(), third.Close()); err != nil {
		t.Error(err)
	}
	if len(l.slots) != 0 {
		t.Errorf("%d slots are still in use", len(l.slots))
	}
}
