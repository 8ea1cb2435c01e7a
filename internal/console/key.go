package console

import (
	"slices"
	"time"

	"verdict/internal/account"
	"verdict/internal/civil"
	"verdict/internal/fault"
	"verdict/internal/tenant"
)

// keyPages serves the API keys of an environment: the list, a new key, one key, its rotation and
// its revocation.
type keyPages struct {
	accounts *account.People
	people   directory
	now      func() time.Time
}

func (p *keyPages) routes() []page {
	return []page{
		{pattern: "GET /console/{env}/keys", handle: p.keys, scope: tenant.Admin},
		{pattern: "POST /console/{env}/keys", handle: p.createKey, scope: tenant.Admin},
		{pattern: "GET /console/{env}/keys/new", handle: p.newKey, scope: tenant.Admin},
		{pattern: "GET /console/{env}/keys/{id}", handle: p.key, scope: tenant.Admin},
		{pattern: "POST /console/{env}/keys/{id}/revoke", handle: p.revokeKey, scope: tenant.Admin},
		{pattern: "POST /console/{env}/keys/{id}/rotate", handle: p.rotateKey, scope: tenant.Admin},
	}
}

// shownKey is a key with the texts that a list shows.
type shownKey struct {
	tenant.APIKey
	Scopes []string
	State  string
	By     string // e-mail address of the key's owner
	Over   bool   // revoked or expired
}

// expiryNotice is how long before the expiry a key is shown as expiring.
const expiryNotice = 7 * 24 * time.Hour

func shownKeyOf(k tenant.APIKey, now time.Time, names map[string]string) shownKey {
	s := shownKey{
		APIKey: k,
		Scopes: k.Scopes.Names(),
		State:  "active",
		By:     names[k.UserID],
	}
	switch {
	case !k.RevokedAt.IsZero():
		s.State, s.Over = "revoked", true
	case !k.ExpiresAt.IsZero() && !now.Before(k.ExpiresAt):
		s.State, s.Over = "expired", true
	case !k.ExpiresAt.IsZero() && now.Add(expiryNotice).After(k.ExpiresAt):
		s.State = "expiring"
	}
	return s
}

