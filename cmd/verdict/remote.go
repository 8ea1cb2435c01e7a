package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"verdict/internal/operation"
)

// keyVariable is the environment variable with the API key of commands that call a service.
const keyVariable = "VERDICT_KEY"

// remoteFlags are the flags of commands that call a service.
type remoteFlags struct{ service, apiKey *string }

func newRemoteFlags(fs *flag.FlagSet) remoteFlags {
	return remoteFlags{
		service: fs.String("service", "", "`URL` of the service"),
		apiKey:  fs.String("api-key", "", "`file` with the API key; default: the variable "+keyVariable),
	}
}

// open returns the service.
func (f remoteFlags) open(c *command) (*remote, error) {
	if !strings.HasPrefix(*f.service, "https://") && !strings.HasPrefix(*f.service, "http://") {
		return nil, errors.New("-service must be a URL like https://verdict.example")
	}
	key := os.Getenv(keyVariable)
	if *f.apiKey != "" {
		text, err := c.read(*f.apiKey)
		if err != nil {
			return nil, err
		}
		key = string(text)
	}
	if key = strings.TrimSpace(key); key == "" {
		return nil, errors.New("the API key is missing: give -api-key FILE or set " + keyVariable)
	}
	return &remote{
		url:        strings.TrimSuffix(*f.service, "/"),
		key:        key,
		client:     newClient(),
		readWithin: answerWithin,
		note:       c.note,
	}, nil
}

const (
	// connectWithin limits how long a connection may take to be made.
	connectWithin = 30 * time.Second
	// answerWithin is how long the service may take to begin its answer after it has received a request, and how long
	// it may stop reading a request.
	answerWithin = 10 * time.Minute
	// getWithin limits the time of one attempt of get, and retryFor is how long get repeats failed attempts.
	getWithin = time.Minute
	retryFor  = 30 * time.Second
)

// newClient returns a client that gives up if the service does not answer. The time of a whole request is not limited,
// because a large file takes long.
func newClient() *http.Client {
	return &http.Client{Transport: &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: connectWithin}).DialContext,
		TLSHandshakeTimeout:   connectWithin,
		IdleConnTimeout:       90 * time.Second,
		ResponseHeaderTimeout: answerWithin,
		ForceAttemptHTTP2:     true,
	}}
}

// remote calls a service.
type remote struct {
	url, key   string
	client     *http.Client
	readWithin time.Duration // how long the service may stop reading a request

	// note tells the user why the command waits. It may be nil.
	note func(format string, args ...any)
}

// errStalled is the error of a request that the service does not read to its end.
var errStalled = errors.New("the service has stopped reading the file; send it again later")

// watchedBody is the body of a request. The timer stalled fires if the HTTP client does not ask for more data
// within a time, which means that the service has stopped reading. The time that the source of the body takes does
// not count.
type watchedBody struct {
	io.ReadCloser
	within  time.Duration
	stalled *time.Timer
}

func (b *watchedBody) Read(into []byte) (int, error) {
	b.stalled.Stop()
	n, err := b.ReadCloser.Read(into)
	if err == nil {
		b.stalled.Reset(b.within)
	}
	return n, err
}

func (b *watchedBody) Close() error {
	b.stalled.Stop()
	return b.ReadCloser.Close()
}

// answerBody is the body of an answer. Closing it ends the context of the request.
type answerBody struct {
	io.ReadCloser
	end context.CancelCauseFunc
}

func (b *answerBody) Close() error {
	defer b.end(nil)
	return b.ReadCloser.Close()
}

// errRefused is the error of a request that the service has refused.
type errRefused struct {
	status       int
	code, detail string
	faults       []problemFault
}

// problemFault is one of the faults of a refused document.
type problemFault struct{ Pointer, Code, Detail string }

// maxFaults is the maximum number of faults of a refusal that a command prints. The service sends no more.
const maxFaults = 100

