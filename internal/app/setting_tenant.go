package app

// tenantSettings are the settings of plans and people.
var tenantSettings = []setting{
	{
		group:   groupTenant,
		name:    "ip-countries",
		form:    "file",
		meaning: "MMDB file with the country of each IP address; if empty, the table in the binary is used",
		set:     text(func(c *Config) *string { return &c.IPCountries }),
	},
	{
		group: groupTenant,
		name:  "webhook-allow",
		form:  "CIDRs",
		meaning: "networks to which webhooks may be sent although their addresses are not on the public internet, " +
			"separated by commas; every tenant can send to them",
		set: prefixes(func(c *Config) *prefixList { return &c.WebhookAllow }),
	},
	{
		group: groupTenant,
		name:  "sign-on",
		form:  "file",
		meaning: "JSON file with the connections to identity providers through which people can sign in to the " +
			"console (SIGNON.md); it is read at start",
		set: text(func(c *Config) *string { return &c.SignOn.File }),
	},
	{
		group: groupTenant,
		name:  "sign-on-url",
		form:  "URL",
		meaning: "public address of this service, such as https://verdict.example.in, to which identity providers " +
			"send people back; -sign-on needs it",
		set: signOnURL,
	},
	{
		group:   groupTenant,
		name:    "sign-on-allow",
		form:    "CIDRs",
		meaning: "networks outside the public internet in which identity providers are allowed, separated by commas",
		set:     prefixes(func(c *Config) *prefixList { return &c.SignOn.Allow }),
	},
	{
		group:   groupTenant,
		name:    "plan-quotas",
		form:    "quotas",
		def:     "free=100000,growth=5000000,enterprise=unmetered",
		meaning: "billable units a month for each plan, or \"unmetered\"; a new name defines a new plan",
		set:     quotas,
	},
	{
		group: groupTenant,
		name:  "plan-storage",
		form:  "sizes",
		def:   "free=4GiB,growth=32GiB,enterprise=256GiB",
		meaning: "maximum size of what a tenant may store in each environment without being billed for it, for each " +
			"plan: rows and results of batches and backtests, lists, rule sets, scorecards, exposures, and answers " +
			"that are repeated; more is refused with 409 cap_reached; a plan that -plan-quotas adds has the smallest " +
			"default",
		set: planStorage,
	},
	{
		group: groupTenant,
		name:  "signup",
		form:  "mode",
		def:   "open",
		meaning: "who may sign up: open (anybody), invite (with a code of \"verdict tenant invite\") or closed " +
			"(nobody). The operator can always use \"verdict tenant create\". A tenant that signed up is " +
			"removed if nobody uses it within seven days",
		set: signupMode,
	},
	{
		group: groupTenant,
		name:  "signups-each-day",
		form:  "number",
		def:   "100",
		meaning: "maximum number of tenants that one address (for IPv6, a /64 network) can create in a day, on " +
			"each node; 0 means no limit",
		set: wholeNumber(func(c *Config) *int { return &c.SignupsEachDay }, 0, 1_000_000),
	},
	{
		group: groupTenant,
		name:  "max-drafts",
		form:  "number",
		def:   "1000",
		meaning: "maximum number of drafts that a tenant may have in an environment; further drafts are refused " +
			"with 409 cap_reached",
		set: wholeNumber(func(c *Config) *int { return &c.Caps.Drafts }, 1, 1_000_000),
	},
	{
		group: groupTenant,
		name:  "max-scorecards",
		form:  "number",
		def:   "10000",
		meaning: "maximum number of scorecards that a tenant may have in an environment; further scorecards are " +
			"refused with 409 cap_reached",
		set: wholeNumber(func(c *Config) *int { return &c.Caps.Scorecards }, 1, 1_000_000),
	},
	{
		group: groupTenant,
		name:  "max-blocked",
		form:  "number",
		def:   "100000",
		meaning: "maximum number of block list entries that a tenant may have in an environment; POST " +
			"/v1/fraud/blocklist refuses further entries with 409 cap_reached, but confirmed fraud is always added",
		set: wholeNumber(func(c *Config) *int { return &c.Caps.Blocked }, 1, 10_000_000),
	},
	{
		group: groupTenant,
		name:  "max-holds",
		form:  "number",
		def:   "10000",
		meaning: "maximum number of legal holds in force that a tenant may have in an environment; further holds are " +
			"refused with 409 cap_reached",
		set: wholeNumber(func(c *Config) *int { return &c.Caps.Holds }, 1, 1_000_000),
	},
	{
		group: groupTenant,
		name:  "max-lists",
		form:  "number",
		def:   "100",
		meaning: "maximum number of lists that a tenant may have in an environment; further lists are refused with " +
			"409 cap_reached",
		set: wholeNumber(func(c *Config) *int64 { return &c.Caps.Lists.Lists }, 1, 10_000),
	},
	{
		group: groupTenant,
		name:  "max-list-entries",
		form:  "number",
		def:   "2000000",
		meaning: "maximum number of entries of all lists that a tenant may have in an environment; further entries " +
			"are refused with 409 cap_reached. A list has at most a million",
		set: wholeNumber(func(c *Config) *int64 { return &c.Caps.Lists.Entries }, 1, 1_000_000_000),
	},
	{
		group: groupTenant,
		name:  "max-list-bytes",
		form:  "size",
		def:   "128MiB",
		meaning: "maximum size of all lists that a tenant may have in an environment, as they are stored; more is " +
			"refused with 409 cap_reached",
		set: size(func(c *Config) *int64 { return &c.Caps.Lists.Bytes }, 1<<20, 1<<40),
	},
	{
		group: groupTenant,
		name:  "max-tables",
		form:  "number",
		def:   "100",
		meaning: "maximum number of tables that a tenant may have in an environment; further tables are refused with " +
			"409 cap_reached",
		set: wholeNumber(func(c *Config) *int64 { return &c.Caps.Tables.Tables }, 1, 10_000),
	},
	{
		group: groupTenant,
		name:  "max-table-rows",
		form:  "number",
		def:   "500000",
		meaning: "maximum number of rows of all tables that a tenant may have in an environment; further rows are " +
			"refused with 409 cap_reached. A table has at most 100,000",
		set: wholeNumber(func(c *Config) *int64 { return &c.Caps.Tables.Rows }, 1, 100_000_000),
	},
	{
		group: groupTenant,
		name:  "max-table-bytes",
		form:  "size",
		def:   "32MiB",
		meaning: "maximum size of all tables that a tenant may have in an environment, as they are stored; more is " +
			"refused with 409 cap_reached",
		set: size(func(c *Config) *int64 { return &c.Caps.Tables.Bytes }, 1<<20, 1<<40),
	},
	{
		group: groupTenant,
		name:  "max-keys",
		form:  "number",
		def:   "100",
		meaning: "maximum number of valid API keys that a tenant may have in both environments together; further " +
			"keys are refused with 409 too_many_keys, for the operator too",
		set: wholeNumber(func(c *Config) *int { return &c.Caps.Keys }, 1, 200),
	},
	{
		group:   groupTenant,
		name:    "password-min-length",
		form:    "number",
		def:     "8",
		meaning: "minimum length of a new password, in characters",
		set:     wholeNumber(func(c *Config) *int { return &c.Passwords.MinCharacters }, 8, 256),
	},
	{
		group:   groupTenant,
		name:    "password-hashes",
		form:    "number",
		def:     "1",
		meaning: "maximum number of passwords that are hashed in parallel; each uses 19 MiB and a core",
		set:     wholeNumber(func(c *Config) *int { return &c.HashesAtOnce }, 1, 64),
	},
}
