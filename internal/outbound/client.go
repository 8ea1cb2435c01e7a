// Package outbound sends HTTP requests to addresses that tenants have chosen. It refuses to
// connect to addresses inside the operator's network, whatever a name resolves to.
package outbound

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"

	"verdict/internal/webhook"
)

// Options configures a Client. A zero field gets its default.
type Options struct {
	// Allow lists networks to which the client may connect even if their addresses are
	// forbidden otherwise.
	Allow []netip.Prefix
	// Timeout limits a request, from looking up the name to the end of the response
	// (default 10 s).
	Timeout time.Duration
	// TLS is the configuration of TLS (default: that of the standard library).
	TLS *tls.Config
	// Resolver looks up names (default: net.DefaultResolver).
	Resolver *net.Resolver
}

const (
	defaultTimeout = 10 * time.Second
	dialTimeout    = 5 * time.Second
	maxHeader      = 16 << 10
	// maxBody is how much of a response is read. The connection of a longer response is
	// closed.
	maxBody     = 64 << 10
	idleTimeout = 30 * time.Second
	idleEach    = 10 // idle connections for each host
	idleAll     = 256
)

// Client sends requests. It is safe for concurrent use.
type Client struct {
	http    *http.Client
	timeout time.Duration
}

// New returns a client.
func New(o Options) *Client {
	if o.Timeout == 0 {
		o.Timeout = defaultTimeout
	}
	check := guard{allow: o.Allow, own: net.InterfaceAddrs}
	dialer := &net.Dialer{
		Timeout:  dialTimeout,
		Resolver: o.Resolver,
		// Control is called with the address of each connection, after the name was looked up, so an address from an
		// earlier look-up cannot bypass the check.
		Control: func(_, address string, _ syscall.RawConn) error { return check.address(address) },
	}
	return &Client{
		timeout: o.Timeout,
		http: &http.Client{
			// A redirect could lead to any other address, and would carry the event there.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
			Transport: &http.Transport{
				Proxy:                  nil, // a proxy would connect to the address, without the check
				DialContext:            dialer.DialContext,
				TLSClientConfig:        o.TLS,
				TLSHandshakeTimeout:    dialTimeout,
				ResponseHeaderTimeout:  o.Timeout,
				MaxResponseHeaderBytes: maxHeader,
				MaxIdleConns:           idleAll,
				MaxIdleConnsPerHost:    idleEach,
				IdleConnTimeout:        idleTimeout,
				DisableCompression:     true,
			},
		},
	}
}

// HTTP returns an HTTP client with the same rules, for a library that sends requests itself. It
// follows no redirects, and reading more than limit bytes of a response fails.
func (c *Client) HTTP(limit int64) *http.Client {
	return &http.Client{
		Transport:     limited{c.http.Transport, limit},
		CheckRedirect: c.http.CheckRedirect,
		Timeout:       c.timeout,
	}
}

// limited limits how much of a response can be read.
type limited struct {
	http.RoundTripper
	limit int64
}

func (l limited) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := l.RoundTripper.RoundTrip(r)
	if err == nil {
		response.Body = http.MaxBytesReader(nil, response.Body, l.limit)
	}
	return response, err
}

// The reasons why a request got no response.
const (
	ProblemTimeout    = "timeout"
	ProblemForbidden  = "address_forbidden"
	ProblemLookup     = "name_not_found"
	ProblemTLS        = "tls_failed"
	ProblemConnection = "connection_failed"
	ProblemResponse   = "invalid_response"
)

// Post sends a body and returns the status of the response. If there is no valid response,
// status is 0 and problem says why. The body of the response is discarded.
func (c *Client) Post(
	ctx context.Context, url string, header map[string]string, body []byte,
) (status int, problem string) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return 0, ProblemConnection
	}
	for name, value := range header {
		request.Header.Set(name, value)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return 0, problemOf(err)
	}
	defer func() { _ = response.Body.Close() }()
	// Read the body so that the connection can be used again. Its content and a read error do not matter, because the
	// receiver has answered.
	_, _ = io.CopyN(io.Discard, response.Body, maxBody)
	return response.StatusCode, ""
}

// problemOf returns the reason for an error, without its text, which may contain addresses of the operator's network.
func problemOf(err error) string {
	var timeout net.Error
	var lookup *net.DNSError
	var operation *net.OpError
	var record tls.RecordHeaderError
	var certificate *tls.CertificateVerificationError
	var alert tls.AlertError
	switch {
	case errors.Is(err, errForbidden):
		return ProblemForbidden
	case errors.As(err, &timeout) && timeout.Timeout(), errors.Is(err, context.DeadlineExceeded):
		return ProblemTimeout
	case errors.As(err, &lookup):
		return ProblemLookup
	case errors.As(err, &certificate), errors.As(err, &record), errors.As(err, &alert),
		errors.Is(err, http.ErrSchemeMismatch):
		return ProblemTLS
	case errors.As(err, &operation), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return ProblemConnection
	}
	return ProblemResponse
}

// errForbidden is the error of a connection to a forbidden address.
var errForbidden = errors.New("the address is not on the public internet")

// guard checks addresses.
type guard struct {
	allow []netip.Prefix
	own   func() ([]net.Addr, error)
}

// address returns errForbidden unless a connection to the address, with its port, is
// permitted.
func (g guard) address(address string) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return errForbidden
	}
	addr := at.Addr()
	for _, p := range g.allow {
		if p.Contains(addr) {
			return nil
		}
	}
	if webhook.Forbidden(addr) {
		return errForbidden
	}
	// A public address of this machine would reach the service behind its own firewall.
	own, err := g.own()
	if err != nil {
		return errForbidden
	}
	for _, a := range own {
		if p, err := netip.ParsePrefix(a.String()); err == nil && p.Addr().Unmap() == addr {
			return errForbidden
		}
	}
	return nil
}
