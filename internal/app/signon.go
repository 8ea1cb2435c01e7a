package app

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"time"

	"verdict/internal/account"
	"verdict/internal/outbound"
	"verdict/internal/signon"
)

// signOnConfig holds the settings of single sign-on.
type signOnConfig struct {
	File  string
	URL   string
	Allow []netip.Prefix
}

// signOnTimeout limits each request to an identity provider. Signing in needs up to three such
// requests. Together they take less time than a page of the console may take.
const signOnTimeout = 5 * time.Second

// maxSignOnAnswer is how much of a provider's answer is read, in bytes.
const maxSignOnAnswer = 1 << 20

// newConnections reads the connections to identity providers. It sends no request: a provider that
// does not answer must not keep the service from starting.
func newConnections(c Config) ([]account.Connection, error) {
	if c.SignOn.File == "" {
		return nil, nil
	}
	text, err := os.ReadFile(c.SignOn.File)
	if err != nil {
		return nil, fmt.Errorf("-sign-on: %w", err)
	}
	list, err := signon.Read(text, signon.Options{
		HTTP: outbound.New(outbound.Options{Allow: c.SignOn.Allow, Timeout: signOnTimeout}).HTTP(maxSignOnAnswer),
		URL:  c.SignOn.URL,
		Now:  c.Now,
	}, os.Getenv)
	if err != nil {
		return nil, fmt.Errorf("-sign-on: %s: %w", c.SignOn.File, err)
	}
	return list, nil
}

// signOnURL sets and checks the public address of the service.
func signOnURL(c *Config, text string) error {
	c.SignOn.URL = text
	if text == "" {
		return nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil || u.Path != "" ||
		u.RawQuery != "" || u.Fragment != "" {
		return errors.New("must be an address such as https://verdict.example.in, without a path")
	}
	return nil
}
