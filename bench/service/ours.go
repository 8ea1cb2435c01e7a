package service

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"verdict/internal/app"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// serveOurs is "verdict serve": everything as it is by default, but for the
// address, the metrics, which are on, and limits that a benchmark does not
// reach. The limiter and the quota still count every request.
func serveOurs(ctx context.Context, order childOrder) error {
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	settings := app.Bind(flags)
	if err := flags.Parse([]string{
		"-addr", "127.0.0.1:0", "-metrics-addr", "127.0.0.1:0", "-database-url", order.Database,
		"-rate-decide", "1000000000/s", "-plan-quotas", "free=1000000000000",
	}); err != nil {
		return err
	}
	config, err := settings.Load(func(string) string { return "" })
	if err != nil {
		return err
	}
	config.Version, config.Commit = "bench", "unknown"
	service, err := app.New(ctx, config, os.Stderr)
	if err != nil {
		return err
	}
	if err := announce(service.Addr()); err != nil {
		return errors.Join(err, service.Close())
	}
	return errors.Join(service.Run(ctx), service.Close())
}

// Customer is the tenant that the load is sent as.
type Customer struct{ Key, TenantID string }

// SignUp makes a customer of a service.
func SignUp(ctx context.Context, address string) (c Customer, err error) {
	const body = `{"email":"bench@example.in","org_name":"Bench","password":"a long password"}`
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address+"/api/signup", bytes.NewReader([]byte(body)))
	if err != nil {
		return c, err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return c, fmt.Errorf("sign up: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	data, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusCreated {
		return c, fmt.Errorf("sign up: %s %s (%v)", response.Status, data, err)
	}
	var made struct {
		Key    string `json:"api_key"`
		Tenant struct {
			ID string `json:"id"`
		} `json:"tenant"`
	}
	if err := json.Unmarshal(data, &made); err != nil {
		return c, fmt.Errorf("read the signup's answer: %w", err)
	}
	return Customer{made.Key, made.Tenant.ID}, nil
}

// countOurs counts the customer's decisions after the service has ended, and
// checks that each was billed.
func countOurs(ctx context.Context, databaseURL string, c Customer) (n int, err error) {
	db, err := store.Open(ctx, databaseURL, store.Options{})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	scope := db.Scope(c.TenantID, string(tenant.Sandbox))
	stored, err := scope.Decisions(ctx).Count()
	if err != nil {
		return 0, err
	}
	usage, err := scope.Usage(ctx).Get(tenant.PeriodOf(time.Now()).Key())
	if err != nil {
		return 0, err
	}
	if usage.Used != stored {
		return 0, fmt.Errorf("%d decisions are stored and %d were billed", stored, usage.Used)
	}
	return int(stored), nil
}
