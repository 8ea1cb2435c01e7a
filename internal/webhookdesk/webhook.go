package webhookdesk

import (
	"context"
	"fmt"
	"io"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"verdict/internal/eventdesk"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/webhook"
)

// The states of a webhook.
const (
	Enabled  = store.WebhookEnabled
	Paused   = store.WebhookPaused   // by a person, or because the database was restored
	Disabled = store.WebhookDisabled // because nothing was delivered for three days, or the receiver answered 410
)

// Settings are what a person decides about a webhook.
type Settings struct {
	URL         string
	Types       []string // the types of events that are sent; empty for all
	Description string
	State       string // Enabled or Paused
}

// Webhook is an address to which events are sent.
type Webhook struct {
	Settings // State may also be Disabled

	ID            string
	CreatedMicros int64
	Reason        string // why it is paused or disabled; "" if a person paused it
	LastSequence  int64  // every event up to this one was sent or skipped, or is among the retries
	Retries       int64  // events that wait to be sent again
	FailingMicros int64  // since when every attempt has failed; 0 if the last one succeeded
	NextMicros    int64  // when the next attempt is made if it is failing, 0 otherwise
	// PreviousUntilMicros is the time until which events are signed with the previous secret, too.
	PreviousUntilMicros int64
}

// NewWebhook is a webhook to be created.
type NewWebhook struct {
	Settings
	// After is the sequence number after which the webhook begins; if it is negative, the
	// webhook begins with the next event.
	After int64
}

// Limits of the settings, in bytes.
const (
	maxURL         = 2_048
	maxDescription = 200
)

// check adds the faults of the settings to faults.
func (n Settings) check(faults *fault.List, environment tenant.Environment) {
	c := faults.Check("")
	if c.Require("url", n.URL != "", "the address to which events are sent") {
		c.Text("url", n.URL, maxURL)
	}
	if c.Ok("url") {
		if problem := urlProblem(n.URL, environment); problem != "" {
			c.Fail("url", fault.CodeOutOfRange, "%s", problem)
		}
	}
	c.Text("description", n.Description, maxDescription)
	for i, name := range n.Types {
		at := fmt.Sprintf("types/%d", i)
		switch {
		case !slices.Contains(eventdesk.Types(), name):
			c.Fail(at, fault.CodeOutOfRange, "must be one of %s", strings.Join(eventdesk.Types(), ", "))
		case slices.Index(n.Types, name) < i:
			c.Fail(at, fault.CodeDuplicate, "is named twice")
		}
	}
	c.Choice("state", n.State, Enabled, Paused)
}

// urlProblem returns why an address cannot be used, or "" if it can. Names are looked up only when
// an event is sent.
func urlProblem(text string, environment tenant.Environment) string {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http":
		return "must be an https address such as https://example.com/events"
	case u.Scheme != "https" && environment == tenant.Live:
		return "must begin with https:// in live"
	case u.User != nil:
		return "must not contain a user name or a password; requests are signed instead"
	case u.Fragment != "" || strings.HasSuffix(text, "#"):
		return "must not contain a fragment"
	}
	if addr, err := netip.ParseAddr(u.Hostname()); err == nil && addr.Zone() != "" {
		return "must not name a network interface"
	}
	return ""
}

// Issued is a webhook with a new secret, which is not shown again.
type Issued struct {
	Webhook
	Secret tenant.Secret
}

