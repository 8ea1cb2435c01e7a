package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"verdict/internal/account"
	"verdict/internal/app"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
)

const tenantHelp = `Manage tenants, their people and their keys.

  verdict tenant list                          every tenant; if several have the same name, with the address of
                                               their first person
  verdict tenant show ID                       one tenant with its people and keys
  verdict tenant create -email E -org NAME     sign a tenant up; the password comes from standard input
  verdict tenant invite [-days N]              create a code for one signup, for -signup invite
  verdict tenant plan ID NAME                  move a tenant to another plan
  verdict tenant user add -tenant ID -email E [-role admin|risk|viewer]
                                               add a person, by default an admin; the password comes
                                               from standard input
  verdict tenant user list -tenant ID
  verdict tenant user password -tenant ID -email E  set a password from standard input and end the sessions
  verdict tenant user reset-code -tenant ID -email E  remove the second factor of a person who has lost it, and end
                                               the sessions
  verdict tenant key create -tenant ID -env live|sandbox [-user E] [-name N] [-scopes S] [-expires WHEN]
                                               create a key, by default for the first person; by default its
                                               scopes are those of the person's role; -scopes can only reduce them
  verdict tenant key list -tenant ID
  verdict tenant key revoke -tenant ID KEY

A password is never an argument, because others on the machine could see it:

  read -rs P && printf %s "$P" | verdict tenant create -email asha@example.in -org 'Asha Finance'

or set VERDICT_PASSWORD. If there is only one tenant, -tenant can be left out.
Changes reach every running node within a second.
`

// verbs holds the subcommands of a command, by name.
type verbs map[string]func(*command) int

func tenants(c *command) int {
	return c.subcommand(tenantHelp, verbs{
		"list": tenantList, "show": tenantShow, "create": tenantCreate, "invite": tenantInvite, "plan": tenantPlan,
		"user": func(c *command) int {
			return c.subcommand(tenantHelp, verbs{
				"add": userAdd, "list": userList, "password": userPassword, "reset-code": userResetCode,
			})
		},
		"key": func(c *command) int {
			return c.subcommand(tenantHelp, verbs{"create": keyCreate, "list": keyList, "revoke": keyRevoke})
		},
	})
}

// subcommand runs the subcommand that the next argument names.
func (c *command) subcommand(help string, known verbs) int {
	if c.description != nil && len(c.args) == 0 {
		c.description.help, c.description.verbs = help, slices.Sorted(maps.Keys(known))
		return exitOK
	}
	if len(c.args) == 0 {
		return c.usage("the subcommand is missing; \"verdict %s -h\" lists the subcommands", c.name)
	}
	switch word := c.args[0]; word {
	case "-h", "-help", "--help", "help":
		return c.print([]byte(help))
	default:
		run, ok := known[word]
		if !ok {
			return c.usage("there is no subcommand %q%s; \"verdict %s -h\" lists the subcommands", word,
				likelyWord(word, slices.Sorted(maps.Keys(known))), c.name)
		}
		c.name, c.args = c.name+" "+word, c.args[1:]
		return run(c)
	}
}

// anyArguments parses flags and at most the given number of arguments, in any order. If done is true, the
// command has nothing left to do and must return code.
func (c *command) anyArguments(fs *flag.FlagSet, most int) (words []string, code int, done bool) {
	for {
		if code, done = c.parse(fs, len(c.args)); done {
			return nil, code, true
		}
		if fs.NArg() == 0 {
			break
		}
		words, c.args = append(words, fs.Arg(0)), fs.Args()[1:]
	}
	if len(words) > most {
		return nil, c.unexpected(words[most], ""), true
	}
	return words, exitOK, false
}

// arguments parses flags and the required arguments, in any order. If done is
// true, the command has nothing left to do and must return code.
func (c *command) arguments(fs *flag.FlagSet, names ...string) (words []string, code int, done bool) {
	for len(words) <= len(names) {
		if code, done = c.parse(fs, len(c.args)); done {
			return nil, code, true
		}
		if fs.NArg() == 0 {
			break
		}
		words, c.args = append(words, fs.Arg(0)), fs.Args()[1:]
	}
	switch {
	case len(words) < len(names):
		return nil, c.usage("the %s is missing; \"verdict %s -h\" shows how", names[len(words)], c.name), true
	case len(words) > len(names):
		return nil, c.unexpected(words[len(names)], ""), true
	}
	if i := slices.Index(words, ""); i >= 0 {
		return nil, c.usage("the %s is empty; \"verdict %s -h\" shows how", names[i], c.name), true
	}
	return words, exitOK, false
}

func tenantList(c *command) int {
	fs := c.flags(tenantHelp)
	settings := databaseFlags(fs)
	if _, code, done := c.arguments(fs); done {
		return code
	}
	c.existing = true
	return c.withService(settings, func(ctx context.Context, service *usecase.Set) int {
		var all []tenant.Tenant
		named := map[string]int{}
		for after := ""; ; {
			page, err := service.Operator.Tenants(ctx, after)
			if err != nil {
				return c.failed(err)
			}
			if len(page) == 0 {
				break
			}
			for _, one := range page {
				named[one.OrgName]++
				after = one.ID
			}
			all = append(all, page...)
		}
		t := newTable("ID", "PLAN", "CREATED", "ORGANISATION")
		for _, one := range all {
			name := one.OrgName
			if named[name] > 1 {
				users, err := service.Operator.Users(ctx, one.ID)
				if err != nil {
					return c.failed(err)
				}
				if len(users) > 0 {
					name += " (" + users[0].Email + ")"
				}
			}
			t.row(one.ID, one.Plan, shortTime(one.CreatedAt), name)
		}
		return c.print(t.bytes())
	})
}

