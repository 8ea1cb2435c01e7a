package app

import (
	"flag"
	"io"
	"log/slog"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"verdict/internal/golden"
	"verdict/internal/narrate"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
)

// load parses a command line and an environment.
func load(t *testing.T, args []string, environment map[string]string) (Config, error) {
	t.Helper()
	fs := flag.NewFlagSet("test", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	settings := Bind(fs)
	if err := fs.Parse(args); err != nil {
		t.Fatal(err)
	}
	return settings.Load(func(name string) string { return environment[name] })
}

func TestConfigDefaults(t *testing.T) {
	t.Parallel()
	got, err := load(t, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := Config{
		Addr: "127.0.0.1:8080", MaxBody: 1 << 20, MaxReport: 8 << 20, MaxReading: 512 << 20, MaxConnections: 8192,
		MaxConnectionsEach: 1024, MaxInFlight: 320, ReadTimeout: 15 * time.Second, WriteTimeout: 30 * time.Second,
		IdleTimeout: 2 * time.Minute, ShutdownGrace: 20 * time.Second, DatabaseURL: "sqlite:verdict.db",
		Store: store.Options{
			Connections: 8,
			BatchSize:   256,
			QueueSize:   1024,
			QueueWait:   2 * time.Second,
			Timeout:     10 * time.Second,
		},
		Rates: tenant.DefaultRates(), SignupRate: tenant.DefaultSignupRate(),
		RefusalRate:  tenant.Rate{Allowance: 200, Window: time.Second, Burst: 400},
		StrangerRate: tenant.Rate{Allowance: 100, Window: time.Second, Burst: 200}, Plans: tenant.DefaultPricePlans(),
		Passwords: tenant.PasswordRules{MinCharacters: 8}, HashesAtOnce: 1, Signup: tenant.SignupOpen,
		SignupsEachDay: 100, Caps: usecase.DefaultCaps(), PlanCache: 1000, BacktestDays: 30, BatchDays: 30,
		Narration: narrate.Config{Timeout: 5 * time.Second}, LogLevel: slog.LevelInfo, LogFormat: "text", TraceRatio: 1,
	}
	if diff := cmp.Diff(
		want, got, cmp.AllowUnexported(tenant.PricePlans{}), cmpopts.EquateComparable(netip.Prefix{}),
	); diff != "" {
		t.Errorf("the defaults (-want +got):\n%s", diff)
	}
}

func TestConfigPrecedence(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		args []string
		env  map[string]string
		want string
	}{
		{"default", nil, nil, "127.0.0.1:8080"},
		{"variable", nil, map[string]string{"VERDICT_ADDR": ":1"}, ":1"},
		{"flag", []string{"-addr", ":2"}, nil, ":2"},
		{"flag over variable", []string{"-addr", ":2"}, map[string]string{"VERDICT_ADDR": ":1"}, ":2"},
		{"a variable set to nothing is not set", nil, map[string]string{"VERDICT_ADDR": ""}, "127.0.0.1:8080"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := load(t, c.args, c.env)
			if err != nil || got.Addr != c.want {
				t.Errorf("addr is %q (%v), want %q", got.Addr, err, c.want)
			}
		})
	}
	t.Run("a flag can turn off what a variable turned on", func(t *testing.T) {
		t.Parallel()
		got, err := load(t, []string{"-metrics-addr="}, map[string]string{"VERDICT_METRICS_ADDR": ":9090"})
		if err != nil || got.MetricsAddr != "" {
			t.Errorf("metrics-addr is %q (%v)", got.MetricsAddr, err)
		}
	})
	t.Run("our variable before the world's", func(t *testing.T) {
		t.Parallel()
		env := map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://theirs:4318"}
		if got, err := load(t, nil, env); err != nil || got.OTLPEndpoint != "http://theirs:4318" {
			t.Errorf("otlp-endpoint is %q (%v)", got.OTLPEndpoint, err)
		}
		env["VERDICT_OTLP_ENDPOINT"] = "http://ours:4318"
		if got, err := load(t, nil, env); err != nil || got.OTLPEndpoint != "http://ours:4318" {
			t.Errorf("otlp-endpoint is %q (%v)", got.OTLPEndpoint, err)
		}
	})
}