func (e *errRefused) Error() string {
	if e.code == "" {
		return fmt.Sprintf("the service answered %d", e.status)
	}
	text := fmt.Sprintf("the service answered %d %s: %s", e.status, e.code, e.detail)
	if len(e.faults) == 1 && strings.Contains(e.detail, e.faults[0].Detail) {
		return text // the detail has said it all
	}
	for _, f := range e.faults[:min(len(e.faults), maxFaults)] {
		text += fmt.Sprintf("\n  %s: %s: %s", cmp.Or(f.Pointer, "(document)"), f.Code, f.Detail)
	}
	if more := len(e.faults) - maxFaults; more > 0 {
		text += fmt.Sprintf("\n  and %d more", more)
	}
	return text
}

// send sends a request and returns the answer, whose body the caller must close. A status of 400 or more is an error.
func (r *remote) send(
	ctx context.Context, method, path string, body io.Reader, header map[string]string,
) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	request, err := http.NewRequestWithContext(ctx, method, r.url+path, body)
	if err != nil {
		cancel(nil)
		return nil, err
	}
	if request.Body != nil {
		stalled := time.AfterFunc(r.readWithin, func() { cancel(errStalled) })
		request.Body = &watchedBody{ReadCloser: request.Body, within: r.readWithin, stalled: stalled}
	}
	request.Header.Set("Authorization", "Bearer "+r.key)
	for name, value := range header {
		request.Header.Set(name, value)
	}
	answer, err := r.client.Do(request)
	if err != nil {
		if errors.Is(context.Cause(ctx), errStalled) {
			err = errStalled
		}
		cancel(nil)
		return nil, r.explain(err)
	}
	answer.Body = &answerBody{answer.Body, cancel}
	if answer.StatusCode < http.StatusBadRequest {
		return answer, nil
	}
	defer func() { _ = answer.Body.Close() }()
	refused := &errRefused{status: answer.StatusCode}
	var problem struct {
		Code, Detail string
		Errors       []problemFault
	}
	if text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer)); err == nil &&
		json.Unmarshal(text, &problem) == nil {
		refused.code, refused.detail, refused.faults = problem.Code, problem.Detail, problem.Errors
	}
	return nil, refused
}

// explain says in plain words that the service cannot be reached, or that the connection broke. It keeps the cause,
// which may be a certificate that is not trusted.
func (r *remote) explain(err error) error {
	var request *url.Error
	if !errors.As(err, &request) {
		return err
	}
	var network *net.OpError
	if errors.As(err, &network) && network.Op == "dial" {
		return fmt.Errorf("the service at %s cannot be reached: it may not be running, or -service may not be its "+
			"address (%w)", r.url, request.Err)
	}
	return fmt.Errorf("the connection to the service at %s failed: %w", r.url, request.Err)
}

// maxAnswer is the maximum size of a JSON answer that a command reads, in bytes.
const maxAnswer = 64 << 20

// get reads a JSON answer. It tries again for about half a minute if the service does not answer or is unavailable,
// because a node may be restarted while a command waits for a result.
func (r *remote) get(ctx context.Context, path string, into any) error {
	told := r.note == nil
	for begun := time.Now(); ; {
		text, err := r.getOnce(ctx, path)
		if err == nil {
			return json.Unmarshal(text, into)
		}
		var refused *errRefused
		final := errors.As(err, &refused) && refused.status < http.StatusInternalServerError &&
			refused.status != http.StatusTooManyRequests
		if final || time.Since(begun) > retryFor {
			return err
		}
		if ctx.Err() != nil { // the user has interrupted the command
			return err
		}
		if !told {
			r.note("%v; trying again for %.0f seconds", err, retryFor.Seconds())
			told = true
		}
		if err := operation.Sleep(ctx, time.Second); err != nil {
			return err
		}
	}
}

func (r *remote) getOnce(ctx context.Context, path string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, getWithin)
	defer cancel()
	answer, err := r.send(ctx, http.MethodGet, path, nil, nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	return io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
}

// unanswered reports an error of a request to a service, and returns the exit code.
func (c *command) unanswered(err error) int {
	var refused *errRefused
	switch {
	case errors.As(err, &refused):
		return c.refused("the request", err)
	case errors.Is(err, errDamaged):
		return c.refused("the file", errDamaged)
	}
	return c.usage("%s", explain(err))
}
