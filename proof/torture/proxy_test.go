package torture

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// echo runs a server on a socket that sends back the bytes it receives.
func echo(t *testing.T) (socket string) {
	t.Helper()
	socket = filepath.Join(t.TempDir(), "s")
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(c, c); _ = c.Close() }()
		}
	}()
	return socket
}

func startProxy(t *testing.T) *Proxy {
	t.Helper()
	p, err := NewProxy(t.Context(), echo(t), rand.New(rand.NewPCG(1, 2)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func dial(t *testing.T, p *Proxy) net.Conn {
	t.Helper()
	c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", p.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// said sends a message and returns the answer that arrives within the given
// time.
func said(t *testing.T, c net.Conn, message string, within time.Duration) (string, error) {
	t.Helper()
	if err := c.SetWriteDeadline(time.Now().Add(ample)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(c, message); err != nil {
		return "", err
	}
	if err := c.SetReadDeadline(time.Now().Add(within)); err != nil { // only after the message has been sent
		t.Fatal(err)
	}
	answer := make([]byte, len(message))
	n, err := io.ReadFull(c, answer)
	return string(answer[:n]), err
}

const (
	soon  = 100 * time.Millisecond // how long to wait for an answer that must not come
	ample = 2 * time.Minute
)

func isReset(err error) bool { return errors.Is(err, syscall.ECONNRESET) }

func TestProxy(t *testing.T) {
	t.Parallel()
	p := startProxy(t)
	pass := func(name string, c net.Conn) {
		t.Helper()
		if got, err := said(t, c, "hello", ample); got != "hello" || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	first := dial(t, p)
	pass("pass", first)

	p.Cut()
	if _, err := said(t, first, "hello", ample); !isReset(err) {
		t.Errorf("cut: %v", err)
	}
	second := dial(t, p)
	pass("after the cut", second)

	p.Set(Refuse)
	if _, err := said(t, second, "hello", ample); err == nil || isTimeout(err) {
		t.Errorf("refused while open: %v", err)
	}
	// The reset may come with the first message or before it.
	if c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", p.listener.Addr().String()); err == nil {
		if _, err := said(t, c, "hello", ample); err == nil || isTimeout(err) {
			t.Errorf("refused: %v", err)
		}
		_ = c.Close()
	}

	p.Set(Slow)
	third, began := dial(t, p), time.Now()
	pass("slow", third)
	if took := time.Since(began); took < 2*slowness {
		t.Errorf("slow took %s", took)
	}

	p.Set(Stall)
	if got, err := said(t, third, "late", soon); got != "" || !isTimeout(err) {
		t.Errorf("stalled: %q, %v", got, err)
	}
	p.Set(Pass)
	if got, err := said(t, third, "r", ample); got != "l" || err != nil {
		t.Errorf("what was stalled comes back as %q, %v", got, err)
	}

	fourth := dial(t, p)
	pass("before the hole", fourth)
	p.Set(BlackHole)
	if got, err := said(t, fourth, "gone", soon); got != "" || !isTimeout(err) {
		t.Errorf("black hole: %q, %v", got, err)
	}
	p.Set(Pass)
	if got, err := said(t, fourth, "hello", ample); got != "" || !isReset(err) {
		t.Errorf("after the hole: %q, %v", got, err)
	}
}

// TestProxyHalfWay checks that a connection is reset in the middle of an
// answer.
func TestProxyHalfWay(t *testing.T) {
	t.Parallel()
	p := startProxy(t)
	p.Set(HalfWay)
	message := strings.Repeat("x", 4*halfWayMost)
	got, err := said(t, dial(t, p), message, ample)
	if len(got) > halfWayMost || err == nil || isTimeout(err) || !bytes.HasPrefix([]byte(message), []byte(got)) {
		t.Errorf("%d bytes of the answer came, %v", len(got), err)
	}
}

func isTimeout(err error) bool {
	timeout, ok := errors.AsType[net.Error](err)
	return ok && timeout.Timeout()
}