func TestConfigValues(t *testing.T) {
	t.Parallel()
	got, err := load(t, []string{
		"-plan-quotas", "free=10,partner=unmetered", "-plan-storage", "free=64MiB,growth=1TiB",
		"-rate-decide", "5/s", "-max-body", "512KiB", "-trusted-proxies", "10.1.2.3/8, fd00::/8",
		"-log-level", "WARN", "-trace-ratio", "0.25", "-tls-cert", "a", "-tls-key", "b",
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	free, _ := got.Plans.Get("free")
	partner, ok := got.Plans.Get("partner")
	if free.MonthlyQuota != 10 || !ok || !partner.Unmetered || partner.Rates.Decide.Allowance != 5 {
		t.Errorf("the plans are %v, the new one at %v", got.Plans, partner.Rates.Decide)
	}
	growth, _ := got.Plans.Get("growth")
	if free.StoredBytes != 64<<20 || growth.StoredBytes != 1<<40 || partner.StoredBytes != 4<<30 {
		t.Errorf("the plans may store %d, %d and %d bytes", free.StoredBytes, growth.StoredBytes, partner.StoredBytes)
	}
	if got.MaxBody != 512<<10 || got.LogLevel != slog.LevelWarn || got.TraceRatio != 0.25 {
		t.Errorf("got %+v", got)
	}
	if len(got.TrustedProxies) != 2 || got.TrustedProxies[0].String() != "10.0.0.0/8" {
		t.Errorf("the proxies are %v", got.TrustedProxies)
	}
}

// TestConfigMistakes checks that the error for a wrong value names the flag or
// variable and does not repeat the value.
func TestConfigMistakes(t *testing.T) {
	t.Parallel()
	wrong := map[string][]string{
		"addr": {"8080", "", "host:port", ":99999"}, "metrics-addr": {"nowhere"},
		"trusted-proxies": {"10.0.0.1", "10.0.0.0/8;"}, "webhook-allow": {"10.0.0.1", "inside"},
		"sign-on-allow":  {"10.0.0.1", "inside"},
		"sign-on-url":    {"example.in", "ftp://host", "https://host/secret", "https://a:secret@b"},
		"shutdown-delay": {"-1s", "soon"},
		"shutdown-grace": {"20", "1h"}, "max-body": {"1", "1GiB", "9999999999999MiB", "x", "-1MiB"},
		"max-report": {"1", "x"}, "max-reading": {"1MiB", "x"}, "max-connections": {"0", "many"},
		"max-connections-each": {"-1", "some"}, "rate-stranger": {"0/s", "fast"}, "rate-refusal": {"0/s", "slow"},
		"max-in-flight": {"0", "all"}, "read-timeout": {"0s"}, "write-timeout": {"1ms"}, "idle-timeout": {"2h"},
		"rate-decide": {"fast"}, "rate-write": {"0/m"}, "rate-backtest": {""}, "rate-signup": {"1/day"},
		"database-url": {"mysql://secret@host/db", "secret", "sqlite:", ""}, "db-connections": {"0"},
		"db-batch": {"1.5"}, "db-queue": {"-2"}, "db-queue-wait": {"0s"}, "db-timeout": {"1ms"}, "policy-cache": {"0"},
		"backtest-workers": {"-1", "all"}, "batch-retention-days": {"-1", "month"},
		"backtest-retention-days": {"-1", "30d"},
		"narration-url":           {"api.example.com", "ftp://host/v1", "https://me:secret@host/v1"},
		"narration-timeout":       {"0s", "2m"}, "plan-quotas": {"free=-1"},
		"plan-storage":        {"free=4", "free=0GiB", "free=-1GiB", "secret=1GiB", "free=9999999TiB", "4GiB", "free"},
		"password-min-length": {"7"},
		"password-hashes":     {"0"}, "max-drafts": {"0"}, "max-scorecards": {"0"}, "max-blocked": {"0"},
		"max-holds": {"0"},
		"max-lists": {"0", "10001"}, "max-list-entries": {"0", "many"}, "max-list-bytes": {"1KiB", "2TiB"},
		"max-tables": {"0"}, "max-table-rows": {"-1"}, "max-table-bytes": {"0", "x"},
		"max-keys": {"201"}, "signup": {"", "ajar"}, "signups-each-day": {"-1", "many"}, "log-level": {"loud"},
		"log-format":    {"xml"},
		"master-key":    {"/etc/secret", "vault:secret", "file:", "file:verdict-master-key-1 secret"},
		"log-key":       {"verdict-log-key-1 secret"},
		"otlp-endpoint": {"localhost:4318"}, "trace-ratio": {"NaN", "2"},
	}
	// These settings accept any text: the files are read only when the service
	// starts, and only the endpoint can check the narration key and model.
	free := map[string]bool{"tls-cert": true, "tls-key": true, "ip-countries": true, "sign-on": true,
		"log-signed": true, "narration-key": true, "narration-model": true}
	for _, k := range settings {
		if len(wrong[k.name]) == 0 && !free[k.name] {
			t.Errorf("no wrong value of %s is tried", k.name)
		}
		for _, value := range wrong[k.name] {
			_, err := load(t, []string{"-" + k.name + "=" + value}, nil)
			if err == nil || !strings.HasPrefix(err.Error(), "-"+k.name+": ") {
				t.Errorf("-%s=%q: the error is %v", k.name, value, err)
			}
			if value == "" {
				continue
			}
			variable := k.variables()[0]
			_, err = load(t, nil, map[string]string{variable: value})
			if err == nil || !strings.HasPrefix(err.Error(), variable+": ") {
				t.Errorf("%s=%q: the error is %v", variable, value, err)
			}
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("the error repeats the value: %v", err)
			}
		}
	}
	_, err := load(t, []string{"-tls-cert", "a", "-db-batch", "x"}, map[string]string{"VERDICT_LOG_LEVEL": "loud"})
	for _, want := range []string{"-tls-cert and -tls-key: ", "-db-batch: ", "VERDICT_LOG_LEVEL: "} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not name %s: %v", want, err)
		}
	}
}

