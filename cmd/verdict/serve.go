package main

import (
	"context"
	"fmt"
	"os"

	"verdict/api"
	"verdict/internal/app"
)

const serveHelp = `Serve the API until a signal arrives, then finish accepted requests and exit;
a second signal exits immediately.

  verdict serve
  verdict serve -addr :8080 -database-url postgres://verdict@db/verdict
  VERDICT_TLS_CERT=cert.pem VERDICT_TLS_KEY=key.pem verdict serve

Each setting is a flag and a variable; a flag takes precedence over a variable.
The schema is brought up to date at the start; several nodes can start together.
Logs go to standard error.
`

func serve(c *command) int {
	fs := c.flags(serveHelp)
	welcome := fs.Bool("welcome", false,
		"print the addresses and the first commands even if standard output is not a terminal")
	c.ownFirst(fs)
	settings := app.Bind(fs)
	if code, done := c.parse(fs, 0); done {
		return code
	}
	config, err := settings.Load(os.Getenv)
	if err != nil {
		return c.usage("%v", err)
	}
	config.Version, config.Commit = api.Version, commit
	for _, name := range app.UnknownVariables(os.Environ()) {
		if name == keyVariable { // not a setting of serve, but other commands read it
			continue
		}
		likely := ""
		if near := app.LikelyVariable(name); near != "" {
			likely = "; did you mean " + near + "?"
		}
		_, _ = fmt.Fprintf(c.stderr, "verdict serve: ignored unknown setting %s%s; \"verdict serve -h\" lists the "+
			"settings\n", name, likely)
	}
	ctx, stop := interruptible()
	defer stop()
	service, err := app.New(ctx, config, c.stderr)
	if err != nil {
		return c.usage("%v", err)
	}
	if *welcome || onTerminal(c.stdout) {
		if code := c.print(greetingText(service.URL())); code != exitOK {
			_ = service.Close() // the error was already reported
			return code
		}
	}
	return runService(ctx, c, service)
}

// runService runs the service until ctx is done, and closes it.
func runService(ctx context.Context, c *command, service *app.App) int {
	err := service.Run(ctx)
	if closing := service.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return c.incomplete(err)
	}
	return exitOK
}

// greetingText returns the text for a new user, with the address and commands to
// paste.
func greetingText(url string) []byte {
	return fmt.Appendf(nil, `
  Verdict answers at  %[1]s
  Documentation       %[1]s/docs
  Console             %[1]s/console

  Sign up (the answer shows your key only once):

ANSWER=$(curl -sS %[1]s/api/signup -H 'Content-Type: application/json' \
  -d '{"email":"you@example.in","org_name":"Asha Finance","password":"a long password"}')
echo "$ANSWER"
KEY=$(echo "$ANSWER" | sed -n 's/.*"api_key":"\([^"]*\)".*/\1/p')
echo "The key is ${KEY:?missing; the answer above says why}"

  Then decide:

curl -sS %[1]s/v1/decisions -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \
  -d '{"applicant":{"id":"A-1","monthly_income":85000,"foir":0.32,"requested_amount":600000},`+
		`"bureau_report":{"score":742,"enquiries_6m":2,"active_tradelines":4,"max_dpd_12m":0}}'

  Ctrl-C stops the service.

`, url)
}
