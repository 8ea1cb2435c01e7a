package service

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"verdict/internal/app"
	"verdict/internal/logkey"
	"verdict/internal/masterkey"
	"verdict/internal/sealing"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// serveOurs runs "verdict serve" with its defaults, except for the following settings. It sets the addresses,
// the database and a log key, and enables the metrics. The rate limit and the quota are so high that a
// benchmark cannot reach them. The service still counts every request for both limits.
func serveOurs(ctx context.Context, order childOrder) error {
	folder, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }() // the folder contains only two keys
	key := filepath.Join(folder, "log-key")
	if _, err := logkey.Create(key, strings.NewReader(strings.Repeat("k", ed25519.SeedSize))); err != nil {
		return err
	}
	master := filepath.Join(folder, "master-key")
	if _, err := masterkey.Create(master, strings.NewReader(strings.Repeat("m", sealing.SecretSize))); err != nil {
		return err
	}
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	settings := app.Bind(flags)
	if err := flags.Parse([]string{
		"-addr", "127.0.0.1:0", "-metrics-addr", "127.0.0.1:0", "-database-url", order.Database,
		"-rate-decide", "1000000000/s", "-plan-quotas", "free=1000000000000", "-log-key", key,
		"-master-key", "file:" + master,
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

// Customer is the tenant whose key the requests contain.
type Customer struct{ Key, TenantID string }

// SignUp signs up a tenant at a service and returns its key and id.
func SignUp(ctx context.Context, address string) (c Customer, err error) {
	const body = `{"email":"bench@example.in","org_name":"Bench","password":"a long password"}`
	url := "http://" + address + "/api/signup"
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader([]byte(body)))
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
		return c, fmt.Errorf("read the answer to the signup: %w", err)
	}
	return Customer{made.Key, made.Tenant.ID}, nil
}

// countOurs returns the number of the customer's decisions after the service has ended.
// It returns an error if a decision was not billed.
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
