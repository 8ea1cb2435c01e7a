package console

import (
	"slices"
	"time"

	"verdict/internal/account"
	"verdict/internal/civil"
	"verdict/internal/fault"
	"verdict/internal/tenant"
)

func (c *Console) keyPages() []page {
	return []page{
		{pattern: "GET /console/{env}/keys", handle: c.keys, scope: tenant.Admin},
		{pattern: "POST /console/{env}/keys", handle: c.createKey, scope: tenant.Admin},
		{pattern: "GET /console/{env}/keys/new", handle: c.newKey, scope: tenant.Admin},
		{pattern: "GET /console/{env}/keys/{id}", handle: c.key, scope: tenant.Admin},
		{pattern: "POST /console/{env}/keys/{id}/revoke", handle: c.revokeKey, scope: tenant.Admin},
		{pattern: "POST /console/{env}/keys/{id}/rotate", handle: c.rotateKey, scope: tenant.Admin},
	}
}

// shownKey is a key as a list shows it.
type shownKey struct {
	tenant.APIKey
	Scopes []string
	State  string
	By     string // whose it is
	Over   bool   // it opens nothing any more
}

// soon is how near a key's end is when the list says so.
const soon = 7 * 24 * time.Hour

func shownKeyOf(k tenant.APIKey, now time.Time, names map[string]string) shownKey {
	s := shownKey{APIKey: k, Scopes: k.Scopes.Names(), State: "active", By: names[k.UserID]}
	switch {
	case !k.RevokedAt.IsZero():
		s.State, s.Over = "revoked", true
	case !k.ExpiresAt.IsZero() && !now.Before(k.ExpiresAt):
		s.State, s.Over = "expired", true
	case !k.ExpiresAt.IsZero() && now.Add(soon).After(k.ExpiresAt):
		s.State = "expiring"
	}
	return s
}

// keysHere are the keys of this environment: those in use first, the newest
// of them at the top.
func (c *Console) keysHere(v *visit) ([]shownKey, error) {
	all, err := c.service.Account.APIKeys(v.ctx, v.caller())
	if err != nil {
		return nil, err
	}
	names, err := c.names(v)
	if err != nil {
		return nil, err
	}
	var list []shownKey
	for _, k := range all {
		if k.Environment == v.env {
			list = append(list, shownKeyOf(k, c.options.Now(), names))
		}
	}
	slices.SortStableFunc(list, func(a, b shownKey) int {
		if a.Over != b.Over {
			if a.Over {
				return 1
			}
			return -1
		}
		return b.CreatedAt.Compare(a.CreatedAt)
	})
	return list, nil
}

func (c *Console) keys(v *visit) error {
	list, err := c.keysHere(v)
	if err != nil {
		return err
	}
	return v.render("keys", "API keys", struct{ Keys []shownKey }{list})
}

// scopeOptions say what each scope is for. Those a program that asks for
// decisions needs are ticked from the start.
func scopeOptions() []option {
	return []option{
		{Value: "decide", Label: "decide", Hint: "request decisions and previews, add reviews", Chosen: true},
		{Value: "read", Label: "read", Hint: "read decisions, policies, alerts, usage and the audit trail", Chosen: true},
		{Value: "policy:write", Label: "policy:write", Hint: "save drafts of policies, scorecards and fraud settings"},
		{Value: "policy:activate", Label: "policy:activate", Hint: "activate policies"},
		{Value: "facts:read", Label: "facts:read", Hint: "read the facts behind decisions, with identifiers masked"},
		{Value: "admin", Label: "admin", Hint: "everything, including scopes that are added later"},
	}
}

func (c *Console) newKey(v *visit) error {
	return v.render("key_new", "New API key", struct {
		Scopes   []option
		Tomorrow string
	}{scopeOptions(), c.options.Now().In(civil.India).AddDate(0, 0, 1).Format(time.DateOnly)})
}

// createKey makes a key, which the answer shows this once: there is nowhere to
// send the browser on to that would know it.
func (c *Console) createKey(v *visit) error {
	ask, err := v.readKey()
	if err == nil {
		err = v.confirmed()
	}
	if err != nil {
		return v.again(err, c.newKey)
	}
	key, made, err := c.service.Account.CreateAPIKey(v.ctx, v.caller(), ask)
	if err != nil {
		return v.again(err, c.newKey)
	}
	return v.showKey(key, made, time.Time{})
}

// readKey reads the form of a new key. What is wrong with the rest of it, the
// use case says.
func (v *visit) readKey() (account.NewAPIKey, error) {
	var faults fault.List
	n := account.NewAPIKey{Environment: v.env, Name: v.form.Value("name")}
	tenant.CheckKeyName(&faults, "/name", n.Name)
	var err error
	if n.Scopes, err = tenant.ScopesOf(v.form.Values("scopes")...); err != nil {
		faults.Add("/scopes", fault.CodeRequired, "choose at least one")
	}
	if until := day(&faults, "/expires_at", v.form.Value("expires_at")); !until.IsZero() {
		n.ExpiresAt = until.AddDate(0, 0, 1)
	}
	return n, faults.Err()
}

func (v *visit) showKey(key tenant.Key, made tenant.APIKey, oldUntil time.Time) error {
	return v.render("key_made", "New API key", struct {
		Name, Key, Curl string
		OldUntil        time.Time
	}{made.Name, key.Reveal(), v.curl(key, made.Scopes), oldUntil})
}

// key finds one of this environment's keys by its id.
func (c *Console) findKey(v *visit) (shownKey, error) {
	list, err := c.keysHere(v)
	if err != nil {
		return shownKey{}, err
	}
	at := slices.IndexFunc(list, func(k shownKey) bool { return k.ID == v.id("id") })
	if at < 0 {
		return shownKey{}, errNowhere
	}
	return list[at], nil
}

func (c *Console) key(v *visit) error {
	found, err := c.findKey(v)
	if err != nil {
		return err
	}
	return v.render("key", found.Name, struct{ Key shownKey }{found})
}

func (c *Console) revokeKey(v *visit) error {
	found, err := c.findKey(v)
	if err != nil {
		return err
	}
	if err = v.confirmed(); err == nil {
		_, err = c.service.Account.RevokeAPIKey(v.ctx, v.caller(), found.ID)
	}
	if err != nil {
		return v.again(err, c.key)
	}
	return v.done("The key "+found.Name+" is revoked.", "/keys")
}

func (c *Console) rotateKey(v *visit) error {
	found, err := c.findKey(v)
	if err != nil {
		return err
	}
	if err := v.confirmed(); err != nil {
		return v.again(err, c.key)
	}
	overlap, err := time.ParseDuration(v.form.Value("overlap"))
	if err != nil {
		overlap = 0 // the use case has its own
	}
	key, made, err := c.service.Account.RotateAPIKey(v.ctx, v.caller(), found.ID, overlap)
	if err != nil {
		return v.again(err, c.key)
	}
	found, err = c.findKey(v) // the old one, with its end
	if err != nil {
		return err
	}
	return v.showKey(key, made, found.ExpiresAt)
}
