package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"net/url"
	"os"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// connector connects to whichever host of a URL takes writes. With one host it
// is the driver's own.
type connector struct {
	hosts   []driver.Connector // in the order of the URL
	primary *primary
	timeout time.Duration
}

const (
	// headStart is how long the last good host is asked alone.
	headStart = 200 * time.Millisecond
	// askAgain is when a host that refused is asked again while another has not
	// answered: it may have been promoted since.
	askAgain = 250 * time.Millisecond
)

func (p *primary) connector(config *pgx.ConnConfig) *connector {
	c := &connector{primary: p, timeout: config.ConnectTimeout}
	for _, host := range hostsOf(config) {
		c.hosts = append(c.hosts, stdlib.GetConnector(*host))
	}
	return c
}

// Driver is part of driver.Connector.
func (c *connector) Driver() driver.Driver { return c.hosts[0].Driver() }

// attempt is what came of asking a host.
type attempt struct {
	host int
	conn driver.Conn
	err  error
}

// Connect asks the last good host, then all, and takes the first that accepts.
// It fails when every host has refused, or when the time is over.
func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	if len(c.hosts) == 1 {
		return c.hosts[0].Connect(ctx)
	}
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	attempts := make(chan attempt)
	best := int(c.primary.best.Load())
	for i := range c.hosts {
		var after time.Duration
		if i != best {
			after = headStart
		}
		go c.ask(ctx, i, after, attempts)
	}
	refused := make([]error, len(c.hosts))
	for {
		select {
		case a := <-attempts:
			if a.err == nil {
				c.primary.best.Store(int32(a.host)) //nolint:gosec // a URL has few hosts
				return a.conn, nil
			}
			refused[a.host] = a.err
			if !anyNil(refused) {
				return nil, errors.Join(refused...)
			}
			go c.ask(ctx, a.host, askAgain, attempts)
		case <-ctx.Done():
			return nil, errors.Join(append(refused, ctx.Err())...)
		}
	}
}

func anyNil(errs []error) bool {
	for _, err := range errs {
		if err == nil {
			return true
		}
	}
	return false
}

// ask connects to a host after a time, and closes a connection that nobody
// waits for any more.
func (c *connector) ask(ctx context.Context, host int, after time.Duration, attempts chan<- attempt) {
	timer := time.NewTimer(after)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return
	case <-timer.C:
	}
	conn, err := c.hosts[host].Connect(ctx)
	select {
	case attempts <- attempt{host, conn, err}:
	case <-ctx.Done():
		if err == nil {
			_ = conn.Close() // another host was quicker
		}
	}
}

// hostsOf cuts a configuration into one for each host. The ways to reach one
// host, with and without TLS, stay together.
func hostsOf(config *pgx.ConnConfig) []*pgx.ConnConfig {
	first := &pgconn.FallbackConfig{Host: config.Host, Port: config.Port, TLSConfig: config.TLSConfig}
	ways := append([]*pgconn.FallbackConfig{first}, config.Fallbacks...)
	var hosts []*pgx.ConnConfig
	for _, way := range ways {
		if n := len(hosts); n > 0 && hosts[n-1].Host == way.Host && hosts[n-1].Port == way.Port {
			hosts[n-1].Fallbacks = append(hosts[n-1].Fallbacks, way)
			continue
		}
		host := config.Copy()
		host.Host, host.Port, host.TLSConfig, host.Fallbacks = way.Host, way.Port, way.TLSConfig, nil
		hosts = append(hosts, host)
	}
	return hosts
}

// choosesServer tells whether a URL, or the environment, says what kind of
// server to connect to. If not, it must be one that takes writes.
func choosesServer(databaseURL string) bool {
	u, err := url.Parse(databaseURL)
	return err == nil && u.Query().Has("target_session_attrs") || os.Getenv("PGTARGETSESSIONATTRS") != ""
}

// watched are configurations to look at the hosts with: any server will do,
// since a standby may be promoted.
func watched(config *pgx.ConnConfig) (hosts []*pgconn.Config) {
	for _, host := range hostsOf(config) {
		own := host.Config.Copy()
		own.ValidateConnect, own.ConnectTimeout = nil, watchWithin
		own.RuntimeParams["application_name"] = "verdict watch"
		hosts = append(hosts, own)
	}
	return hosts
}
