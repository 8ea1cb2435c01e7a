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

// keeper stores answers. keep returns after the row is durable.
type keeper interface {
	keep(ctx context.Context, r *row) error
	close() error
}

// row is the stored part of a decision. The answer and the facts are as long as in our
// own table of decisions, which has more columns.
type row struct {
	id       string
	micros   int64
	response []byte
	facts    []byte
}

// bare is the simplest possible server with net/http and encoding/json. It decodes the
// request into a struct and encodes another struct as the answer. It decides nothing:
// its answers are prepared, except for the id and the time. It has no keys, no limits
// and no timeouts.
type bare struct {
	decisions, previews []Answer
	facts               [][]byte
	keeper              keeper // nil if nothing is stored
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
	server := &http.Server{Handler: mux} //nolint:gosec // Timeouts cost time, and only the benchmark is a client.
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

// routes returns the handlers of a role.
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

// openKeeper opens the storage of a bare handler. It returns nil if the handler stores
// nothing.
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
		return nil, fmt.Errorf("unknown role %q", order.Role)
	}
}

func (b *bare) handler(answer func(context.Context, *Request) ([]byte, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, "the body cannot be read", http.StatusBadRequest)
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
		_, _ = w.Write(out) // fails only if the client has disconnected
	}
}

var jsonType = []string{"application/json"}

var errStranger = errors.New("the applicant is not in the book")

// number returns the index of the request's applicant in the book.
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

// id returns a new decision id. Ids ascend and are as long as ours.
func (b *bare) id() string {
	id := []byte(EmptyDecisionID)
	digits := strconv.AppendInt(make([]byte, 0, 20), b.last.Add(1), 10)
	copy(id[len(id)-len(digits):], digits)
	return string(id)
}

// encode returns an answer as JSON without HTML escaping, because our answers are not
// HTML-escaped either.
func encode(a *Answer) []byte {
	var b bytes.Buffer
	b.Grow(4 << 10)
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	must(0, e.Encode(a))
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
