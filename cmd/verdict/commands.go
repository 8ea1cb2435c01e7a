package main

import (
	"fmt"
	"strings"
)

// entry is a command in the table of all commands. The usage text, the shell
// completions and the manual pages are made from the table.
type entry struct {
	name  string
	run   func(*command) int
	forms []form
}

// form is a line of the usage text.
type form struct {
	group   group
	words   string // the text after the name of the command
	summary string
}

// group is the heading under which the usage text lists a form.
type group int

const (
	withDatabase group = iota
	withoutDatabase
	withService
)

var groupTitles = [...]string{
	withDatabase:    "Usage:",
	withoutDatabase: "Without a database:",
	withService:     "With a service (-service URL, and an API key in VERDICT_KEY):",
}

// commandTable returns all commands, in the order of the usage text.
func commandTable() []entry {
	return append(operatorCommands(), analystCommands()...)
}

// operatorCommands returns the commands for people who run the service.
func operatorCommands() []entry {
	return []entry{
		{"serve", serve, []form{{withDatabase, "", "serve the API; settings are flags and VERDICT_ variables"}}},
		{"health", health, []form{{withDatabase, "[-ready]", "ask the service on this machine whether it is alive"}}},
		{"doctor", doctor,
			[]form{{withDatabase, "[-json]", "check settings, database, disk, clock, TLS, keys and backups"}}},
		{"demo", demonstrate, []form{{withDatabase, "", "serve a tenant with sample data, and print how to sign in"}}},
		{"migrate", migrate,
			[]form{{withDatabase, "", "bring the database's schema up to date and print its version"}}},
		{"backup", backup, []form{{
			withDatabase, "-o FILE -keys KEYS", "write the data to FILE and its keys to KEYS, while the service runs",
		}}},
		{"restore", restore, []form{{withDatabase, "-i FILE -keys KEYS", "read a backup into an empty database"}}},
		{"verify", verify, []form{
			{withDatabase, "[-tenant ID]", "replay stored decisions; list those that differ or are missing"},
			{withoutDatabase, "-key FILE CAPSULE", "check one decision with its evidence, as an examiner does"},
		}},
		{"log", logCommand, []form{
			{withDatabase, "create-key FILE", "create the key with which the log of decisions is signed"},
			{withDatabase, "rotate-key", "replace that key, while the service runs"},
			{withDatabase, "reopen -reason TEXT", "begin a new log after an older copy of the database was restored"},
			{withoutDatabase, "witness|witness-key|audit",
				"watch the log of a lender from outside, as an auditor does"},
		}},
		{"keys", keysCommand, []form{
			{withDatabase, "create FILE", "create the key with which applicants' data is encrypted"},
			{withDatabase, "rotate|confirm|list", "replace that key while the service runs; record destroyed copies"},
		}},
		{"erase", eraseCommand, []form{{
			withDatabase, "-scrub", "remove former versions of rows from the database's files",
		}}},
		{"tenant", tenants, []form{
			{withDatabase, "list|show|create|invite|plan", "manage tenants"},
			{withDatabase, "user add|list|password|reset-code", "manage the people of a tenant"},
			{withDatabase, "key create|list|revoke", "manage the keys of a tenant, of either environment"},
		}},
	}
}

// analystCommands returns the commands for people who write policies, or who look
// something up.
func analystCommands() []entry {
	return []entry{
		{"decide", decide, []form{
			{withoutDatabase, "[-policy FILE] -input FILE", "decide one application, print the decision as JSON"},
			{withService, "-csv FILE", "let the service decide every row, print the results as lines of JSON"},
		}},
		{"backtest", runBacktest, []form{{
			withoutDatabase, "[-policy FILE] -csv FILE", "decide every row of a file and report the results",
		}}},
		{"book", writeBook, []form{{withoutDatabase, "-n N [-seed S]", "write a synthetic book of loans as CSV"}}},
		{"scorecard", scorecardCommand, []form{{
			withoutDatabase, "fit -csv FILE -target C", "fit a scorecard to rows whose outcome is known",
		}}},
		{"check", check,
			[]form{{withoutDatabase, "[-policy FILE] [-json]", "analyse a policy before it is activated"}}},
		{"test", testPolicy, []form{{
			withoutDatabase, "[-policy FILE] CASES…", "run the test cases of a policy; -generate writes some",
		}}},
		{"diff", diffCommand, []form{{
			withoutDatabase, "OLD NEW [-json|-html FILE]", "compare two policies for all possible applicants",
		}}},
		{"prove", prove, []form{{
			withoutDatabase, "[-policy FILE] [-json]", "prove the guarantees of a policy for all possible applicants",
		}}},
		{"fields", fields, []form{{withoutDatabase, "[PREFIX]", "list the fields a policy can use"}}},
		{"schema", schemaCommand, []form{{
			withoutDatabase, "DOCUMENT", "print the JSON Schema of a document, for editors",
		}}},
		{"policy", policyCommand, []form{{
			withService, "pull|plan|push|activate", "keep the policies of the service as files",
		}}},
		{"list", listCommand, []form{{
			withService, "push NAME FILE", "replace all entries of a list by those of a CSV file",
		}}},
		{"completion", completionCommand, []form{{
			withoutDatabase, "bash|zsh|fish", "print the completions for a shell",
		}}},
		{"man", manCommand, []form{{withoutDatabase, "FOLDER", "write the manual pages to a folder"}}},
		{"version", printVersion, []form{{withoutDatabase, "", "print the version"}}},
	}
}

// usageText returns the help of verdict itself.
func usageText() string {
	var out strings.Builder
	out.WriteString("verdict decides credit applications: as a service, or one at a time.\n")
	for g, title := range groupTitles {
		out.WriteString("\n" + title + "\n")
		for _, e := range commandTable() {
			for _, f := range e.forms {
				if f.group == group(g) {
					words := strings.TrimSpace("verdict " + e.name + " " + f.words)
					if len(words) > 44 { // the summary does not fit beside them
						fmt.Fprintf(&out, "  %s\n", words)
						words = ""
					}
					fmt.Fprintf(&out, "  %-44s %s\n", words, f.summary)
				}
			}
		}
	}
	return out.String() + "\n" + usageNotes
}

const usageNotes = `Use - as FILE for standard input or output. Without -policy the default policy is
used. The database is -database-url or VERDICT_DATABASE_URL, by default
sqlite:verdict.db. "verdict COMMAND -h" explains a command.

Exit codes: 0 success; 1 an invalid policy, application or request, an error that
"check" or "doctor" found, a decision that "test" did not expect, a guarantee that
"prove" has refuted, or a decision or log that is not as it was recorded; 2 wrong
usage, or a file or database that cannot be read or written; 3 a guarantee that
"prove" could neither prove nor refute, rows that "decide -csv" did not decide, a
policy that differs ("policy plan -exit-code"), or only warnings of "doctor".
`