// keysHere returns the keys of this environment. Usable keys come first, and newer keys before
// older ones.
func (p *keyPages) keysHere(v *visit) ([]shownKey, error) {
	all, err := p.accounts.APIKeys(v.ctx, v.caller())
	if err != nil {
		return nil, err
	}

	names, err := p.people.names(v)
	if err != nil {
		return nil, err
	}

	var list []shownKey
	for _, k := range all {
		if k.Environment == v.env {
			list = append(list, shownKeyOf(k, p.now(), names))
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

func (p *keyPages) keys(v *visit) error {
	list, err := p.keysHere(v)
	if err != nil {
		return err
	}
	return v.render("keys", "API keys", struct{ Keys []shownKey }{list})
}

// scopeOptions returns the scopes to choose from, each with an explanation. The scopes that most
// programs need are preselected.
func scopeOptions() []option {
	return []option{
		{
			Value: "decide",
			Label: "decide",
			Hint: "request decisions, previews, backtests and agent runs, add reviews, handle alerts, " +
				"block accounts and devices",
			Chosen: true,
		},
		{
			Value:  "read",
			Label:  "read",
			Hint:   "read decisions, policies, alerts, usage and the audit trail",
			Chosen: true,
		},
		{
			Value: "policy:write", Label: "policy:write",
			Hint: "save policy drafts and scorecards, change fraud settings and the collections strategy",
		},
		{Value: "policy:activate", Label: "policy:activate", Hint: "activate policies"},
		{Value: "facts:read", Label: "facts:read", Hint: "read the facts behind decisions, with identifiers masked"},
		{Value: "log:read", Label: "log:read", Hint: "read the signed log, which contains nothing about people"},
		{
			Value: "evidence:read", Label: "evidence:read",
			Hint: "read capsules for examiners: a decision with its facts and its whole policy",
		},
		{
			Value: "webhooks:manage", Label: "webhooks:manage",
			Hint: "create and change webhooks, which send events to other addresses",
		},
		{
			Value: "privacy:manage", Label: "privacy:manage",
			Hint: "erase applicants, which cannot be undone; place legal holds, set retention periods",
		},
		{Value: "admin", Label: "admin", Hint: "everything, including scopes that are added later"},
	}
}

func (p *keyPages) newKey(v *visit) error {
	return v.render("key_new", "New API key", struct {
		Scopes   []option
		Tomorrow string
	}{scopeOptions(), p.now().In(civil.India).AddDate(0, 0, 1).Format(time.DateOnly)})
}

// createKey creates a key and renders it directly instead of redirecting, because the key is
// shown only once.
func (p *keyPages) createKey(v *visit) error {
	ask, err := readKey(v.env, v.form)
	if err == nil {
		err = v.confirmed()
	}
	if err != nil {
		return v.redraw(err, p.newKey)
	}

	key, made, err := p.accounts.CreateAPIKey(v.ctx, v.caller(), ask)
	if err != nil {
		return v.redraw(err, p.newKey)
	}

	return showKey(v, key, made, time.Time{})
}

// readKey reads the form of a new key. The use case checks everything else.
func readKey(env tenant.Environment, f *form) (account.NewAPIKey, error) {
	var faults fault.List
	n := account.NewAPIKey{Environment: env, Name: f.Value("name")}
	tenant.CheckKeyName(&faults, "/name", n.Name)
	var err error
	if n.Scopes, err = tenant.ScopesOf(f.Values("scopes")...); err != nil {
		faults.Add("/scopes", fault.CodeRequired, "choose at least one")
	}
	if until := day(&faults, "/expires_at", f.Value("expires_at")); !until.IsZero() {
		n.ExpiresAt = until.AddDate(0, 0, 1)
	}

	return n, faults.Err()
}

// showKey renders the page that shows a new key once. oldUntil is the time when the replaced key
// expires, or zero if no key is replaced.
func showKey(v *visit, key tenant.Key, made tenant.APIKey, oldUntil time.Time) error {
	return v.render("key_made", "New API key", struct {
		Name, Key, Curl string
		OldUntil        time.Time
	}{
		Name:     made.Name,
		Key:      key.Reveal(),
		Curl:     curl(v.base(), key, made.Scopes),
		OldUntil: oldUntil,
	})
}

// findKey returns the key that the path names, or errNotFound if this environment has no such
// key.
func (p *keyPages) findKey(v *visit) (shownKey, error) {
	list, err := p.keysHere(v)
	if err != nil {
		return shownKey{}, err
	}

	at := slices.IndexFunc(list, func(k shownKey) bool { return k.ID == v.id("id") })
	if at < 0 {
		return shownKey{}, errNotFound
	}

	return list[at], nil
}

func (p *keyPages) key(v *visit) error {
	found, err := p.findKey(v)
	if err != nil {
		return err
	}
	return v.render("key", found.Name, struct{ Key shownKey }{found})
}

func (p *keyPages) revokeKey(v *visit) error {
	found, err := p.findKey(v)
	if err != nil {
		return err
	}
	if err = v.confirmed(); err == nil {
		_, err = p.accounts.RevokeAPIKey(v.ctx, v.caller(), found.ID)
	}
	if err != nil {
		return v.redraw(err, p.key)
	}

	return v.done("The key "+found.Name+" is revoked.", "/keys")
}

func (p *keyPages) rotateKey(v *visit) error {
	found, err := p.findKey(v)
	if err != nil {
		return err
	}
	if err := v.confirmed(); err != nil {
		return v.redraw(err, p.key)
	}

	overlap, err := time.ParseDuration(v.form.Value("overlap"))
	if err != nil {
		overlap = 0 // 0 means the default of the use case
	}

	key, made, err := p.accounts.RotateAPIKey(v.ctx, v.caller(), found.ID, overlap)
	if err != nil {
		return v.redraw(err, p.key)
	}

	found, err = p.findKey(v) // the old key, which has an expiry now
	if err != nil {
		return err
	}

	return showKey(v, key, made, found.ExpiresAt)
}
