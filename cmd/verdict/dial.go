package main

import (
	"context"
	"net"
	"strings"
)

// dialer returns a function that makes connections with d. It connects to localhost without the resolver, as RFC 6761
// allows: first to 127.0.0.1 and then to ::1. A machine without /etc/hosts would ask a name server, which need not know
// localhost.
func dialer(d *net.Dialer) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		host, port, err := net.SplitHostPort(address)
		if err != nil || !isLocalhost(host) {
			return d.DialContext(ctx, network, address)
		}
		conn, err := d.DialContext(ctx, network, net.JoinHostPort("127.0.0.1", port))
		if err == nil {
			return conn, nil
		}
		if conn, second := d.DialContext(ctx, network, net.JoinHostPort("::1", port)); second == nil {
			return conn, nil
		}
		return nil, err
	}
}

// isLocalhost reports whether a host name always means this machine.
func isLocalhost(host string) bool {
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	return name == "localhost" || strings.HasSuffix(name, ".localhost")
}
