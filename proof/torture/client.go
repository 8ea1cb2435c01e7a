package torture

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

// answerTimeout is how long a client waits for an answer.
const answerTimeout = 15 * time.Second

// maxAnswer is the maximum number of bytes that are read of an answer.
const maxAnswer = 32 << 20

// newClient returns the HTTP client of a workload. It keeps connections,
// follows no redirects and requests no compression, so that it receives exactly
// the bytes that the service sent.
func newClient() *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			MaxIdleConnsPerHost: clients * 2, IdleConnTimeout: 30 * time.Second, DisableCompression: true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// exchange sends a request once. It continues after ctx has ended, because the
// model needs the outcome of a request that was sent.
func (w *Workload) exchange(ctx context.Context, url string, r *request) (answer, outcome) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerTimeout)
	defer cancel()
	began := time.Now()
	w.model.send(r, began)
	a, err := w.carry(ctx, url, r)
	a.began, a.ended = began, time.Now()
	if err != nil {
		return a, w.model.lost(r, began, a.ended, err)
	}
	came := w.model.take(r, a)
	if a.good() {
		w.answered.Add(1)
		if r.writes {
			w.written.Add(1)
		}
	}
	return a, came
}

func (w *Workload) carry(ctx context.Context, url string, r *request) (answer, error) {
	sent, err := http.NewRequestWithContext(ctx, r.method, url+r.path, bytes.NewReader(r.body))
	if err != nil {
		return answer{}, err
	}
	set := func(name, value string) {
		if value != "" {
			sent.Header.Set(name, value)
		}
	}
	set("Content-Type", r.contentType)
	set("Idempotency-Key", r.once)
	set("Prefer", r.prefer)
	set("Cookie", r.cookie)
	if r.key != "" {
		set("Authorization", "Bearer "+r.key)
	}
	response, err := w.client.Do(sent)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return answer{}, fmt.Errorf("read the answer: %w", err)
	}
	return answer{status: response.StatusCode, header: response.Header, body: body}, nil
}

// busyWaits is the maximum number of repetitions while another request with the
// same Idempotency-Key is in progress. Together their pauses take three times
// answerTimeout.
const busyWaits = int(3 * answerTimeout / pause)

// pause is the time between two attempts.
const pause = 20 * time.Millisecond

// deliver sends a request until it has a final answer, its attempts are used
// up, or there is no address. In the last two cases it adds the request to the
// open requests. An Idempotency-Key that stays busy is a violation. deliver
// returns true if the final answer is a success. where returns the address for
// each attempt, or false if there is no address any more.
func (w *Workload) deliver(ctx context.Context, r *request, where func() (string, bool)) (answer, bool) {
	waits := 0
	for try := 0; ; {
		url, ok := where()
		if !ok {
			break
		}
		a, came := w.exchange(ctx, url, r)
		switch came {
		case settled:
			return a, a.good()
		case busy:
			if waits++; waits > busyWaits {
				w.violate("retry-ends", "%s: its Idempotency-Key stays under way", r)
				return a, false
			}
			wait(context.WithoutCancel(ctx), pause)
			continue
		case unknown:
		}
		if try++; try > r.patience || ctx.Err() != nil {
			break
		}
		w.count(func(f *Figures) { f.Retried++ })
		wait(ctx, pause)
	}
	w.model.leave(r)
	wait(ctx, 5*pause) // do not retry an unreachable node at full speed
	return answer{}, false
}

// wait sleeps for d or until ctx ends.
func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

func (w *Workload) violate(promise, format string, args ...any) {
	w.model.mu.Lock()
	defer w.model.mu.Unlock()
	w.model.violate(promise, format, args...)
}

func (w *Workload) count(change func(*Figures)) {
	w.model.mu.Lock()
	defer w.model.mu.Unlock()
	change(&w.model.count)
}