func tenantShow(c *command) int {
	fs := c.flags(tenantHelp)
	settings := databaseFlags(fs)
	words, code, done := c.arguments(fs, "tenant's id")
	if done {
		return code
	}
	c.existing = true
	return c.withService(settings, func(ctx context.Context, service *usecase.Set) int {
		one, err := service.Operator.Tenant(ctx, words[0])
		if err != nil {
			return c.failed(err)
		}
		users, err := service.Operator.Users(ctx, one.ID)
		if err != nil {
			return c.failed(err)
		}
		keys, err := service.Operator.Keys(ctx, one.ID)
		if err != nil {
			return c.failed(err)
		}
		out := fmt.Appendf(nil, "%s\n  organisation  %s\n  plan          %s\n  created       %s\n\n",
			one.ID, one.OrgName, one.Plan, shortTime(one.CreatedAt))
		out = append(append(out, userTable(users)...), '\n')
		return c.print(append(out, keyTable(keys, time.Now())...))
	})
}

func tenantCreate(c *command) int {
	fs := c.flags(tenantHelp)
	settings := databaseFlags(fs)
	email := fs.String("email", "", "`address` of the first user, who may do everything")
	org := fs.String("org", "", "`name` of the organisation")
	if _, code, done := c.arguments(fs); done {
		return code
	}
	password, code, ok := c.password()
	if !ok {
		return code
	}
	ask := tenant.Signup{Email: *email, OrgName: *org, Password: password}
	return c.withService(settings, func(ctx context.Context, service *usecase.Set) int {
		made, err := service.Operator.Signup(ctx, ask)
		if err != nil {
			return c.failed(err)
		}
		return c.print(fmt.Appendf(nil,
			"tenant  %s\nuser    %s\nkey     %s\n\nThe key is for the sandbox. It is shown only once.\n",
			made.Tenant.ID, made.UserID, made.Key.Reveal()))
	})
}

func tenantInvite(c *command) int {
	fs := c.flags(tenantHelp)
	settings := databaseFlags(fs)
	days := fs.Int("days", 7, "number of `days` for which the code is valid")
	if _, code, done := c.arguments(fs); done {
		return code
	}
	if *days < 1 || *days > 365 {
		return c.usage("-days must be a whole number from 1 to 365")
	}
	return c.withService(settings, func(ctx context.Context, service *usecase.Set) int {
		token, ends, err := service.Operator.InviteToSignup(ctx, time.Duration(*days)*24*time.Hour)
		if err != nil {
			return c.failed(err)
		}
		return c.print(fmt.Appendf(nil, "%s\n\nThis invite_code works for one signup until %s. It is shown only "+
			"once.\n", token.Reveal(), shortTime(ends)))
	})
}

func tenantPlan(c *command) int {
	fs := c.flags(tenantHelp)
	settings := databaseFlags(fs)
	words, code, done := c.arguments(fs, "tenant's id", "plan's name")
	if done {
		return code
	}
	c.existing = true
	return c.withService(settings, func(ctx context.Context, service *usecase.Set) int {
		if err := service.Operator.SetPlan(ctx, words[0], words[1]); err != nil {
			return c.failed(err)
		}
		return c.print(fmt.Appendf(nil, "%s is on the plan %s\n", words[0], words[1]))
	})
}

// table writes lines of cells in aligned columns.
type table struct {
	buf bytes.Buffer
	w   *tabwriter.Writer
}

func newTable(head ...string) *table {
	t := &table{}
	t.w = tabwriter.NewWriter(&t.buf, 0, 0, 2, ' ', 0)
	t.row(head...)
	return t
}

func (t *table) row(cells ...string) {
	_, _ = fmt.Fprintln(t.w, strings.Join(cells, "\t")) // a write to memory cannot fail
}

func (t *table) bytes() []byte {
	_ = t.w.Flush() // a write to memory cannot fail
	return t.buf.Bytes()
}

// shortTime formats a time for people. The zero time is "-".
func shortTime(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format(time.RFC3339)
}

// onTenant opens the database, calls the function work with the tenant that id names, and prints what work
// returns. If id is "", there must be exactly one tenant.
func (c *command) onTenant(
	settings *app.Settings, id string, work func(context.Context, *account.Operator, string) ([]byte, error),
) int {
	c.existing = true
	return c.withService(settings, func(ctx context.Context, service *usecase.Set) int {
		t, err := theTenant(ctx, service, id)
		if err != nil {
			return c.failed(err)
		}
		out, err := work(ctx, service.Operator, t.ID)
		if err != nil {
			return c.failed(err)
		}
		return c.print(out)
	})
}

// theTenant returns the tenant with the id, or the only tenant if id is "".
func theTenant(ctx context.Context, service *usecase.Set, id string) (tenant.Tenant, error) {
	if id != "" {
		return service.Operator.Tenant(ctx, id)
	}
	all, err := service.Operator.Tenants(ctx, "")
	switch {
	case err != nil:
		return tenant.Tenant{}, err
	case len(all) == 1:
		return all[0], nil
	case len(all) == 0:
		return tenant.Tenant{}, errNoTenant
	default:
		return tenant.Tenant{}, errWhichTenant
	}
}
