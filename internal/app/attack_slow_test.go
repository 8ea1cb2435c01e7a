package app

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"verdict/internal/store/storetest"
)

// idle is a way to hold a connection open without completing a request.
type idle struct {
	name string
	// begin is sent immediately, and drip repeatedly at a slow rate.
	begin, drip string
}

// attackBySlowness holds connections open in many ways while other clients are
// served. The service must close all of these connections within the configured
// timeouts. The test checks this with the listener's count of open connections.
func attackBySlowness(t *testing.T) {
	t.Helper()
	databaseURL, master := storetest.SQLite(t), testMasterKey(t)
	before, _, stop := startApp(t, "-database-url", databaseURL, "-master-key", master)
	key := signUp(t, before) // with the default timeouts
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	a, _, _ := startApp(t, "-database-url", databaseURL, "-master-key", master,
		"-read-timeout", "3s", "-write-timeout", "8s", "-idle-timeout", "2s")
	auth := "Host: x\r\nAuthorization: Bearer " + key + "\r\nContent-Type: application/json\r\n"
	ways := []idle{
		{"nothing is said", "", ""},
		{"half a request line", "GET /v1/us", ""},
		{"a header without end", "GET /livez HTTP/1.1\r\nHost: x\r\n", "X-A: b\r\n"},
		{"a header byte by byte", "GET /livez HTTP/1.1\r\nHost: x\r\nX-A: ", "b"},
		{"half a body", "POST /v1/decisions HTTP/1.1\r\n" + auth + "Content-Length: 400\r\n\r\n{", ""},
		{"a body byte by byte", "POST /v1/decisions HTTP/1.1\r\n" + auth + "Content-Length: 400\r\n\r\n{", " "},
		{"chunk by chunk", "POST /v1/decisions HTTP/1.1\r\n" + auth + "Transfer-Encoding: chunked\r\n\r\n",
			"1\r\n \r\n"},
		{"a stranger's body", "POST /v1/decisions HTTP/1.1\r\nHost: x\r\nContent-Length: 400\r\n\r\n", " "},
		{"nothing after an answer", "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n", ""},
		{"answers that nobody reads", repeat("GET /docs HTTP/1.1\r\nHost: x\r\n\r\n", 200), ""},
	}
	const each = 5
	begun := time.Now()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var holding sync.WaitGroup
	for _, way := range ways {
		for range each {
			holding.Go(func() { hold(ctx, a.Addr(), way) })
			wireTally.Add("slow clients", "given up")
		}
	}
	again := 0
	for range 20 {
		again += decidedBeside(t, a, key, begun)
	}
	served := time.Since(begun)
	http.DefaultClient.CloseIdleConnections()
	held, _ := a.apiServer.listener.(*limitedListener)
	every := time.NewTicker(20 * time.Millisecond)
	defer every.Stop()
	for held.count() > 0 {
		if time.Since(begun) > patience {
			t.Fatalf("%d of %d connections are still held after %s", held.count(), len(ways)*each, patience)
		}
		<-every.C
	}
	measured("%d slow connections of %d kinds: 20 decisions beside them in %s, %d of them sent again, the last "+
		"connection given up after %s",
		len(ways)*each, len(ways), served.Round(time.Millisecond), again, time.Since(begun).Round(100*time.Millisecond))
	cancel()
	holding.Wait()
	decidedBeside(t, a, key, time.Now())
}

// decidedBeside makes a decision and returns how often it was sent again. On a busy machine the short timeouts of the
// service may end an honest request too, or a connection between two requests. Such a request is sent again. Every
// other refusal fails the test.
func decidedBeside(t *testing.T, a *App, key string, begun time.Time) (again int) {
	t.Helper()
	for ; ; again++ {
		http.DefaultClient.CloseIdleConnections() // the service closes an idle connection after a short time
		status, answer, err := post(t.Context(), a.URL()+"/v1/decisions", key, decisionBody)
		switch {
		case err == nil && status == http.StatusOK:
			return again
		case err == nil && status != http.StatusRequestTimeout:
			t.Fatalf("a decision is answered with %d %v", status, answer)
		case time.Since(begun) > patience:
			t.Fatalf("a decision is not answered: %d %v", status, err)
		}
	}
}

func repeat(text string, n int) (out string) {
	for range n {
		out += text
	}
	return out
}

// hold holds a connection open in one way until the test ends. It never reads,
// so only the server notices when the connection is closed.
func hold(ctx context.Context, addr string, way idle) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", addr)
	if err != nil {
		return
	}
	defer func() { _ = conn.Close() }()
	if tcp, is := conn.(*net.TCPConn); is {
		_ = tcp.SetReadBuffer(4 << 10)
	}
	_ = conn.SetWriteDeadline(time.Now().Add(time.Minute))
	_, _ = io.WriteString(conn, way.begin)
	drops := time.NewTicker(100 * time.Millisecond)
	defer drops.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-drops.C:
			if _, err := io.WriteString(conn, way.drip); way.drip != "" && err != nil {
				<-ctx.Done()
				return
			}
		}
	}
}

// count returns the number of open connections.
func (l *limitedListener) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.open
}
