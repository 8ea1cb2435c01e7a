package main

import (
	"bytes"
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
	"regexp"
	"strings"
	"time"

	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/tenant"
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
	if err := checkService(*f.service); err != nil {
		return nil, err
	}
	key, keyFrom := os.Getenv(keyVariable), keyVariable
	if *f.apiKey != "" {
		text, err := c.readSecret("-api-key", *f.apiKey)
		if errors.Is(err, errSecretItself) {
			return nil, fmt.Errorf("%w; put a key itself into %s", err, keyVariable)
		}
		if err != nil {
			return nil, err
		}
		key, keyFrom = string(text), "the file "+*f.apiKey
	}
	if key = strings.TrimSpace(key); key == "" {
		return nil, errors.New("the API key is missing: give -api-key FILE or set " + keyVariable)
	}
	if isPlaceholder(key) {
		return nil, fmt.Errorf("%s has a placeholder or a shortened key; put your whole key in its place: %s", keyFrom,
			tenant.KeyForm)
	}
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, fmt.Errorf("%s has more than an API key; it must contain the key alone", keyFrom)
	}
	return &remote{
		url:        strings.TrimSuffix(*f.service, "/"),
		key:        key,
		keyFrom:    keyFrom,
		client:     newClient(),
		readWithin: answerWithin,
		note:       c.note,
	}, nil
}

// checkService checks the address of a service.
func checkService(address string) error {
	const example = "for example http://localhost:8080"
	switch {
	case address == "":
		return errors.New("-service is missing: give the address of the service, " + example)
	case !strings.HasPrefix(address, "https://") && !strings.HasPrefix(address, "http://"):
		return errors.New("-service must begin with http:// or https://, " + example)
	}
	return nil
}

// errSecretItself is the error of a flag that names a file with a secret, if it was given the secret.
var errSecretItself = errors.New("names a file that contains the key")

// readSecret reads a file with a secret that a flag names. If the flag was given the secret itself, the error does not
// repeat it.
func (c *command) readSecret(flagName, file string) ([]byte, error) {
	text, err := c.read(file)
	if err != nil && isSecret(file) {
		return nil, fmt.Errorf("%s %w", flagName, errSecretItself)
	}
	return text, err
}

// secretText matches an API key, even if the end of the key is missing, and the text of the other kinds of keys.
var secretText = regexp.MustCompile(`vk_[a-z]+_[0-9A-Za-z]{12}|verdict-(witness|log|master)-key-1 `)

// isSecret reports whether an argument contains a key.
func isSecret(argument string) bool { return secretText.MatchString(argument) }

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
		DialContext:           dialer(&net.Dialer{Timeout: connectWithin}),
		TLSHandshakeTimeout:   connectWithin,
		IdleConnTimeout:       90 * time.Second,
		ResponseHeaderTimeout: answerWithin,
		ForceAttemptHTTP2:     true,
	}}
}

// remote calls a service.
type remote struct {
	url, key   string
	keyFrom    string // where the key is: a variable or a file
	client     *http.Client
	readWithin time.Duration // how long the service may stop reading a request

	// note tells the user why the command waits. It may be nil.
	note func(format string, args ...any)
}

// inEnvironment returns the words that follow a version of a policy, " in live" or " in sandbox". It returns "" if the
// environment is not known, because the key is not valid.
func (r *remote) inEnvironment() string {
	key, ok := tenant.ParseKey(r.key)
	if !ok {
		return ""
	}
	return " in " + string(key.Environment())
}

// unknownKey returns a sentence about why the service may have refused the key.
func (r *remote) unknownKey() string {
	if _, ok := tenant.ParseKey(r.key); !ok {
		return fmt.Sprintf("the text in %s is not an API key; a part of it may be missing or mistyped: %s", r.keyFrom,
			tenant.KeyForm)
	}
	return fmt.Sprintf("the service at %s does not know the key in %s, or the key was revoked or has expired; create "+
		"one with \"verdict tenant key create\", or on the API keys page of the console", r.url, r.keyFrom)
}

// errScheme is the error of a service that speaks the other protocol of http and https than its address says.
type errScheme struct{ address, speaks string }

func (e *errScheme) Error() string {
	_, rest, _ := strings.Cut(e.address, "://")
	return fmt.Sprintf("the service at %s speaks %s: write -service %s://%s", rest, e.speaks, e.speaks, rest)
}

