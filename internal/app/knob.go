package app

import (
	"strings"
	"time"
)

// knob is one thing that an operator can set: written here once, and from here
// in the help text, in the documentation and in the errors.
type knob struct {
	group   string
	name    string // of the flag; the variable's follows from it
	also    string // a variable that the rest of the world uses for it
	form    string // what its value looks like
	def     string
	meaning string
	set     func(c *Config, text string) error
}

const variablePrefix = "VERDICT_"

// variables are the names it is read from, the first that is set.
func (k knob) variables() []string {
	names := []string{variablePrefix + strings.ToUpper(strings.ReplaceAll(k.name, "-", "_"))}
	if k.also != "" {
		names = append(names, k.also)
	}
	return names
}

// The groups, in the order of the documentation.
const (
	groupListen = "Listening"
	groupLimit  = "Limits"
	groupStore  = "Storage"
	groupTenant = "Plans and people"
	groupAgent  = "Agents"
	groupSee    = "Logs, metrics, traces"
)

// knobs is the table.
func knobs() []knob {
	return []knob{
		{groupListen, "addr", "", "host:port", "127.0.0.1:8080", "address on which the API listens; port 0 selects a free port",
			address(func(c *Config) *string { return &c.Addr }, false)},
		{groupListen, "tls-cert", "", "file", "", "certificate chain in PEM; read again when the file changes; together with tls-key it turns TLS on",
			text(func(c *Config) *string { return &c.TLSCert })},
		{groupListen, "tls-key", "", "file", "", "private key in PEM of tls-cert",
			text(func(c *Config) *string { return &c.TLSKey })},
		{groupListen, "trusted-proxies", "", "CIDRs", "", "networks of trusted proxies, separated by commas; their X-Forwarded-For is used for limits by address and the list of sessions, and their X-Forwarded-Proto decides whether cookies are Secure; set it behind a proxy that terminates TLS",
			prefixes(func(c *Config) *prefixList { return &c.TrustedProxies })},
		{groupListen, "shutdown-delay", "", "duration", "0s", "how long to keep accepting requests after readiness has turned 503, so that a load balancer notices",
			period(func(c *Config) *time.Duration { return &c.ShutdownDelay }, 0, 10*time.Minute)},
		{groupListen, "shutdown-grace", "", "duration", "20s", "how long accepted requests may take to finish at shutdown",
			period(func(c *Config) *time.Duration { return &c.ShutdownGrace }, 0, 10*time.Minute)},

		{groupLimit, "max-body", "", "size", "1MiB", "largest request body",
			size(func(c *Config) *int64 { return &c.MaxBody }, 1<<10, 64<<20)},
		{groupLimit, "max-report", "", "size", "8MiB", "largest request body that may contain a bureau report or rows: evaluate, preview, eligibility, underwrite, backtest",
			size(func(c *Config) *int64 { return &c.MaxReport }, 1<<10, 64<<20)},
		{groupLimit, "max-reading", "", "size", "512MiB", "memory for all request bodies of the API and the console that are in progress; one tenant can use at most half of it; requests beyond it get 503",
			size(func(c *Config) *int64 { return &c.MaxReading }, 64<<20, 1<<40)},
		{groupLimit, "max-connections", "", "number", "8192", "open connections; if all are in use, the longest idle connection of the address with the most connections is closed",
			whole(func(c *Config) *int { return &c.MaxConnections }, 1, 1_000_000)},
		{groupLimit, "max-connections-each", "", "number", "1024", "open connections of one address (for IPv6, of a /64 network); further ones are closed immediately; trusted-proxies are exempt; 0 means no limit",
			whole(func(c *Config) *int { return &c.MaxConnectionsEach }, 0, 1_000_000)},
		{groupLimit, "max-in-flight", "", "number", "512", "concurrent requests that write, concurrent requests that only read, and concurrent requests of the console, this many of each; further ones are refused with 503 immediately; one tenant can use at most half of each",
			whole(func(c *Config) *int { return &c.MaxInFlight }, 1, 1_000_000)},
		{groupLimit, "read-timeout", "", "duration", "15s", "longest time to read a request; files have 30 s for every 256 KiB, rows of a scorecard two minutes",
			period(func(c *Config) *time.Duration { return &c.ReadTimeout }, time.Second, 10*time.Minute)},
		{groupLimit, "write-timeout", "", "duration", "30s", "longest time from the end of a request's header to the end of its answer; work is cancelled with 503 after two thirds of it, so callers should wait longer than that; files, exports and rows of a scorecard have their own limits",
			period(func(c *Config) *time.Duration { return &c.WriteTimeout }, time.Second, 10*time.Minute)},
		{groupLimit, "idle-timeout", "", "duration", "2m", "how long an idle connection is kept",
			period(func(c *Config) *time.Duration { return &c.IdleTimeout }, time.Second, time.Hour)},
		{groupLimit, "rate-decide", "", "rate", "500/s burst 1000", "decision endpoints, for each key on each node; reading has a separate limit of the same size",
			rate(func(c *Config) *rateSetting { return &c.Rates.Decide })},
		{groupLimit, "rate-write", "", "rate", "60/m", "writes of configuration, for each key on each node",
			rate(func(c *Config) *rateSetting { return &c.Rates.Write })},
		{groupLimit, "rate-backtest", "", "rate", "30/m", "backtests, their rows and pages, and scorecards from data, for each key on each node",
			rate(func(c *Config) *rateSetting { return &c.Rates.Backtest })},
		{groupLimit, "rate-stranger", "", "rate", "100/s burst 200", "requests without a valid key or session, for each address on each node, and as many probes; further ones are answered a second late",
			rate(func(c *Config) *rateSetting { return &c.StrangerRate })},
		{groupLimit, "rate-refusal", "", "rate", "200/s burst 400", "refusals, for each tenant on each node; further ones are answered half a second late, or 100 ms late when they are 503",
			rate(func(c *Config) *rateSetting { return &c.RefusalRate })},
		{groupLimit, "rate-signup", "", "rate", "60/m burst 20", "signups by the API, for each address on each node",
			rate(func(c *Config) *rateSetting { return &c.SignupRate })},

		{groupStore, "database-url", "", "URL", "sqlite:verdict.db", "sqlite:PATH, or postgres://user:password@host:port/database?sslmode=…; with several hosts, host1:port,host2:port, the one that accepts writes is used",
			databaseURL},
		{groupStore, "db-connections", "", "number", "8", "connections that read, at most half of them for exports; on PostgreSQL two more write, two more serve tenants whose rows another transaction has locked, four serve the queue of backtests, and one watches each host if the URL names several",
			whole(func(c *Config) *int { return &c.Store.Connections }, 1, 1000)},
		{groupStore, "db-batch", "", "number", "256", "maximum number of writes in one commit",
			whole(func(c *Config) *int { return &c.Store.BatchSize }, 1, 10_000)},
		{groupStore, "db-queue", "", "number", "1024", "writes that may wait for the committer, at most half of them of one tenant and environment",
			whole(func(c *Config) *int { return &c.Store.QueueSize }, 1, 1_000_000)},
		{groupStore, "db-queue-wait", "", "duration", "2s", "how long a write waits for space in a full queue before it is refused with 503",
			period(func(c *Config) *time.Duration { return &c.Store.QueueWait }, time.Millisecond, time.Minute)},
		{groupStore, "db-timeout", "", "duration", "10s", "timeout of a write and, on PostgreSQL, of a statement; half of it is the timeout for opening a connection, and for an idle transaction on PostgreSQL; on SQLite half of it is the timeout for a locked file, and a commit takes as long as the disk needs",
			period(func(c *Config) *time.Duration { return &c.Store.Timeout }, 100*time.Millisecond, 10*time.Minute)},
		{groupStore, "policy-cache", "", "number", "1000", "compiled policies kept in memory",
			whole(func(c *Config) *int { return &c.PlanCache }, 1, 1_000_000)},
		{groupStore, "backtest-workers", "", "number", "0", "chunks of large backtests that this node runs in parallel; 0 means half of its processors, at least one",
			whole(func(c *Config) *int { return &c.BacktestWorkers }, 0, 1000)},
		{groupStore, "backtest-retention-days", "", "number", "30", "days that the rows of a backtest are kept after it has succeeded, for their export and the report as a page; the report as JSON is kept; 0 keeps the rows forever",
			whole(func(c *Config) *int { return &c.BacktestDays }, 0, 36500)},

		{groupTenant, "ip-countries", "", "file", "", "MMDB file with the countries of addresses; if empty, the table in the binary is used",
			text(func(c *Config) *string { return &c.IPCountries })},
		{groupTenant, "plan-quotas", "", "quotas", "free=100000,growth=5000000,enterprise=unmetered", "billable units a month for each plan; a new name defines a new plan",
			quotas},
		{groupTenant, "signup", "", "mode", "open", "who may sign up: open, invite (with a code of \"verdict tenant invite\") or closed; the operator can always use \"verdict tenant create\". Tenants that nobody uses within seven days are removed",
			signupMode},
		{groupTenant, "signups-each-day", "", "number", "100", "tenants that one address (for IPv6, a /64 network) can create in a day, on each node; 0 means no limit",
			whole(func(c *Config) *int { return &c.SignupsEachDay }, 0, 1_000_000)},
		{groupTenant, "max-drafts", "", "number", "1000", "drafts that a tenant may have in an environment; further ones are refused with 409 cap_reached",
			whole(func(c *Config) *int { return &c.Caps.Drafts }, 1, 1_000_000)},
		{groupTenant, "max-scorecards", "", "number", "10000", "scorecards that a tenant may have in an environment; further ones are refused with 409 cap_reached",
			whole(func(c *Config) *int { return &c.Caps.Scorecards }, 1, 1_000_000)},
		{groupTenant, "max-blocked", "", "number", "100000", "block list entries that a tenant may have in an environment; beyond it POST /v1/fraud/blocklist answers 409 cap_reached, but confirmed fraud is always added",
			whole(func(c *Config) *int { return &c.Caps.Blocked }, 1, 10_000_000)},
		{groupTenant, "max-keys", "", "number", "100", "valid API keys that a tenant may have in both environments together; further ones are refused with 409 too_many_keys",
			whole(func(c *Config) *int { return &c.Caps.Keys }, 1, 200)},
		{groupTenant, "password-min-length", "", "number", "8", "minimum length of a new password, in characters",
			whole(func(c *Config) *int { return &c.Passwords.MinCharacters }, 8, 256)},
		{groupTenant, "password-hashes", "", "number", "1", "passwords hashed in parallel; each needs 19 MiB and a core",
			whole(func(c *Config) *int { return &c.HashesAtOnce }, 1, 64)},

		{groupAgent, "narration-url", "", "URL", "", "base URL of an OpenAI-compatible endpoint that rewrites the summaries of credit memos, without /chat/completions; off if empty",
			narrationURL},
		{groupAgent, "narration-key", "", "key", "", "bearer token for narration-url; set it by its variable, because others can see a command line",
			text(func(c *Config) *string { return &c.Narration.Key })},
		{groupAgent, "narration-model", "", "name", "", "model to request from narration-url",
			text(func(c *Config) *string { return &c.Narration.Model })},
		{groupAgent, "narration-timeout", "", "duration", "5s", "how long a run waits for narration-url before it uses the plain memo; at most a third of write-timeout",
			period(func(c *Config) *time.Duration { return &c.Narration.Timeout }, 100*time.Millisecond, time.Minute)},

		{groupSee, "log-level", "", "level", "info", "debug, info, warn or error",
			logLevel},
		{groupSee, "log-format", "", "format", "text", "text or json",
			logFormat},
		{groupSee, "metrics-addr", "", "host:port", "", "address for /metrics, which needs no key: keep it on an internal network; off if empty",
			address(func(c *Config) *string { return &c.MetricsAddr }, true)},
		{groupSee, "otlp-endpoint", "OTEL_EXPORTER_OTLP_ENDPOINT", "URL", "", "OTLP/HTTP collector for traces, such as http://localhost:4318; off if empty",
			collector},
		{groupSee, "trace-ratio", "", "0 to 1", "1", "share of traces started here that are recorded; a caller's sampling decision is kept",
			ratio(func(c *Config) *float64 { return &c.TraceRatio })},
	}
}
