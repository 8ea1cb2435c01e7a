package torture

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// begun is a request that a node has begun to read: the node has sent "100
// Continue".
type begun struct {
	conn  net.Conn
	reply *bufio.Reader
}

// previewBody is the body of a preview. A preview stores nothing, so the model
// does not record it.
const previewBody = `{"bureau_report":{"score":742}}`

func (n *Node) address() string { return strings.TrimPrefix(n.url, "http://") }

// listens reports whether the node accepts connections.
func (n *Node) listens(ctx context.Context) bool {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", n.address())
	if err != nil {
		return false
	}
	reset(conn)
	return true
}

// beginRequests opens connections and begins a request on each.
func beginRequests(ctx context.Context, n *Node, key string, count int) (all []*begun, err error) {
	defer func() {
		if err != nil {
			for _, b := range all {
				_ = b.conn.Close() // the requests have already failed
			}
		}
	}()
	address := n.address()
	for range count {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
		if err != nil {
			return all, err
		}
		b := &begun{conn, bufio.NewReader(conn)}
		all = append(all, b)
		if err := b.begin(address, key); err != nil {
			return all, fmt.Errorf("begin a request: %w", err)
		}
	}
	return all, nil
}

// begin sends everything except the body and waits until the node asks for the
// body.
func (b *begun) begin(address, key string) error {
	if err := b.conn.SetDeadline(time.Now().Add(answerTimeout)); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(b.conn, "POST /v1/decisions/preview HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer "+
		"%s\r\nContent-Type: application/json\r\n"+
		"Content-Length: %d\r\nExpect: 100-continue\r\n\r\n", address, key, len(previewBody)); err != nil {
		return err
	}
	line, err := b.reply.ReadString('\n')
	if err != nil {
		return err
	}
	if !strings.Contains(line, "100 Continue") {
		return fmt.Errorf("the answer begins %q", line)
	}
	_, err = b.reply.ReadString('\n')
	return err
}

// finishRequests sends the bodies and checks that every request is answered.
func finishRequests(all []*begun) error {
	var errs []error
	for _, b := range all {
		if err := errors.Join(b.finish(), b.conn.Close()); err != nil {
			errs = append(errs, fmt.Errorf("a request that had begun was not answered: %w", err))
		}
	}
	return errors.Join(errs...)
}

func (b *begun) finish() error {
	if _, err := io.WriteString(b.conn, previewBody); err != nil {
		return err
	}
	response, err := http.ReadResponse(b.reply, nil)
	if err != nil {
		return err
	}
	body, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d: %s", response.StatusCode, body)
	}
	return nil
}