// errUnreachable is the error of a service to which no connection can be made.
type errUnreachable struct {
	address string
	cause   error
}

func (e *errUnreachable) Error() string {
	return fmt.Sprintf("%s: it may not be running, or -service may not be its address (%v)", e.brief(), e.cause)
}

// brief returns the error without its possible causes.
func (e *errUnreachable) brief() string {
	return fmt.Sprintf("the service at %s cannot be reached", e.address)
}

func (e *errUnreachable) Unwrap() error { return e.cause }

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
	switch e.code {
	case "":
		return fmt.Sprintf("the service answered %d", e.status)
	case fault.CodeUnauthenticated: // the sentence of unknownKey has said it all
		return e.detail
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
	if text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer)); err == nil {
		if refused.status == http.StatusBadRequest && bytes.Contains(text, []byte(plainToTLS)) {
			return nil, &errScheme{address: r.url, speaks: "https"}
		}
		if json.Unmarshal(text, &problem) == nil {
			refused.code, refused.detail, refused.faults = problem.Code, problem.Detail, problem.Errors
		}
	}
	if refused.code == fault.CodeUnauthenticated {
		refused.detail = r.unknownKey()
	}
	return nil, refused
}

// plainToTLS is a part of what a server of Go that speaks https answers to a request without TLS.
const plainToTLS = "HTTP request to an HTTPS server"

// explain says in plain words that the service cannot be reached, or that the connection broke. It keeps the cause,
// which may be a certificate that is not trusted.
func (r *remote) explain(err error) error {
	var request *url.Error
	if !errors.As(err, &request) {
		return err
	}
	if errors.Is(err, http.ErrSchemeMismatch) {
		return &errScheme{address: r.url, speaks: "http"}
	}
	var network *net.OpError
	if errors.As(err, &network) && network.Op == "dial" {
		return &errUnreachable{address: r.url, cause: request.Err}
	}
	return fmt.Errorf("the connection to the service at %s failed: %w", r.url, request.Err)
}

// maxAnswer is the maximum size of a JSON answer that a command reads, in bytes.
const maxAnswer = 64 << 20

// get reads a JSON answer. It tries again for about half a minute if the service does not answer or is unavailable,
// because a node may be restarted while a command waits for a result.
func (r *remote) get(ctx context.Context, path string, into any) error {
	told := "" // what the note says
	for begun := time.Now(); ; {
		text, err := r.getOnce(ctx, path)
		if err == nil {
			return json.Unmarshal(text, into)
		}
		var refused *errRefused
		var scheme *errScheme
		final := errors.As(err, &scheme) || errors.As(err, &refused) &&
			refused.status < http.StatusInternalServerError && refused.status != http.StatusTooManyRequests
		if final {
			return err
		}
		if time.Since(begun) > retryFor {
			return gaveUp(err, told)
		}
		if ctx.Err() != nil { // the user has interrupted the command
			return err
		}
		if told == "" && r.note != nil {
			r.note("%v; trying again for %.0f seconds", err, retryFor.Seconds())
			told = err.Error()
		}
		if err := operation.Sleep(ctx, time.Second); err != nil {
			return err
		}
	}
}

// gaveUp returns the error of get after the last attempt. told is the error that the user has already read, or "". Its
// explanation is not repeated.
func gaveUp(err error, told string) error {
	if told == "" {
		return err
	}
	if unreachable, ok := errors.AsType[*errUnreachable](err); ok && err.Error() == told {
		return fmt.Errorf("gave up after %.0f seconds: %s", retryFor.Seconds(), unreachable.brief())
	}
	return fmt.Errorf("gave up after %.0f seconds: %w", retryFor.Seconds(), err)
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
	case errors.As(err, &refused) && refused.code == fault.CodeUnauthenticated:
		_, _ = fmt.Fprintf(c.stderr, "verdict %s: %s\n", c.name, explain(err))
		return exitRefused
	case errors.As(err, &refused):
		return c.refused("the request", err)
	case errors.Is(err, errDamaged):
		_, _ = fmt.Fprintf(c.stderr, "verdict %s: %s\n", c.name, explain(err))
		return exitRefused
	}
	return c.usage("%s", c.plainFile(explain(err), err))
}
