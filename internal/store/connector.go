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

// connector connects to the host of a URL that accepts writes. If the URL has one host, the driver's own connector is
// used.
type connector struct {
	hosts   []driver.Connector // in the order of the URL
	primary *primary
	timeout time.Duration
}

const (
	// headStart is how long Connect tries only the host that last accepted a
	// connection.
	headStart = 200 * time.Millisecond
	// askAgain is the time after which a host that refused is tried again while
	// another host has not answered yet: the host may have been promoted in the
	// meantime.
	askAgain = 250 * time.Millisecond
)

func (p *primary) connector(config *pgx.ConnConfig) *connector {
	c := &connector{primary: p, timeout: config.ConnectTimeout}
	for _, host := range hostsOf(config) {
		c.hosts = append(c.hosts, stdlib.GetConnector(*host))
	}
	return c
}

// Driver implements driver.Connector.
func (c *connector) Driver() driver.Driver { return c.hosts[0].Driver() }

// attempt is the result of connecting to a host.
type attempt struct {
	host int
	conn driver.Conn
	err  error
}

// Connect tries the host that last accepted a connection, then all hosts, and
// returns the first connection that is accepted. It fails if every host has
// refused or the connect timeout has passed.
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
				c.primary.best.Store(int32(a.host)) // the conversion is safe, because a URL has few hosts
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

// ask waits for the given duration, connects to a host and sends the result to attempts. It closes the connection if
// Connect has returned in the meantime.
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
			_ = conn.Close() // Connect has returned already
		}
	}
}

// hostsOf splits a configuration into one configuration for each host. A host's
// alternatives with and without TLS stay together.
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

// choosesServer reports whether the URL or the environment sets
// target_session_attrs. If neither does, the server must accept writes.
func choosesServer(databaseURL string) bool {
	u, err := url.Parse(databaseURL)
	return err == nil && u.Query().Has("target_session_attrs") || os.Getenv("PGTARGETSESSIONATTRS") != ""
}

// watchConfigs returns a configuration for watching each host. The configurations accept standbys too, because a
// standby may be promoted.
func watchConfigs(config *pgx.ConnConfig) (hosts []*pgconn.Config) {
	for _, host := range hostsOf(config) {
		own := host.Config.Copy()
		own.ValidateConnect, own.ConnectTimeout = nil, watchWithin
		own.RuntimeParams["application_name"] = "verdict watch"
		hosts = append(hosts, own)
	}
	return hosts
}
