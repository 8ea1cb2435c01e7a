// Package verdict is a client for Verdict, which decides credit applications.
//
//	client, err := verdict.New("https://verdict.example", verdict.Key("vk_live_..."))
//	decision, err := client.CreateDecision(ctx, nil, api.DecisionRequest{...})
//	fmt.Println(decision.Status)
//
// The types (package api) and a method for each operation are generated from the API description. This package adds
// the API key and retries, returns refusals as errors, iterates over the pages of lists, and verifies webhooks.
package verdict

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	mathrand "math/rand/v2"
	"net/http"
	neturl "net/url"
	"strconv"
	"strings"
	"time"
)

// Client calls one service with one key. It is safe for concurrent use.
//
// A refusal is an error of type *Problem. POST requests get an Idempotency-Key,
// so that a repetition after a lost answer is decided and billed once. Requests
// that were refused because the service is busy, or the rate is exceeded, are
// repeated after Retry-After.
type Client struct {
	url    string
	sender *sender
}

// Option changes how a client calls the service.
type Option func(*sender)

// Key sets the API key.
func Key(key string) Option { return func(s *sender) { s.key = key } }

// HTTPClient sets the client that sends requests, for example with other
// timeouts. The default waits 30 seconds for an answer.
func HTTPClient(client *http.Client) Option { return func(s *sender) { s.client = client } }

// Attempts sets the maximum number of times that a request is sent. The default is 4.
func Attempts(n int) Option { return func(s *sender) { s.attempts = max(n, 1) } }

// Sleep sets how the client waits before it repeats a request, for tests.
func Sleep(sleep func(context.Context, time.Duration) error) Option {
	return func(s *sender) { s.sleep = sleep }
}

// New returns a client for the service at url.
func New(url string, options ...Option) (*Client, error) {
	s := &sender{client: &http.Client{Timeout: 30 * time.Second}, attempts: 4, sleep: sleep}
	for _, option := range options {
		option(s)
	}
	parsed, err := neturl.Parse(url)
	if err != nil || parsed.Host == "" || parsed.Scheme != "http" && parsed.Scheme != "https" {
		return nil, errors.New("the URL of the service must begin with http:// or https:// and name a host")
	}
	wrong := strings.IndexFunc(s.key, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
	if wrong >= 0 { // the message must not contain the key
		return nil, fmt.Errorf("character %d of the key is not a letter, digit or _: "+
			"use the whole key as it was shown when it was created", wrong+1)
	}
	return &Client{url: strings.TrimSuffix(url, "/"), sender: s}, nil
}

// Problem is a refusal of the service, with its reason.
type Problem struct {
	Status    int    `json:"-"`
	Code      string `json:"code"` // stable; a page of the documentation explains it
	Title     string `json:"title"`
	Detail    string `json:"detail"`
	RequestID string `json:"request_id"`
	// Errors has an entry for each invalid field.
	Errors []struct {
		Pointer string `json:"pointer"`
		Code    string `json:"code"`
		Detail  string `json:"detail"`
	} `json:"errors"`
}

func (p *Problem) Error() string { return fmt.Sprintf("%d %s: %s", p.Status, p.Code, p.Detail) }

// longestWait is the longest Retry-After for which a request is repeated. After a longer
// Retry-After the caller gets the refusal, for example because a quota is used up until next month.
const longestWait = 30 * time.Second

// sender sends requests, and repeats them where that is safe.
type sender struct {
	key      string
	client   *http.Client
	attempts int
	sleep    func(context.Context, time.Duration) error
}

// send sends a request until it is answered or refused for good.
func (s *sender) send(request *http.Request) (*http.Response, error) {
	if s.key != "" {
		request.Header.Set("Authorization", "Bearer "+s.key)
	}
	if request.Method == http.MethodPost && request.Header.Get("Idempotency-Key") == "" {
		// Operations without an Idempotency-Key ignore the header.
		request.Header.Set("Idempotency-Key", rand.Text())
	}
	for attempt := 1; ; attempt++ {
		response, err := s.client.Do(request)
		wait, again := pause(attempt), true
		if err == nil {
			if response.StatusCode < 300 {
				return response, nil
			}
			err = problemOf(response)
			wait, again = retry(response, wait)
		}
		if !again || attempt == s.attempts || request.Context().Err() != nil {
			return nil, err
		}
		if request.GetBody != nil {
			body, bodyErr := request.GetBody()
			if bodyErr != nil {
				return nil, errors.Join(err, bodyErr)
			}
			request.Body = body
		} else if request.Body != nil {
			return nil, err // the body was a stream and is gone
		}
		if sleepErr := s.sleep(request.Context(), wait); sleepErr != nil {
			return nil, errors.Join(err, sleepErr)
		}
	}
}

// problemOf reads the document of a refusal and closes its body. A proxy may
// answer with something else; then only the status is known.
func problemOf(response *http.Response) error {
	defer func() { _ = response.Body.Close() }() // the body is only read
	p := &Problem{}
	content, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	if err == nil {
		_ = json.NewDecoder(bytes.NewReader(content)).Decode(p) // a proxy may send something else
	}
	p.Status = response.StatusCode
	return p
}

// retry reports whether a refused request may be repeated, and returns how long to wait before
// that.
func retry(response *http.Response, wait time.Duration) (time.Duration, bool) {
	switch response.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
	default:
		return 0, false
	}
	seconds, err := strconv.ParseUint(response.Header.Get("Retry-After"), 10, 32)
	if err != nil {
		return wait, true
	}
	asked := time.Duration(seconds) * time.Second
	// The additional time keeps clients that were refused together from returning together.
	return asked + mathrand.N(250*time.Millisecond), asked <= longestWait
}

// pause returns how long to wait after an attempt: exponential back-off with jitter.
func pause(attempt int) time.Duration {
	longest := min(200*time.Millisecond<<(attempt-1), 5*time.Second)
	return longest/2 + mathrand.N(longest/2)
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Pages iterates over all entries of a list. page fetches one page: cursor is nil for the first
// page, and next is nil after the last one. The iteration ends after an error.
func Pages[E any](page func(cursor *string) (entries []E, next *string, err error)) iter.Seq2[E, error] {
	return func(yield func(E, error) bool) {
		for cursor := (*string)(nil); ; {
			entries, next, err := page(cursor)
			if err != nil {
				var none E
				yield(none, err)
				return
			}
			for _, e := range entries {
				if !yield(e, nil) {
					return
				}
			}
			if next == nil {
				return
			}
			cursor = next
		}
	}
}
