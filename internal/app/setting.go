package app

import (
	"slices"
	"strings"
	"time"
)

// setting is one value that an operator can configure. The help text, the
// documentation and the errors are derived from it.
type setting struct {
	group   string
	name    string // name of the flag; the name of the environment variable is derived from it
	also    string // another environment variable that is commonly used for the same value
	form    string // the form of the value
	def     string
	meaning string
	set     func(c *Config, text string) error
}

const variablePrefix = "VERDICT_"

// variables returns the names of the environment variables of the setting. The
// first variable that is set is used.
func (k setting) variables() []string {
	names := []string{variablePrefix + strings.ToUpper(strings.ReplaceAll(k.name, "-", "_"))}
	if k.also != "" {
		names = append(names, k.also)
	}
	return names
}

// The groups of settings, in the order of the documentation.
const (
	groupListen = "Listening"
	groupLimit  = "Limits"
	groupStore  = "Storage"
	groupTenant = "Plans and people"
	groupAgent  = "Agents"
	groupSee    = "Logs, metrics, traces"
)

// settings is the table of all settings, in the order of the documentation.
var settings = slices.Concat(serviceSettings, tenantSettings, agentSettings)

// serviceSettings are the settings of listening, limits and storage.
var serviceSettings = []setting{
	{
		group:   groupListen,
		name:    "addr",
		form:    "host:port",
		def:     "127.0.0.1:8080",
		meaning: "address on which the API and the console listen; port 0 selects a free port",
		set:     address(func(c *Config) *string { return &c.Addr }, false),
	},
	{
		group:   groupListen,
		name:    "tls-cert",
		form:    "file",
		meaning: "certificate chain in PEM; the file is read again when it changes; with -tls-key it turns TLS on",
		set:     text(func(c *Config) *string { return &c.TLSCert }),
	},
	{
		group:   groupListen,
		name:    "tls-key",
		form:    "file",
		meaning: "private key of -tls-cert, in PEM",
		set:     text(func(c *Config) *string { return &c.TLSKey }),
	},
	{
		group: groupListen,
		name:  "trusted-proxies",
		form:  "CIDRs",
		meaning: "networks of trusted proxies, separated by commas. Their X-Forwarded-For header is used for " +
			"limits by address and for the list of sessions; their X-Forwarded-Proto header decides whether " +
			"cookies are Secure. Set it if a proxy terminates TLS",
		set: prefixes(func(c *Config) *prefixList { return &c.TrustedProxies }),
	},
	{
		group: groupListen,
		name:  "shutdown-delay",
		form:  "duration",
		def:   "0s",
		meaning: "how long to accept requests after /readyz has started to answer 503, so that a load balancer can " +
			"remove the node",
		set: period(func(c *Config) *time.Duration { return &c.ShutdownDelay }, 0, 10*time.Minute),
	},
	{
		group:   groupListen,
		name:    "shutdown-grace",
		form:    "duration",
		def:     "20s",
		meaning: "how long requests in progress may take to finish at shutdown",
		set:     period(func(c *Config) *time.Duration { return &c.ShutdownGrace }, 0, 10*time.Minute),
	},

	{
		group: groupLimit,
		name:  "max-body",
		form:  "size",
		def:   "1MiB",
		meaning: "maximum size of a request body of the API; other limits apply to the requests of -max-report, to " +
			"signup (8 KiB), to fitting a scorecard (64 MiB) and to uploaded files",
		set: size(func(c *Config) *int64 { return &c.MaxBody }, 1<<10, 64<<20),
	},
	{
		group: groupLimit,
		name:  "max-report",
		form:  "size",
		def:   "8MiB",
		meaning: "maximum size of a request body that may contain a bureau report or rows: evaluate, preview, " +
			"eligibility, underwrite, and a backtest with a JSON body",
		set: size(func(c *Config) *int64 { return &c.MaxReport }, 1<<10, 64<<20),
	},
	{
		group: groupLimit,
		name:  "max-reading",
		form:  "size",
		def:   "512MiB",
		meaning: "memory for the bodies of all requests in progress, of the API and the console; one tenant can " +
			"use at most half of it; further requests get 503",
		set: size(func(c *Config) *int64 { return &c.MaxReading }, 64<<20, 1<<40),
	},
	{
		group: groupLimit,
		name:  "max-connections",
		form:  "number",
		def:   "8192",
		meaning: "maximum number of open connections. If it is reached, a new connection replaces the longest idle " +
			"connection of the address with the most connections; if that address has no idle connection, the new " +
			"connection is refused",
		set: wholeNumber(func(c *Config) *int { return &c.MaxConnections }, 1, 1_000_000),
	},
	{
		group: groupLimit,
		name:  "max-connections-each",
		form:  "number",
		def:   "1024",
		meaning: "maximum number of open connections of one address (for IPv6, of a /64 network); further " +
			"connections are closed immediately; the proxies of -trusted-proxies are exempt; 0 means no limit",
		set: wholeNumber(func(c *Config) *int { return &c.MaxConnectionsEach }, 0, 1_000_000),
	},
	{
		group: groupLimit,
		name:  "max-in-flight",
		form:  "number",
		def:   "320",
		meaning: "maximum number of concurrent API requests that write; the same limit applies separately to API " +
			"requests that only read, and to the console. One tenant can use at most half of each limit; further " +
			"requests get 503 immediately",
		set: wholeNumber(func(c *Config) *int { return &c.MaxInFlight }, 1, 1_000_000),
	},
	{
		group: groupLimit,
		name:  "read-timeout",
		form:  "duration",
		def:   "15s",
		meaning: "maximum time to read a request; other limits apply to uploaded files (30 s for each 256 KiB) and " +
			"to the rows for fitting a scorecard (two minutes in all)",
		set: period(func(c *Config) *time.Duration { return &c.ReadTimeout }, time.Second, 10*time.Minute),
	},
	{
		group: groupLimit,
		name:  "write-timeout",
		form:  "duration",
		def:   "30s",
		meaning: "maximum time from the end of a request's header to the end of its answer; the work on a request " +
			"is cancelled with 503 after two thirds of it, so clients should wait longer than that; files, exports " +
			"and the rows for fitting a scorecard have their own limits",
		set: period(func(c *Config) *time.Duration { return &c.WriteTimeout }, time.Second, 10*time.Minute),
	},
	{
		group:   groupLimit,
		name:    "idle-timeout",
		form:    "duration",
		def:     "2m",
		meaning: "how long an idle connection stays open",
		set:     period(func(c *Config) *time.Duration { return &c.IdleTimeout }, time.Second, time.Hour),
	},
	{
		group: groupLimit,
		name:  "rate-decide",
		form:  "rate",
		def:   "500/s burst 1000",
		meaning: "rate of requests that decide (decisions, evaluate, preview, eligibility, agents) and of POST " +
			"/v1/scorecards, for each key on each node; requests that only read have a separate limit of the same size",
		set: rate(func(c *Config) *rateSetting { return &c.Rates.Decide }),
	},
	{
		group: groupLimit,
		name:  "rate-write",
		form:  "rate",
		def:   "60/m",
		meaning: "rate of requests that change policies, settings, alerts, reviews, webhooks or the block list, " +
			"cancel a backtest or add a witness's signature, for each key on each node",
		set: rate(func(c *Config) *rateSetting { return &c.Rates.Write }),
	},
	{
		group: groupLimit,
		name:  "rate-backtest",
		form:  "rate",
		def:   "30/m",
		meaning: "rate of backtests, downloads of their rows and pages, and scorecard fits, for each key on each " +
			"node",
		set: rate(func(c *Config) *rateSetting { return &c.Rates.Backtest }),
	},
	{
		group: groupLimit,
		name:  "rate-stranger",
		form:  "rate",
		def:   "100/s burst 200",
		meaning: "rate of requests without a valid key or session, for each address on each node; probes have a " +
			"separate limit of the same size; requests beyond the rate are answered a second late",
		set: rate(func(c *Config) *rateSetting { return &c.StrangerRate }),
	},
	{
		group: groupLimit,
		name:  "rate-refusal",
		form:  "rate",
		def:   "200/s burst 400",
		meaning: "rate of refused requests, for each tenant on each node; refusals beyond the rate are answered " +
			"half a second late, or 100 ms late if the status is 503; a refused body above 64 KiB always delays its " +
			"answer by half a second",
		set: rate(func(c *Config) *rateSetting { return &c.RefusalRate }),
	},
	{
		group:   groupLimit,
		name:    "rate-signup",
		form:    "rate",
		def:     "60/m burst 20",
		meaning: "rate of signups through the API, for each address on each node",
		set:     rate(func(c *Config) *rateSetting { return &c.SignupRate }),
	},

	{
		group: groupStore,
		name:  "database-url",
		form:  "URL",
		def:   "sqlite:verdict.db",
		meaning: "sqlite:PATH, or postgres://user:password@host:port/database?sslmode=…; the URL may name several " +
			"hosts (host1:port,host2:port), and the service uses the one that accepts writes",
		set: databaseURL,
	},
	{
		group: groupStore,
		name:  "log-key",
		form:  "file",
		meaning: "file of the key with which the log of decisions is signed, the same for all nodes; create it " +
			"with \"verdict log create-key\"; the value \"off\" turns signing off. PostgreSQL needs this setting. On " +
			"SQLite the default is the name of the database file followed by \".log-key\"; the service creates that " +
			"file",
		set: logKeySetting,
	},
	{
		group: groupStore,
		name:  "log-signed",
		form:  "folder",
		meaning: "folder in which each process stores the last checkpoints that it has signed, in a file of its " +
			"own; the files must survive restarts; the default is the folder of -log-key",
		set: text(func(c *Config) *string { return &c.LogSigned }),
	},
	{
		group: groupStore,
		name:  "master-key",
		form:  "source",
		meaning: "source of the key that encrypts applicants' data, the same for all nodes: file:PATH, env:NAME, or " +
			"exec:COMMAND, where the command prints the key; create a key with \"verdict keys create\"; the value " +
			"\"off\" stores everything unencrypted. PostgreSQL needs this setting. On SQLite the default is the name " +
			"of the database file followed by \".master-key\"; the service creates that file",
		set: masterKeySetting,
	},
	{
		group: groupStore,
		name:  "db-connections",
		form:  "number",
		def:   "8",
		meaning: "maximum number of connections that read; exports can use at most half of them. On PostgreSQL " +
			"there are up to ten more: two that write, four for tenants whose rows another transaction has " +
			"locked, and four for the queue of backtests. If the URL names several hosts, there is also one for " +
			"each host",
		set: wholeNumber(func(c *Config) *int { return &c.Store.Connections }, 1, 1000),
	},
	{
		group:   groupStore,
		name:    "db-batch",
		form:    "number",
		def:     "256",
		meaning: "maximum number of writes in one commit",
		set:     wholeNumber(func(c *Config) *int { return &c.Store.BatchSize }, 1, 10_000),
	},
	{
		group: groupStore,
		name:  "db-queue",
		form:  "number",
		def:   "1024",
		meaning: "maximum number of writes that wait to be committed; one tenant and environment can use at most " +
			"half of them",
		set: wholeNumber(func(c *Config) *int { return &c.Store.QueueSize }, 1, 1_000_000),
	},
	{
		group:   groupStore,
		name:    "db-queue-wait",
		form:    "duration",
		def:     "2s",
		meaning: "how long a write waits for space in a full queue before it is refused with 503",
		set:     period(func(c *Config) *time.Duration { return &c.Store.QueueWait }, time.Millisecond, time.Minute),
	},
	{
		group: groupStore,
		name:  "db-timeout",
		form:  "duration",
		def:   "10s",
		meaning: "timeout of a read, of a write including its wait in the queue and, on PostgreSQL, of a statement. " +
			"Other timeouts are half as long: on PostgreSQL those of opening a connection, of waiting for a lock and " +
			"of an idle transaction, on SQLite that of waiting for a locked file. On SQLite a commit that has begun " +
			"is not interrupted",
		set: period(func(c *Config) *time.Duration { return &c.Store.Timeout }, 100*time.Millisecond, 10*time.Minute),
	},
	{
		group:   groupStore,
		name:    "policy-cache",
		form:    "number",
		def:     "1000",
		meaning: "maximum number of compiled policies in the cache",
		set:     wholeNumber(func(c *Config) *int { return &c.PlanCache }, 1, 1_000_000),
	},
	{
		group: groupStore,
		name:  "backtest-workers",
		form:  "number",
		def:   "0",
		meaning: "maximum number of chunks of large backtests and of batches that this node runs in parallel; 0 " +
			"means half of its processors, at least one",
		set: wholeNumber(func(c *Config) *int { return &c.BacktestWorkers }, 0, 1000),
	},
	{
		group: groupStore,
		name:  "backtest-retention-days",
		form:  "number",
		def:   "30",
		meaning: "number of days after which the results of a successful backtest are deleted; the export of rows " +
			"and the report as a page are then no longer available, but the report as JSON is; 0 means never; " +
			"uploaded rows are deleted after 7 days in any case",
		set: wholeNumber(func(c *Config) *int { return &c.BacktestDays }, 0, 36500),
	},
	{
		group: groupStore,
		name:  "batch-retention-days",
		form:  "number",
		def:   "30",
		meaning: "number of days after which the results of a batch are deleted; its counts and its decisions stay; " +
			"0 means never",
		set: wholeNumber(func(c *Config) *int { return &c.BatchDays }, 0, 36500),
	},
}