// Create creates a webhook.
func (s *Service) Create(
	ctx context.Context, p tenant.Principal, n NewWebhook, reply *operation.Reply[Issued],
) (Issued, error) {
	if err := p.Require(tenant.WebhooksManage); err != nil {
		return Issued{}, err
	}
	if n.State == "" {
		n.State = Enabled
	}
	var faults fault.List
	n.check(&faults, p.Environment)
	if err := faults.Err(); err != nil {
		return Issued{}, err
	}
	id, made := s.core.NewID(tenant.KindWebhook, s.core.Now())
	secret, sealed, err := s.newSecret(ctx, p, id)
	if err != nil {
		return Issued{}, err
	}
	audit := s.core.Audit(p, made, operation.ActionWebhookCreated, id, "")
	attempt, done, err := reply.Begin(ctx, s.core, s.core.Scope(p))
	if done || err != nil {
		return Issued{}, err
	}
	defer attempt.End()
	var issued Issued
	var answer operation.Answer
	err = s.core.DB.System().InsertWebhook(ctx, scopeOf(p), store.Webhook{
		ID:            id,
		URL:           n.URL,
		Types:         strings.Join(n.Types, " "),
		Description:   n.Description,
		State:         n.State,
		Secret:        sealed,
		CreatedMicros: made.UnixMicro(),
		Handled:       n.After,
	}, MaxWebhooks, func(tx *store.Tx, hook store.Webhook) error {
		issued = Issued{shown(hook, 0), tenant.NewSecret(secret)}
		if reply != nil {
			answer = reply.Encode(issued)
		}
		if record := attempt.Record(answer); record != nil {
			if err := tx.Answers().Insert(*record); err != nil {
				return err
			}
		}
		return tx.Audit().Add(audit)
	})
	if done, err := reply.Finish(ctx, attempt, answer, err); done || err != nil {
		return Issued{}, err
	}
	return issued, nil
}

func scopeOf(p tenant.Principal) store.ScopeName {
	return store.ScopeName{Tenant: p.TenantID, Environment: string(p.Environment)}
}

// newSecret returns a new secret of a webhook, and the text that is stored: the ciphertext if
// data is encrypted.
func (s *Service) newSecret(ctx context.Context, p tenant.Principal, id string) (secret, sealed string, err error) {
	var raw [webhook.SecretSize]byte
	if _, err := io.ReadFull(s.core.Random, raw[:]); err != nil {
		return "", "", fmt.Errorf("generate a webhook secret: %w", err)
	}
	tree, err := s.core.Keys.Tree(ctx, p.TenantID)
	if err != nil {
		return "", "", err
	}
	secret = webhook.FormatSecret(raw[:])
	return secret, tree.SealSecret(string(p.Environment), id, secret), nil
}

// shown returns a stored webhook as callers see it. retries is the number of events that
// wait to be sent again.
func shown(h store.Webhook, retries int64) Webhook {
	w := Webhook{
		Settings: Settings{
			URL:         h.URL,
			Types:       strings.Fields(h.Types),
			Description: h.Description,
			State:       h.State,
		},
		ID:                  h.ID,
		CreatedMicros:       h.CreatedMicros,
		Reason:              h.Reason,
		LastSequence:        h.Handled,
		Retries:             retries,
		FailingMicros:       h.FailingMicros,
		PreviousUntilMicros: h.PreviousUntilMicros,
	}
	if h.FailingMicros != 0 && h.State == Enabled {
		w.NextMicros = h.NextMicros
	}
	return w
}

// List returns the webhooks of the environment, oldest first.
func (s *Service) List(ctx context.Context, p tenant.Principal) (hooks []Webhook, err error) {
	if err := p.Require(tenant.WebhooksManage); err != nil {
		return nil, err
	}
	err = s.core.Scope(p).Read(ctx, func(tx *store.Tx) error {
		stored, err := tx.Webhooks().List()
		if err != nil {
			return err
		}
		retries, err := tx.Webhooks().CountRetries()
		hooks = make([]Webhook, len(stored))
		for i, h := range stored {
			hooks[i] = shown(h, retries[h.ID])
		}
		return err
	})
	return hooks, err
}

// Get returns a webhook.
func (s *Service) Get(ctx context.Context, p tenant.Principal, id string) (Webhook, error) {
	if err := p.Require(tenant.WebhooksManage); err != nil {
		return Webhook{}, err
	}
	hooks, err := s.List(ctx, p)
	if err != nil {
		return Webhook{}, err
	}
	at := slices.IndexFunc(hooks, func(h Webhook) bool { return h.ID == id })
	if at < 0 {
		return Webhook{}, fault.Missing("webhook")
	}
	return hooks[at], nil
}

