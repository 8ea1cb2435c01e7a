package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

const rulesFile = "../deploy/prometheus/verdict.rules.yml"

// metricName matches the metrics of an expression.
var metricName = regexp.MustCompile(`\b(?:verdict|process)_[a-z_]+\b`)

// TestEveryExpressionHasData starts the service and requests a decision. It then compares the exported metrics with
// the metrics that the alerts and the dashboard use.
func TestEveryExpressionHasData(t *testing.T) {
	exported := scrape(t)
	asked := map[string]string{}
	for expression, panel := range panels(t) {
		for _, name := range metricName.FindAllString(expression, -1) {
			asked[name] = "panel " + panel
		}
	}
	for line := range strings.Lines(string(read(t, rulesFile))) {
		if strings.HasPrefix(strings.TrimSpace(line), "runbook:") {
			continue
		}
		for _, name := range metricName.FindAllString(line, -1) {
			asked[name] = "alert"
		}
	}
	// The labels that an expression selects must be those of the service, too.
	for _, label := range []string{
		`verdict_http_request_duration_seconds_bucket{method="POST",route="POST /v1/decisions",status="2xx",`,
		`verdict_http_requests_total{method="POST",route="POST /v1/decisions",status="2xx"}`,
		`verdict_decisions_total{status="APPROVED"}`, `verdict_decisions_total{status="REFERRED"}`,
	} {
		if !strings.Contains(exported, "\n"+label) {
			t.Errorf("the service does not export %s", label)
		}
	}
	if len(asked) < 10 {
		t.Fatalf("only %d metrics were found in the files", len(asked))
	}
	for name, by := range asked {
		if !strings.Contains(exported, "\n"+name+" ") && !strings.Contains(exported, "\n"+name+"{") {
			t.Errorf("%s asks for %s, which the service does not export", by, name)
		}
	}
}

// panels returns the expressions of the dashboard, with the titles of their
// panels.
func panels(t *testing.T) map[string]string {
	t.Helper()
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	decode(t, read(t, "../deploy/grafana/verdict.json"), &dashboard)
	expressions := map[string]string{}
	for _, p := range dashboard.Panels {
		for _, target := range p.Targets {
			expressions[target.Expr] = p.Title
		}
	}
	return expressions
}

// scrape returns the metrics of a service that has made a decision.
func scrape(t *testing.T) string {
	t.Helper()
	api, metrics := startService(t)
	key := signUp(t, api)
	post(t, api+"/v1/decisions", key, oneApplication)
	refuse(t, api+"/v1/decisions")
	// Results of rules are counted about once a second.
	for begun := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		text := get(t, metrics+"/metrics")
		if strings.Contains(text, "verdict_rule_results_total{") || time.Since(begun) > time.Minute {
			return text
		}
	}
}

const oneApplication = `{"applicant":{"age":30},"bureau_report":{"score":780}}`

func signUp(t *testing.T, api string) (key string) {
	t.Helper()
	return fmt.Sprint(post(t, api+"/api/signup", "",
		`{"email":"a@example.in","org_name":"Acme","password":"a long password"}`)["api_key"])
}

// buildService builds the service of this working tree. With -trimpath, the results of the release's build can be used.
func buildService(t *testing.T) (binary string) {
	t.Helper()
	binary = filepath.Join(t.TempDir(), "verdict")
	command(t, "sh", "-c", "cd .. && CGO_ENABLED=0 go build -trimpath -o '"+binary+"' ./cmd/verdict")
	return binary
}

// startService builds and starts the service of this working tree, and returns
// the addresses of its API and of its metrics.
func startService(t *testing.T) (api, metrics string) {
	t.Helper()
	folder, binary := t.TempDir(), buildService(t)
	api, metrics = "127.0.0.1:"+freePort(t), "127.0.0.1:"+freePort(t)
	service := exec.CommandContext(context.Background(), binary, "serve", "-addr", api, "-metrics-addr", metrics)
	service.Dir = folder
	var logs strings.Builder
	service.Stderr = &logs
	if err := service.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = service.Process.Signal(syscall.SIGTERM) // Wait reports how it ended
		if err := service.Wait(); err != nil {
			t.Errorf("the service did not stop cleanly: %v\n%s", err, logs.String())
		}
	})
	ready := false
	for begun := time.Now(); !ready && time.Since(begun) < time.Minute; time.Sleep(50 * time.Millisecond) {
		ready = exec.CommandContext(t.Context(), binary, "health", "-ready", "-addr", api).Run() == nil
	}
	if !ready {
		t.Fatalf("not ready within a minute\n%s", logs.String())
	}
	return "http://" + api, "http://" + metrics
}

// refuse sends a request without a key, so that a refusal is counted.
func refuse(t *testing.T, url string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close() // the body is not read
	if response.StatusCode != http.StatusUnauthorized {
		t.Errorf("without a key: %s", response.Status)
	}
}

func get(t *testing.T, url string) string {
	t.Helper()
	return getWithKey(t, url, "")
}

// getWithKey returns what an address answers to a caller with an API key.
func getWithKey(t *testing.T, url, key string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if key != "" {
		request.Header.Set("Authorization", "Bearer "+key)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }() // only read
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestEveryAlertHasARunbook compares the alerts with the sections of the
// runbook.
func TestEveryAlertHasARunbook(t *testing.T) {
	rules, runbook := string(read(t, rulesFile)), string(read(t, "../docs/RUNBOOK.md"))
	var alerts []string
	for _, found := range regexp.MustCompile(`- alert: (\w+)`).FindAllStringSubmatch(rules, -1) {
		alerts = append(alerts, found[1])
		if !strings.Contains(runbook, "\n## "+found[1]+"\n") {
			t.Errorf("docs/RUNBOOK.md has no section %s", found[1])
		}
		if !strings.Contains(rules, "runbook: docs/RUNBOOK.md#"+strings.ToLower(found[1])+"\n") {
			t.Errorf("alert %s does not name its section", found[1])
		}
	}
	if len(alerts) == 0 {
		t.Fatal("no alerts were found")
	}
	for _, found := range regexp.MustCompile(`(?m)^## (\w+)$`).FindAllStringSubmatch(runbook, -1) {
		if !slices.Contains(alerts, found[1]) {
			t.Errorf("section %s of docs/RUNBOOK.md is about no alert", found[1])
		}
	}
}

// TestAlerts runs the checks of promtool, which is part of Prometheus.
func TestAlerts(t *testing.T) {
	if os.Getenv("VERDICT_LONG") == "" {
		t.Skip("part of make long, which installs promtool")
	}
	command(t, "promtool", "check", "rules", rulesFile)
	command(t, "promtool", "test", "rules", strings.Replace(rulesFile, ".yml", ".test.yml", 1))
}

// TestComposeUsesWhatTheReleaseHas checks that the variables of compose.yaml
// are settings of the service.
func TestComposeUsesWhatTheReleaseHas(t *testing.T) {
	settings := string(read(t, "../docs/CONFIGURATION.md"))
	for _, path := range []string{
		"../deploy/compose.yaml", "packaging/verdict.env", "../deploy/chart/templates/_helpers.tpl",
	} {
		names := regexp.MustCompile(`\bVERDICT_[A-Z_]+\b`).FindAllString(string(read(t, path)), -1)
		if len(names) == 0 {
			t.Errorf("%s names no setting", path)
		}
		for _, name := range names {
			if name != "VERDICT_VERSION" && !strings.Contains(settings, "`"+name+"`") {
				t.Errorf("%s: %s is no setting", path, name)
			}
		}
	}
}
