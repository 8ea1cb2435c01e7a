package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"verdict/internal/account"
	"verdict/internal/tenant"
)

var (
	errWhichTenant = errors.New("name the tenant with -tenant; \"verdict tenant list\" lists the tenants")
	errNoTenant    = errors.New("the database has no tenant yet: sign up at the service first, or use \"verdict " +
		"tenant create\"")
)

func userAdd(c *command) int {
	fs := c.flags(tenantHelp)
	settings := databaseFlags(fs)
	tenantID := fs.String("tenant", "", "`id` of the tenant")
	email := fs.String("email", "", "`address` of the person")
	role := fs.String("role", string(tenant.RoleAdmin), "`role` of the person")
	if _, code, done := c.arguments(fs); done {
		return code
	}
	password, code, ok := c.password()
	if !ok {
		return code
	}
	return c.onTenant(settings, *tenantID, func(ctx context.Context, o *account.Operator, id string) ([]byte, error) {
		user, err := o.CreateUser(ctx, id, *email, password, tenant.Role(*role))
		return fmt.Appendf(nil, "%s\n", user.ID), err
	})
}

func userList(c *command) int {
	fs := c.flags(tenantHelp)
	settings := databaseFlags(fs)
	tenantID := fs.String("tenant", "", "`id` of the tenant")
	if _, code, done := c.arguments(fs); done {
		return code
	}
	return c.onTenant(settings, *tenantID, func(ctx context.Context, o *account.Operator, id string) ([]byte, error) {
		users, err := o.Users(ctx, id)
		return userTable(users), err
	})
}

func userPassword(c *command) int {
	fs := c.flags(tenantHelp)
	settings := databaseFlags(fs)
	tenantID := fs.String("tenant", "", "`id` of the tenant")
	email := fs.String("email", "", "`address` of the person")
	if _, code, done := c.arguments(fs); done {
		return code
	}
	password, code, ok := c.password()
	if !ok {
		return code
	}
	return c.onTenant(settings, *tenantID, func(ctx context.Context, o *account.Operator, id string) ([]byte, error) {
		return []byte("changed\n"), o.ResetPassword(ctx, id, *email, password)
	})
}

func userResetCode(c *command) int {
	fs := c.flags(tenantHelp)
	settings := databaseFlags(fs)
	tenantID := fs.String("tenant", "", "`id` of the tenant")
	email := fs.String("email", "", "`address` of the person")
	if _, code, done := c.arguments(fs); done {
		return code
	}
	return c.onTenant(settings, *tenantID, func(ctx context.Context, o *account.Operator, id string) ([]byte, error) {
		return []byte("removed\n"), o.ResetSecondFactor(ctx, id, *email)
	})
}

func userTable(users []account.User) []byte {
	t := newTable("USER", "ROLE", "CREATED", "E-MAIL")
	for _, u := range users {
		t.row(u.ID, u.Role, shortTime(u.CreatedAt), u.Email)
	}
	return t.bytes()
}

// passwordVariable is the environment variable that may contain the password.
// Without it, the password is read from standard input.
const passwordVariable = "VERDICT_PASSWORD"

// maxPasswordLine is the maximum number of bytes that are read for the line
// with the password.
const maxPasswordLine = 4096

// password returns the password in the environment variable, or else the first
// line of standard input. It refuses to read from a terminal, because a
// terminal would show the password.
func (c *command) password() (password tenant.Secret, code int, ok bool) {
	if text := os.Getenv(passwordVariable); text != "" {
		return tenant.NewSecret(text), exitOK, true
	}
	if onTerminal(c.stdin) {
		return password, c.usage("the terminal would show the password: use a pipe, or set %s; \"verdict tenant "+
			"-h\" shows how", passwordVariable), false
	}
	line, err := bufio.NewReader(io.LimitReader(c.stdin, maxPasswordLine)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return password, c.usage("read the password: %v", err), false
	}
	line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
	if line == "" {
		return password, c.usage("the password is missing: it is the first line of standard input, or in %s",
			passwordVariable), false
	}
	return tenant.NewSecret(line), exitOK, true
}