// agentSettings are the settings of agents, logs, metrics and traces.
var agentSettings = []setting{
	{
		group: groupAgent,
		name:  "narration-url",
		form:  "URL",
		meaning: "base URL, without /chat/completions, of an OpenAI-compatible endpoint that rewrites the " +
			"summaries of credit memos; narration is off if empty",
		set: narrationURL,
	},
	{
		group: groupAgent,
		name:  "narration-key",
		form:  "key",
		meaning: "bearer token for -narration-url; set it by its environment variable, because other users of the " +
			"machine can see a command line",
		set: text(func(c *Config) *string { return &c.Narration.Key }),
	},
	{
		group:   groupAgent,
		name:    "narration-model",
		form:    "name",
		meaning: "model that is requested from -narration-url",
		set:     text(func(c *Config) *string { return &c.Narration.Model }),
	},
	{
		group: groupAgent,
		name:  "narration-timeout",
		form:  "duration",
		def:   "5s",
		meaning: "how long a run waits for -narration-url before it uses the plain summary; at most a third of " +
			"-write-timeout",
		set: period(func(c *Config) *time.Duration { return &c.Narration.Timeout }, 100*time.Millisecond, time.Minute),
	},

	{
		group:   groupSee,
		name:    "log-level",
		form:    "level",
		def:     "info",
		meaning: "minimum level of log lines: debug, info, warn or error",
		set:     logLevel,
	},
	{
		group:   groupSee,
		name:    "log-format",
		form:    "format",
		def:     "text",
		meaning: "format of log lines: text or json",
		set:     logFormat,
	},
	{
		group:   groupSee,
		name:    "metrics-addr",
		form:    "host:port",
		meaning: "address for /metrics, which needs no key, so use an address on an internal network; off if empty",
		set:     address(func(c *Config) *string { return &c.MetricsAddr }, true),
	},
	{
		group:   groupSee,
		name:    "otlp-endpoint",
		also:    "OTEL_EXPORTER_OTLP_ENDPOINT",
		form:    "URL",
		meaning: "OTLP/HTTP collector for traces, such as http://localhost:4318; off if empty",
		set:     collector,
	},
	{
		group: groupSee,
		name:  "trace-ratio",
		form:  "0 to 1",
		def:   "1",
		meaning: "share of the traces started here that are recorded; if the caller sends a sampling decision, " +
			"that decision applies",
		set: ratio(func(c *Config) *float64 { return &c.TraceRatio }),
	},
}
