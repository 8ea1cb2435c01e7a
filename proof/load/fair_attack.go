package load

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Attack is one way to disturb other tenants.
type Attack struct {
	Name  string
	Style Style
	// Request is the complete request: line, headers and body. For Drip it ends after the first byte of the body.
	Request []byte
}

// Style is the way in which an attack is carried out.
type Style uint8

// The styles of an attack.
const (
	Flood Style = iota // send the request again as soon as it is answered
	Drip               // send the beginning of a request, and wait
	Hold               // connect and send nothing
	Mass               // flood on as many connections as Hold
)

// Crowd is a running attack with its target and the number of connections. It is
// passed as JSON to the attacking process.
type Crowd struct {
	Attack      Attack
	Address     string
	Connections int

	answered, accepted atomic.Int64
}

// Answers counts the answers to an attack.
type Answers struct {
	All      int64 // answers with any status
	Accepted int64 // answers with a status below 400
}

// crowd returns the attack with the number of connections that the plan sets.
func (p *FairPlan) crowd(a Attack, address string) *Crowd {
	connections := map[Style]int{Flood: p.Attackers, Drip: p.Slow, Hold: p.Idle, Mass: p.Idle}[a.Style]
	return &Crowd{Attack: a, Address: address, Connections: connections}
}

// Run attacks until ctx ends and returns the numbers of answers.
func (c *Crowd) Run(ctx context.Context) Answers {
	var attackers sync.WaitGroup
	for range c.Connections {
		attackers.Go(func() {
			for ctx.Err() == nil {
				if err := c.attackOnce(ctx); err != nil {
					pause(ctx, time.Second) // the connection was refused or lost
				}
			}
		})
	}
	attackers.Wait()
	return Answers{All: c.answered.Load(), Accepted: c.accepted.Load()}
}

// runHere attacks from this process.
func runHere(ctx context.Context, c *Crowd) (end func() (Answers, error), err error) {
	ctx, stop := context.WithCancel(ctx)
	answered := make(chan Answers)
	go func() { answered <- c.Run(ctx) }()
	return func() (Answers, error) {
		stop()
		return <-answered, nil
	}, nil
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// attackOnce attacks on one connection until the connection ends.
func (c *Crowd) attackOnce(ctx context.Context) error {
	conn, err := dialer("", time.Now().Add(10*time.Second)).DialContext(ctx, "tcp", c.Address)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	end := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer end()
	request := c.Attack.Request
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
		if response.StatusCode < http.StatusBadRequest {
			c.accepted.Add(1)
		}
		if response.Close {
			return nil
		}
	}
}

// begun returns the headers of a request and the first byte of its body.
func begun(request []byte) []byte {
	head, body, _ := bytes.Cut(request, []byte("\r\n\r\n"))
	return slices.Concat(head, []byte("\r\n\r\n"), body[:min(1, len(body))])
}

// raw returns the bytes of a request. Each of the headers is a line.
func raw(method, path, key, kind, body string, headers ...string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: x\r\n", method, path)
	if key != "" {
		fmt.Fprintf(&b, "Authorization: Bearer %s\r\n", key)
	}
	if kind != "" {
		fmt.Fprintf(&b, "Content-Type: %s\r\nContent-Length: %d\r\n", kind, len(body))
	}
	for _, line := range headers {
		b.WriteString(line + "\r\n")
	}
	b.WriteString("\r\n" + body)
	return []byte(b.String())
}