// Change changes the settings of a webhook. The function change gets the present settings and returns the new ones.
// A webhook that is set to Enabled begins again where it stopped. Everything that failed before is then tried
// again. The same happens if the address of an enabled webhook is changed.
func (s *Service) Change(
	ctx context.Context, p tenant.Principal, id string, change func(Settings) Settings,
) (Webhook, error) {
	if err := p.Require(tenant.WebhooksManage); err != nil {
		return Webhook{}, err
	}
	audit := s.core.Audit(p, s.core.Now(), operation.ActionWebhookChanged, id, "")
	err := s.core.Scope(p).Write(ctx, func(tx *store.Tx) error {
		hook, err := tx.Webhooks().Lock(id)
		if err != nil {
			return err
		}
		before := shown(hook, 0).Settings
		after := change(before)
		var faults fault.List
		if after.State == Disabled { // the state was not changed
			after.State = ""
		}
		after.check(&faults, p.Environment)
		if err := faults.Err(); err != nil {
			return err
		}
		hook.URL, hook.Types, hook.Description = after.URL, strings.Join(after.Types, " "), after.Description
		if after.State != "" && after.State != hook.State {
			hook.State, hook.Reason = after.State, ""
		}
		restart := hook.State == Enabled && (before.State != Enabled || before.URL != after.URL)
		if err := tx.Webhooks().Change(hook, restart); err != nil {
			return err
		}
		return tx.Audit().Add(audit)
	})
	if err != nil {
		return Webhook{}, err
	}
	s.Wake()
	return s.Get(ctx, p, id)
}

// The limits of how long a replaced secret is still used.
const (
	DefaultOverlap = 24 * time.Hour
	MaxOverlap     = 7 * 24 * time.Hour
)

// RotateSecret gives a webhook a new secret. Until the duration overlap has passed, events are signed with both the
// new and the previous secret.
func (s *Service) RotateSecret(
	ctx context.Context, p tenant.Principal, id string, overlap time.Duration, reply *operation.Reply[Issued],
) (Issued, error) {
	if err := p.Require(tenant.WebhooksManage); err != nil {
		return Issued{}, err
	}
	if overlap < 0 || overlap > MaxOverlap {
		return Issued{}, operation.Invalid("/overlap_hours", fault.CodeOutOfRange, "must be between 0 and 168")
	}
	secret, sealed, err := s.newSecret(ctx, p, id)
	if err != nil {
		return Issued{}, err
	}
	now := s.core.Now()
	audit := s.core.Audit(p, now, operation.ActionWebhookRotated, id, "")
	return operation.Write(ctx, s.core, s.core.Scope(p), reply, func(tx *store.Tx) (Issued, error) {
		hook, err := tx.Webhooks().Lock(id)
		if err != nil {
			return Issued{}, err
		}
		hook.PreviousSecret, hook.PreviousUntilMicros = hook.Secret, now.Add(overlap).UnixMilli()*1000
		if overlap == 0 {
			hook.PreviousSecret, hook.PreviousUntilMicros = "", 0
		}
		hook.Secret = sealed
		if err := tx.Webhooks().Change(hook, false); err != nil {
			return Issued{}, err
		}
		retries, err := tx.Webhooks().CountRetries()
		if err != nil {
			return Issued{}, err
		}
		return Issued{shown(hook, retries[id]), tenant.NewSecret(secret)}, tx.Audit().Add(audit)
	})
}

// Delete deletes a webhook.
func (s *Service) Delete(ctx context.Context, p tenant.Principal, id string) error {
	if err := p.Require(tenant.WebhooksManage); err != nil {
		return err
	}
	audit := s.core.Audit(p, s.core.Now(), operation.ActionWebhookDeleted, id, "")
	return s.core.Scope(p).Write(ctx, func(tx *store.Tx) error {
		if err := tx.Webhooks().Delete(id); err != nil {
			return err
		}
		return tx.Audit().Add(audit)
	})
}

// EventTypes returns the types of events that a webhook can be limited to.
func EventTypes() []string { return eventdesk.Types() }
