package torture

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"verdict/internal/app"
)

// clockVariable is the environment variable that makes this program run as a node of the service. Its value is the
// path of the file that says how far the node's clock is moved. The Go runtime reads the time without a system
// call, so nothing outside of the process can move its clock.
const clockVariable = "TORTURE_CLOCK"

// clockEvery is the interval at which a node reads the file.
const clockEvery = 5 * time.Millisecond

// Clock moves the clock of the node that watches its file.
type Clock struct {
	path  string
	ahead time.Duration
}

// Set sets how far the nodes' clocks are ahead of the machine's clock.
func (c *Clock) Set(ahead time.Duration) error {
	if err := writeClock(c.path, int64(ahead)); err != nil {
		return err
	}
	c.ahead = ahead
	return nil
}

// Noticed reports whether the node has read the last setting of the clock.
func (c *Clock) Noticed() bool {
	var seen atomic.Int64
	return readClock(c.path+noticed, &seen) == nil && time.Duration(seen.Load()) == c.ahead
}

// noticed is the suffix of the file in which a node confirms how far ahead its
// clock is.
const noticed = ".noticed"

// writeClock writes the file atomically, because a node that reads half a
// number would move its clock to a wrong time.
func writeClock(path string, ahead int64) error {
	next := path + ".next"
	if err := os.WriteFile(next, []byte(strconv.FormatInt(ahead, 10)), 0o600); err != nil {
		return fmt.Errorf("move the clock: %w", err)
	}
	if err := os.Rename(next, path); err != nil {
		return fmt.Errorf("move the clock: %w", err)
	}
	return nil
}

// Now returns the moved time.
func (c *Clock) Now() time.Time { return time.Now().Add(c.ahead) }

// ServeIfAsked must be called first by every program that runs scenarios. If
// the program was started as a node, ServeIfAsked serves and never returns.
func ServeIfAsked() {
	path := os.Getenv(clockVariable)
	if path == "" {
		return
	}
	if err := serveMoved(path, os.Args[1:], os.Stderr); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// serveMoved runs "verdict serve" with the clock that the file moves.
func serveMoved(path string, args []string, logs io.Writer) error {
	fs := flag.NewFlagSet("node", flag.ContinueOnError)
	settings := app.Bind(fs)
	if len(args) == 0 || args[0] != "serve" {
		return errors.New("a node is started with serve")
	}
	if err := fs.Parse(args[1:]); err != nil {
		return err
	}
	config, err := settings.Load(func(string) string { return "" })
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	var ahead atomic.Int64
	if err := readClock(path, &ahead); err != nil {
		return err
	}
	go watchClock(ctx, path, &ahead)
	config.Now = func() time.Time {
		// Strip the monotonic reading, which does not move with the clock.
		return time.Now().Round(0).Add(time.Duration(ahead.Load()))
	}
	service, err := app.New(ctx, config, logs)
	if err != nil {
		return err
	}
	return errors.Join(service.Run(ctx), service.Close())
}

// watchClock reads the clock file at path again and again until ctx ends. It confirms each change in a second file.
func watchClock(ctx context.Context, path string, ahead *atomic.Int64) {
	tick := time.NewTicker(clockEvery)
	defer tick.Stop()
	for told := int64(-1); ; {
		err := readClock(path, ahead)
		if now := ahead.Load(); err == nil && now != told {
			told, err = now, writeClock(path+noticed, now)
		}
		if err != nil {
			_, _ = fmt.Fprintln(os.Stderr, err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func readClock(path string, ahead *atomic.Int64) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read the clock: %w", err)
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil {
		return fmt.Errorf("read the clock: %w", err)
	}
	ahead.Store(n)
	return nil
}