func TestBindOnlyWhatIsNamed(t *testing.T) {
	t.Parallel()
	fs := flag.NewFlagSet("test", flag.ContinueOnError)
	Bind(fs, "database-url")
	var names []string
	fs.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	if diff := cmp.Diff([]string{"database-url"}, names); diff != "" {
		t.Error(diff)
	}
}

func TestUnknownVariables(t *testing.T) {
	t.Parallel()
	got := UnknownVariables(
		[]string{"VERDICT_ADDR=:1", "VERDICT_ADRR=:1", "HOME=/", "VERDICT_", "OTEL_EXPORTER_OTLP_ENDPOINT=x"})
	if diff := cmp.Diff([]string{"VERDICT_ADRR", "VERDICT_"}, got); diff != "" {
		t.Error(diff)
	}
	for unknown, want := range map[string]string{
		"VERDICT_ADRR": "VERDICT_ADDR", "VERDICT_MAXBODY": "VERDICT_MAX_BODY", "VERDICT_": "", "VERDICT_COLOUR": "",
	} {
		if near := LikelyVariable(unknown); near != want {
			t.Errorf("for %s, %q is suggested, not %q", unknown, near, want)
		}
	}
}

// TestConfigurationPageIsCurrent checks that the page lists the current
// settings, and that each setting has a unique name and a description.
func TestConfigurationPageIsCurrent(t *testing.T) {
	t.Parallel()
	const page = "../../docs/CONFIGURATION.md"
	golden.File(t, page, string(Markdown()))
	seen := map[string]bool{}
	for _, k := range settings {
		if seen[k.name] || k.meaning == "" || k.form == "" || strings.ContainsAny(k.meaning+k.def, "|`") {
			t.Errorf("%s: there twice, without a meaning, or with a sign that breaks the page", k.name)
		}
		seen[k.name] = true
	}
}
