package load_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"verdict/internal/app"
	"verdict/internal/store/storetest"
	"verdict/proof/load"
)

// TestMain makes this test binary serve as the service, so that the race
// detector covers the service too.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		fmt.Fprintln(os.Stderr, serve(os.Args[2:]))
		os.Exit(1)
	}
	storetest.Main(m)
}

// serve runs "verdict serve" until a signal ends it.
func serve(args []string) error {
	fs := flag.NewFlagSet("serve", flag.ContinueOnError)
	fs.Bool("welcome", false, "")
	settings := app.Bind(fs)
	if err := fs.Parse(args); err != nil {
		return err
	}
	c, err := settings.Load(func(name string) string {
		if name == "VERDICT_LOG_KEY" || name == "VERDICT_MASTER_KEY" { // StartServer sets these variables
			return os.Getenv(name)
		}
		return ""
	})
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	a, err := app.New(ctx, c, os.Stderr)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintln(os.Stdout, "answers at", a.URL())
	return a.Run(ctx)
}

// start runs a service on a database, signs up two tenants, and returns the
// server and a target with their keys.
func start(t *testing.T, databaseURL string, settings ...string) (*load.Server, load.Target) {
	t.Helper()
	s, err := load.StartServer(t.Context(), os.Args[0], databaseURL, t.TempDir(), settings...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Stop() }) // Stop reports the signal as an error
	keys, err := load.SignUp(t.Context(), s.URL, 2)
	if err != nil {
		t.Fatal(err)
	}
	return s, load.Target{Addr: s.Addr(), Keys: keys}
}

func options(mix load.Mix) load.Options {
	return load.Options{Mix: mix, Arrivals: load.Poisson, Seed: 1, Connections: 100, Timeout: 2 * time.Minute}
}

// TestShedding overloads a service with little capacity, and checks that it
// refuses requests beyond the capacity, answers the rest, loses nothing, and
// recovers after the overload.
func TestShedding(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("left out with -short: load")
	}
	//nolint:thelper // the function passed to EachURL is the test itself
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		s, target := start(t, databaseURL, "-max-in-flight", "4")
		// The rates are fixed and not measured, because a measurement of one
		// second on a busy machine is unreliable. No machine reaches these
		// rates with so little capacity.
		plan := load.Plan{
			Connections: []int{4},
			Stage:       time.Second,
			Percents:    []int{100, 20_000},
			Back:        40, // 4 requests, which are accepted even if a busy machine answers slowly
			Saturation:  10,
			Probe:       2 * time.Minute,
		}
		c, err := load.Run(t.Context(), s, load.New(target, options(load.DefaultMix())), plan, t.Logf)
		if err != nil {
			t.Fatal(err)
		}
		for _, wrong := range c.Judge(load.Limits{Refusal: time.Minute, Memory: 2 << 30}) {
			t.Error(wrong)
		}
		flood := c.Steps[1]
		if flood.Refused == 0 || flood.Good == 0 {
			t.Errorf("of %d, %d were answered and %d refused", flood.Due, flood.Good, flood.Refused)
		}
		if c.Back.Due == 0 || c.Back.Good*2 < c.Back.Due {
			t.Errorf("after the flood %d of %d were answered", c.Back.Good, c.Back.Due)
		}
		t.Log(strings.Join(c.Summary(), "\n"))
	})
}

// TestTheMixIsTaken checks that every kind of request is answered with 200 if
// there is enough capacity, so that a load test measures what it claims to.
func TestTheMixIsTaken(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("left out with -short: load")
	}
	_, target := start(t, storetest.SQLite(t))
	// The mix with reads also makes decisions, because a read needs a stored
	// decision.
	for _, mix := range []load.Mix{{1, 0, 0, 1}, {0, 1, 0, 0}, {0, 0, 1, 0}} {
		g := load.New(target, options(mix))
		r := g.Closed(t.Context(), 4, 300*time.Millisecond)
		if r.Good == 0 || r.Good != r.Due {
			t.Errorf("%s: of %d requests %d got 200: %s", mix, r.Due, r.Good, r.FirstWrong)
		}
	}
}

// TestNeighbours checks that all requests of a tenant and all probes are answered during attacks. In some attacks,
// an attacker holds idle connections, announces bodies without sending them, or floods the service. In others, a
// tenant with a large policy sends its most expensive requests. "make fair" also measures which share of its rate
// the tenant keeps. This test does not, because that share says little on a busy machine. The test runs without the
// race detector, which would multiply the memory of the server.
func TestNeighbours(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("left out with -short: load")
	}
	s, target := start(t, storetest.SQLite(t), "-max-connections-each", "300", "-max-connections", "600")
	neighbour, attacker := target.Keys[0], target.Keys[1]
	if err := load.Arm(t.Context(), s.URL, attacker, 500); err != nil {
		t.Fatal(err)
	}
	all, err := load.Attacks(t.Context(), s.URL, attacker)
	if err != nil {
		t.Fatal(err)
	}
	wanted := []string{
		"connections that say nothing", "as many connections with requests, without a key",
		"sign-ins announced and not sent", "large sign-ins announced and not sent",
		"POST /v1/decisions, without a key",
		"POST /v1/evaluate, announced and not sent", "POST /v1/backtest, text/csv, announced and not sent",
		"POST /v1/agents/underwrite", "POST /v1/decisions/batch, application/x-ndjson, large",
		"POST /v1/evaluate, compressed", "POST /v1/rule-sets, large", "GET /v1/policies",
		"GET /v1/decisions?limit=200", "GET /v1/audit as text/csv", "GET /v1/batches/{id}/results",
	}
	var attacks []load.Attack
	for _, a := range all {
		if slices.Contains(wanted, a.Name) {
			attacks = append(attacks, a)
		}
	}
	if len(attacks) != len(wanted) {
		t.Fatalf("%d of %d attacks are there", len(attacks), len(wanted))
	}
	limits := load.FairLimits{P99: time.Minute, Memory: load.DefaultFairLimits().Memory}
	plan := load.FairPlan{
		Limits:      limits,
		Stage:       500 * time.Millisecond,
		Neighbour:   2,
		Attackers:   100,
		Slow:        200,
		Idle:        300,
		ProbeWithin: time.Minute,
	}
	seen, err := load.Fair(t.Context(), s, neighbour, attacks, plan, t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range seen {
		for _, wrong := range d.Judge(limits) {
			t.Errorf("%s: %s", d.Attack.Name, wrong)
		}
		if d.Good == 0 {
			t.Errorf("%s: nothing of the neighbour was answered", d.Attack.Name)
		}
	}
}
