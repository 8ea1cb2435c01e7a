package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"verdict/internal/account"
	"verdict/internal/fault"
	"verdict/internal/tenant"
)

func keyCreate(c *command) int {
	fs := c.flags(tenantHelp)
	settings := databaseFlags(fs)
	tenantID := fs.String("tenant", "", "`id` of the tenant")
	env := fs.String("env", "", "`environment` the key works in: live or sandbox")
	name := fs.String("name", "operator", "`name` of the key")
	scopes := fs.String("scopes", "", "`scopes` separated by commas: decide, read, policy:write, policy:activate, "+
		"facts:read, log:read, evidence:read, webhooks:manage, privacy:manage, admin; default: those of the "+
		"person's role")
	expires := fs.String("expires", "",
		"`when` it expires: an RFC 3339 time, or a time from now such as 720h; default: never")
	user := fs.String("user", "", "e-mail `address` of the key's owner; default: the first user")
	if _, code, done := c.arguments(fs); done {
		return code
	}
	environment, ok := tenant.ParseEnvironment(*env)
	if !ok {
		return c.usage("-env must be live or sandbox")
	}
	var set tenant.Scopes
	if *scopes != "" {
		var err error
		if set, err = tenant.ParseScopes(*scopes); err != nil {
			return c.usage("-scopes: %v", namingScope(err, *scopes))
		}
	}
	until, err := parseMoment(*expires, time.Now())
	if err != nil {
		return c.usage("-expires: %v", err)
	}
	return c.onTenant(settings, *tenantID, func(ctx context.Context, o *account.Operator, id string) ([]byte, error) {
		owner, err := keyOwner(ctx, o, id, *user)
		if err != nil {
			return nil, err
		}
		if set == 0 {
			set = tenant.Role(owner.Role).Scopes()
		}
		key, made, err := o.CreateKey(ctx, account.NewKey{
			TenantID: id, UserID: owner.ID, Environment: environment, Name: *name, Scopes: set, ExpiresAt: until,
		})
		if err != nil {
			return nil, err
		}
		// Write only the key to standard output, so that it can be stored in a
		// file or a variable.
		_, _ = fmt.Fprintf(c.stderr, "%s of %s, %s: %s; the key is shown only once\n",
			made.ID, id, made.Environment, made.Scopes)
		return fmt.Appendf(nil, "%s\n", key.Reveal()), nil
	})
}

// keyOwner returns the person with the e-mail address, or the first person of
// the tenant if email is "". That person will own the key. Every key belongs to
// a person, because a policy in live must be activated by a person other than
// its author.
func keyOwner(ctx context.Context, o *account.Operator, tenantID, email string) (account.User, error) {
	users, err := o.Users(ctx, tenantID)
	if err != nil {
		return account.User{}, err
	}
	wanted, _ := tenant.NormaliseEmail(email)
	for _, u := range users {
		if email == "" || u.Email == wanted {
			return u, nil
		}
	}
	return account.User{}, errors.New("the tenant has no such user; \"verdict tenant user list\" lists the users")
}

func keyList(c *command) int {
	fs := c.flags(tenantHelp)
	settings := databaseFlags(fs)
	tenantID := fs.String("tenant", "", "`id` of the tenant")
	if _, code, done := c.arguments(fs); done {
		return code
	}
	return c.onTenant(settings, *tenantID, func(ctx context.Context, o *account.Operator, id string) ([]byte, error) {
		keys, err := o.Keys(ctx, id)
		return keyTable(keys, time.Now()), err
	})
}

func keyTable(keys []tenant.APIKey, now time.Time) []byte {
	t := newTable("KEY", "ENVIRONMENT", "STATE", "BEGINS", "SCOPES", "CREATED", "LAST USED", "EXPIRES", "NAME")
	for _, k := range keys {
		state := "works"
		switch {
		case !k.RevokedAt.IsZero():
			state = "revoked"
		case k.Check(now) != nil:
			state = "expired"
		}
		t.row(k.ID, string(k.Environment), state, k.Prefix, k.Scopes.String(),
			shortTime(k.CreatedAt), shortTime(k.LastUsedAt), shortTime(k.ExpiresAt), k.Name)
	}
	return t.bytes()
}

func keyRevoke(c *command) int {
	fs := c.flags(tenantHelp)
	settings := databaseFlags(fs)
	tenantID := fs.String("tenant", "", "`id` of the tenant")
	words, code, done := c.arguments(fs, "key's id")
	if done {
		return code
	}
	return c.onTenant(settings, *tenantID, func(ctx context.Context, o *account.Operator, id string) ([]byte, error) {
		key, err := o.RevokeKey(ctx, id, words[0])
		return fmt.Appendf(nil, "%s was revoked at %s\n", key.ID, shortTime(key.RevokedAt)), err
	})
}

// parseMoment parses a time, or a duration from now. It returns the zero time
// if text is "".
func parseMoment(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if ahead, err := time.ParseDuration(text); err == nil {
		return now.Add(ahead), nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{},
			errors.New("is neither an RFC 3339 time such as 2027-01-01T00:00:00+05:30 nor a time from now such as 720h")
	}
	return at, nil
}

// namingScope returns the refusal of a list of scopes, naming the first one that does not exist.
func namingScope(err error, scopes string) error {
	known := tenant.ScopeNames()
	for _, name := range strings.FieldsFunc(scopes, func(r rune) bool { return r == ' ' || r == ',' }) {
		if slices.Contains(known, name) {
			continue
		}
		if near, _ := fault.Suggest(name, known, false); near != "" {
			return fmt.Errorf("%q is not a scope; did you mean %s?", name, near)
		}
		return fmt.Errorf("%q is not a scope; the scopes are %s", name, strings.Join(known, ", "))
	}
	return err
}
