package service

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// keeper makes an answer durable before it is given.
type keeper interface {
	keep(ctx context.Context, r *row) error
	close() error
}

// row is what is kept of a decision: as many bytes as we keep ourselves in our
// table of decisions, not counting its further columns.
type row struct {
	id       string
	micros   int64
	response []byte
	facts    []byte
}

// bare is the least that a program with net/http and encoding/json does: read
// the request into a struct, answer with another. It decides nothing; what it
// answers is ready but for the id and the time. It has no key, no limits and no
// timeouts.
type bare struct {
	decisions, previews []Answer
	facts               [][]byte
	keeper              keeper // nil when nothing is stored
	last                atomic.Int64
}

func newBare(k keeper) *bare {
	b := &bare{keeper: k}
	for _, s := range Samples() {
		b.decisions = append(b.decisions, decoded(s.Decision))
		b.previews = append(b.previews, decoded(s.Preview))
		b.facts = append(b.facts, s.Facts)
	}
	return b
}

func decoded(sample []byte) (a Answer) {
	must(0, json.Unmarshal(sample, &a))
	return a
}

func serveBare(ctx context.Context, order childOrder) error {
	k, err := openKeeper(ctx, order)
	if err != nil {
		return err
	}
	b := newBare(k)
	mux := b.routes(order.Role)
	var listening net.ListenConfig
	listener, err := listening.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	server := &http.Server{Handler: mux} //nolint:gosec // Timeouts cost time, and only the benchmark calls.
	go func() {
		<-ctx.Done()
		_ = server.Close() // the load is over
	}()
	if err := announce(listener.Addr().String()); err != nil {
		return err
	}
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve: %w", err)
	}
	if k != nil {
		return k.close()
	}
	return nil
}

// routes are the handlers in the style of a role.
func (b *bare) routes(role string) *http.ServeMux {
	mux := http.NewServeMux()
	switch role {
	case roleHuma:
		b.registerHuma(mux)
	case roleStrict:
		registerStrict(mux, strictBare{b})
	default:
		mux.HandleFunc("POST "+pathDecisions, b.handler(b.decide))
		mux.HandleFunc("POST "+pathPreview, b.handler(b.preview))
	}
	return mux
}

// openKeeper opens what a bare handler is to store its answers in.
func openKeeper(ctx context.Context, order childOrder) (keeper, error) {
	switch order.Role {
	case roleBare, roleHuma, roleStrict:
		return nil, nil
	case roleInsert:
		if path, ok := strings.CutPrefix(order.Database, "sqlite:"); ok {
			return openSQLite(ctx, path)
		}
		return openInsert(ctx, order.Database)
	case roleGroup:
		if path, ok := strings.CutPrefix(order.Database, "sqlite:"); ok {
			return openSQLiteGroup(ctx, path)
		}
		return openCopy(ctx, order.Database)
	default:
		return nil, fmt.Errorf("no bare handler is called %q", order.Role)
	}
}

func (b *bare) handler(answer func(context.Context, *Request) ([]byte, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, "cannot be read", http.StatusBadRequest)
			return
		}
		var request Request
		if err := json.Unmarshal(body, &request); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		out, err := answer(r.Context(), &request)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		header := w.Header()
		header["Content-Type"] = jsonType
		header["Content-Length"] = []string{strconv.Itoa(len(out))}
		_, _ = w.Write(out) // a client that has gone away hears nothing
	}
}

var jsonType = []string{"application/json"}

var errStranger = errors.New("the applicant is not in the book")

// number finds the applicant's place in the book.
func (b *bare) number(r *Request) (int, error) {
	text, ok := strings.CutPrefix(r.Applicant.ID, "APP-")
	n, err := strconv.Atoi(text)
	if !ok || err != nil || n >= len(b.decisions) {
		return 0, errStranger
	}
	return n, nil
}

func (b *bare) decide(ctx context.Context, r *Request) ([]byte, error) {
	n, err := b.number(r)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	a := b.decisions[n]
	a.DecisionID = b.id()
	a.CreatedAt = now.UTC().Format("2006-01-02T15:04:05.000Z07:00")
	out := encode(&a)
	if b.keeper == nil {
		return out, nil
	}
	return out, b.keeper.keep(ctx, &row{id: a.DecisionID, micros: now.UnixMicro(), response: out, facts: b.facts[n]})
}

func (b *bare) preview(_ context.Context, r *Request) ([]byte, error) {
	n, err := b.number(r)
	if err != nil {
		return nil, err
	}
	a := b.previews[n]
	return encode(&a), nil
}

// id is new, grows, and is as long as ours.
func (b *bare) id() string {
	id := []byte(EmptyDecisionID)
	digits := strconv.AppendInt(make([]byte, 0, 20), b.last.Add(1), 10)
	copy(id[len(id)-len(digits):], digits)
	return string(id)
}

// encode writes an answer without escaping what only a web page must escape,
// because our answers do not either.
func encode(a *Answer) []byte {
	var b bytes.Buffer
	b.Grow(4 << 10)
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	must(0, e.Encode(a))
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
