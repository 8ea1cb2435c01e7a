package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"verdict/internal/app"
)

const healthHelp = `Ask the service on this machine whether it is alive, and exit with 0 if it is:

  verdict health
  verdict health -ready

It reads the same settings as "verdict serve". It is meant for the
health check of a container or a supervisor. Restart a service that is not alive. A
service that is alive but not ready, for example because its database cannot be
reached, must not get requests, but a restart does not help.
`

// healthTimeout is how long health waits for an answer.
const healthTimeout = 4 * time.Second

func health(c *command) int {
	fs := c.flags(healthHelp)
	settings := app.Bind(fs, "addr", "tls-cert", "tls-key")
	ready := fs.Bool("ready", false, "also fail if the service is alive but not ready for requests")
	if code, done := c.parse(fs, 0); done {
		return code
	}
	config, err := settings.Load(os.Getenv)
	if err != nil {
		return c.usage("%v", err)
	}
	url, err := probeURL(config.Addr, config.TLSCert != "", *ready)
	if err != nil {
		return c.usage("%v", err)
	}
	status, reason, err := probe(context.Background(), url)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("%d %s\n%s", status, http.StatusText(status), reason)
	}
	if err != nil {
		return c.refused("the service is not healthy", err)
	}
	return exitOK
}

// probeURL returns the URL of the probe of the service on this machine.
func probeURL(addr string, secure, ready bool) (string, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", fmt.Errorf("-addr must be host:port: %w", err)
	}
	// A service that listens on all addresses is asked on the loopback address.
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	scheme, path := "http", "/livez"
	if secure {
		scheme = "https"
	}
	if ready {
		path = "/readyz"
	}
	return scheme + "://" + net.JoinHostPort(host, port) + path, nil
}

// probe asks the service once, and returns the status and the text of the answer. An error means that there was no
// answer.
func probe(ctx context.Context, url string) (status int, reason string, err error) {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, "", err
	}
	client := &http.Client{
		Transport: &http.Transport{
			DialContext: dialer(&net.Dialer{}),
			// The certificate is for the public name, not for localhost. Nothing secret is sent.
			TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // see above
		},
		// The service never redirects a probe, so a redirect is from something else, and it is not followed.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = response.Body.Close() }() // the body is only read
	text, err := io.ReadAll(io.LimitReader(response.Body, 4096))
	return response.StatusCode, string(text), err
}
