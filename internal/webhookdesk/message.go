package webhookdesk

import (
	"context"
	"strconv"
	"time"

	"verdict/internal/store"
	"verdict/internal/webhook"
)

// message is an event as it is sent.
type message struct {
	id       string
	sequence int64 // 0 for a test event
	kind     string
	at       string // when it happened
	object   string
	body     []byte
}

// attempt is the result of sending a message.
type attempt struct {
	began   time.Time
	took    time.Duration
	status  int
	problem string
}

// delivered reports whether the receiver has accepted the message. A redirect counts as a failure,
// because it is not followed.
func (a attempt) delivered() bool { return a.status >= 200 && a.status <= 299 }

// statusGone is the status with which a receiver says that it wants no more events.
const statusGone = 410

// send sends a message to a webhook, with the headers of Standard Webhooks and of
// CloudEvents.
func (s *Service) send(ctx context.Context, scope store.ScopeName, hook *store.Webhook, m message) attempt {
	a := attempt{began: s.core.Now()}
	secrets, err := s.secretsOf(ctx, scope, hook, a.began)
	if err != nil {
		s.core.Logger.ErrorContext(ctx, "could not read the secret of a webhook; its events are sent later",
			"tenant_id", scope.Tenant, "environment", scope.Environment, "webhook_id", hook.ID, "error", err)
		a.problem = "secret_unreadable"
		return a
	}
	seconds := a.began.Unix()
	header := map[string]string{
		"Content-Type":      "application/json",
		"User-Agent":        "verdict-webhooks/1",
		"webhook-id":        m.id,
		"webhook-timestamp": strconv.FormatInt(seconds, 10),
		"webhook-signature": webhook.Sign(m.id, seconds, m.body, secrets...),
		"ce-specversion":    "1.0",
		"ce-id":             m.id,
		"ce-source":         "/verdict/" + scope.Tenant + "/" + scope.Environment,
		"ce-type":           m.kind,
		"ce-time":           m.at,
	}
	if m.object != "" {
		header["ce-subject"] = m.object
	}
	a.status, a.problem = s.options.Post(ctx, hook.URL, header, m.body)
	a.took = s.core.Now().Sub(a.began)
	return a
}

// secretsOf returns the secrets with which to sign: the present one, and the previous one
// until its time is over.
func (s *Service) secretsOf(
	ctx context.Context, scope store.ScopeName, hook *store.Webhook, now time.Time,
) (secrets [][]byte, err error) {
	texts := []string{hook.Secret}
	if hook.PreviousSecret != "" && now.UnixMicro() < hook.PreviousUntilMicros {
		texts = append(texts, hook.PreviousSecret)
	}
	for _, stored := range texts {
		text, err := s.core.OpenSecret(ctx, scope, hook.ID, stored)
		if err != nil {
			return nil, err
		}
		secret, err := webhook.ParseSecret(text)
		if err != nil {
			return nil, err
		}
		secrets = append(secrets, secret)
	}
	return secrets, nil
}
