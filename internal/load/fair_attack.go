package load

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Attack is one way to be a bad neighbour.
type Attack struct {
	Name  string
	Style Style
	// Request is what is sent, whole: line, headers and body.
	Request []byte
}

// Style is how an attack is carried out.
type Style uint8

// The styles.
const (
	Flood Style = iota // send the request again as soon as it is answered
	Drip               // send the headers and one byte of the body, and wait
	Hold               // connect and say nothing
)

// crowd is an attack under way.
type crowd struct {
	address  string
	attack   Attack
	answered atomic.Int64
}

// launch begins an attack that ends with the context.
func (a Attack) launch(ctx context.Context, address string, p FairPlan, attackers *sync.WaitGroup) *crowd {
	c := &crowd{address: address, attack: a}
	connections := map[Style]int{Flood: p.Attackers, Drip: p.Slow, Hold: p.Idle}[a.Style]
	for range connections {
		attackers.Go(func() {
			for ctx.Err() == nil {
				if err := c.attackOnce(ctx); err != nil {
					pause(ctx, time.Second) // it was shut out
				}
			}
		})
	}
	return c
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// attackOnce uses one connection until it ends.
func (c *crowd) attackOnce(ctx context.Context) error {
	conn, err := dialer("", time.Now().Add(10*time.Second)).DialContext(ctx, "tcp", c.address)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	end := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer end()
	request := c.attack.Request
	switch c.attack.Style {
	case Hold:
		request = nil
	case Drip:
		head, body, _ := strings.Cut(string(request), "\r\n\r\n")
		request = []byte(head + "\r\n\r\n" + body[:min(1, len(body))])
	case Flood:
	}
	reader := bufio.NewReaderSize(conn, 4<<10)
	for {
		if _, err := conn.Write(request); err != nil {
			return err
		}
		response, err := http.ReadResponse(reader, nil)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
		if err != nil {
			return err
		}
		c.answered.Add(1)
		if response.Close {
			return nil
		}
	}
}

// raw writes a request as it goes over the wire.
func raw(method, path, key, kind, body string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: x\r\n", method, path)
	if key != "" {
		fmt.Fprintf(&b, "Authorization: Bearer %s\r\n", key)
	}
	if kind != "" {
		fmt.Fprintf(&b, "Content-Type: %s\r\nContent-Length: %d\r\n", kind, len(body))
	}
	b.WriteString("\r\n" + body)
	return []byte(b.String())
}
