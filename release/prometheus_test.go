package main

import (
	"context"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"sigs.k8s.io/yaml"
)

// TestPrometheusHasData lets a Prometheus server scrape a service that decides,
// and asks it for every expression of the dashboard and of the alerts: each must
// have a value. The periods are shortened, because nobody waits for a day.
func TestPrometheusHasData(t *testing.T) {
	if os.Getenv("VERDICT_LONG") == "" {
		t.Skip("part of make long, which installs Prometheus")
	}
	api, metrics := startService(t)
	server := startPrometheus(t, strings.TrimPrefix(metrics, "http://"))
	key := signUp(t, api)
	periods := regexp.MustCompile(`\$__rate_interval|\[(1h|15m|5m)\]| offset (1d|1h)`)
	shortened := func(expression string) string {
		expression = strings.ReplaceAll(expression, "$job", "verdict")
		return periods.ReplaceAllStringFunc(expression, func(period string) string {
			switch period[0] {
			case '$':
				return "10s"
			case ' ':
				return " offset 5s"
			default:
				return "[10s]"
			}
		})
	}
	asked := panels(t)
	for name, expression := range alertExpressions(t) {
		asked[expression] = "alert " + name
	}
	if len(asked) < 20 {
		t.Fatalf("only %d expressions were found", len(asked))
	}
	missing := map[string]string{}
	for begun := time.Now(); time.Since(begun) < 2*time.Minute; time.Sleep(500 * time.Millisecond) {
		post(t, api+"/v1/decisions", key, oneApplication)
		post(t, api+"/v1/decisions", key, `{"applicant":{"age":19},"bureau_report":{"score":780}}`) // a rule hits
		refuse(t, api+"/v1/decisions")
		clear(missing)
		for expression, where := range asked {
			if !hasData(t, server, shortened(expression)) {
				missing[where] = shortened(expression)
			}
		}
		if len(missing) == 0 {
			return
		}
	}
	for where, expression := range missing {
		t.Errorf("%s has no data: %s", where, expression)
	}
}

// alertExpressions returns the expressions of the alerts without their thresholds, because there
// must be data even if nothing is wrong.
func alertExpressions(t *testing.T) map[string]string {
	t.Helper()
	var file struct {
		Groups []struct {
			Rules []struct{ Alert, Expr string }
		}
	}
	if err := yaml.Unmarshal(read(t, rulesFile), &file); err != nil {
		t.Fatal(err)
	}
	threshold := regexp.MustCompile(`(?m)\s*(>|==)\s*[\d.]+\s*$`)
	expressions := map[string]string{}
	for _, group := range file.Groups {
		for _, rule := range group.Rules {
			expressions[rule.Alert] = threshold.ReplaceAllString(rule.Expr, "\n")
		}
	}
	return expressions
}

// startPrometheus starts a server that scrapes the service every second.
func startPrometheus(t *testing.T, target string) (address string) {
	t.Helper()
	folder := t.TempDir()
	config := "global: {scrape_interval: 1s}\nscrape_configs:\n  - job_name: verdict\n    static_configs: [{targets: " +
		"['" +
		target + "']}]\n"
	if err := os.WriteFile(filepath.Join(folder, "prometheus.yml"), []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	address = "127.0.0.1:" + freePort(t)
	server := exec.CommandContext(context.Background(), "prometheus", "--config.file=prometheus.yml",
		"--storage.tsdb.path=data", "--web.listen-address="+address)
	server.Dir = folder
	var logs strings.Builder
	server.Stderr = &logs
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Signal(syscall.SIGTERM) // Wait reports how it ended
		if err := server.Wait(); err != nil {
			t.Errorf("Prometheus did not stop cleanly: %v\n%s", err, logs.String())
		}
	})
	for begun := time.Now(); time.Since(begun) < time.Minute; time.Sleep(100 * time.Millisecond) {
		connection, err := net.Dial("tcp", address)
		if err != nil {
			continue
		}
		_ = connection.Close() // the connection only shows that somebody listens
		if strings.Contains(get(t, "http://"+address+"/-/ready"), "Ready") {
			return "http://" + address
		}
	}
	t.Fatalf("Prometheus is not ready within a minute\n%s", logs.String())
	return ""
}

// hasData reports whether an expression has a value that is a number.
func hasData(t *testing.T, server, expression string) bool {
	t.Helper()
	var answer struct {
		Status, Error string
		Data          struct {
			Result []struct{ Value [2]any }
		}
	}
	decode(t, []byte(get(t, server+"/api/v1/query?query="+url.QueryEscape(expression))), &answer)
	if answer.Status != "success" {
		t.Fatalf("%s: %s", expression, answer.Error)
	}
	for _, result := range answer.Data.Result {
		if result.Value[1] != "NaN" {
			return true
		}
	}
	return false
}
