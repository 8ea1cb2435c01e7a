package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"
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
	return &remote{url: strings.TrimSuffix(*f.service, "/"), key: key, client: &http.Client{}}, nil
}

// remote calls a service.
type remote struct {
	url, key string
	client   *http.Client
}

// errRefused is the error of a request that the service has refused.
type errRefused struct {
	status       int
	code, detail string
}

func (e *errRefused) Error() string {
	if e.code == "" {
		return fmt.Sprintf("the service answered %d", e.status)
	}
	return fmt.Sprintf("the service answered %d %s: %s", e.status, e.code, e.detail)
}

// send sends a request and returns the answer, whose body the caller must close. A status of 400 or more is an error.
func (r *remote) send(
	ctx context.Context, method, path string, body io.Reader, header map[string]string,
) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, r.url+path, body)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+r.key)
	for name, value := range header {
		request.Header.Set(name, value)
	}
	answer, err := r.client.Do(request)
	if err != nil || answer.StatusCode < http.StatusBadRequest {
		return answer, err
	}
	defer func() { _ = answer.Body.Close() }()
	refused := &errRefused{status: answer.StatusCode}
	var problem struct{ Code, Detail string }
	if text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer)); err == nil &&
		json.Unmarshal(text, &problem) == nil {
		refused.code, refused.detail = problem.Code, problem.Detail
	}
	return nil, refused
}

// maxAnswer is the maximum size of a JSON answer that a command reads, in bytes.
const maxAnswer = 64 << 20

// get reads a JSON answer. It tries again for some seconds if the service does not answer or is unavailable, because a
// node may be restarted while a command waits for a result.
func (r *remote) get(ctx context.Context, path string, into any) error {
	for attempt := 0; ; attempt++ {
		answer, err := r.send(ctx, http.MethodGet, path, nil, nil)
		if err == nil {
			text, failed := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
			_ = answer.Body.Close()
			if err = failed; err == nil {
				return json.Unmarshal(text, into)
			}
		}
		var refused *errRefused
		final := errors.As(err, &refused) && refused.status < http.StatusInternalServerError &&
			refused.status != http.StatusTooManyRequests
		if final || attempt == getAttempts {
			return err
		}
		if err := wait(ctx, time.Second); err != nil {
			return err
		}
	}
}

// getAttempts is how often get tries again.
const getAttempts = 30

// wait waits for d, or returns the error of ctx if ctx ends first.
func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// unanswered reports an error of a request to a service, and returns the exit code.
func (c *command) unanswered(err error) int {
	var refused *errRefused
	if errors.As(err, &refused) {
		return c.refused("the request", err)
	}
	return c.usage("%v", err)
}
